#include "mechanisms/tcp/mptcp.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

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
               "Linux MPTCP (multipath-tcp.org): its default scheduler")
        .param("new_data_in_loss", &Mptcp::newInLoss_, true,
               "a sub-flow takes new bytes also while what its timeout took for lost is not all acknowledged; false: "
               "they go over the others",
               "RFC 6675; Linux MPTCP v0.87: false (mptcp_is_available, recalled)")
        .added()
        .param(
            "receive_window", &Mptcp::receiveWindow_, Bytes{0},
            "what may lie between the first missing byte of the connection and the last one sent, all sub-flows "
            "together: a fixed window, not Linux's, as nothing tunes it and a full one is met neither by opportunistic "
            "retransmission nor by penalisation; 0 = no limit",
            "RFC 8684 section 3.3.5; Linux: net.ipv4.tcp_rmem, at most 6 MB; chosen: no limit")
        .range(0, 1e12)
        .added()
        .extension(DataAck::kName, sizeof(DataAck), 0,
                   "in the data ACK, which ack_bytes has; with a receive window only");
    return parameters(description).done();
  }();
  return d;
}
FABRIC_REGISTER(Mptcp);

void Mptcp::onStart(Network& network) {
  Tcp::onStart(network);
  if (receiveWindow_.n == 0) return;
  if (receiveWindow_.n < host_->payloadPerPacket()) {
    throw ParamError("mptcp.receive_window: " + std::to_string(receiveWindow_.n) + " B are less than a segment of " +
                     std::to_string(host_->payloadPerPacket()) + " B, and none could be sent; 0 is no limit");
  }
  subflow_ = network.flows().reserve<Subflow>("mptcp");
  dataAck_ = network.packets().reserve<DataAck>(DataAck::kName);
}

void Mptcp::onFlowStart(Flow& f) {
  begin(f, 0);
  for (uint32_t i = 1; i < subflows_; ++i) {
    const auto port = static_cast<uint16_t>(f.spec.srcPort + i);
    begin(host_->addSubflow(f, i, port, static_cast<uint16_t>(f.spec.dstPort + i)), i);
  }
  if (receiveWindow_.n == 0) return;
  shared(f).limit = static_cast<uint64_t>(receiveWindow_.n);
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) subflow_.make(*part);
}

void Mptcp::onFlowEnd(Flow& f) {
  Tcp::onFlowEnd(f);
  if (receiveWindow_.n > 0) subflow(f).begins.release(pool_);
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
  const uint64_t first = shared(f).assigned;
  Flow& row = Tcp::fill(f, p);
  if (receiveWindow_.n > 0 && shared(f).assigned > first) {
    const TcpState& s = state(f);
    subflow(f).begins.add(s.sender.board.nxt - 1, first, s.receiver.got.expected(), pool_);
  }
  if (inTurn()) passTurn(f);
  return row;
}

bool Mptcp::onAck(Flow& f, const Packet& ack) {
  const bool more = receiveWindow_.n > 0 && takeDataAck(f, ack);
  if (!Tcp::onAck(f, ack)) return false;
  if (inTurn()) {
    passTurn(f);
  } else if (more) {
    for (Flow* part = f.connection; part != nullptr; part = part->nextSubflow) {
      if (part != &f) host_->settle(*part);
    }
  }
  return true;
}

/// The receiver says which byte of the connection it misses first: of each sub-flow, that is the beginning of
/// the first segment missing there.
void Mptcp::beforeAck(Flow& f, Packet& p) {
  if (receiveWindow_.n == 0) return;
  uint64_t next = shared(f).assigned;
  for (Flow* part = f.connection; part != nullptr; part = part->nextSubflow) {
    const TcpState& s = state(*part);
    const uint32_t missing = s.receiver.got.expected();
    if (missing < s.sender.board.nxt) next = std::min(next, subflow(*part).begins.at(missing));
  }
  dataAck_(p).next = next;
}

/// True: the window's right edge has moved.
bool Mptcp::takeDataAck(Flow& f, const Packet& ack) {
  if (header_(ack).control == TcpHeader::Control::Syn) return false;
  uint64_t& limit = shared(f).limit;
  const uint64_t edge = dataAck_(ack).next + static_cast<uint64_t>(receiveWindow_.n);
  if (edge <= limit) return false;
  limit = edge;
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
