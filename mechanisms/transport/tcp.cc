#include "mechanisms/transport/tcp.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

namespace {

constexpr uint32_t kNoSegment = ~uint32_t{0};

unsigned log2Words(uint32_t words) {
  unsigned n = 0;
  while (uint32_t{1} << n < words) ++n;
  return n;
}

/// RFC 2018: kind and length, padded to four bytes, and two sequence numbers per block.
int64_t optionBytes(uint8_t blocks) { return blocks == 0 ? 0 : 4 + 8 * blocks; }

}  // namespace

const Description& Tcp::describe() {
  static const Description d = [] {
    Describe<Tcp> description("tcp", Kind::Transport, "TCP with selective acknowledgements");
    description
        .help(
            "A byte stream without handshake: SACK, loss recovery by a scoreboard, limited transmit, retransmission "
            "timer with back-off, timestamps, ECN echo. The congestion control sets the window.")
        .source("RFC 5681, 2018, 6675, 6298, 7323, 3042, 3168");
    return parameters(description).done();
  }();
  return d;
}
FABRIC_REGISTER(Tcp);

void Tcp::onStart(Network& network) {
  if (maxRto_ < minRto_) {
    throw ParamError(description().name + ".max_rto: it is below " + description().name + ".min_rto");
  }
  network_ = &network;
  engine_ = &network.engine();
  state_ = network.flows().reserve<State>("tcp");
  ackTimer_ = network.flowTimer("tcp delayed ACK");
  header_ = network.packets().reserve<TcpHeader>(TcpHeader::kName);
  mss_ = static_cast<uint32_t>(host_->payloadPerPacket());
  exactEcho_ = host_->congestionControl().ecnEcho() == EcnEcho::Exact;
}

// ---------------------------------------------------------------- sender

void Tcp::onFlowStart(Flow& f) { begin(f, 0); }

void Tcp::begin(Flow& f, uint32_t index) {
  if (&f.receiver->transport().description() != &description()) {
    throw std::invalid_argument("flow " + std::to_string(f.spec.id) + ": " + f.sender->name() + " uses the transport " +
                                description().name + ", " + f.receiver->name() + " uses " +
                                f.receiver->transport().description().name + "; give both hosts the same");
  }
  State& s = *new (f.raw(state_)) State(f);
  s.index = index;
  s.rto = initialRto_;
  const auto number = static_cast<uint32_t>(f.retransmitEvent.key());
  s.ackEvent.setKey(ackTimer_.key(f.receiver->id(), number));
}

void Tcp::onFlowEnd(Flow& f) {
  State& s = state(f);
  engine_->cancel(s.ackEvent);
  s.sacked.release(pool_);
  s.here.release(static_cast<Tcp&>(f.receiver->transport()).pool_);
}

bool Tcp::onStop(Flow& f) {
  Flow& connection = *f.connection;
  State& c = state(connection);
  if (&connection != &f) {
    const bool waits = c.sending != &f && message(f).ends == nullptr;
    if (c.sending == &f) {
      f.end -= connection.end - c.assigned;
      setEnds(connection, f, state(connection).nxt, 0);
    }
    const bool done = c.head == &f && all(connection, f, [](const State& s, uint64_t end) { return s.una >= end; });
    if (waits || done) unlink(connection, f);
    return waits || done;
  }
  f.end = std::min(f.end, c.assigned);
  return c.acked >= f.end;
}

uint32_t Tcp::length(const Flow& f, const State& s, uint32_t segment) const {
  if (f.connection->messages > 0) return messageLength(f, segment);
  return segment + 1 == s.nxt ? static_cast<uint32_t>(f.sndNxt - uint64_t{segment} * mss_) : mss_;
}

bool Tcp::maySend(const Flow& f) const {
  const State& s = state(f);
  if (s.forced || s.probing) return true;
  uint64_t used = f.inFlight(), bytes = mss_;
  if (s.phase == Phase::Open && s.quiet()) {
    bytes = std::min<uint64_t>(mss_, unassigned(f));
    if (bytes == 0) return false;
  } else {
    const Next n = next(f, s);
    if (n.rule == Next::Nothing) return false;
    bytes = n.rule == Next::New ? std::min<uint64_t>(mss_, unassigned(f)) : length(f, s, n.segment);
    if (s.phase != Phase::Open || limitedTransmit_) used = s.pipe(f);
  }
  if (f.window < 0) return true;
  return f.window > 0 && (used == 0 || used + bytes <= static_cast<uint64_t>(f.window));
}

