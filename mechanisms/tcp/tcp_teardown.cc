// The tear-down of a connection, where it is asked for (RFC 9293 section 3.6). The last segment carries the sender's
// FIN and its ACK the receiver's, which has nothing to send; the sender acknowledges that. A FIN goes by itself where
// nobody knew that a segment was the last one: of a flow that was stopped, and on sub-flows, which close when all data
// is acknowledged (RFC 8684 section 3.3.3). The sender is done by then; the row of the flow, and a run that ends with
// its flows, wait for what is left.
#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/tcp/tcp.h"

namespace fabric {

namespace {

/// How often a FIN goes again before its end gives up: 127 first timeouts, beyond the 100 s of RFC 9293 section 3.8.3
/// with one of 1 s. ns-3: TcpSocket::DataRetries.
constexpr uint8_t kFinRepeats = 6;

}  // namespace

void Tcp::startTearDown(Network& network) {
  tearDown_ = network.flows().reserve<TcpTearDown>("tcp tear-down");
  senderFinTimer_ = network.flowTimer("tcp sender's FIN");
  receiverFinTimer_ = network.flowTimer("tcp receiver's FIN");
  tearDownType_ = network.controlTypes().add(TcpHeader::kTearDown);
  host_->onControl(tearDownType_, controlHandler<&Tcp::onTearDown>(*this));
}

/// The receiver measures no round trip, so its FIN goes again after the first timeout of a connection.
void Tcp::beginTearDown(Flow& f, Time firstRto) {
  if (!teardown_) return;
  TcpTearDown& t = tearDown_.make(f, f, &Tcp::onSenderFinTimer, &Tcp::onReceiverFinTimer);
  const auto number = static_cast<uint32_t>(f.retransmitEvent.key());
  t.sender.again.setKey(senderFinTimer_.key(f.sender->id(), number));
  t.receiver.again.setKey(receiverFinTimer_.key(f.receiver->id(), number));
  t.receiver.rto = firstRto;
}

void Tcp::endTearDown(Flow& f) {
  engine_->cancel(tearDown_(f).sender.again);
  engine_->cancel(tearDown_(f).receiver.again);
}

// ---------------------------------------------------------------- with data

/// The last segment of a flow whose end is known carries the FIN.
void Tcp::addFin(const Flow& f, Packet& p) const {
  if (parts() == 1 && f.spec.size != 0 && p.seq + p.payload == f.spec.size) {
    header_(p).control = TcpHeader::Control::Fin;
  }
}

/// It counts when all data before it is here. If it comes again after that, its answer was lost or is late.
void Tcp::takeFinWithData(Flow& f, Packet& p) const {
  if (tearDown_(f).receiver.state != TcpFin::Sent) header_(p).control = TcpHeader::Control::None;
}

void Tcp::endStream(Flow& f, Packet& p) {
  if (parts() != 1) return;
  header_(p).control = TcpHeader::Control::Fin;
  await(tearDown_(f).receiver);
}

// ---------------------------------------------------------------- sender

bool Tcp::close(Flow& f) {
  if (!teardown_) return false;
  const bool wentWithData = parts() == 1 && f.spec.size != 0 && shared(f).acked == f.spec.size;
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    TcpFin& fin = tearDown_(*part).sender;
    if (wentWithData || sender(*part).phase == Phase::Opening) {
      fin.state = TcpFin::Done;  // and acknowledged; or there is no connection yet
    } else {
      fin.rto = sender(*part).rto;
      sendTearDown(*part, TcpHeader::Control::Fin);
      await(fin);
    }
  }
  return !over(f);
}

/// The receiver's FIN is here, and with it the ACK of the sender's. The sender keeps its state, as TIME-WAIT does, for
/// as long as the receiver's FIN may come again.
void Tcp::answerFin(Flow& f) {
  TcpFin& fin = tearDown_(f).sender;
  const bool awaited = fin.state == TcpFin::Sent;
  fin.state = TcpFin::Done;
  engine_->cancel(fin.again);
  sendTearDown(f, TcpHeader::Control::None);
  if (awaited) closeIfOver(f);
}

