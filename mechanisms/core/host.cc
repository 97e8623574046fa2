#include "mechanisms/core/host.h"

#include <algorithm>
#include <stdexcept>

#include "mechanisms/core/fetch_ahead.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/random.h"
#include "mechanisms/core/report.h"

namespace fabric {

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
          .param("jitter", &Host::jitter_, 0.0,
                 "a flow's next packet leaves later than its rate has it by up to this share of a packet's time, "
                 "drawn evenly. 0 = none, so that packets of one size keep their phase for ever",
                 "chosen; what it prevents: Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways, "
                 "Internetworking: Research and Experience 3(3), 1992")
          .range(0, 1)
          .param("base_rtt", &Host::baseRtt_, Time{0},
                 "T: largest base RTT of the network, propagation both ways and one data packet's and one ACK's "
                 "serialisation per hop; 0 = derived from the topology by the harness",
                 "HPCC section 3.2: T")
          .param("retransmit_timeout", &Host::retransmitTimeout_, Time::Ms(1),
                 "go back after this time without an acknowledgement; 0 = never", "chosen")
          .live()
          .done();
  return d;
}
FABRIC_REGISTER(Host);

Host::Host() { onControl(ControlTypes::kCnp, controlHandler<&Host::onCnp>(*this)); }

void Host::addPort(Port& port, Rate rate, Time delay) {
  Node::addPort(port, rate, delay);
  nics_.push_back(std::make_unique<Nic>(*this, port));
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

void Host::addApplication(Application& application) {
  applications_.push_back(&application);
  application.attach(*this);
}

void Host::check(const Network&, Report& report) const {
  for (const auto& nic : nics_) {
    const Port& port = nic->port();
    if (port.rate() != lineRate()) {
      report.refuse("a host has links of " + toText(lineRate()) + " and of " + toText(port.rate()) +
                        "; give all links of a host the same rate",
                    {Spot::topology()});
    }
    if (port.classes() != classes_) {
      report.refuse("a host has " + std::to_string(port.classes()) + " queues, and host.classes is " +
                        std::to_string(classes_) + "; name one for each class",
                    {Spot::slot("nic_queues"), {*this, "classes"}});
    }
  }
  if (headerBytes_.n >= mtu_.n) {
    report.refuse("host.header_bytes is " + toText(headerBytes_) + ", which leaves no payload in host.mtu, " +
                      toText(mtu_) + "; enlarge host.mtu",
                  {{*this, "header_bytes"}, {*this, "mtu"}});
  }
  for (const auto& [param, cls] : {std::make_pair("ack_class", ackClass_), std::make_pair("cnp_class", cnpClass_)}) {
    if (cls < classes_) continue;
    report.refuse("host." + std::string(param) + " is " + std::to_string(cls) + ", and there are " +
                      std::to_string(classes_) + " classes, numbered from 0; name one of them, or add a queue",
                  {{*this, param}, {*this, "classes"}});
  }
  const Nic& first = *nics_.front();
  if (first.foreignStack() != nullptr && first.foreignClass() >= classes_) {
    report.refuse("foreign packets are of class " + std::to_string(first.foreignClass()) + ", and host.classes is " +
                      std::to_string(classes_) + ", numbered from 0",
                  {{*this, "classes"}});
  }
}

void Host::onStart(Network& network) {
  for (const auto& nic : nics_) nic->port().setSource(*nic);
  Node::onStart(network);
  for (const auto& nic : nics_) nic->start();
  ecnCapable_ = cc_->ecnCapable();
}

int64_t Host::bandwidthDelayProduct() const {
  const int128 bitPs = static_cast<int128>(lineRate().bps) * baseRtt_.ps;
  return static_cast<int64_t>(bitPs / (8 * static_cast<int128>(1000000000000)));
}

// ---------------------------------------------------------------- sender

void Host::arrive(const FlowSpec& spec, Host& receiver) {
  if (spec.size != 0 && spec.measured) ++network_->counters().measuredLimited;
  if (spec.closedLoop) {
    loops_.try_emplace(Connections::key(spec), network_->engine(), *this, receiver).first->second.arrive(spec);
  } else {
    startFlow(spec, receiver);
  }
}

void Host::checkFlow(const FlowSpec& f, const Host& receiver, Report& report) const {
  if (f.cls >= classes_) {
    report.refuse("the class of a flow is " + std::to_string(f.cls) + ", and there are " + std::to_string(classes_) +
                      " classes, numbered from 0; name one of them, or add a queue",
                  {Spot::flow("class")});
    return;
  }
  if (f.stop.ps >= 0 && f.stop < f.start) report.refuse("a flow stops before it starts", {Spot::flow("stop")});
  if (f.closedLoop && (!f.persistent || f.size == 0 || f.stop.ps >= 0)) {
    report.refuse(
        "a flow is in a closed loop, where messages on persistent connections wait for each other that have a size and "
        "no stop; leave the closed loop out or give it these",
        {Spot::flow("closed_loop")});
  }
  const Description &here = transport_->description(), &there = receiver.transport().description();
  if (&here != &there) {
    report.refuse("there are flows from hosts that use the transport " + here.name + " to hosts that use " +
                      there.name + "; give both the same",
                  {receiver.transport(), *transport_});
    return;
  }
  checkReceiver(receiver, report);
  if (f.persistent) checkPersistent(f, report);
  for (const Plugged& p : plugged()) p.component->checkFlow(f, receiver, report);
  for (const auto& nic : nics_) {
    for (const Plugged& p : nic->port().plugged()) p.component->checkFlow(f, receiver, report);
  }
}

/// The transport decides whether its connections stay open, and the congestion control has to go along.
void Host::checkPersistent(const FlowSpec& f, Report& report) const {
  const bool open = transport_->staysOpen();
  const auto refuse = [&](const Resumable& part, const Component& component) {
    if (open ? part.staysOpen() : part.keptBytes() >= 0) return;
    report.refuse(component.description().name +
                      (open ? " has no queue pairs that stay open" : " has no persistent connections") +
                      ", and the workload asks for some; leave connections (or persistent) out, or use tcp or mptcp "
                      "and one of TCP's congestion controls, or go_back_n and one that keeps queue pairs open, as "
                      "docs/mechanisms/go_back_n.md lists them and your own does by staysOpen()",
                  {Spot::flow("connections"), component});
  };
  refuse(*transport_, *transport_);
  refuse(*cc_, *cc_);
  if (!open || (f.size != 0 && f.stop.ps < 0)) return;
  report.refuse(
      "a message on a queue pair has no size or is stopped, and those behind it wait for its last byte; give it "
      "a size and no stop, or a connection of its own",
      {Spot::flow(f.size == 0 ? "size" : "stop"), *transport_});
}

void Host::noteNeeds() {
  receiverNeeds_.clear();
  cc_->eachNeed([this](const std::string& who, const char* param, const std::string& need) {
    const Description* d = Registry::find(need);
    if (d != nullptr && d->kind == Kind::ReceiverAgent && network_->has(*d)) receiverNeeds_.push_back({who, param, d});
  });
}

/// ACKs of a host without the agents that the congestion control needs would not say what it goes by.
void Host::checkReceiver(const Host& receiver, Report& report) const {
  for (const ReceiverNeed& need : receiverNeeds_) {
    const auto is = [&](const ReceiverAgent* a) { return &a->description() == need.what; };
    if (std::any_of(receiver.receivers_.begin(), receiver.receivers_.end(), is)) continue;
    report.refuse(need.who + " needs " + need.what->name + " at the receivers of its flows, and some have none; add " +
                      "it to receiver_agents there",
                  {Spot::slot("receiver_agents"), {*cc_, need.param}});
  }
}

void Host::warnOfTimeout(const Component& component, const char* param, Report& report) const {
  const Time timeout{std::get<int64_t>(component.get(param))};
  if (timeout.ps == 0 || timeout >= baseRtt_ + baseRtt_) return;
  report.warn(component.description().name + "." + param + " is " + toText(timeout) +
                  ", less than twice the base RTT, " + toText(baseRtt_) +
                  ": an answer that waits in a queue comes after it; make it longer",
              {{component, param}});
}

void Host::startFlow(const FlowSpec& spec, Host& receiver) {
  Flow& f = *network_->flows().get(kHandlers, spec);
  f.connection = spec.persistent ? &connections_.of(spec, receiver) : &f;
  prepare(f, receiver);
  if (spec.stop.ps >= 0) {
    // The row of a flow that is stopped says what its receiver has by then, so all nodes have to be there. Nothing has
    // reached the receiver of one that is stopped at once.
    if (network_->stopsAtOnce(spec)) {
      f.allSent = true;
      f.stopEvent.setKey(eventKey(keyNode(id()), EventKind::FlowStop, spec.id));
      network_->engine().schedule(f.stopEvent, spec.stop);
    } else {
      network_->stops().add(f, network_->apart());
      network_->flowAllSent(f);
    }
  }

  active_.add(f);
  const bool ordinary = spec.message == nullptr;
  if (ordinary) {
    ++network_->counters().flowsStarted;
    if (spec.size != 0) ++network_->counters().flowsLimited;
  }
  if (spec.persistent) {
    ++f.connection->messages;
    transport_->append(*f.connection, f);
  } else {
    begin(f);
  }
  if (ordinary) {
    if (network_->onFlowStart) network_->onFlowStart(f);
    for (Application* a : applications_) a->onFlowStart(f);
  }
  for (Flow* part = f.connection; part != nullptr; part = part->nextSubflow) settle(*part);
  f.connection->nic->port().kick();
}

/// The flow sends and receives: it has a place at the NIC, and its mechanisms know it.
void Host::begin(Flow& f) {
  f.retransmitEvent.setKey(eventKey(keyNode(id()), EventKind::Retransmit, f.spec.id));
  nicFor(f.hash).join(f);
  transport_->onFlowStart(f);
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    cc_->onFlowStart(*part);
    checkBounds(*part);
  }
}

