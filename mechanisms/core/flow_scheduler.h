// Which flow of a host sends next.
#pragma once

#include "mechanisms/core/component.h"
#include "mechanisms/core/flow.h"

namespace fabric {

class Port;

/// One per NIC: which of the flows that may send now goes next, class by class. Window and pacing have let these
/// flows send; the scheduler only orders them.
class FlowScheduler : public Component {
 public:
  virtual void attach(Port& nic) { nic_ = &nic; }
  /// A flow gets a place in its class, by which it is named from then on. Null: what is no flow (ns-3's internet
  /// stack); next() gives null when its turn has come.
  virtual uint32_t join(uint8_t cls, Flow* flow) = 0;
  virtual void leave(uint8_t cls, uint32_t place) = 0;
  /// The flow has a packet that may go now.
  virtual void ready(uint8_t cls, uint32_t place) = 0;
  /// It has none any more. False: nor has any other of its class.
  virtual bool idle(uint8_t cls, uint32_t place) = 0;
  /// The next of a class in which some are ready.
  virtual Flow* next(uint8_t cls) = 0;

 protected:
  Port* nic_ = nullptr;
};

}  // namespace fabric