bool Tcp::sendsNew(const Flow& f) const {
  const State& s = state(f);
  return s.phase == Phase::Open && s.quiet() && !s.probing ? unassigned(f) > 0 : next(f, s).rule == Next::New;
}

/// RFC 6675 section 4, NextSeg(). The congestion window after a timeout lets lost segments go first,
/// then new ones: rules 3 and 4 are for fast recovery only.
Tcp::Next Tcp::next(const Flow& f, const State& s) const {
  if (s.forced) return {Next::Retransmit, s.una};
  if (s.probing) {
    // New bytes of a connection with sub-flows are not for the one that hears nothing.
    if (unassigned(f) > 0 && parts() == 1) return {Next::New, s.nxt};
    return {Next::Probe, s.sacked.lastMissing(s.una, s.nxt)};
  }
  const uint32_t from = std::max(s.una, s.rexmitted);
  if (from < s.lostEdge) {
    const uint32_t lost = s.sacked.firstMissing(from, s.lostEdge);
    if (lost < s.lostEdge) return {Next::Retransmit, lost};
  }
  if (unassigned(f) > 0) return {Next::New, s.nxt};
  if (s.phase != Phase::Recovery) return {Next::Nothing, 0};
  if (from < s.top[0]) {
    const uint32_t hole = s.sacked.firstMissing(from, s.top[0]);
    if (hole < s.top[0]) return {Next::Retransmit, hole};
  }
  if (s.una > s.rescue && s.una < s.nxt) return {Next::Rescue, s.sacked.lastMissing(s.una, s.nxt)};
  return {Next::Nothing, 0};
}

Flow& Tcp::fill(Flow& f, Packet& p) {
  State& s = state(f);
  TcpHeader& h = p.at<TcpHeader>(header_);
  h.blocks = 0;
  h.cwr = false;
  const Next n = s.phase == Phase::Open && s.quiet() && !s.probing ? Next{Next::New, s.nxt} : next(f, s);
  h.segment = n.segment;
  if (n.rule == Next::New) {
    const uint64_t left = unassigned(f);
    p.seq = f.sndNxt;
    p.payload = static_cast<uint32_t>(std::min<uint64_t>(mss_, left));
    p.last = p.payload == left;
    f.sndNxt += p.payload;
    if (lostRetransmissions_ && s.probe == 0 && s.rexmitted > s.una) {
      s.probe = n.segment;
      s.resent = s.rexmitted;
    }
    ++s.nxt;
    shared(f).assigned += p.payload;
    h.cwr = s.sendCwr;
    s.sendCwr = false;
    if (s.phase == Phase::Open && f.window >= 0 && f.inFlight() > static_cast<uint64_t>(f.window)) {
      s.limitedBytes += p.payload;
    }
    s.peak = std::max(s.peak, static_cast<uint32_t>(f.inFlight()));
  } else {
    p.seq = sequence(f, s, n.segment);
    p.payload = length(f, s, n.segment);
    p.last = unassigned(f) == 0 && p.seq + p.payload == f.sndNxt;
    if (n.rule == Next::Rescue) {
      s.rescue = s.recoveryPoint;
    } else if (n.rule == Next::Retransmit) {
      s.rexmitted = n.segment + 1;
      s.rexmitBytes += p.payload;
      s.forced = false;
    }
  }
  if (s.deadline.ps < 0) restartTimer(f, s);
  if (s.probing) {
    s.probing = false;
    s.probed = n.segment + 1;
    s.probedAgain = n.rule == Next::Probe;
    s.probedAt = engine_->now();
  } else if (n.rule == Next::New) {
    awaitTail(f, s);
  }
  Flow& row = f.connection->messages == 0 ? f : fillMessage(f, p, n.rule == Next::New);
  if (n.rule == Next::New && p.last) {  // nothing is left for the other sub-flows, or another message
    for (Flow* part = f.connection; part != nullptr; part = part->nextSubflow) {
      if (part != &f) host_->settle(*part);
    }
  }
  return row;
}

