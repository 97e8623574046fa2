#include "mechanisms/scheduler/srpt.h"

#include <algorithm>

#include "mechanisms/core/host.h"

namespace fabric {

namespace {

/// What is not acknowledged of a flow, all its sub-flows together.
uint64_t left(const Flow& flow) {
  const Flow& connection = *flow.connection;
  return connection.end - connection.sender->transport().acked(connection);
}

}  // namespace

const Description& Srpt::describe() {
  static const Description d = [] {
    Describe<Srpt> description("srpt", Kind::FlowScheduler, "Shortest remaining processing time first");
    description
        .help(
            "The flow with the fewest bytes that are not acknowledged goes first; of equal ones the one that started "
            "first. A flow without an end goes last, what is no flow (ns-3's stack) first.")
        .source("pFabric, SIGCOMM 2013, section 4.1");
    return shared(description).done();
  }();
  return d;
}
FABRIC_REGISTER(Srpt);

uint32_t Srpt::join(uint8_t cls, Flow* flow) {
  Class& c = classes_[cls];
  if (c.free.empty()) {
    c.free.push_back(static_cast<uint32_t>(c.flows.size()));
    c.flows.push_back(nullptr);
  }
  const uint32_t place = c.free.back();
  c.free.pop_back();
  c.flows[place] = flow;
  return place;
}

void Srpt::leave(uint8_t cls, uint32_t place) {
  idle(cls, place);
  classes_[cls].free.push_back(place);
}

void Srpt::ready(uint8_t cls, uint32_t place) {
  OwnVector<uint32_t>& ready = classes_[cls].ready;
  if (std::find(ready.begin(), ready.end(), place) == ready.end()) ready.push_back(place);
}

bool Srpt::idle(uint8_t cls, uint32_t place) {
  OwnVector<uint32_t>& ready = classes_[cls].ready;
  const auto it = std::find(ready.begin(), ready.end(), place);
  if (it != ready.end()) {
    *it = ready.back();
    ready.pop_back();
  }
  return !ready.empty();
}

Flow* Srpt::next(uint8_t cls) {
  const Class& c = classes_[cls];
  const auto sooner = [&](uint32_t a, uint32_t b) {
    const Flow *x = c.flows[a], *y = c.flows[b];
    if (x == nullptr || y == nullptr) return y != nullptr;
    const uint64_t mine = left(*x), other = left(*y);
    return mine < other || (mine == other && x->spec.id < y->spec.id);
  };
  return c.flows[*std::min_element(c.ready.begin(), c.ready.end(), sooner)];
}

}  // namespace fabric
