// No congestion control: line rate, no window.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class NoControl final : public CongestionControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool staysOpen() const override { return true; }
  void onFlowStart(Flow&) override {}
};

}  // namespace fabric
