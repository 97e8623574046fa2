// Flows take turns, packet by packet.
#pragma once

#include <vector>

#include "mechanisms/core/flow_scheduler.h"
#include "mechanisms/scheduler/turns.h"

namespace fabric {

class RoundRobin final : public FlowScheduler {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

  uint32_t join(uint8_t cls, Flow* flow) override {
    if (turns_.size() <= cls) turns_.resize(cls + size_t{1});
    return turns_[cls].join(flow);
  }
  void leave(uint8_t cls, uint32_t place) override { turns_[cls].leave(place); }
  void ready(uint8_t cls, uint32_t place) override { turns_[cls].set(place); }
  bool idle(uint8_t cls, uint32_t place) override {
    turns_[cls].clear(place);
    return !turns_[cls].none();
  }
  Flow* next(uint8_t cls) override { return turns_[cls].next(); }

 private:
  std::vector<Turns> turns_;  // by class, up to the last that has flows
};

}  // namespace fabric
