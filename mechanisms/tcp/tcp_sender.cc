// TCP's sender: which segment is next, and what an ACK says.
#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/tcp/tcp.h"

namespace fabric {

/// The first byte of a segment, up to the one that will be sent next.
uint64_t Tcp::sequence(const Flow& f, uint32_t segment) const {
  const TcpState& s = state(f);
  if (segment == s.sender.board.nxt) return f.sndNxt;
  if (windowed_) return segmentBegin(f, segment);
  uint64_t missing = s.shortBy;
  for (Flow* m = shared(f).head; m != nullptr && message(*m).ends != nullptr; m = message(*m).next) {
    if (message(*m).lastPart == &f && message(*m).lastSegment < segment) missing += message(*m).shortBy;
  }
  return uint64_t{segment} * mss_ - missing;
}

bool Tcp::maySend(const Flow& f) const {
  const TcpSender& s = sender(f);
  if (s.forced || s.tail.wanted) return true;
  uint64_t used = f.inFlight(), bytes = mss_;
  if (s.phase == Phase::Open && s.board.quiet()) {
    bytes = newBytes(f);
    if (bytes == 0) return false;
  } else {
    const Next n = next(f, s);
    if (n.rule == Next::Nothing) return false;
    bytes = n.rule == Next::New ? newBytes(f) : length(f, n.segment);
    if (s.phase != Phase::Open || limitedTransmit_) used = s.board.pipe(f.inFlight());
  }
  if (f.window < 0) return true;
  return f.window > 0 && (used == 0 || used + bytes <= static_cast<uint64_t>(f.window));
}

bool Tcp::sendsNew(const Flow& f) const {
  const TcpSender& s = sender(f);
  return s.phase == Phase::Open && s.board.quiet() && !s.tail.wanted ? newBytes(f) > 0 : next(f, s).rule == Next::New;
}

/// RFC 6675 section 4, NextSeg(). The congestion window after a timeout lets lost segments go first,
/// then new ones: rules 3 and 4 are for fast recovery only.
Tcp::Next Tcp::next(const Flow& f, const TcpSender& s) const {
  const Scoreboard& b = s.board;
  if (s.phase == Phase::Opening) return {s.forced ? Next::Syn : Next::Nothing, 0};
  if (s.forced) return {Next::Retransmit, b.una};
  if (s.tail.wanted) {
    // New bytes of a connection with sub-flows are not for the one that hears nothing.
    if (newBytes(f) > 0 && parts() == 1) return {Next::New, b.nxt};
    return {Next::Probe, b.lastMissing()};
  }
  if (const uint32_t lost = b.firstLost(); lost != b.nxt) return {Next::Retransmit, lost};
  if (newBytes(f) > 0 && (newInLoss_ || s.phase != Phase::Loss)) return {Next::New, b.nxt};
  if (s.phase != Phase::Recovery) return {Next::Nothing, 0};
  if (const uint32_t hole = b.firstHole(); hole != b.nxt) return {Next::Retransmit, hole};
  if (b.una > s.rescue && b.una < b.nxt) return {Next::Rescue, b.lastMissing()};
  return {Next::Nothing, 0};
}

inline void Tcp::fillNew(Flow& f, TcpSender& s, Packet& p) {
  Scoreboard& b = s.board;
  TcpConnection& c = shared(f);
  const uint64_t bytes = nextBytes(f);
  const bool copy = !hasRoom(c, bytes);
  p.seq = f.sndNxt;
  p.payload = static_cast<uint32_t>(copy ? s.copy : bytes);
  p.last = !copy && bytes == unassigned(f);
  f.sndNxt += p.payload;
  if (lostRetransmissions_) b.awaitWitness();
  ++b.nxt;
  if (!copy) c.assigned += p.payload;
  s.copy = 0;
  header_(p).cwr = s.sendCwr;
  s.sendCwr = false;
  if (s.phase == Phase::Open && f.window >= 0 && f.inFlight() > static_cast<uint64_t>(f.window)) {
    s.limitedBytes += p.payload;
  }
  s.peak = std::max(s.peak, static_cast<uint32_t>(f.inFlight()));
}

Flow& Tcp::fill(Flow& f, Packet& p) {
  TcpSender& s = sender(f);
  const Next n =
      s.phase == Phase::Open && s.board.quiet() && !s.tail.wanted ? Next{Next::New, s.board.nxt} : next(f, s);
  TcpHeader& h = header_(p);
  h.segment = n.segment;
  h.blocks = 0;
  h.cwr = false;
  h.control = TcpHeader::Control::None;
  h.connection = kNoFlow;
  const bool isNew = n.rule == Next::New;
  if (isNew) {
    fillNew(f, s, p);
  } else if (n.rule == Next::Syn) {
    fillSyn(f, p);
  } else {
    fillOld(f, s, p, n);
  }
  if (s.deadline.ps < 0) restartTimer(f, s);
  if (s.tail.wanted) {
    s.tail = {s.tail.due, engine_->now(), n.segment + 1, false, n.rule == Next::Probe};
  } else if (isNew && tailLossProbe_) {
    awaitTail(f, s);
  }
  Flow& row = f.connection->messages == 0 ? f : fillMessage(f, p, isNew);
  // Nothing is left for the other sub-flows, another message, or the receive window is full.
  if (isNew && (p.last || newBytes(f) == 0)) {
    if (teardown_) addFin(f, p);
    for (Flow* part = f.connection; part != nullptr; part = part->nextSubflow) {
      if (part != &f) host_->settle(*part);
    }
  }
  return row;
}

void Tcp::fillOld(Flow& f, TcpSender& s, Packet& p, Next n) {
  p.seq = sequence(f, n.segment);
  p.payload = length(f, n.segment);
  p.last = unassigned(f) == 0 && p.seq + p.payload == f.sndNxt;
  if (!exactEcho_) p.ect = false;  // RFC 3168 section 6.1.5; DCTCP's stay ECN-capable, as in Linux
  if (n.rule == Next::Rescue) {
    s.rescue = s.recoveryPoint;
  } else if (n.rule == Next::Retransmit) {
    s.board.sentAgain(n.segment, p.payload);
    s.forced = false;
  }
  if (teardown_) addFin(f, p);
}

/// The cumulative part of an ACK.
inline Acked Tcp::acknowledge(Flow& f, TcpSender& s, const Packet& ack) {
  Scoreboard& b = s.board;
  const uint32_t segment = header_(ack).segment;
  Acked a;
  s.echoed = a.echo = ack.marked;
  if (segment > b.una) {
    a.bytes = ack.seq - f.sndUna;
    b.acknowledge(segment, lengths(f));
    s.tail.wanted = false;
    f.sndUna = ack.seq;
    s.limitedBytes = 0;
    // The ACK returns the time stamp of the packet that brought it about (RFC 7323), so samples of
    // retransmitted segments are good ones.
    a.rtt = engine_->now() - ack.sentAt;
    s.rtt.sample(a.rtt);
    s.rto = std::clamp(s.rtt.timeout(), rtoBounds(f).least, rtoBounds(f).most);
    if (b.una > s.peakPoint) {
      s.lastPeak = s.peak;
      s.peak = static_cast<uint32_t>(f.inFlight());
      s.peakPoint = b.nxt;
    }
  }
  a.srtt = s.rtt.smoothed;
  a.peak = std::max(s.peak, s.lastPeak);
  return a;
}

/// Of a connection's segments none is on its way, and there is no other one.
bool Tcp::allAcked(const Flow& connection) const {
  if (shared(connection).acked < connection.end) return false;
  for (const Flow* part = &connection; part != nullptr; part = part->nextSubflow) {
    if (part->inFlight() > 0) return false;  // what has come over another one, too
  }
  return true;
}

bool Tcp::onAck(Flow& f, const Packet& ack) {
  TcpSender& s = sender(f);
  const TcpHeader& h = header_(ack);
  if (h.control == TcpHeader::Control::Syn) {
    open(f, s, ack);
    return true;
  }
  CongestionControl& cc = host_->congestionControl();
  const uint64_t flight = f.inFlight() - s.limitedBytes;
  Acked a = acknowledge(f, s, ack);
  const bool progress = a.bytes > 0;
  TcpConnection& c = shared(f);
  const uint64_t acked = windowed_ ? takeDataAck(f, ack) : a.bytes;
  c.acked += acked;
  if (h.blocks > 0) takeSacks(f, s, h);
  cc.onAck(f, ack);
  if (c.acked >= f.connection->end && f.connection->messages == 0 && allAcked(*f.connection)) {
    host_->finish(*f.connection);
    if (h.control == TcpHeader::Control::Fin) answerFin(f);
    return false;
  }
  a.recovering = s.phase == Phase::Recovery;
  a.afterTimeout = s.phase == Phase::Loss;
  if (react(f, s, ack, flight)) a.recovering = true;
  cc.onAcked(f, a);
  if (f.inFlight() == 0) {
    s.deadline = s.tail.due = Time{-1};
  } else if (progress) {
    restartTimer(f, s);
    if (tailLossProbe_) awaitTail(f, s);
  }
  return f.connection->messages == 0 || !(progress || acked > 0) || finishMessages(*f.connection, acked);
}

}  // namespace fabric
