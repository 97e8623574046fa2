// When flows are stopped.
#pragma once

#include "mechanisms/core/engine.h"
#include "mechanisms/core/flow.h"
#include "mechanisms/core/flow_heap.h"

namespace fabric {

/// The stops of flows under way. For the engine they are one event, which belongs to no node: most flows end before
/// their stop, and an engine's list is slow to take out what is not first.
class FlowStops final : public Event {
 public:
  FlowStops(Engine& engine, void (*stop)(Flow&))
      : Event(eventKey(kFirstNode, EventKind::FlowStop, 0)), engine_(engine), stop_(stop) {}

  void add(Flow& flow);
  /// Does nothing to a flow that is not here.
  void remove(Flow& flow);
  /// Stops all whose time has come, in the order of their numbers.
  void fire() override;

 private:
  struct Sooner {
    bool operator()(const Flow& a, const Flow& b) const {
      return a.spec.stop < b.spec.stop || (a.spec.stop == b.spec.stop && a.spec.id < b.spec.id);
    }
  };
  void take(Flow& flow);
  void arm();

  Engine& engine_;
  void (*stop_)(Flow&);
  FlowHeap<Sooner, &Flow::stopPlace> flows_;
};

}  // namespace fabric