bool Tcp::onAck(Flow& f, const Packet& ack) {
  State& s = state(f);
  const TcpHeader& h = ack.at<TcpHeader>(header_);
  CongestionControl& cc = host_->congestionControl();
  Acked a;
  a.echo = ack.marked;
  const uint64_t flight = f.inFlight() - s.limitedBytes;
  const bool progress = h.segment > s.una;
  if (progress) {
    a.bytes = ack.seq - f.sndUna;
    acknowledgeBelow(f, s, h.segment);
    f.sndUna = ack.seq;
    shared(f).acked += a.bytes;
    s.limitedBytes = 0;
    // The ACK returns the time stamp of the packet that brought it about (RFC 7323), so samples of
    // retransmitted segments are good ones.
    a.rtt = engine_->now() - ack.sentAt;
    s.rtt.sample(a.rtt);
    s.rto = std::clamp(s.rtt.timeout(), minRto_, maxRto_);
    if (s.una > s.peakPoint) {
      s.lastPeak = s.peak;
      s.peak = static_cast<uint32_t>(f.inFlight());
      s.peakPoint = s.nxt;
    }
  }
  a.srtt = s.rtt.smoothed;
  a.peak = std::max(s.peak, s.lastPeak);
  for (uint8_t i = 0; i < h.blocks; ++i) takeSack(f, s, h.sack[i]);
  cc.onAck(f, ack);
  if (shared(f).acked >= f.connection->end && f.connection->messages == 0) {
    host_->finish(*f.connection);
    return false;
  }

  a.recovering = s.phase == Phase::Recovery;
  a.afterTimeout = s.phase == Phase::Loss;
  if (s.phase != Phase::Open && s.una >= s.recoveryPoint) {
    s.phase = Phase::Open;
    s.forced = false;
  }
  if (earlyRetransmit_) retransmitEarly(f, s);
  if (s.phase == Phase::Open && s.lostEdge > s.una) {
    recover(f, s);
    a.recovering = true;
  } else if (s.probed != 0 && s.una >= s.probed && tailWasLost(s, ack)) {
    cc.onRecovery(f, flight);
    s.cwrPoint = s.nxt;
    a.recovering = true;
  } else if (!exactEcho_ && a.echo && s.phase == Phase::Open && s.una >= s.cwrPoint) {
    cc.onEcnEcho(f, f.inFlight());
    s.cwrPoint = s.nxt;
    s.sendCwr = true;
  }
  cc.onAcked(f, a);
  if (f.inFlight() == 0) {
    s.deadline = s.probeDue = Time{-1};
  } else if (progress) {
    restartTimer(f, s);
    awaitTail(f, s);
  }
  return f.connection->messages == 0 || !progress || finishMessages(*f.connection, a.bytes);
}

/// Moves `una` up; what was counted of the segments below is counted no more.
void Tcp::acknowledgeBelow(Flow& f, State& s, uint32_t segment) {
  if (!s.quiet()) {
    for (uint32_t i = s.una; i < segment; ++i) {
      const uint32_t bytes = length(f, s, i);
      if (s.sacked.contains(i)) {
        s.sacked.erase(i);
        s.sackedBytes -= bytes;
        continue;
      }
      if (i < s.lostEdge) s.lostBytes -= bytes;
      if (i < s.rexmitted) s.rexmitBytes -= bytes;
    }
  }
  s.una = segment;
  if (s.una >= s.resent) s.probe = 0;
  s.probing = false;
}

void Tcp::takeSack(Flow& f, State& s, TcpHeader::Block block) {
  const uint32_t end = std::min(block.end, s.nxt);
  for (uint32_t i = std::max(block.begin, s.una);; ++i) {
    i = s.sacked.firstMissing(i, end);
    if (i >= end) break;
    s.sacked.add(i, s.una, pool_);
    const uint32_t bytes = length(f, s, i);
    s.sackedBytes += bytes;
    if (i < s.lostEdge) s.lostBytes -= bytes;
    if (i < s.rexmitted) s.rexmitBytes -= bytes;
    if (i > s.top[0]) {
      s.top[2] = s.top[1];
      s.top[1] = s.top[0];
      s.top[0] = i;
    } else if (i > s.top[1]) {
      s.top[2] = s.top[1];
      s.top[1] = i;
    } else if (i > s.top[2]) {
      s.top[2] = i;
    }
  }
  // IsLost() of RFC 6675: DupThresh segments above it are SACKed, that is more than (DupThresh - 1) MSS.
  declareLost(f, s, s.top[2]);
  if (s.probed > s.una && s.sacked.contains(s.probed - 1)) declareLost(f, s, s.probed - 1);
  if (s.probe != 0 && s.top[2] >= s.probe) forgetRetransmissions(s);
}

