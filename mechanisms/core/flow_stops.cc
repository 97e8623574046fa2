#include "mechanisms/core/flow_stops.h"

namespace fabric {

void FlowStops::add(Flow& flow) {
  flows_.add(flow);
  arm();
}

void FlowStops::remove(Flow& flow) {
  if (flow.stopPlace == Flow::kNowhere) return;
  take(flow);
  arm();
}

void FlowStops::fire() {
  while (!flows_.empty() && flows_.first().spec.stop == engine_.now()) {
    Flow& flow = flows_.first();
    take(flow);
    stop_(flow);
  }
  arm();
}

void FlowStops::take(Flow& flow) {
  flows_.remove(flow);
  flow.stopPlace = Flow::kNowhere;
}

void FlowStops::arm() {
  if (pending() && !flows_.empty() && at() == flows_.first().spec.stop) return;
  engine_.cancel(*this);
  if (!flows_.empty()) engine_.schedule(*this, flows_.first().spec.stop);
}

}  // namespace fabric
