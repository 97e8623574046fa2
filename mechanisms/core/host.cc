#include "mechanisms/core/host.h"

#include <algorithm>
#include <stdexcept>

#include "mechanisms/core/network.h"
#include "mechanisms/core/random.h"

namespace fabric {

namespace {

uint64_t endpoint(uint32_t node, uint16_t port) { return uint64_t{node} << 16 | port; }

/// A connection among those of its sender: node numbers have 24 bits.
uint64_t connectionKey(const FlowSpec& s) {
  return uint64_t{s.dst} << 40 | uint64_t{s.srcPort} << 24 | uint64_t{s.dstPort} << 8 | s.cls;
}

}  // namespace

const Description& Host::describe() {
  static const Description d =
      Describe<Host>("host", Kind::Node, "Host: NIC, queue pairs and receiver")
          .help("A flow is one queue pair. Queue pairs of a NIC share its link packet by packet, round robin.")
          .source("FNCC section 5; RoCEv2")
          .param("mtu", &Host::mtu_, Bytes{1518}, "largest data packet on the wire, without INT", "FNCC section 5")
          .range(64, 65536)
          .param("header_bytes", &Host::headerBytes_, Bytes{62},
                 "Ethernet 14 + FCS 4, IPv4 20, UDP 8, BTH 12, ICRC 4: of every data packet", "RoCEv2 (chosen)")
          .range(0, 1024)
          .param("min_frame", &Host::minFrame_, Bytes{64}, "shorter frames are padded to this", "IEEE 802.3")
          .range(0, 1518)
          .param("ack_bytes", &Host::ackBytes_, Bytes{66}, "ACK without INT: headers and AETH 4", "RoCEv2 (chosen)")
          .range(1, 1518)
          .param("cnp_bytes", &Host::cnpBytes_, Bytes{78}, "CNP: headers and 16 B reserved", "RoCEv2, annex A17")
          .range(1, 1518)
          .param("ack_every", &Host::ackEvery_, 1, "one cumulative ACK for this many data packets",
                 "FNCC section 3.2.3: m")
          .range(1, 1 << 20)
          .live()
          .param("ack_class", &Host::ackClass_, 0, "priority class of ACKs", "chosen: above data")
          .range(0, kMaxClasses - 1)
          .param("cnp_class", &Host::cnpClass_, 0, "priority class of CNPs", "chosen: above data")
          .range(0, kMaxClasses - 1)
          .param("classes", &Host::classes_, 2, "number of priority classes", "chosen: control and data")
          .range(1, kMaxClasses)
          .param("base_rtt", &Host::baseRtt_, Time{0},
                 "T: largest base RTT of the network, propagation both ways and one data packet's and one ACK's "
                 "serialisation per hop; 0 = derived from the topology by the harness",
                 "HPCC section 3.2: T")
          .param("retransmit_timeout", &Host::retransmitTimeout_, Time::Ms(1),
                 "go back when nothing was acknowledged for so long; 0 = never", "chosen")
          .live()
          .done();
  return d;
}
FABRIC_REGISTER(Host);

const Description& Host::ControlQueue::description() const {
  static const Description d;
  return d;
}

Host::Host() = default;

void Host::addPort(Port& port, Rate rate, Time delay) {
  if (!ports().empty()) throw std::invalid_argument("host " + name() + " has a second link; a host has one NIC");
  Node::addPort(port, rate, delay);
  port.setSource(*this);
}

void Host::setTransport(Transport& transport) {
  transport_ = &transport;
  transport.attach(*this);
}

void Host::setCongestionControl(CongestionControl& cc) {
  cc_ = &cc;
  cc.attach(*this);
}

void Host::addReceiverAgent(ReceiverAgent& agent) {
  receivers_.push_back(&agent);
  agent.attach(*this);
}

void Host::onStart(Network& network) {
  if (ports().empty()) throw std::logic_error("host " + name() + " has no link");
  if (transport_ == nullptr) throw std::logic_error("host " + name() + " has no transport");
  if (cc_ == nullptr) throw std::logic_error("host " + name() + " has no congestion control");
  if (headerBytes_.n >= mtu_.n) {
    throw ParamError("host.header_bytes: " + std::to_string(headerBytes_.n) + " B leave no payload in an MTU of " +
                     std::to_string(mtu_.n) + " B");
  }
  if (ackClass_ >= classes_ || cnpClass_ >= classes_) {
    throw ParamError("host.ack_class, host.cnp_class: there are " + std::to_string(classes_) +
                     " classes, numbered from 0");
  }
  std::vector<Queue*> queues;
  for (int64_t c = 0; c < classes_; ++c) {
    controlQueues_.push_back(std::make_unique<ControlQueue>());
    queues.push_back(controlQueues_.back().get());
  }
  nic().setQueues(queues);
  Node::onStart(network);
  if (foreignStack_ != nullptr && foreignClass_ >= classes_) {
    throw ParamError("host.classes: foreign packets of host " + name() + " are of class " +
                     std::to_string(foreignClass_) + ", there are " + std::to_string(classes_) +
                     " classes, numbered from 0");
  }
  transport_->start(network);
  cc_->start(network);
  for (ReceiverAgent* r : receivers_) r->start(network);
  ecnCapable_ = cc_->ecnCapable();
}

int64_t Host::bandwidthDelayProduct() const {
  const __int128 bitPs = static_cast<__int128>(lineRate().bps) * baseRtt_.ps;
  return static_cast<int64_t>(bitPs / (8 * static_cast<__int128>(1000000000000)));
}

// ---------------------------------------------------------------- sender

void Host::arrive(const FlowSpec& spec, Host& receiver) {
  if (spec.closedLoop && (!spec.persistent || spec.size == 0 || spec.stop.ps >= 0)) {
    throw std::invalid_argument("flow " + std::to_string(spec.id) +
                                ": it is in a closed loop, where messages on persistent connections wait for each "
                                "other that have a size and no stop; leave closedLoop out or give it these");
  }
  if (spec.size != 0 && spec.measured) ++network_->counters.measuredLimited;
  if (spec.closedLoop) {
    loops_.try_emplace(connectionKey(spec), network_->engine(), *this, receiver).first->second.arrive(spec);
  } else {
    startFlow(spec, receiver);
  }
}

void Host::startFlow(const FlowSpec& spec, Host& receiver) {
  if (spec.cls >= classes_ || (spec.stop.ps >= 0 && spec.stop < network_->engine().now())) {
    throw std::invalid_argument("flow " + std::to_string(spec.id) + ": its class " + std::to_string(spec.cls) +
                                " is not below host.classes, or it stops before it starts");
  }
  Flow& f = *network_->flows().get(kHandlers);
  f.spec = spec;
  f.connection = spec.persistent ? &connectionOf(spec, receiver) : &f;
  prepare(f, receiver);
  f.stopEvent.setKey(eventKey(keyNode(id()), EventKind::FlowStop, spec.id));
  if (spec.stop.ps >= 0) {
    network_->engine().schedule(f.stopEvent, spec.stop);
    network_->flowAllSent(f);
  }

  f.prevActive = lastActive_;
  (lastActive_ == nullptr ? firstActive_ : lastActive_->nextActive) = &f;
  lastActive_ = &f;
  ++network_->counters.flowsStarted;
  if (spec.size != 0) ++network_->counters.flowsLimited;
  if (spec.persistent) {
    ++f.connection->messages;
    transport_->append(*f.connection, f);
  } else {
    begin(f);
  }
  if (network_->onFlowStart) network_->onFlowStart(f);
  for (Flow* part = f.connection; part != nullptr; part = part->nextSubflow) settle(*part);
  nic().kick();
}

/// The flow sends and receives: it has a place at the NIC, and its mechanisms know it.
void Host::begin(Flow& f) {
  f.retransmitEvent.setKey(eventKey(keyNode(id()), EventKind::Retransmit, f.spec.id));
  f.place = turns_[f.spec.cls].join(f);
  transport_->onFlowStart(f);
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    cc_->onFlowStart(*part);
    checkBounds(*part);
  }
}

