#include "mechanisms/core/connections.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

uint64_t Connections::key(const FlowSpec& s) {
  // Node numbers have 24 bits.
  return uint64_t{s.dst} << 40 | uint64_t{s.srcPort} << 24 | uint64_t{s.dstPort} << 8 | s.cls;
}

Flow& Connections::of(const FlowSpec& spec, Host& receiver) {
  Transport& transport = sender_.transport();
  CongestionControl& cc = sender_.congestionControl();
  Connection& c = all_[key(spec)];
  if (c.busy != nullptr) {
    if (c.busy->messages == 0) sender_.rejoin(*c.busy);
    return *c.busy;
  }
  Flow& f = *sender_.network().flows().get(Host::kHandlers, spec);
  f.spec.size = 0;
  f.connection = &f;
  sender_.prepare(f, receiver);
  sender_.begin(f);
  f.spec.message = nullptr;  // until here the transport can see whether the connection is an application's
  if (c.kept != nullptr) {
    const std::byte* from = c.kept.get();
    for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
      transport.resume(*part, from);
      from += transport.keptBytes();
      cc.resume(*part, from);
      from += cc.keptBytes();
      sender_.checkBounds(*part);
    }
  }
  c.busy = &f;
  return f;
}

void Connections::park(Flow& f) {
  Transport& transport = sender_.transport();
  CongestionControl& cc = sender_.congestionControl();
  Connection& c = all_.at(key(f.spec));
  if (c.kept == nullptr) {
    size_t parts = 0;
    for (Flow* part = &f; part != nullptr; part = part->nextSubflow) ++parts;
    c.kept = std::make_unique<std::byte[]>(parts * static_cast<size_t>(transport.keptBytes() + cc.keptBytes()));
  }
  std::byte* to = c.kept.get();
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    transport.keep(*part, to);
    to += transport.keptBytes();
    cc.keep(*part, to);
    to += cc.keptBytes();
  }
  c.busy = nullptr;
  sender_.leave(f);
  sender_.bury(f);
}

}  // namespace fabric
