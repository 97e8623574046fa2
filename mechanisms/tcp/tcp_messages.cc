// TCP's persistent connections: messages one behind the other, and what stays between them.
#include <algorithm>
#include <cstring>

#include "mechanisms/core/host.h"
#include "mechanisms/tcp/tcp.h"

namespace fabric {

namespace {

unsigned log2Words(uint32_t words) {
  unsigned n = 0;
  while (uint32_t{1} << n < words) ++n;
  return n;
}

}  // namespace

// ---------------------------------------------------------------- segments and messages

/// The message that a segment belongs to, of those that are not finished.
Flow& Tcp::messageOf(const Flow& f, uint32_t segment) const {
  const uint32_t part = state(f).index;
  Flow* m = shared(f).head;
  while (message(*m).ends != nullptr && segment >= message(*m).ends[part]) m = message(*m).next;
  return *m;
}

Flow& Tcp::messageAt(const Flow& f, uint64_t byte) const {
  Flow* m = shared(f).head;
  for (Flow* next = m; next != nullptr && message(*next).begin <= byte; next = message(*next).next) m = next;
  return *m;
}

bool Tcp::endsMessage(const Flow& f, uint32_t segment) const {
  const TcpMessage& m = message(messageOf(f, segment));
  return m.lastPart == &f && m.lastSegment == segment;
}

/// length() on a persistent connection.
uint32_t Tcp::messageLength(const Flow& f, uint32_t segment) const {
  if (windowed_) return static_cast<uint32_t>(sequence(f, segment + 1) - sequence(f, segment));
  const TcpMessage& m = message(messageOf(f, segment));
  return m.lastPart == &f && m.lastSegment == segment ? mss_ - m.shortBy : mss_;
}

/// What a packet of a persistent connection says of its message.
Flow& Tcp::fillMessage(Flow& f, Packet& p, bool isNew) {
  TcpHeader& h = header_(p);
  h.connection = f.spec.id;
  if (h.control == TcpHeader::Control::Syn) return firstRow(f);
  Flow& m = isNew ? *shared(f).sending : messageOf(f, h.segment);
  if (isNew && p.last) setEnds(f, m, h.segment, mss_ - p.payload);
  if (!isNew) p.last = endsMessage(f, h.segment);
  h.message = &m;
  return m;
}

bool Tcp::carries(const Flow& f, const Packet& p) const {
  const uint32_t connection = header_(p).connection;
  return connection != kNoFlow && connection == FlowPool::idAt(f);
}

// ---------------------------------------------------------------- a message comes and goes

/// A flow of the connection's host: messages go over it one behind the other.
void Tcp::append(Flow& connection, Flow& m) {
  TcpConnection& c = shared(connection);
  message_.make(m);
  m.end = std::min(m.end, Flow::kUnlimited / 2);  // behind others it ends further up
  (c.head == nullptr ? c.head : message(*c.tail).next) = &m;
  c.tail = &m;
  if (c.sending == nullptr) {
    c.sending = &m;
    message(m).begin = c.assigned;
    connection.end = c.assigned + m.end;
  }
  for (Flow* part = &connection; part != nullptr; part = part->nextSubflow) {
    const Time idle = engine_->now() - part->lastSentAt;
    if (part->inFlight() > 0 || idle.ps == 0) continue;
    host_->congestionControl().onIdle(*part, restartAfterIdle_ && idle > sender(*part).rto);
  }
}

/// All of the message has been sent once, or will be: what is behind its last segment on `f` and where
/// the other parts are does not belong to it. The next one is sent.
void Tcp::setEnds(Flow& f, Flow& m, uint32_t lastSegment, uint32_t shortBy) {
  Flow& connection = *f.connection;
  TcpConnection& c = shared(connection);
  TcpMessage& sent = message(m);
  sent.lastPart = &f;
  sent.lastSegment = lastSegment;
  sent.shortBy = shortBy;
  sent.ends = pool_.get(log2Words(parts()));
  for (Flow* part = &connection; part != nullptr; part = part->nextSubflow) {
    sent.ends[state(*part).index] = sender(*part).board.nxt;
  }
  c.sending = sent.next;
  connection.end = c.assigned;
  if (c.sending == nullptr) return;
  message(*c.sending).begin = c.assigned;
  connection.end += c.sending->end;
}

/// Whether the sender knows that all of a message is there.
bool Tcp::allAcked(const Flow& connection, Flow& m) const {
  const uint64_t* ends = message(m).ends;
  if (ends == nullptr) return false;
  for (const Flow* part = &connection; part != nullptr; part = part->nextSubflow) {
    if (sender(*part).board.una < ends[state(*part).index]) return false;
  }
  return true;
}

/// Takes a message out that is done, or that is stopped before its turn.
void Tcp::unlink(Flow& connection, Flow& m) {
  TcpConnection& c = shared(connection);
  TcpMessage& gone = message(m);
  if (gone.ends != nullptr) {
    state(*gone.lastPart).shortBy += gone.shortBy;
    pool_.put(gone.ends, log2Words(parts()));
  }
  if (c.head == &m) {
    c.head = gone.next;
  } else {
    Flow* before = c.head;
    while (message(*before).next != &m) before = message(*before).next;
    message(*before).next = gone.next;
    if (c.tail == &m) c.tail = before;
  }
}

/// True if that ends it at once. A receiver that has heard of the message hears of its stop at once, too: all nodes are
/// at the time of the stop then.
bool Tcp::stopMessage(Flow& connection, Flow& m) {
  const TcpConnection& c = shared(connection);
  const bool waits = c.sending != &m && message(m).ends == nullptr;
  if (c.sending == &m) {
    m.end -= connection.end - c.assigned;
    setEnds(connection, m, sender(connection).board.nxt, 0);
    if (message(m).known) static_cast<Tcp&>(connection.receiver->transport()).passMessages(connection);
  }
  const bool done = c.head == &m && allAcked(connection, m);
  if (waits || done) unlink(connection, m);
  return waits || done;
}

/// `bytes` more are acknowledged, which may end messages. False: all have ended, and the connection is gone.
bool Tcp::finishMessages(Flow& connection, uint64_t bytes) {
  TcpConnection& c = shared(connection);
  for (Flow* m = c.head; bytes > 0 && m != nullptr; m = message(*m).next) {
    const uint64_t part = std::min(bytes, m->end - m->sndUna);
    m->sndUna += part;
    bytes -= part;
  }
  while (allAcked(connection, *c.head)) {
    Flow& m = *c.head;
    unlink(connection, m);
    if (!host_->finish(m)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- at the receiver

/// Messages are in the order of their bytes. The first packet that comes may be of a later one than the next.
void Tcp::hearOf(Flow& connection, Flow& m) {
  TcpMessage& heard = message(m);
  if (heard.known) return;
  heard.known = true;
  Flow** place = &arrived(connection).receiving;
  while (*place != nullptr && message(**place).begin < heard.begin) place = &message(**place).after;
  heard.after = *place;
  *place = &m;
}

/// The segment in `p` is in order now, and so are those up to `to`.
void Tcp::receiveMessages(Flow& f, const Packet& p, uint32_t to) {
  const TcpReceiver& r = receiver(f);
  Flow& first = *header_(p).message;
  hearOf(*f.connection, first);
  message(first).got += p.payload;
  uint64_t before = p.seq + p.payload;
  for (uint32_t segment = header_(p).segment + 1; segment < to; ++segment) {
    const uint64_t end = r.ends.at(segment);
    message(*reinterpret_cast<Flow*>(r.messages.at(segment))).got += end - before;
    before = end;
  }
  passMessages(*f.connection);
}

/// Goes on to the first message that is not all here, or that has one before it that is not.
void Tcp::passMessages(Flow& connection) {
  TcpArrived& c = arrived(connection);
  while (c.receiving != nullptr) {
    Flow& m = *c.receiving;
    const TcpMessage& heard = message(m);
    if ((windowed_ ? c.inOrder : c.passed + heard.got) < heard.begin + m.end) return;
    c.passed += heard.got;
    c.receiving = heard.after;
    if (m.end == m.spec.size) host_->received(m);
  }
}

// ---------------------------------------------------------------- between messages

void Tcp::keep(Flow& f, std::byte* to) {
  const TcpState& s = state(f);
  const TcpKept kept{s.sender.rtt,    s.sender.rto,    f.lastSentAt, s.sender.phase != Phase::Opening,
                     s.sender.echoed, s.sender.sendCwr};
  std::memcpy(to, &kept, sizeof kept);
}

void Tcp::resume(Flow& f, const std::byte* from) {
  TcpState& s = state(f);
  TcpKept kept;
  std::memcpy(&kept, from, sizeof kept);
  s.sender.rtt = kept.rtt;
  s.sender.rto = kept.rto;
  f.lastSentAt = kept.lastSentAt;
  if (kept.open) {
    s.sender.phase = Phase::Open;
    s.sender.forced = false;
  } else if (f.connection != &f && sender(*f.connection).phase != Phase::Opening) {
    s.sender.forced = true;  // its SYN was not answered before, and the first sub-flow's will not be again
  }
  receiver(f).echo = s.sender.echoed = kept.echo;  // the receiver has it from before, and has not begun
  s.sender.sendCwr = kept.sendCwr;
}

}  // namespace fabric
