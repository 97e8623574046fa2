#include "mechanisms/tcp/mptcp.h"

#include "mechanisms/core/host.h"

namespace fabric {

const Description& Mptcp::describe() {
  static const Description d = [] {
    Describe<Mptcp> description("mptcp", Kind::Transport, "MPTCP: TCP over several sub-flows");
    description
        .help(
            "Every sub-flow is a TCP connection with ports of its own. The scheduler gives a byte to a sub-flow whose "
            "window has room, and there it stays.")
        .source("RFC 8684; CONGA section 5: 8 sub-flows")
        .param("subflows", &Mptcp::subflows_, 8, "number of sub-flows", "CONGA section 5 (recalled): 8")
        .range(1, 64)
        .param("scheduler", &Mptcp::scheduler_, {"lowest_rtt", "round_robin"}, "lowest_rtt",
               "which of the sub-flows with room in their windows gets the next bytes: that of the shortest smoothed "
               "round trip (the first ones while they have none), or each in turn",
               "Linux MPTCP (multipath-tcp.org): its default scheduler");
    return parameters(description).done();
  }();
  return d;
}
FABRIC_REGISTER(Mptcp);

void Mptcp::onFlowStart(Flow& f) {
  begin(f, 0);
  for (uint32_t i = 1; i < subflows_; ++i) {
    const auto port = static_cast<uint16_t>(f.spec.srcPort + i);
    begin(host_->addSubflow(f, i, port, static_cast<uint16_t>(f.spec.dstPort + i)), i);
  }
}

void Mptcp::append(Flow& connection, Flow& message) {
  Tcp::append(connection, message);
  if (inTurn()) passTurn(connection);
}

/// Retransmissions stay on their sub-flow and wait for nobody.
bool Mptcp::maySend(const Flow& f) const {
  if (!Tcp::maySend(f)) return false;
  if (!inTurn() || !sendsNew(f)) return true;
  const Flow* t = turn(f);
  return (t != nullptr ? t : next(f)) == &f;
}

Flow& Mptcp::fill(Flow& f, Packet& p) {
  Flow& row = Tcp::fill(f, p);
  if (inTurn()) passTurn(f);
  return row;
}

bool Mptcp::onAck(Flow& f, const Packet& ack) {
  if (!Tcp::onAck(f, ack)) return false;
  if (inTurn()) passTurn(f);
  return true;
}

void Mptcp::onTimer(Flow& f) {
  Tcp::onTimer(f);
  if (inTurn()) passTurn(f);
}

/// The sub-flow that takes the next new bytes; none has room: null.
Flow* Mptcp::next(const Flow& f) const {
  Flow* best = nullptr;
  for (Flow* part = f.connection; part != nullptr; part = part->nextSubflow) {
    if (best != nullptr && smoothed(*part) >= smoothed(*best)) continue;
    if (Tcp::maySend(*part) && sendsNew(*part)) best = part;
  }
  return best;
}

/// After something changed at `f`, at which the host looks anyway.
void Mptcp::passTurn(Flow& f) {
  Flow* before = turn(f);
  Flow* now = turn(f) = next(f);
  if (now == before) return;
  for (Flow* part : {before, now}) {
    if (part != nullptr && part != &f) host_->settle(*part);
  }
}

}  // namespace fabric