/// All below `edge` that was not SACKed is lost.
void Tcp::declareLost(const Flow& f, State& s, uint32_t edge) {
  for (uint32_t i = std::max(s.lostEdge, s.una); i < edge; ++i) {
    i = s.sacked.firstMissing(i, edge);
    if (i < edge) s.lostBytes += length(f, s, i);
  }
  s.lostEdge = std::max(s.lostEdge, edge);
}

void Tcp::forgetRetransmissions(State& s) {
  s.rexmitted = s.una;
  s.rexmitBytes = 0;
  s.probe = 0;
}

/// RFC 6675 section 5, step 4.
void Tcp::recover(Flow& f, State& s) {
  s.phase = Phase::Recovery;
  s.recoveryPoint = s.cwrPoint = s.nxt;
  forgetRetransmissions(s);
  s.forced = true;
  s.rescue = s.una + 1;
  forgetProbe(s);
  host_->congestionControl().onRecovery(f, f.inFlight() - s.limitedBytes);
}

/// RFC 5827: too few segments are outstanding for three of them to tell of a loss.
void Tcp::retransmitEarly(const Flow& f, State& s) {
  const uint32_t outstanding = s.nxt - s.una;
  if (s.phase != Phase::Open || s.sackedBytes == 0 || outstanding > 3 || unassigned(f) > 0) return;
  // una is missing; if one more is, it may be on its way.
  if (s.sacked.firstMissing(s.una + 1, s.nxt) == s.nxt) declareLost(f, s, s.nxt);
}

/// A probe is due when nothing is heard for so long; not if the timer runs out before, and not a second
/// one before the first is answered.
void Tcp::awaitTail(Flow& f, State& s) {
  if (!tailLossProbe_) return;
  s.probeDue = Time{-1};
  if (s.phase != Phase::Open || s.probed != 0) return;
  Time wait = std::max(Time{2 * s.rtt.smoothed.ps}, probeMin_);
  if (s.nxt - s.una == 1) wait = std::max(wait, Time{s.rtt.smoothed.ps * 3 / 2} + probeAckDelay_);
  if (engine_->now() + wait >= s.deadline) return;
  s.probeDue = engine_->now() + wait;
  engine_->scheduleNoLaterThan(f.retransmitEvent, s.probeDue);
}

void Tcp::probeTail(Flow& f, State& s) {
  if (maySend(f)) {  // it waits for its turn at the NIC, not for ACKs
    awaitTail(f, s);
    engine_->scheduleNoLaterThan(f.retransmitEvent, s.deadline);
    return;
  }
  s.probeDue = Time{-1};
  s.probing = true;
  restartTimer(f, s);
  host_->rateChanged(f);
}

/// All up to the probe is there. RFC 8985 section 7.4: if it is the probe that was missing, and not just
/// its ACK that was late, a loss has been repaired, which the window has to hear of.
bool Tcp::tailWasLost(State& s, const Packet& ack) {
  const bool lost = s.phase == Phase::Open && s.probedAgain && ack.sentAt >= s.probedAt;
  s.probed = 0;
  return lost;
}

void Tcp::forgetProbe(State& s) {
  s.probeDue = Time{-1};
  s.probed = 0;
  s.probing = false;
}

void Tcp::restartTimer(Flow& f, State& s) {
  s.deadline = engine_->now() + s.rto;
  engine_->scheduleNoLaterThan(f.retransmitEvent, s.deadline);
}

/// The event is moved only when it would come too late; when it fires it looks at the deadline.
void Tcp::onTimer(Flow& f) {
  State& s = state(f);
  if (s.deadline.ps < 0) return;
  if (s.probeDue.ps >= 0 && s.probeDue <= engine_->now()) return probeTail(f, s);
  if (s.deadline > engine_->now()) {
    engine_->schedule(f.retransmitEvent, s.probeDue.ps >= 0 ? s.probeDue : s.deadline);
    return;
  }
  ++row(f, s.una).timeouts;
  host_->congestionControl().onTimeout(f, f.inFlight() - s.limitedBytes, s.timedOut == s.una);
  s.timedOut = s.una;
  s.phase = Phase::Loss;
  s.recoveryPoint = s.cwrPoint = s.nxt;
  s.forced = false;
  forgetProbe(s);
  // What was SACKED stays so: receivers here never take it back.
  forgetRetransmissions(s);
  declareLost(f, s, s.nxt);
  s.rto = std::min(Time{2 * s.rto.ps}, maxRto_);
  restartTimer(f, s);
  host_->rateChanged(f);
}