/// The connection that a message goes over.
Flow& Host::connectionOf(const FlowSpec& spec, Host& receiver) {
  if (transport_->keptBytes() < 0 || cc_->keptBytes() < 0) {
    const Component& without = transport_->keptBytes() < 0 ? static_cast<Component&>(*transport_) : *cc_;
    throw std::invalid_argument("flow " + std::to_string(spec.id) + ": it is a message on a persistent connection " +
                                "(connections of the workload), which " + without.description().name +
                                " does not have; leave connections out, or use tcp or mptcp and one of TCP's "
                                "congestion controls");
  }
  Connection& c = connections_[connectionKey(spec)];
  if (c.busy != nullptr) return *c.busy;
  Flow& f = *network_->flows().get(kHandlers);
  f.spec = spec;
  f.spec.size = 0;
  f.connection = &f;
  prepare(f, receiver);
  begin(f);
  if (c.kept != nullptr) {
    const std::byte* from = c.kept.get();
    for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
      transport_->resume(*part, from);
      from += transport_->keptBytes();
      cc_->resume(*part, from);
      from += cc_->keptBytes();
      checkBounds(*part);
    }
  }
  c.busy = &f;
  return f;
}

/// The connection has no messages: what is not needed for the next one goes.
void Host::park(Flow& f) {
  Connection& c = connections_.at(connectionKey(f.spec));
  if (c.kept == nullptr) {
    size_t parts = 0;
    for (Flow* part = &f; part != nullptr; part = part->nextSubflow) ++parts;
    c.kept = std::make_unique<std::byte[]>(parts * static_cast<size_t>(transport_->keptBytes() + cc_->keptBytes()));
  }
  std::byte* to = c.kept.get();
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    transport_->keep(*part, to);
    to += transport_->keptBytes();
    cc_->keep(*part, to);
    to += cc_->keptBytes();
  }
  c.busy = nullptr;
  leave(f);
  bury(f);
}

