// The tear-down of a connection, where it is asked for (RFC 9293 section 3.6). The last segment carries the sender's
// FIN and its ACK the receiver's, which has nothing to send; the sender acknowledges that. A FIN goes by itself where
// nobody knew that a segment was the last one: of a flow that was stopped, and on sub-flows, which close when all data
// is acknowledged (RFC 8684 section 3.3.3). The sender is done by then; the row of the flow, and a run that ends with
// its flows, wait for what is left. The receiver ends the connection: it hears when the sender is done, as fast as
// anything could reach it, and what is left then is the ACK of its own FIN.
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
  constexpr TcpTearDown::Handlers kHandlers{&Tcp::onSenderFinTimer, &Tcp::onReceiverFinTimer, &Tcp::onSenderDone,
                                            &Tcp::onOver};
  TcpTearDown& t = tearDown_.make(f, f, kHandlers);
  const auto number = static_cast<uint32_t>(f.retransmitEvent.key());
  t.sender.again.setKey(senderFinTimer_.key(f.sender->id(), number));
  t.over.setKey(receiverFinTimer_.key(f.sender->id(), number));
  t.receiver.again.setKey(receiverFinTimer_.key(f.receiver->id(), number));
  t.senderDone.setKey(senderFinTimer_.key(f.receiver->id(), number));
  t.receiver.rto = firstRto;
}

void Tcp::endTearDown(Flow& f) { engine_->cancel(tearDown_(f).receiver.again); }

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
  bool open = false;
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    TcpFin& fin = tearDown_(*part).sender;
    open |= sender(*part).phase != Phase::Opening;
    if (wentWithData || sender(*part).phase == Phase::Opening) {
      fin.state = TcpFin::Done;  // and acknowledged; or there is no connection yet
    } else {
      fin.rto = sender(*part).rto;
      sendTearDown(*part, TcpHeader::Control::Fin);
      await(fin);
    }
  }
  if (open) tellIfDone(f);
  return open;
}

/// No part of the sender waits for an answer: the receiver is to hear of it.
void Tcp::tellIfDone(Flow& f) {
  Flow& connection = *f.connection;
  for (Flow* part = &connection; part != nullptr; part = part->nextSubflow) {
    if (tearDown_(*part).sender.state != TcpFin::Done) return;
  }
  engine_->schedule(tearDown_(connection).senderDone, engine_->now() + network_->shortestDelay());
}

void Tcp::onOver(Flow& connection) {
  for (Flow* part = &connection; part != nullptr; part = part->nextSubflow) {
    auto& tcp = static_cast<Tcp&>(part->sender->transport());
    tcp.engine_->cancel(tcp.tearDown_(*part).sender.again);
  }
  connection.sender->closed(connection);
}

/// The receiver's FIN is here, and with it the ACK of the sender's. The sender keeps its state, as TIME-WAIT does, for
/// as long as the receiver's FIN may come again.
void Tcp::answerFin(Flow& f) {
  TcpFin& fin = tearDown_(f).sender;
  const bool awaited = fin.state == TcpFin::Sent;
  fin.state = TcpFin::Done;
  engine_->cancel(fin.again);
  sendTearDown(f, TcpHeader::Control::None);
  if (awaited) tellIfDone(f);
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

void Tcp::onSenderDone(Flow& connection) {
  auto& tcp = static_cast<Tcp&>(connection.receiver->transport());
  tcp.tearDown_(connection).senderGone = true;
  tcp.closeIfOver(connection);
}

/// The connection is over when neither end waits for an answer. A receiver that has not heard of a FIN waits for
/// nothing.
void Tcp::closeIfOver(Flow& f) {
  Flow& connection = *f.connection;
  TcpTearDown& t = tearDown_(connection);
  if (!t.senderGone || connection.closed) return;
  for (Flow* part = &connection; part != nullptr; part = part->nextSubflow) {
    if (tearDown_(*part).receiver.state == TcpFin::Sent) return;
  }
  engine_->schedule(t.over, engine_->now() + network_->shortestDelay());
  host_->closedHere(connection);
}

// ---------------------------------------------------------------- both

/// `alive` is the flow while its sender is not done. At the sender this is then a FIN-ACK that goes again: the first
/// one was lost, and with it the ACK of the last data.
void Tcp::onTearDown(Flow* alive, Packet& p) {
  Flow& f = *p.flow;
  if (FlowPool::idAt(f) != p.flowId) return;  // all is over
  const bool fin = header_(p).control == TcpHeader::Control::Fin;
  if (host_ == f.receiver) {
    if (f.closed) return;
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
  h.segment = forth ? sender(f).board.nxt : receiver(f).got.expected();
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
  if (!tcp.repeat(f, tcp.tearDown_(f).sender)) tcp.tellIfDone(f);
}

void Tcp::onReceiverFinTimer(Flow& f) {
  auto& tcp = static_cast<Tcp&>(f.receiver->transport());
  if (!tcp.repeat(f, tcp.tearDown_(f).receiver)) tcp.closeIfOver(f);
}

/// False: this end gives up.
bool Tcp::repeat(Flow& f, TcpFin& fin) {
  if (fin.repeats == kFinRepeats) {
    fin.state = TcpFin::Done;
    return false;
  }
  ++fin.repeats;
  sendTearDown(f, TcpHeader::Control::Fin);
  fin.rto = std::min(Time{2 * fin.rto.ps}, rtoBounds(f).most);
  await(fin);
  return true;
}

}  // namespace fabric
