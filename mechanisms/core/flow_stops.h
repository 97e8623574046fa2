// When flows are stopped.
#pragma once

#include <vector>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/flow.h"
#include "mechanisms/core/flow_heap.h"
#include "mechanisms/core/lane.h"

namespace fabric {

/// The stops of flows under way. For the engine they are one event, which belongs to no node: most flows end before
/// their stop, and an engine's list is slow to take out what is not first. Lanes that run side by side note what they
/// add and remove; it happens when they meet, before any of these stops can come.
class FlowStops final : public Event {
 public:
  FlowStops(Engine& engine, void (*stop)(Flow&))
      : Event(eventKey(kFirstNode, EventKind::FlowStop, 0)), engine_(engine), stop_(stop) {}

  void add(Flow& flow, bool apart = false);
  /// Does nothing to a flow that is not here.
  void remove(Flow& flow, bool apart = false);
  /// The first `lanes` lanes meet.
  void meet(uint32_t lanes);
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

  /// What a lane has noted. A flow that it adds and removes has its place in `added` and then none.
  struct Noted {
    std::vector<Flow*> added, removed;
  };
  static constexpr uint32_t kNoted = Flow::kNowhere - 1;

  Engine& engine_;
  void (*stop_)(Flow&);
  PerLane<Noted> noted_;
  FlowHeap<Sooner, &Flow::stopPlace> flows_;
};

}  // namespace fabric