Flow& Host::addSubflow(Flow& connection, uint32_t index, uint16_t srcPort, uint16_t dstPort) {
  // Event keys have 32 bits for flow and sub-flow.
  constexpr uint32_t kFlowBits = 26;
  if (connection.spec.id >> kFlowBits != 0 || index >> (32 - kFlowBits) != 0) {
    throw std::invalid_argument("flow " + std::to_string(connection.spec.id) +
                                ": flows with sub-flows have numbers below " + std::to_string(1u << kFlowBits));
  }
  Flow& f = *network_->flows().get(kHandlers);
  f.spec = connection.spec;
  f.spec.srcPort = srcPort;
  f.spec.dstPort = dstPort;
  f.connection = &connection;
  prepare(f, *connection.receiver);
  f.place = turns_[f.spec.cls].join(f);
  f.retransmitEvent.setKey(eventKey(keyNode(id()), EventKind::Retransmit, index << kFlowBits | connection.spec.id));
  Flow* last = &connection;
  while (last->nextSubflow != nullptr) last = last->nextSubflow;
  last->nextSubflow = &f;
  return f;
}

/// What flows, sub-flows and messages have in common when they begin.
void Host::prepare(Flow& f, Host& receiver) {
  const FlowSpec& spec = f.spec;
  f.sender = this;
  f.receiver = &receiver;
  f.end = spec.size == 0 ? Flow::kUnlimited : spec.size;
  const uint64_t a = endpoint(spec.src, spec.srcPort);
  const uint64_t b = endpoint(spec.dst, spec.dstPort);
  f.hash = pairHash(a, b);
  f.reverseHash = pairHash(b, a);
  f.symmetricHash = pairHash(std::min(a, b), std::max(a, b));
  f.rate = lineRate();
  f.nextSendAt = f.lastSentAt = network_->engine().now();
}

void Host::checkBounds(const Flow& f) {
  if (f.rate.bps <= 0 || f.rate > lineRate() || (f.window < 0 && f.window != -1)) {
    ++network_->counters.boundViolations;
  }
}

/// Puts a flow where its window and pacing say it belongs.
void Host::settle(Flow& f) {
  if (!transport_->maySend(f)) {
    block(f);
    return;
  }
  if (f.nextSendAt <= network_->engine().now()) {
    if (f.wait == Flow::Wait::Paced) heapRemove(f);
    if (f.wait != Flow::Wait::Ready) makeReady(f);
  } else if (f.wait != Flow::Wait::Paced) {
    block(f);
    heapPush(f);
  }
}

void Host::makeReady(Flow& f) {
  f.wait = Flow::Wait::Ready;
  turns_[f.spec.cls].set(f.place);
  readyMask_ |= 1u << f.spec.cls;
}

/// Takes a flow out of whatever it waits in.
void Host::block(Flow& f) {
  if (f.wait == Flow::Wait::Paced) heapRemove(f);
  if (f.wait == Flow::Wait::Ready) passTurn(f.spec.cls, f.place);
  f.wait = Flow::Wait::Blocked;
}

/// Who has this place has nothing to send.
void Host::passTurn(uint8_t cls, uint32_t place) {
  turns_[cls].clear(place);
  if (turns_[cls].none()) readyMask_ &= ~(1u << cls);
}

