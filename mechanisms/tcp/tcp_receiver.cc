// TCP's receiver: what is in order, and when an ACK goes.
#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/tcp/tcp.h"

namespace fabric {

/// The segment that was expected is here, and with it what was waiting for it.
inline void Tcp::accept(Flow& f, TcpReceiver& r, Packet& p) {
  const uint32_t first = r.got.expected();
  const uint32_t missing = r.got.advance();
  const uint64_t now = missing == first + 1 ? p.seq + p.payload : r.ends.at(missing - 1);
  TcpArrived& c = arrived(f);
  const uint64_t bytes = windowed_ ? takeChunks(f, p, missing) : now - f.rcvNxt;
  c.delivered += bytes;
  network_->counters().dataBytesDelivered += bytes;
  f.rcvNxt = now;
  if (f.spec.size != 0) {
    if (bytes > 0 && c.delivered == f.spec.size) complete(f, p);
  } else if (f.spec.persistent) {
    receiveMessages(f, p, missing);
  }
}

/// The first time that a segment is here, behind one that is missing.
void Tcp::takeEarly(Flow& f, TcpReceiver& r, const Packet& p) {
  const TcpHeader& h = header_(p);
  r.ends.add(h.segment, p.seq + p.payload, r.got.expected(), pool_);
  if (windowed_) takeChunkEarly(f, p);
  if (!f.spec.persistent) return network_->countReordered(f);
  r.messages.add(h.segment, reinterpret_cast<uintptr_t>(h.message), r.got.expected(), pool_);
  hearOf(*f.connection, *h.message);
  network_->countReordered(*h.message);
}

/// All data of a flow is here; `p`, which becomes the ACK, was the last that was missing.
void Tcp::complete(Flow& f, Packet& p) {
  host_->received(*f.connection);
  if (teardown_) endStream(f, p);
}

/// True: there is no data in it.
bool Tcp::takeControl(Flow& f, TcpReceiver& r, Packet* p) {
  if (header_(*p).control == TcpHeader::Control::Syn) {
    answerSyn(f, r, p);
    return true;
  }
  takeFinWithData(f, *p);
  return false;
}

void Tcp::onData(Flow& f, Packet* p) {
  TcpReceiver& r = receiver(f);
  const TcpHeader& h = header_(*p);
  if (h.control != TcpHeader::Control::None && takeControl(f, r, p)) return;
  if (exactEcho_) {
    if (p->marked != r.echo && r.held != nullptr) answer(f, r, r.held);
    r.echo = p->marked;
  } else {
    if (h.cwr) r.echo = false;
    r.echo |= p->marked;
  }
  // At once: for the last segment, as a FIN would be; for what comes out of order or fills a hole.
  const uint32_t segment = h.segment;
  const bool atOnce = p->last || r.got.holes() || segment != r.got.expected();
  if (segment == r.got.expected()) {
    accept(f, r, *p);
  } else if (segment > r.got.expected() && r.got.add(segment, pool_)) {
    takeEarly(f, r, *p);
  }
  if (++f.unacked >= host_->ackEvery() || atOnce) {
    answer(f, r, p);
  } else {
    hold(r, p);
  }
}

/// `p` becomes the ACK: the packet that has just arrived, or the last one that was held back.
void Tcp::answer(Flow& f, TcpReceiver& r, Packet* p) {
  if (f.unacked > 1) p->sentAt = r.firstUnacked;  // RFC 7323 section 4.3
  if (r.held != nullptr && r.held != p) network_->packets().put(r.held);
  r.held = nullptr;
  p->marked = r.echo;
  TcpHeader& h = header_(*p);
  h.cwr = false;
  r.got.report(h);
  beforeAck(f, *p);
  host_->acknowledge(f, p, PacketKind::Ack, h.optionBytes());
}

/// The ACK waits for another segment, or for the timer.
void Tcp::hold(TcpReceiver& r, Packet* p) {
  if (r.held != nullptr) {
    network_->packets().put(r.held);
  } else {
    r.firstUnacked = p->sentAt;
    r.ackDeadline = engine_->now() + ackDelay_;
    if (!r.ackEvent.pending()) engine_->schedule(r.ackEvent, r.ackDeadline);
  }
  p->kind = PacketKind::Ack;  // its payload has been received
  r.held = p;
}

void Tcp::onAckTimer(Flow& f) {
  auto& tcp = static_cast<Tcp&>(f.receiver->transport());
  TcpReceiver& r = tcp.receiver(f);
  if (r.held == nullptr) return;
  if (r.ackDeadline > tcp.engine_->now()) {
    tcp.engine_->schedule(r.ackEvent, r.ackDeadline);
  } else {
    tcp.answer(f, r, r.held);
  }
}

}  // namespace fabric
