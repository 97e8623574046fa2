#include "mechanisms/tcp/mptcp.h"

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
               "round trip, or each in turn. One without a sample counts as the shortest",
               "Linux MPTCP (multipath-tcp.org): its default scheduler")
        .param("new_data_in_loss", &Mptcp::newInLoss_, true,
               "a sub-flow takes new bytes also while what its timeout took for lost is not all acknowledged; false: "
               "they go over the others",
               "RFC 6675; Linux MPTCP v0.87: false (mptcp_is_available, recalled)")
        .added()
        .param(
            "receive_window", &Mptcp::receiveWindow_, Bytes{0},
            "what may lie between the first missing byte of the connection and the last one sent, all sub-flows "
            "together, at most; 0 = no limit",
            "RFC 8684 section 3.3.5; Linux: net.ipv4.tcp_rmem, at most 6 MB, half of it for payload; chosen: no limit")
        .range(0, 1e12)
        .added()
        .param("receive_window_tuning", &Mptcp::tuning_, true,
               "the receive window begins with initial_receive_window for each sub-flow. It grows to twice what the "
               "connection had in order in a round trip; what waits out of order takes room of it. false: it is "
               "receive_window from the start",
               "Raiciu et al., NSDI 2012, section 4.2; Linux 3.10: tcp_rcv_space_adjust; Linux MPTCP: mptcp_check_rtt")
        .added()
        .param("initial_receive_window", &Mptcp::initialWindow_, Bytes{43690},
               "the receive window at the start, for each sub-flow",
               "Linux 3.10: half of net.ipv4.tcp_rmem's default of 87380 B; Linux MPTCP: mptcp_init_buffer_space")
        .range(1, 1e12)
        .added()
        .param("tuning_period", &Mptcp::tuningPeriod_, Time::Ms(1),
               "how long the longest smoothed round trip of the sub-flows counts at least where the window is tuned",
               "Linux 3.10: tcp_rcv_rtt_update, which counts a jiffy at least; chosen: 1000 of them in a second")
        .range(1, 10e12)
        .added()
        .param("opportunistic_retransmission", &Mptcp::opportunistic_, true,
               "with the receive window full, the sub-flow that would take new bytes sends the connection's first "
               "missing segment once more. It does so if it is four times as fast as the one that has it, or that "
               "one's window is four segments at most",
               "Raiciu et al., NSDI 2012, section 4.2; Linux MPTCP: mptcp_rcv_buf_optimization")
        .added()
        .param("penalisation", &Mptcp::penalisation_, true,
               "with the receive window full, the sub-flow that has the first missing segment halves its window, once "
               "in a round trip at most. It does so if its rate is below that of the one that would take new bytes",
               "Raiciu et al., NSDI 2012, section 4.2; Linux MPTCP: mptcp_rcv_buf_optimization")
        .added()
        .extension(DataAck::kName, sizeof(DataAck), 0,
                   "in the data ACK and TCP's window field, which ack_bytes has; with a receive window only")
        .extension(DataSequence::kName, sizeof(DataSequence), 0,
                   "in the data sequence mapping and TCP's time stamps, which host.header_bytes has; with a receive "
                   "window only");
    return parameters(description).done();
  }();
  return d;
}
FABRIC_REGISTER(Mptcp);

void Mptcp::onStart(Network& network) {
  Tcp::onStart(network);
  if (hasWindow()) startWindow(network);
}

void Mptcp::onFlowStart(Flow& f) {
  begin(f, 0);
  for (uint32_t i = 1; i < subflows_; ++i) {
    const auto port = static_cast<uint16_t>(f.spec.srcPort + i);
    begin(host_->addSubflow(f, i, port, static_cast<uint16_t>(f.spec.dstPort + i)), i);
  }
  openWindow(f);
}

void Mptcp::onSenderEnd(Flow& f) {
  Tcp::onSenderEnd(f);
  if (!hasWindow()) return;
  subflow(f).chunks.release(pool_);
  subflow(f).begins.release(pool_);
  if (f.connection != &f) return;
  window(f).begins.release(pool_);
  window(f).carriers.release(pool_);
}

void Mptcp::onFlowEnd(Flow& f) {
  Tcp::onFlowEnd(f);
  if (!hasWindow()) return;
  subflow(f).early.release(pool_);
  subflow(f).firsts.release(pool_);
  if (f.connection != &f) return;
  window(f).here.release(pool_);
  window(f).ends.release(pool_);
}

void Mptcp::append(Flow& connection, Flow& message) {
  Tcp::append(connection, message);
  relieve(connection);
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
  const uint32_t segment = sender(f).board.nxt;
  const uint64_t first = shared(f).assigned;
  Flow& row = Tcp::fill(f, p);
  if (hasWindow()) {
    if (sender(f).board.nxt > segment) sent(f, p, row, first);
    if (header_(p).control != TcpHeader::Control::Syn) describe(f, p);
  }
  relieve(f);
  if (inTurn()) passTurn(f);
  return row;
}

bool Mptcp::onAck(Flow& f, const Packet& ack) {
  const uint64_t limit = shared(f).limit;
  if (!Tcp::onAck(f, ack)) return false;
  relieve(f);
  if (inTurn()) passTurn(f);
  if (shared(f).limit > limit) settleOthers(f);
  return true;
}

bool Mptcp::onStop(Flow& f) {
  const bool over = Tcp::onStop(f);
  if (hasWindow() && f.connection != &f) {  // the next message may find the window full
    relieve(*f.connection);
    if (inTurn()) passTurn(*f.connection);
  }
  return over;
}

void Mptcp::onTimer(Flow& f) {
  Tcp::onTimer(f);
  relieve(f);
  if (inTurn()) passTurn(f);
  if (hasWindow()) host_->rateChanged(f);  // a copy may go, by it or by another one
}

/// The sub-flow that takes the next new bytes; none has room: null.
Flow* Mptcp::next(const Flow& f) const {
  Flow* best = nullptr;
  for (Flow* part = f.connection; part != nullptr; part = part->nextSubflow) {
    if (best != nullptr && smoothed(*part) >= smoothed(*best)) continue;
    if (takesNew(*part)) best = part;
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

void Mptcp::settleOthers(Flow& f) {
  for (Flow* part = f.connection; part != nullptr; part = part->nextSubflow) {
    if (part != &f) host_->settle(*part);
  }
}

}  // namespace fabric