uint32_t Host::refresh() {
  const Time now = network_->engine().now();
  while (!paced_.empty() && paced_.front()->nextSendAt <= now) {
    Flow& f = *paced_.front();
    heapRemove(f);
    makeReady(f);
  }
  return readyMask_;
}

Time Host::nextWake() const { return paced_.empty() ? Time::Max() : paced_.front()->nextSendAt; }

Packet* Host::pull(uint8_t cls) {
  Flow* const next = turns_[cls].next();
  if (next == nullptr) return pullForeign(cls);
  Flow& f = *next;
  block(f);

  const Time now = network_->engine().now();
  Packet* p = network_->packets().get();
  p->flow = &f;
  p->grownTo = 0;
  p->hash = f.hash;
  p->symmetricHash = f.symmetricHash;
  p->sentAt = now;
  p->src = f.spec.src;
  p->dst = f.spec.dst;
  p->ingress = 0;
  p->cls = cls;
  p->kind = PacketKind::Data;
  p->ect = ecnCapable_;
  p->marked = false;
  Flow& row = transport_->fill(f, *p);
  p->flowId = row.spec.id;
  p->wireBytes =
      std::max<uint32_t>(p->payload + static_cast<uint32_t>(headerBytes_.n), static_cast<uint32_t>(minFrame_.n));
  cc_->onSend(f, *p);

  ++row.packets;
  row.sentBytes += p->payload;
  row.sentWireBytes += p->wireBytes;
  Network::Counters& c = network_->counters;
  ++c.dataPacketsSent;
  c.dataBytesSent += p->payload;
  if (p->seq < f.highest) {
    const uint64_t again = std::min(f.highest, p->seq + p->payload) - p->seq;
    row.retransmittedBytes += again;
    c.retransmittedBytes += again;
  }
  f.highest = std::max(f.highest, p->seq + p->payload);
  if (f.highest >= f.end && !f.allSent) network_->flowAllSent(f);
  f.lastSentAt = now;
  f.lastWireBytes = p->wireBytes;
  f.nextSendAt =
      now + (f.rate == lineRate() ? nic().serialisation(p->wireBytes) : transmissionTime(p->wireBytes, f.rate));
  settle(f);
  return p;
}

void Host::rateChanged(Flow& f) {
  checkBounds(f);
  if (f.lastWireBytes != 0) {
    const Time next = f.lastSentAt + (f.rate == lineRate() ? nic().serialisation(f.lastWireBytes)
                                                           : transmissionTime(f.lastWireBytes, f.rate));
    if (next != f.nextSendAt) {
      f.nextSendAt = next;
      if (f.wait == Flow::Wait::Paced) {
        heapUp(f.heapIndex);
        heapDown(f.heapIndex);
      }
    }
  }
  settle(f);
  nic().kick();
}

void Host::onRetransmitTimer(Flow& f) { f.sender->transport_->onTimer(f); }

void Host::onStop(Flow& f) {
  Host& h = *f.sender;
  f.stopped = true;
  Flow& connection = *f.connection;
  if (h.transport_->onStop(f) && !h.finish(f)) return;
  // Retransmissions go on, and the next message is due.
  for (Flow* part = &connection; part != nullptr; part = part->nextSubflow) h.settle(*part);
  h.nic().kick();
}

/// The opposite of begin().
void Host::leave(Flow& f) {
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    block(*part);
    turns_[f.spec.cls].leave(part->place);
    network_->engine().cancel(part->retransmitEvent);
    cc_->onFlowEnd(*part);
    part->senderDone = true;
  }
}

/// The receiver hears of the end at the earliest that anything could reach it; with this the flow is gone.
void Host::bury(Flow& f) {
  f.endEvent.setKey(eventKey(keyNode(f.receiver->id()), EventKind::FlowEnd, f.spec.id));
  network_->engine().schedule(f.endEvent, network_->engine().now() + network_->shortestDelay());
}

void Host::onEnd(Flow& f) {
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    f.sender->transport_->onFlowEnd(*part);
    if (!part->receiverStarted) continue;
    for (ReceiverAgent* r : f.receiver->receivers_) r->onFlowEnd(*part);
  }
  f.sender->release(f);
}

/// The memory of a flow and its sub-flows goes back.
void Host::release(Flow& f) {
  for (Flow* part = &f; part != nullptr;) {
    Flow* next = part->nextSubflow;
    network_->flows().put(part);
    part = next;
  }
}

