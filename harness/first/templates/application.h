// NAME: no flow of the host sends faster than a given rate.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class CLASS final : public Application {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override { flow.limit = most_; }

 private:
  Rate most_;
};

}  // namespace fabric