/// A connection that stayed open without messages goes on, by the link that a new one would take.
void Host::rejoin(Flow& idle) {
  Nic& nic = nicFor(idle.hash);
  if (&nic == idle.nic) return;
  idle.nic->leave(idle);
  nic.join(idle);
}

Flow& Host::addSubflow(Flow& connection, uint32_t index, uint16_t srcPort, uint16_t dstPort) {
  // Event keys have 32 bits for flow and sub-flow.
  constexpr uint32_t kFlowBits = 26;
  if (connection.spec.id >> kFlowBits != 0 || index >> (32 - kFlowBits) != 0) {
    throw std::invalid_argument("flow " + std::to_string(connection.spec.id) +
                                ": flows with sub-flows have numbers below " + std::to_string(1u << kFlowBits));
  }
  Flow& f = *network_->flows().get(kHandlers, connection.spec);
  f.spec.srcPort = srcPort;
  f.spec.dstPort = dstPort;
  f.connection = &connection;
  prepare(f, *connection.receiver);
  nicFor(f.hash).join(f);
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
  const uint64_t a = endpoint(nameHash(), spec.srcPort);
  const uint64_t b = endpoint(receiver.nameHash(), spec.dstPort);
  f.hash = pairHash(a, b);
  f.reverseHash = pairHash(b, a);
  f.symmetricHash = pairHash(std::min(a, b), std::max(a, b));
  f.rate = lineRate();
  f.nextSendAt = f.lastSentAt = network_->engine().now();
}