bool Host::finish(Flow& f) {
  Flow& connection = *f.connection;
  f.senderEndAt = network_->engine().now();
  if (&connection == &f) leave(f);
  network_->engine().cancel(f.stopEvent);
  (f.prevActive == nullptr ? firstActive_ : f.prevActive->nextActive) = f.nextActive;
  (f.nextActive == nullptr ? lastActive_ : f.nextActive->prevActive) = f.prevActive;
  emitFlow(f);
  const FlowSpec spec = f.spec;
  const bool goesOn = &connection != &f && --connection.messages > 0;
  if (&connection == &f) {
    bury(f);
  } else {
    if (!goesOn) park(connection);
    release(f);
  }
  if (spec.closedLoop) loops_.at(connectionKey(spec)).onFinish(spec);
  network_->flowEnded(spec.measured);
  return goesOn;
}

void Host::emitFlow(const Flow& f) const {
  TraceBus& trace = network_->trace();
  if (f.endAt.ps >= 0) ++network_->counters.flowsFinished;
  if (f.endAt.ps >= 0 && f.spec.measured) ++network_->counters.measuredFinished;
  if (!trace.on(kFlows) || !trace.wantsFlow(kFlows, f.spec.id)) return;
  uint64_t delivered = 0, sent = 0, again = 0, packets = 0, reordered = 0;
  uint32_t timeouts = 0;
  for (const Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    delivered += part->rcvNxt;
    sent += part->sentBytes;
    again += part->retransmittedBytes;
    packets += part->packets;
    timeouts += part->timeouts;
    reordered += part->reordered;
  }
  trace.emit(kFlows,
             {f.spec.id, f.spec.group, f.spec.src, f.spec.dst, f.spec.cls, f.spec.measured, f.spec.size, f.spec.start,
              f.endAt, f.senderEndAt, delivered, sent, again, packets, f.endAt.ps >= 0, timeouts, reordered});
}

// ---------------------------------------------------------------- both

void Host::prefetch(const Packet& p) const {
  if (p.flow != nullptr) network_->flows().prefetch(*p.flow, p.kind == PacketKind::Data);
  if (p.kind == PacketKind::Ack) p.prefetchGrown();
}

void Host::receive(Port& port, Packet* p) {
  if (p->kind == PacketKind::Pause) {
    port.onPause(p->cls, p->seq != 0);
    network_->packets().put(p);
    return;
  }
  if (port.traced(kPackets)) port.tracePacket(PacketEvent::Receive, *p);
  if (p->kind == PacketKind::Foreign) {
    ++network_->counters.foreignReceived;
    if (foreignStack_ != nullptr) foreignStack_->onForeign(*p);
    network_->packets().put(p);
    return;
  }
  if (p->kind == PacketKind::Data) network_->counters.dataBytesReceived += p->payload;
  Flow& f = *p->flow;
  if (f.spec.id != p->flowId && !transport_->carries(f, *p)) {  // the flow has ended; a duplicate was still on its way
    network_->packets().put(p);
    return;
  }
  // A receiver whose end is apart from the sender's does not know yet, and answers duplicates.
  if (f.senderDone && (p->kind != PacketKind::Data || !transport_->endsApart())) {
    network_->packets().put(p);
    return;
  }
  switch (p->kind) {
    case PacketKind::Data: onData(f, p); return;
    case PacketKind::Ack:
    case PacketKind::Nack: onAck(f, p); return;
    case PacketKind::Cnp:
      cc_->onCnp(f, *p);
      network_->packets().put(p);
      rateChanged(f);
      return;
    case PacketKind::Pause:
    case PacketKind::Control:
    case PacketKind::Foreign: network_->packets().put(p); return;
  }
}

void Host::onAck(Flow& f, Packet* p) {
  const bool alive = transport_->onAck(f, *p);
  network_->packets().put(p);
  if (alive) rateChanged(f);
}

// ---------------------------------------------------------------- receiver

void Host::onData(Flow& f, Packet* p) {
  if (!f.receiverStarted) {
    f.receiverStarted = true;
    for (ReceiverAgent* r : receivers_) r->onFlowStart(f);
  }
  for (ReceiverAgent* r : receivers_) r->onData(f, *p);
  transport_->onData(f, p);
}

void Host::acknowledge(Flow& f, Packet* p, PacketKind kind, int64_t options) {
  f.unacked = 0;
  p->kind = kind;
  p->seq = f.rcvNxt;
  std::swap(p->src, p->dst);
  p->hash = f.reverseHash;
  p->payload = 0;
  p->wireBytes = static_cast<uint32_t>(std::max(ackBytes_.n + options, minFrame_.n));
  p->cls = static_cast<uint8_t>(ackClass_);
  p->ect = false;
  ++network_->counters.acksSent;
  for (ReceiverAgent* r : receivers_) r->onAck(f, *p);
  sendControl(p);
}

