#include "mechanisms/transport/go_back_n.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

const Description& GoBackN::describe() {
  static const Description d = Describe<GoBackN>("go_back_n", Kind::Transport, "Go-back-N")
                                   .help(
                                       "The receiver takes packets in order only and answers a gap with one NACK; the "
                                       "sender goes back to it, or "
                                       "to the last byte acknowledged when nothing was for host.retransmit_timeout. "
                                       "ACKs are cumulative, one for "
                                       "host.ack_every data packets.")
                                   .source("RoCEv2 (reliable connection)")
                                   .param("handshake", &GoBackN::handshake_, false,
                                          "a packet without payload goes first, and data after its ACK",
                                          "chosen: RDMA sets its connections up ahead; NUMFabric's authors' simulator "
                                          "has TCP's handshake")
                                   .param("at_stop", &GoBackN::atStop_, {"drain", "end"}, "drain",
                                          "drain: what a stopped flow has sent is still delivered; end: the flow is "
                                          "over, nothing goes again, and stfq and num_fifo discard what waits of it",
                                          "chosen: drain; NUMFabric's authors' simulator: a stopped flow's packets "
                                          "leave every queue at once")
                                   .added()
                                   .done();
  return d;
}
FABRIC_REGISTER(GoBackN);

void GoBackN::check(const Network&, Report& report) const {
  host_->warnOfTimeout(*host_, "retransmit_timeout", report);
}

void GoBackN::onStart(Network& network) {
  network_ = &network;
  engine_ = &network.engine();
  state_ = network.flows().reserve<State>("go_back_n");
  message_ = network.flows().reserve<Message>("go_back_n message");
}

// ---------------------------------------------------------------- sender

void GoBackN::onFlowStart(Flow& f) {
  State& s = state_.make(f);
  s.lastProgressAt = engine_->now();
  if (handshake_) s.phase = Phase::Closed;
  if (f.spec.persistent) f.end = 0;  // it grows with each message
}

bool GoBackN::onStop(Flow& f) {
  f.end = std::min(f.end, f.highest);
  return endsAtStop() || f.sndUna >= f.end;
}

bool GoBackN::maySend(const Flow& f) const {
  if (handshake_) {
    const Phase phase = state(const_cast<Flow&>(f)).phase;
    if (phase != Phase::Open) return phase == Phase::Closed;
  }
  // Fewer packets than ack_every would wait for an ACK that never comes.
  return f.maySend((host_->ackEvery() - 1) * host_->payloadPerPacket() + 1);
}

Flow& GoBackN::fill(Flow& f, Packet& p) {
  p.seq = f.sndNxt;
  Flow& row = f.spec.persistent ? sending(f) : f;
  const uint64_t end = f.spec.persistent ? endOf(row) : f.end;
  p.flow = &row;
  if (handshake_ && state(f).phase == Phase::Closed) {
    state(f).phase = Phase::Opening;
    state(f).lastProgressAt = engine_->now();
    p.payload = 0;
    p.last = false;
    arm(f);
    return row;
  }
  p.payload = static_cast<uint32_t>(std::min<uint64_t>(static_cast<uint64_t>(host_->payloadPerPacket()), end - p.seq));
  f.sndNxt += p.payload;
  p.last = f.sndNxt == end;
  if (f.inFlight() == p.payload) state(f).lastProgressAt = engine_->now();  // the first in flight starts the clock
  arm(f);
  return row;
}

bool GoBackN::onAck(Flow& f, const Packet& ack) {
  state(f).phase = Phase::Open;
  if (ack.seq > f.sndUna) {
    f.sndUna = ack.seq;
    f.sndNxt = std::max(f.sndNxt, f.sndUna);
    state(f).lastProgressAt = engine_->now();
  }
  if (ack.kind == PacketKind::Ack) host_->congestionControl().onAck(f, ack);
  if (f.spec.persistent) {
    finishMessages(f);
  } else if (f.sndUna >= f.end) {
    host_->finish(f);
    return false;
  }
  if (ack.kind == PacketKind::Nack) goBack(f, ack.seq);
  return true;
}