void Host::checkBounds(const Flow& f) {
  if (f.rate.bps <= 0 || f.rate > lineRate() || (f.window < 0 && f.window != -1)) {
    ++network_->counters().boundViolations;
  }
}

Nic& Host::nicFor(uint64_t hash) const {
  if (nics_.size() == 1) return *nics_.front();
  size_t usable = 0;
  for (const auto& nic : nics_) usable += nic->port().down() ? 0 : 1;
  size_t skip = usable == 0 ? hash % nics_.size() : hash % usable;
  for (const auto& nic : nics_) {
    if (usable != 0 && nic->port().down()) continue;
    if (skip-- == 0) return *nic;
  }
  return *nics_.front();
}

Packet* Host::makeData(Flow& f) {
  Packet* p = network_->packets().get();
  p->flow = &f;
  p->grownTo = 0;
  p->hash = f.hash;
  p->symmetricHash = f.symmetricHash;
  p->sentAt = network_->engine().now();
  p->src = f.spec.src;
  p->dst = f.spec.dst;
  p->ingress = 0;
  p->cls = f.spec.cls;
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
  Network::Counters& c = network_->counters();
  ++c.dataPacketsSent;
  c.dataBytesSent += p->payload;
  if (p->seq < f.highest) {
    const uint64_t again = std::min(f.highest, p->seq + p->payload) - p->seq;
    row.retransmittedBytes += again;
    c.retransmittedBytes += again;
  }
  f.highest = std::max(f.highest, p->seq + p->payload);
  if (p->last) {
    Flow& whole = f.spec.persistent ? row : *f.connection;
    if (!whole.allSent) network_->flowAllSent(whole);
  }
  f.nic->sent(f, p->wireBytes);
  return p;
}

