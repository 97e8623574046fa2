#include "mechanisms/core/flow_stops.h"

#include <algorithm>

namespace fabric {

void FlowStops::add(Flow& flow, bool apart) {
  if (apart) {
    noted_.here().added.push_back(&flow);
    flow.stopPlace = kNoted;
    return;
  }
  flows_.add(flow);
  arm();
}

void FlowStops::remove(Flow& flow, bool apart) {
  if (flow.stopPlace == Flow::kNowhere) return;
  Noted& noted = noted_.here();
  if (flow.stopPlace == kNoted) {
    noted.added.erase(std::find(noted.added.begin(), noted.added.end(), &flow));
    flow.stopPlace = Flow::kNowhere;
  } else if (apart) {
    noted.removed.push_back(&flow);
  } else {
    take(flow);
    arm();
  }
}

void FlowStops::meet(uint32_t lanes) {
  bool changed = false;
  for (uint32_t i = 0; i < lanes; ++i) {
    Noted& noted = noted_[i];
    changed |= !noted.added.empty() || !noted.removed.empty();
    for (Flow* flow : noted.removed) take(*flow);
    for (Flow* flow : noted.added) flows_.add(*flow);
    noted.added.clear();
    noted.removed.clear();
  }
  if (changed) arm();
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