Packet* Host::controlFromReceiver(const Flow& f, PacketKind kind, uint32_t bytes) {
  Packet* p = network_->packets().fresh();
  p->flow = const_cast<Flow*>(&f);
  p->flowId = f.spec.id;
  p->kind = kind;
  p->src = f.spec.dst;
  p->dst = f.spec.src;
  p->hash = f.reverseHash;
  p->symmetricHash = f.symmetricHash;
  p->wireBytes = std::max(bytes, static_cast<uint32_t>(minFrame_.n));
  p->cls = cnpClass();
  return p;
}

void Host::sendControl(Packet* p) {
  if (p->kind == PacketKind::Cnp) ++network_->counters.cnpsSent;
  p->ingress = 0;
  nic().enqueue(p);
  nic().kick();
}

// ---------------------------------------------------------------- foreign packets

void Host::setForeignStack(ForeignStack& stack, uint8_t cls) {
  if (foreignStack_ != nullptr) throw std::logic_error("host " + name() + " has a stack of the engine's own already");
  if (!network_->packets().takesForeign()) {
    throw std::logic_error("host " + name() +
                           " gets a stack of the engine's own before PacketPool::setForeignRelease()");
  }
  if (cls >= kMaxClasses) throw std::invalid_argument("class " + std::to_string(cls) + " of foreign packets");
  foreignStack_ = &stack;
  foreignClass_ = cls;
  foreignPlace_ = turns_[cls].join();
}

Packet* Host::foreignPacket() {
  Packet* p = network_->packets().fresh();
  p->kind = PacketKind::Foreign;
  network_->packets().foreign(*p) = nullptr;
  p->flowId = kNoFlow;
  p->src = id();
  p->cls = foreignClass_;
  return p;
}

void Host::sendForeign(Packet* p) {
  ++network_->counters.foreignSent;
  p->wireBytes = std::max<uint32_t>(p->wireBytes, static_cast<uint32_t>(minFrame_.n));
  foreign_.push(p);
  foreignBytes_ += p->wireBytes;
  turns_[foreignClass_].set(foreignPlace_);
  readyMask_ |= 1u << foreignClass_;
  nic().kick();
}

Packet* Host::pullForeign(uint8_t cls) {
  Packet* p = foreign_.pop();
  foreignBytes_ -= p->wireBytes;
  if (foreign_.empty()) passTurn(cls, foreignPlace_);
  foreignStack_->onForeignSent(*p);
  return p;
}

// ---------------------------------------------------------------- heap of paced flows

bool Host::sooner(const Flow& a, const Flow& b) {
  return a.nextSendAt < b.nextSendAt || (a.nextSendAt == b.nextSendAt && a.spec.id < b.spec.id);
}

void Host::heapPush(Flow& f) {
  f.wait = Flow::Wait::Paced;
  f.heapIndex = static_cast<uint32_t>(paced_.size());
  paced_.push_back(&f);
  heapUp(f.heapIndex);
}

void Host::heapRemove(Flow& f) {
  const size_t i = f.heapIndex;
  f.wait = Flow::Wait::Blocked;
  Flow* moved = paced_.back();
  paced_.pop_back();
  if (moved == &f) return;
  paced_[i] = moved;
  moved->heapIndex = static_cast<uint32_t>(i);
  heapUp(i);
  heapDown(moved->heapIndex);
}

void Host::heapUp(size_t i) {
  Flow* f = paced_[i];
  while (i > 0 && sooner(*f, *paced_[(i - 1) / 2])) {
    paced_[i] = paced_[(i - 1) / 2];
    paced_[i]->heapIndex = static_cast<uint32_t>(i);
    i = (i - 1) / 2;
  }
  paced_[i] = f;
  f->heapIndex = static_cast<uint32_t>(i);
}

void Host::heapDown(size_t i) {
  Flow* f = paced_[i];
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= paced_.size()) break;
    if (child + 1 < paced_.size() && sooner(*paced_[child + 1], *paced_[child])) ++child;
    if (!sooner(*paced_[child], *f)) break;
    paced_[i] = paced_[child];
    paced_[i]->heapIndex = static_cast<uint32_t>(i);
    i = child;
  }
  paced_[i] = f;
  f->heapIndex = static_cast<uint32_t>(i);
}

}  // namespace fabric
