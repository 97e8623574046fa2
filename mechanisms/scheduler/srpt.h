// The flow with the least left to send goes first.
#pragma once

#include <vector>

#include "mechanisms/core/flow_scheduler.h"
#include "mechanisms/core/own_lines.h"
#include "mechanisms/core/port.h"

namespace fabric {

class Srpt final : public FlowScheduler {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

  uint32_t join(uint8_t cls, Flow* flow) override;
  void leave(uint8_t cls, uint32_t place) override;
  void ready(uint8_t cls, uint32_t place) override;
  bool idle(uint8_t cls, uint32_t place) override;
  Flow* next(uint8_t cls) override;

 private:
  struct Class {
    OwnVector<Flow*> flows;     // by place
    OwnVector<uint32_t> free;   // places
    OwnVector<uint32_t> ready;  // places, in no order
  };
  Class classes_[kMaxClasses];
};

}  // namespace fabric
