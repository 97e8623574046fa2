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

  /// How many bytes of flows' packets may wait in the NIC's queue of a class; 0: a packet is made when the wire is
  /// free.
  int64_t backlog() const { return backlog_.n; }

 protected:
  /// The parameter that every scheduler has.
  template <class C>
  static Describe<C>& shared(Describe<C>& d) {
    return d.param("backlog", &C::backlog_, Bytes{0},
                   "flows hand their packets to the NIC's queue while less than this waits there in their class; 0: a "
                   "packet is made when the wire is free, so that no data waits there",
                   "chosen: 0");
  }

  Port* nic_ = nullptr;
  Bytes backlog_;
};

}  // namespace fabric