void Host::rateChanged(Flow& f) {
  checkBounds(f);
  f.nic->pace(f);
}

/// Who calls kicks the NIC of the flow that has changed. Another NIC hears of it by itself, a little later: it may be
/// about to send.
void Host::settle(Flow& f) {
  f.nic->settle(f);
  if (nics_.size() > 1 && f.wait != Flow::Wait::Blocked) f.nic->port().kickSoon();
}

void Host::onRetransmitTimer(Flow& f) { f.sender->transport_->onTimer(f); }

void Host::onStop(Flow& f) {
  Host& h = *f.sender;
  f.stopped = true;
  Flow& connection = *f.connection;
  if (h.transport_->onStop(f) && !h.finish(f)) return;
  // Retransmissions go on, and the next message is due.
  for (Flow* part = &connection; part != nullptr; part = part->nextSubflow) h.settle(*part);
  connection.nic->port().kick();
}

/// The opposite of begin().
void Host::leave(Flow& f) {
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    part->nic->leave(*part);
    network_->engine().cancel(part->retransmitEvent);
    cc_->onFlowEnd(*part);
    transport_->onSenderEnd(*part);
    part->senderDone = true;
  }
}

/// The receiver hears of the end at the earliest that anything could reach it; with this the flow is gone.
void Host::bury(Flow& f) {
  f.endEvent.setKey(eventKey(keyNode(f.receiver->id()), EventKind::FlowEnd, f.spec.id));
  network_->engine().schedule(f.endEvent, network_->engine().now() + network_->shortestDelay());
}

void Host::onEnd(Flow& f) {
  f.receiver->forget(f);
  f.receiver->release(f);
}

/// The receiver's part of the end.
void Host::forget(Flow& f) {
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    part->closed = true;
    transport_->onFlowEnd(*part);
    if (!part->receiverStarted) continue;
    for (ReceiverAgent* r : receivers_) r->onFlowEnd(*part);
  }
}

/// The memory of a flow and its sub-flows goes back.
void Host::release(Flow& f) {
  if (f.spec.message != nullptr) network_->messages().put(*f.spec.message);
  for (Flow* part = &f; part != nullptr;) {
    Flow* next = part->nextSubflow;
    network_->flows().put(part, network_->apart());
    part = next;
  }
}