// ---------------------------------------------------------------- receiver

/// A FIN by itself: all data is here. It is answered each time, also when its end has given up.
void Tcp::takeFin(Flow& f) {
  TcpFin& fin = tearDown_(f).receiver;
  sendTearDown(f, TcpHeader::Control::Fin);
  if (fin.state == TcpFin::None) await(fin);
}

void Tcp::takeLastAck(Flow& f) {
  TcpFin& fin = tearDown_(f).receiver;
  fin.state = TcpFin::Done;
  engine_->cancel(fin.again);
  closeIfOver(f);
}

// ---------------------------------------------------------------- both

/// `alive` is the flow while its sender is not done. At the sender this is then a FIN-ACK that goes again: the first
/// one was lost, and with it the ACK of the last data.
void Tcp::onTearDown(Flow* alive, Packet& p) {
  Flow& f = *p.flow;
  if (f.spec.id != p.flowId) return;  // all is over
  const bool fin = header_(p).control == TcpHeader::Control::Fin;
  if (host_ == f.receiver) {
    fin ? takeFin(f) : takeLastAck(f);
    return;
  }
  if (alive != nullptr) {
    shared(f).acked += p.seq - f.sndUna;
    f.sndUna = p.seq;
    host_->finish(f);
  }
  answerFin(f);
}

/// From this host: a FIN or, without, the ACK of one.
void Tcp::sendTearDown(Flow& f, TcpHeader::Control control) {
  const bool forth = host_ == f.sender;
  const bool first = forth && control == TcpHeader::Control::Fin;
  const auto bytes = static_cast<uint32_t>(first ? host_->headerBytes() : host_->ackBytes());
  Packet* p =
      forth ? host_->controlFromSender(f, tearDownType_, bytes) : host_->controlFromReceiver(f, tearDownType_, bytes);
  TcpHeader& h = header_(*p) = TcpHeader();
  h.control = control;
  h.segment = forth ? sender(f).board.nxt : state(f).receiver.got.expected();
  p->seq = forth ? f.sndNxt : f.rcvNxt;
  p->sentAt = engine_->now();
  p->cls = first ? f.spec.cls : host_->ackClass();
  host_->sendControl(p);
}

void Tcp::await(TcpFin& fin) {
  fin.state = TcpFin::Sent;
  engine_->schedule(fin.again, engine_->now() + fin.rto);
}

void Tcp::onSenderFinTimer(Flow& f) {
  auto& tcp = static_cast<Tcp&>(f.sender->transport());
  tcp.repeat(f, tcp.tearDown_(f).sender);
}

void Tcp::onReceiverFinTimer(Flow& f) {
  auto& tcp = static_cast<Tcp&>(f.receiver->transport());
  tcp.repeat(f, tcp.tearDown_(f).receiver);
}

void Tcp::repeat(Flow& f, TcpFin& fin) {
  if (fin.repeats == kFinRepeats) {
    fin.state = TcpFin::Done;
    return closeIfOver(f);
  }
  ++fin.repeats;
  sendTearDown(f, TcpHeader::Control::Fin);
  fin.rto = std::min(Time{2 * fin.rto.ps}, rtoBounds(f).most);
  await(fin);
}

/// No end waits for an answer. A receiver that has not heard of a FIN waits for nothing.
bool Tcp::over(Flow& connection) const {
  for (Flow* part = &connection; part != nullptr; part = part->nextSubflow) {
    const TcpTearDown& t = tearDown_(*part);
    if (t.sender.state != TcpFin::Done || t.receiver.state == TcpFin::Sent) return false;
  }
  return true;
}

/// A FIN may still come and be given up when all was over, just before the connection is gone.
void Tcp::closeIfOver(Flow& f) {
  Flow& connection = *f.connection;
  if (over(connection) && !connection.endEvent.pending()) connection.sender->closed(connection);
}

}  // namespace fabric
