// LetFlow: every flowlet takes a random port.
#pragma once

#include "mechanisms/path/flowlets.h"

namespace fabric {

class LetFlow final : public FlowletSelector {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

 private:
  uint16_t decide(const Packet&, NextHops hops, int) override {
    return static_cast<uint16_t>(random_.below(hops.count));
  }
};

}  // namespace fabric