bool Host::finish(Flow& f) {
  Flow& connection = *f.connection;
  f.senderEndAt = network_->engine().now();
  if (&connection == &f) leave(f);
  network_->engine().cancel(f.stopEvent);
  network_->stops().remove(f, network_->apart());
  active_.remove(f);
  const FlowSpec spec = f.spec;
  const bool ordinary = spec.message == nullptr;
  if (ordinary) {
    for (Application* a : applications_) a->onFlowEnd(f);
    countFlow(f);
  }
  const bool closing = &connection == &f && transport_->close(f);
  if (ordinary && !closing) emitFlow(f);
  const bool message = &connection != &f, open = message && transport_->staysOpen();
  const bool goesOn = message && (--connection.messages > 0 || open);
  if (closing) {
    closing_.add(f);
  } else if (!message || open) {
    f.senderDone = true;
    bury(f);
  } else {
    if (!goesOn) connections_.park(connection);
    release(f);
  }
  if (spec.closedLoop) loops_.at(Connections::key(spec)).onFinish(spec);
  network_->flowOverAt(*this, spec);
  if (ordinary && !closing) network_->flowEnded(spec.measured);
  return goesOn;
}

void Host::closedHere(Flow& f) {
  if (f.spec.message == nullptr) {
    emitFlow(f, network_->engine().now());
    network_->flowEnded(f.spec.measured);
  }
  forget(f);
}

void Host::closed(Flow& f) {
  closing_.remove(f);
  release(f);
}

void Host::countFlow(const Flow& f) const {
  if (f.endAt.ps < 0) return;
  ++network_->counters().flowsFinished;
  if (f.spec.measured) ++network_->counters().measuredFinished;
}

void Host::emitFlow(const Flow& f, Time connectionEnd) const {
  TraceBus& trace = network_->trace();
  if (!trace.on(kFlows) || !trace.wantsFlow(kFlows, f.spec.id)) return;
  uint64_t sent = 0, again = 0, packets = 0, reordered = 0;
  uint32_t timeouts = 0;
  for (const Flow* part = &f; part != nullptr; part = part->nextSubflow) {
    sent += part->sentBytes;
    again += part->retransmittedBytes;
    packets += part->packets;
    timeouts += part->timeouts;
    reordered += part->reordered;
  }
  trace.emit(kFlows, f.spec.id, f.spec.group, NodeId{f.spec.src}, NodeId{f.spec.dst}, f.spec.cls, f.spec.measured,
             f.spec.size, f.spec.start, f.endAt, f.senderEndAt, transport_->delivered(f), sent, again, packets,
             f.endAt.ps >= 0, timeouts, reordered, connectionEnd);
}

// ---------------------------------------------------------------- both

void Host::fetchAhead(const Packet& p) const {
  if (p.flow != nullptr) FetchAhead::flow(network_->flows(), *p.flow, p.kind == PacketKind::Data);
  if (p.kind == PacketKind::Ack) FetchAhead::grown(p);
}

void Host::listMemory(const MemoryList& list) const {
  list(this, sizeof(*this));
  for (const auto& nic : nics_) list(nic.get(), sizeof(*nic));
  Node::listMemory(list);
}

void Host::receive(Port& port, Packet* p) {
  if (port.faulty && port.lost(*p)) {
    lose(port, p);
    return;
  }
  if (p->kind == PacketKind::Pause) {
    port.onPause(p->cls, p->seq != 0);
    network_->packets().put(p);
    return;
  }
  if (port.traced(kPackets)) port.tracePacket(PacketEvent::Receive, *p);
  switch (p->kind) {
    case PacketKind::Foreign:
      ++network_->counters().foreignReceived;
      if (hasForeignStack()) nics_.front()->foreignStack()->onForeign(*p);
      network_->packets().put(p);
      return;
    case PacketKind::Cnp:
    case PacketKind::Control: onControlPacket(p); return;
    default: break;
  }
  if (p->kind == PacketKind::Data) network_->counters().dataBytesReceived += p->payload;
  Flow& f = *p->flow;
  // The flow has ended, and a duplicate was still on its way. The receiver may not know yet, and answers.
  if ((FlowPool::idAt(f) != p->flowId && !transport_->carries(f, *p)) ||
      (p->kind == PacketKind::Data ? f.closed : f.senderDone)) {
    network_->packets().put(p);
    return;
  }
  if (p->kind == PacketKind::Data) {
    onData(stream(f), p);
  } else {
    onAck(stream(f), p);
  }
}