bool Tcp::consistent(const Flow& f) const {
  const State& s = state(f);
  uint32_t sacked = 0, lost = 0, again = 0;
  for (uint32_t i = s.una; i < s.nxt; ++i) {
    const uint32_t bytes = length(f, s, i);
    const bool there = s.sacked.contains(i);
    if (there) sacked += bytes;
    if (!there && i < s.lostEdge) lost += bytes;
    if (!there && i < s.rexmitted) again += bytes;
  }
  return sacked == s.sackedBytes && lost == s.lostBytes && again == s.rexmitBytes;
}

// ---------------------------------------------------------------- persistent connections

/// The message that a segment belongs to, of those that are not finished.
Flow& Tcp::messageOf(const Flow& f, uint32_t segment) const {
  const uint32_t part = state(f).index;
  Flow* m = shared(f).head;
  while (message(*m).ends != nullptr && segment >= message(*m).ends[part]) m = message(*m).next;
  return *m;
}

bool Tcp::endsMessage(const Flow& f, uint32_t segment) const {
  const Message& m = message(messageOf(f, segment));
  return m.lastPart == &f && m.lastSegment == segment;
}

/// length() on a persistent connection.
uint32_t Tcp::messageLength(const Flow& f, uint32_t segment) const {
  const Message& m = message(messageOf(f, segment));
  return m.lastPart == &f && m.lastSegment == segment ? mss_ - m.shortBy : mss_;
}

/// The first byte of a segment, up to the one that will be sent next.
uint64_t Tcp::sequence(const Flow& f, const State& s, uint32_t segment) const {
  if (segment == s.nxt) return f.sndNxt;
  uint64_t missing = s.shortBy;
  for (Flow* m = shared(f).head; m != nullptr && message(*m).ends != nullptr; m = message(*m).next) {
    if (message(*m).lastPart == &f && message(*m).lastSegment < segment) missing += message(*m).shortBy;
  }
  return uint64_t{segment} * mss_ - missing;
}

/// A flow of the connection's host: messages go over it one behind the other.
void Tcp::append(Flow& connection, Flow& m) {
  State& c = state(connection);
  new (m.raw(state_)) Message();
  m.end = std::min(m.end, Flow::kUnlimited / 2);  // behind others it ends further up
  (c.head == nullptr ? c.head : message(*c.tail).next) = &m;
  c.tail = &m;
  if (c.receiving == nullptr) c.receiving = &m;
  if (c.sending == nullptr) {
    c.sending = &m;
    connection.end = c.assigned + m.end;
  }
  for (Flow* part = &connection; part != nullptr; part = part->nextSubflow) {
    const Time idle = engine_->now() - part->lastSentAt;
    if (part->inFlight() > 0 || idle.ps == 0) continue;
    host_->congestionControl().onIdle(*part, restartAfterIdle_ && idle > state(*part).rto);
  }
}

/// What a packet of a persistent connection says of its message.
Flow& Tcp::fillMessage(Flow& f, Packet& p, bool isNew) {
  TcpHeader& h = p.at<TcpHeader>(header_);
  h.connection = f.spec.id;
  Flow& m = isNew ? *shared(f).sending : messageOf(f, h.segment);
  if (isNew && p.last) setEnds(f, m, h.segment, mss_ - p.payload);
  if (!isNew) p.last = endsMessage(f, h.segment);
  return m;
}

/// All of the message has been sent once, or will be: what is behind its last segment on `f` and where
/// the other parts are does not belong to it. The next one is sent.
void Tcp::setEnds(Flow& f, Flow& m, uint32_t lastSegment, uint32_t shortBy) {
  Flow& connection = *f.connection;
  State& c = state(connection);
  Message& sent = message(m);
  sent.lastPart = &f;
  sent.lastSegment = lastSegment;
  sent.shortBy = shortBy;
  sent.ends = pool_.get(log2Words(parts()));
  for (Flow* part = &connection; part != nullptr; part = part->nextSubflow) {
    sent.ends[state(*part).index] = state(*part).nxt;
  }
  c.sending = sent.next;
  connection.end = c.assigned + (sent.next == nullptr ? 0 : sent.next->end);
}