void GoBackN::arm(Flow& f) {
  const Time timeout = host_->retransmitTimeout();
  if (timeout.ps > 0 && !f.retransmitEvent.pending()) {
    engine_->schedule(f.retransmitEvent, engine_->now() + timeout);
  }
}

/// The timer is never moved: it looks when it fires whether there was progress meanwhile.
void GoBackN::onTimer(Flow& f) {
  const Time timeout = host_->retransmitTimeout();
  State& s = state(f);
  if (timeout.ps == 0 || (f.inFlight() == 0 && s.phase != Phase::Opening)) return;
  const Time due = s.lastProgressAt + timeout;
  if (due > engine_->now()) {
    engine_->schedule(f.retransmitEvent, due);
    return;
  }
  ++(f.spec.persistent ? *s.first : f).timeouts;
  if (s.phase == Phase::Opening) s.phase = Phase::Closed;
  goBack(f, f.sndUna);
  host_->rateChanged(f);
}

/// Does nothing where `seq` is acknowledged already or will be sent next anyway.
void GoBackN::goBack(Flow& f, uint64_t seq) {
  if (seq < f.sndUna || seq >= f.sndNxt) return;
  f.sndNxt = seq;
  state(f).sending = state(f).first;
  state(f).lastProgressAt = engine_->now();
  host_->congestionControl().onLoss(f);
  arm(f);
}

// ---------------------------------------------------------------- queue pairs that stay open

/// The next message to send, behind those that the queue pair has.
void GoBackN::append(Flow& pair, Flow& m) {
  State& s = state(pair);
  message_.make(m).begin = pair.end;
  pair.end += m.end;
  (s.first == nullptr ? s.first : message_(*s.last).next) = &m;
  s.last = &m;
  if (s.sending == nullptr) s.sending = &m;
}

/// The message of the next byte to send; there is one.
Flow& GoBackN::sending(Flow& pair) {
  State& s = state(pair);
  while (pair.sndNxt >= endOf(*s.sending)) s.sending = message_(*s.sending).next;
  return *s.sending;
}

/// The messages that are acknowledged to their end are done.
void GoBackN::finishMessages(Flow& pair) {
  State& s = state(pair);
  while (s.first != nullptr && pair.sndUna > message_(*s.first).begin) {
    Flow& m = *s.first;
    m.sndUna = std::min(pair.sndUna - message_(m).begin, m.end);
    if (m.sndUna < m.end) return;
    s.first = message_(m).next;
    if (s.sending == &m) s.sending = s.first;
    host_->finish(m);
  }
}

// ---------------------------------------------------------------- receiver

void GoBackN::onData(Flow& f, Packet* p) {
  Flow& row = *p->flow;
  if (p->seq > f.rcvNxt) {  // a gap: go back, asked for once
    network_->countReordered(row);
    if (f.nackSent) {
      network_->packets().put(p);
    } else {
      f.nackSent = true;
      host_->acknowledge(f, p, PacketKind::Nack);
    }
    return;
  }
  const bool duplicate = p->seq + p->payload <= f.rcvNxt;
  if (!duplicate) {
    const uint64_t more = p->seq + p->payload - f.rcvNxt;
    network_->counters().dataBytesDelivered += more;
    f.rcvNxt += more;
    if (&row != &f) row.rcvNxt += more;  // a packet has bytes of one message
    f.nackSent = false;
    if (row.spec.size != 0 && row.rcvNxt == row.spec.size) host_->received(row);
  }
  if (++f.unacked >= host_->ackEvery() || p->last || duplicate) {
    host_->acknowledge(f, p, PacketKind::Ack);
  } else {
    network_->packets().put(p);
  }
}

}  // namespace fabric