/// The flow that a packet's numbers count in: where connections stay open it is not the packet's own one, a message.
Flow& Host::stream(Flow& f) const { return f.spec.persistent && transport_->staysOpen() ? *f.connection : f; }

void Host::onAck(Flow& f, Packet* p) {
  const bool alive = transport_->onAck(f, *p);
  network_->packets().put(p);
  if (alive) rateChanged(f);
}

// ---------------------------------------------------------------- control packets

void Host::onControl(uint8_t type, ControlHandler handler) {
  if (type >= handlers_.size()) handlers_.resize(type + 1u);
  handlers_[type] = handler;
}

void Host::onControlPacket(Packet* p) {
  Flow* f = p->flow;
  if (f != nullptr &&
      ((FlowPool::idAt(*f) != p->flowId && !transport_->carries(*f, *p)) || (f->sender == this && f->senderDone))) {
    f = nullptr;
  }
  if (f != nullptr) f = &stream(*f);
  const ControlHandler handler = p->control < handlers_.size() ? handlers_[p->control] : ControlHandler{};
  if (handler.call != nullptr) handler.call(handler.owner, f, *p);
  network_->packets().put(p);
  if (f != nullptr && f->sender == this && !f->senderDone) rateChanged(*f);
}

void Host::onCnp(Flow* f, Packet& cnp) {
  if (f != nullptr) cc_->onCnp(*f, cnp);
}

Packet* Host::control(uint32_t src, uint32_t dst, uint8_t type, uint32_t bytes) {
  Packet* p = network_->packets().fresh();
  p->kind = type == ControlTypes::kCnp ? PacketKind::Cnp : PacketKind::Control;
  p->control = type;
  p->flowId = kNoFlow;
  p->src = src;
  p->dst = dst;
  p->wireBytes = std::max(bytes, static_cast<uint32_t>(minFrame_.n));
  p->cls = cnpClass();
  return p;
}

Packet* Host::controlFromReceiver(const Flow& f, uint8_t type, uint32_t bytes) {
  Packet* p = control(f.spec.dst, f.spec.src, type, bytes);
  p->flow = const_cast<Flow*>(&f);
  p->flowId = f.spec.id;
  p->hash = f.reverseHash;
  p->symmetricHash = f.symmetricHash;
  return p;
}

Packet* Host::controlFromSender(const Flow& f, uint8_t type, uint32_t bytes) {
  Packet* p = control(f.spec.src, f.spec.dst, type, bytes);
  p->flow = const_cast<Flow*>(&f);
  p->flowId = f.spec.id;
  p->hash = f.hash;
  p->symmetricHash = f.symmetricHash;
  return p;
}

Packet* Host::controlTo(uint32_t dst, uint8_t type, uint32_t bytes) {
  Packet* p = control(id(), dst, type, bytes);
  const uint64_t a = endpoint(nameHash(), 0), b = endpoint(network_->host(dst).nameHash(), 0);
  p->hash = pairHash(a, b);
  p->symmetricHash = pairHash(std::min(a, b), std::max(a, b));
  return p;
}

void Host::sendControl(Packet* p) {
  if (p->kind == PacketKind::Cnp) ++network_->counters().cnpsSent;
  enqueueControl(p);
}

void Host::enqueueControl(Packet* p) {
  p->ingress = 0;
  Port& out = nicFor(p->hash).port();
  if (out.faulty && out.down()) {
    lose(out, p);
    return;
  }
  if (out.enqueue(p)) {
    out.kick();
  } else {
    drop(out, p, DropReason::QueueFull);
  }
}

// ---------------------------------------------------------------- applications

/// Messages are flows with numbers of their own: from the middle of the range on, a share of it for each node.
uint32_t Host::nextMessageId() {
  constexpr uint32_t kFirst = uint32_t{1} << 31;
  const auto share = static_cast<uint32_t>(kFirst / network_->nodes().size());
  return kFirst + id() * share + messages_++ % share;
}