/// Whether all parts of a message are somewhere.
template <class Reached>
bool Tcp::all(const Flow& connection, Flow& m, Reached reached) const {
  const uint64_t* ends = message(m).ends;
  if (ends == nullptr) return false;
  for (const Flow* part = &connection; part != nullptr; part = part->nextSubflow) {
    if (!reached(state(*part), ends[state(*part).index])) return false;
  }
  return true;
}

/// Takes a message out that is done, or that is stopped before its turn.
void Tcp::unlink(Flow& connection, Flow& m) {
  State& c = state(connection);
  Message& gone = message(m);
  if (gone.ends != nullptr) {
    state(*gone.lastPart).shortBy += gone.shortBy;
    pool_.put(gone.ends, log2Words(parts()));
  }
  if (c.receiving == &m) c.receiving = gone.next;
  if (c.head == &m) {
    c.head = gone.next;
  } else {
    Flow* before = c.head;
    while (message(*before).next != &m) before = message(*before).next;
    message(*before).next = gone.next;
    if (c.tail == &m) c.tail = before;
  }
}

/// `bytes` more are acknowledged: ends the messages of which everything is. False: all are, and the connection is gone.
bool Tcp::finishMessages(Flow& connection, uint64_t bytes) {
  State& c = state(connection);
  credit(c.head, bytes, &Flow::sndUna);
  while (all(connection, *c.head, [](const State& s, uint64_t end) { return s.una >= end; })) {
    Flow& m = *c.head;
    unlink(connection, m);
    if (!host_->finish(m)) return false;
  }
  return true;
}

/// More bytes are in order at the receiver.
void Tcp::receiveMessages(Flow& connection, uint64_t bytes) {
  State& c = state(connection);
  credit(c.receiving, bytes, &Flow::rcvNxt);
  while (c.receiving != nullptr &&
         all(connection, *c.receiving, [](const State& s, uint64_t end) { return s.expected >= end; })) {
    Flow& m = *c.receiving;
    if (m.spec.size != 0 && m.rcvNxt == m.spec.size) host_->received(m);
    c.receiving = message(m).next;
  }
}

/// Bytes of the connection count for its messages in their order.
void Tcp::credit(Flow* m, uint64_t bytes, uint64_t Flow::*counter) const {
  for (; bytes > 0 && m != nullptr; m = message(*m).next) {
    const uint64_t part = std::min(bytes, m->end - m->*counter);
    m->*counter += part;
    bytes -= part;
  }
}

bool Tcp::carries(const Flow& f, const Packet& p) const {
  const uint32_t connection = p.at<TcpHeader>(header_).connection;
  return connection != kNoFlow && connection == f.spec.id;
}

void Tcp::keep(Flow& f, std::byte* to) {
  const State& s = state(f);
  const Kept kept{s.rtt, s.rto, f.lastSentAt, s.echo, s.sendCwr};
  std::memcpy(to, &kept, sizeof kept);
}

void Tcp::resume(Flow& f, const std::byte* from) {
  State& s = state(f);
  Kept kept;
  std::memcpy(&kept, from, sizeof kept);
  s.rtt = kept.rtt;
  s.rto = kept.rto;
  f.lastSentAt = kept.lastSentAt;
  s.echo = kept.echo;
  s.sendCwr = kept.sendCwr;
}

// ---------------------------------------------------------------- receiver

void Tcp::onData(Flow& f, Packet* p) {
  State& s = state(f);
  const TcpHeader& h = p->at<TcpHeader>(header_);
  if (exactEcho_) {
    if (p->marked != s.echo && f.unacked > 0) acknowledgeHeld(f, s);
    s.echo = p->marked;
  } else {
    if (h.cwr) s.echo = false;
    s.echo |= p->marked;
  }
  // At once: for the last segment, as a FIN would be; for what comes out of order or fills a hole.
  bool atOnce = p->last || s.waiting > 0 || h.segment != s.expected;
  if (h.segment == s.expected) {
    accept(f, s, *p);
  } else if (h.segment > s.expected && s.here.add(h.segment, s.expected, pool_)) {
    ++row(f, h.segment).reordered;
    ++s.waiting;
    report(s, h.segment);
  }
  if (++f.unacked >= host_->ackEvery() || atOnce) {
    answer(f, s, p);
  } else {
    hold(f, s, p);
  }
}

