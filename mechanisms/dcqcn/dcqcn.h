// DCQCN at the sender (reaction point).
#pragma once

#include "mechanisms/dcqcn/rate_control.h"

namespace fabric {

class Dcqcn final : public RateControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool staysOpen() const override { return true; }
};

}  // namespace fabric