void Host::sendMessage(Message message) {
  Host& receiver = network_->host(message.to);
  checkMessage(message, receiver);
  FlowSpec spec;
  spec.id = nextMessageId();
  spec.src = id();
  spec.dst = message.to;
  spec.size = message.bytes;
  spec.start = network_->engine().now();
  spec.cls = message.cls;
  spec.srcPort = spec.dstPort = message.port;
  spec.measured = false;
  spec.persistent = transport_->keptBytes() >= 0 && cc_->keptBytes() >= 0;
  message.from = id();
  spec.message = &network_->messages().get(std::move(message));
  startFlow(spec, receiver);
}

/// What checkFlow() says of flows of the list.
void Host::checkMessage(const Message& message, const Host& receiver) const {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("host " + name() + ": a message of an application to " + receiver.name() + " " + why);
  };
  if (message.bytes == 0) refuse("has 0 bytes; send at least 1");
  if (message.cls >= classes_) {
    refuse("is of class " + std::to_string(message.cls) + ", and there are " + std::to_string(classes_) +
           " classes, numbered from 0; name one of them, or add a queue");
  }
  const Description &here = transport_->description(), &there = receiver.transport().description();
  if (&here != &there) {
    refuse("goes from the transport " + here.name + " to " + there.name + "; give both hosts the same");
  }
}

void Host::received(Flow& f) {
  f.endAt = network_->engine().now();
  network_->flowOverAt(*this, f.spec);
  if (f.spec.message == nullptr) return;
  for (Application* a : applications_) a->onMessage(*f.spec.message);
}

/// Its flows leave by another port, if the host has one whose link is up.
void Host::onLinkDown(Port&) {
  for (Flow* f = active_.first(); f != nullptr; f = f->nextActive) {
    for (Flow* part = f->connection; part != nullptr; part = part->nextSubflow) {
      Nic& other = nicFor(part->hash);
      if (!part->nic->port().down() || other.port().down()) continue;
      part->nic->leave(*part);
      other.join(*part);
      settle(*part);
    }
  }
}

void Host::setUp(bool up) {
  if (up_ == up) return;
  up_ = up;
  for (Application* a : applications_) up ? a->onUp() : a->onDown();
}

// ---------------------------------------------------------------- receiver

void Host::onData(Flow& f, Packet* p) {
  if (!f.receiverStarted) {
    f.receiverStarted = true;
    if (network_->countsArrivals()) network_->arrivals().make(f);
    for (ReceiverAgent* r : receivers_) r->onFlowStart(f);
  }
  if (network_->countsArrivals()) {
    Arrivals& come = network_->arrivals()(f);
    come.wireBytes += p->wireBytes;
    ++come.packets;
    come.lastAt = network_->engine().now();
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
  ++network_->counters().acksSent;
  for (ReceiverAgent* r : receivers_) r->onAck(f, *p);
  enqueueControl(p);
}

// ---------------------------------------------------------------- foreign packets

void Host::setForeignStack(ForeignStack& stack, uint8_t cls) {
  if (ports().empty()) throw std::logic_error("host " + name() + " gets a stack of the engine's own before its link");
  if (hasForeignStack()) throw std::logic_error("host " + name() + " has a stack of the engine's own already");
  if (!network_->packets().takesForeign()) {
    throw std::logic_error("host " + name() +
                           " gets a stack of the engine's own before PacketPool::setForeignRelease()");
  }
  if (cls >= kMaxClasses) throw std::invalid_argument("class " + std::to_string(cls) + " of foreign packets");
  nics_.front()->setForeignStack(stack, cls);
}

Packet* Host::foreignPacket() {
  Packet* p = network_->packets().fresh();
  p->kind = PacketKind::Foreign;
  network_->packets().foreign(*p) = nullptr;
  p->flowId = kNoFlow;
  p->src = id();
  p->cls = nics_.front()->foreignClass();
  return p;
}

void Host::sendForeign(Packet* p) {
  ++network_->counters().foreignSent;
  p->wireBytes = std::max<uint32_t>(p->wireBytes, static_cast<uint32_t>(minFrame_.n));
  nics_.front()->sendForeign(p);
}

}  // namespace fabric