/// The segment that was expected is here, and with it what was waiting for it.
void Tcp::accept(Flow& f, State& s, const Packet& p) {
  ++s.expected;
  uint64_t now = p.seq + p.payload;
  if (s.waiting > 0) {
    const uint32_t missing = s.here.firstMissing(s.expected, kNoSegment);
    s.waiting -= missing - s.expected;
    if (missing > s.expected) now = sequence(f, s, missing);
    for (; s.expected < missing; ++s.expected) s.here.erase(s.expected);
    uint8_t kept = 0;
    for (uint8_t i = 0; i < s.blocks; ++i) {
      if (s.recent[i].begin > s.expected) s.recent[kept++] = s.recent[i];
    }
    s.blocks = kept;
  }
  State& connection = shared(f);
  const uint64_t bytes = now - f.rcvNxt;
  connection.delivered += bytes;
  network_->counters.dataBytesDelivered += bytes;
  f.rcvNxt = now;
  if (f.spec.size != 0) {
    if (connection.delivered == f.spec.size) host_->received(*f.connection);
  } else if (f.connection->messages > 0) {
    receiveMessages(*f.connection, bytes);
  }
}

/// RFC 2018 section 4: the block that the segment is in comes first, then the last ones that were
/// reported.
void Tcp::report(State& s, uint32_t segment) {
  TcpHeader::Block block{segment, segment + 1};
  if (s.here.contains(segment - 1)) block.begin = kNoSegment;
  if (s.here.contains(segment + 1)) block.end = kNoSegment;
  for (uint8_t i = 0; i < s.blocks; ++i) {
    if (s.recent[i].end == segment) block.begin = s.recent[i].begin;
    if (s.recent[i].begin == segment + 1) block.end = s.recent[i].end;
  }
  if (block.begin == kNoSegment) block.begin = s.here.runBefore(segment, s.expected);
  if (block.end == kNoSegment) block.end = s.here.firstMissing(segment + 1, kNoSegment);
  std::array<TcpHeader::Block, TcpHeader::kBlocks> recent{block};
  uint8_t n = 1;
  for (uint8_t i = 0; i < s.blocks && n < TcpHeader::kBlocks; ++i) {
    if (s.recent[i].end < block.begin || s.recent[i].begin > block.end) recent[n++] = s.recent[i];
  }
  s.recent = recent;
  s.blocks = n;
}

void Tcp::answer(Flow& f, State& s, Packet* p) {
  if (f.unacked > 1) p->sentAt = s.firstUnacked;  // RFC 7323 section 4.3
  p->marked = s.echo;
  TcpHeader& h = p->at<TcpHeader>(header_);
  h.segment = s.expected;
  h.cwr = false;
  h.blocks = s.blocks;
  h.sack = s.recent;
  host_->acknowledge(f, p, PacketKind::Ack, optionBytes(s.blocks));
}

void Tcp::hold(Flow& f, State& s, Packet* p) {
  if (f.unacked == 1) {
    s.firstUnacked = p->sentAt;
    s.ackDeadline = engine_->now() + ackDelay_;
    if (!s.ackEvent.pending()) engine_->schedule(s.ackEvent, s.ackDeadline);
  }
  s.held = p->flowId;
  network_->packets().put(p);
}

void Tcp::onAckTimer(Flow& f) {
  auto& tcp = static_cast<Tcp&>(f.receiver->transport());
  State& s = tcp.state(f);
  if (f.unacked == 0) return;
  if (s.ackDeadline > tcp.engine_->now()) {
    tcp.engine_->schedule(s.ackEvent, s.ackDeadline);
  } else {
    tcp.acknowledgeHeld(f, s);
  }
}

/// An ACK for the segments that were held back, without another one's arrival.
void Tcp::acknowledgeHeld(Flow& f, State& s) {
  Packet* p = network_->packets().fresh();
  p->flow = &f;
  p->flowId = s.held;
  p->at<TcpHeader>(header_).connection = f.spec.id;
  p->src = f.spec.src;
  p->dst = f.spec.dst;
  p->symmetricHash = f.symmetricHash;
  p->sentAt = s.firstUnacked;
  answer(f, s, p);
}

}  // namespace fabric
