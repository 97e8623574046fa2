#include "mechanisms/core/port.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "mechanisms/core/fetch_ahead.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/node.h"
#include "mechanisms/core/random.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"

namespace fabric {

namespace {
// 802.1Qbb: a MAC control frame is a minimum Ethernet frame.
constexpr uint32_t kPauseFrameBytes = 64;
constexpr int128 kPsPerSecond = 1000000000000;
}  // namespace

const Description& Port::describe() {
  static const Description d =
      Describe<Port>("port", Kind::Node, "Port: PFC and headroom of its ingress side")
          .help("Egress queues by class with strict priority (0 first); PFC frames go ahead of everything.")
          .source("IEEE 802.1Qbb; FNCC section 5.1")
          .param("pfc", &Port::pfc_, true, "send pause frames when ingress traffic exceeds the threshold",
                 "FNCC section 5.1")
          .param("pfc_mode", &Port::pfcMode_, {"static", "dynamic"}, "static",
                 "static: XOFF at pfc_xoff; dynamic: XOFF at pfc_alpha times the free shared buffer",
                 "chosen; dynamic: HPCC's public simulator")
          .param("pfc_xoff", &Port::pfcXoff_, Bytes{500000}, "XOFF above this many bytes (static mode)",
                 "FNCC section 5.1: 500 KB")
          .range(1, 1e12)
          .live()
          .param("pfc_xon_offset", &Port::pfcXonOffset_, Bytes{2 * 1518},
                 "XON when the counter is this far below the XOFF threshold", "chosen: two MTU")
          .live()
          .param("pfc_alpha", &Port::pfcAlpha_, 0.125, "share of the free shared buffer (dynamic mode)",
                 "HPCC's public simulator: 1/8")
          .range(1e-6, 1024)
          .live()
          .param("headroom", &Port::headroomParam_, Bytes{0},
                 "buffer per class for what arrives after XOFF. 0 = 2 * rate * delay, three of the largest frames with "
                 "extensions and overlay, and the pause frame of 64 B. The three are the one that is too much, one "
                 "before the pause frame, and one being sent as that arrives",
                 "chosen")
          .range(0, 1e12)
          .done();
  return d;
}
FABRIC_REGISTER(Port);

void Port::attach(Node& node, uint16_t index, Rate rate, Time delay) {
  node_ = &node;
  engine_ = &network().engine();
  index_ = index;
  delay_ = delay;
  setRate(rate);
  done_.setKey(eventKey(keyNode(node.id()), EventKind::TransmitDone, index));
}

void Port::setRate(Rate rate) {
  rate_ = rate;
  constexpr int64_t kPsBits = 8 * int64_t{1000000000000};
  const int64_t psPerByte = kPsBits / rate.bps;
  const bool exact = kPsBits % rate.bps == 0 && psPerByte <= std::numeric_limits<uint32_t>::max();
  psPerByte_ = exact ? static_cast<uint32_t>(psPerByte) : 0;
}

void Port::expectRate(Rate rate) {
  if (rates_ == nullptr) rates_.reset(new Rates{rate_, rate_, {}});
  rates_->slowest = std::min(rates_->slowest, rate);
  rates_->fastest = std::max(rates_->fastest, rate);
}

void Port::changeRate(Rate rate) {
  rates_->past.push_back({busyUntil_, rate_});
  setRate(rate);
  for (const Plugged& p : plugged_) p.component->onChange();
}

Time Port::tookToSend(uint32_t bytes, Time until) const {
  if (rates_ != nullptr) {
    for (const Rates::Past& past : rates_->past) {
      if (until <= past.until) return transmissionTime(bytes, past.rate);
    }
  }
  return serialisation(bytes);
}

Network& Port::network() const { return node_->network(); }

bool Port::leadsToSwitch() const { return dynamic_cast<const Switch*>(&peer_->node()) != nullptr; }

void Port::setQueue(uint8_t cls, Queue& queue) {
  queues_[cls] = &queue;
  classes_ = std::max<uint8_t>(classes_, cls + 1);
  queue.attach(*this, cls);
}

void Port::addAgent(PortAgent& agent, uint8_t index) { agent.attach(*this, index); }

void Port::setFlowScheduler(FlowScheduler& scheduler) {
  flowScheduler_ = &scheduler;
  scheduler.attach(*this);
}

void Port::setSource(PacketSource& source) {
  source_ = &source;
  feeds_ = flowScheduler_->backlog() != 0;
}

uint64_t Port::nameHash() const {
  uint64_t parallel = 0;  // links to the same neighbour before this one
  for (uint16_t i = 0; i < index_; ++i) parallel += &node_->port(i).peer().node() == &peer_->node() ? 1 : 0;
  return mix64(pairHash(node_->nameHash(), peer_->node().nameHash()) + parallel);
}

uint64_t Port::timerKey() {
  return eventKey(keyNode(node_->id()), EventKind::AgentTimer, uint32_t{index_} << 16 | timers_++);
}

int64_t Port::neededHeadroom(int64_t largestFrame) const {
  return headroomParam_.n != 0 ? headroomParam_.n : arrivesAfterPause(largestFrame);
}

int64_t Port::arrivesAfterPause(int64_t largestFrame) const {
  constexpr int128 kMost = 10000000000000;  // no buffer is larger
  const Rate slowest = rates_ != nullptr ? rates_->slowest : rate_;
  const Rate fastest = rates_ != nullptr ? rates_->fastest : rate_;
  const int128 onLink = static_cast<int128>(fastest.bps) * 2 * delay_.ps / (8 * kPsPerSecond);
  // The frame before the pause frame, and that one itself, may still take as long as at the slowest rate while the
  // other side sends at the fastest.
  const int128 before = static_cast<int128>(largestFrame + kPauseFrameBytes) * fastest.bps;
  const int128 ahead = (before + slowest.bps - 1) / slowest.bps;
  return static_cast<int64_t>(std::min(onLink + ahead + 2 * largestFrame, kMost));
}

/// PFC keeps the shared buffer from running over, and no queue from a limit of its own.
void Port::check(const Network& network, Report& report) const {
  const auto* of = dynamic_cast<const Switch*>(node_);
  if (of == nullptr || !network.lossless()) return;
  for (const Queue* q : queues()) {
    const int64_t most = q->dropsAbove();
    if (most >= of->bufferBytes()) continue;
    const std::string& name = q->description().name;
    const std::string drops =
        most == 0 ? name + " drops what waits for long" : name + ".limit is " + toText(Bytes{most});
    report.refuse(drops +
                      ", and port.pfc is on, which keeps no queue from it: packets would be lost where none should; " +
                      (most == 0 ? "take another queue" : "set " + name + ".limit to 0") + ", or port.pfc to false",
                  {{*this, "pfc"}, {*q, most == 0 ? "" : "limit"}});
  }
}

void Port::onStart(Network& network) {
  headroom_.n = neededHeadroom(network.largestFrame());
  for (const Plugged& p : plugged_) p.component->start(network);
  for (uint8_t c = 0; c < classes_; ++c) {
    if (queues_[c]->holdsBack()) holdMask_ |= 1u << c;
  }
  PortAgent **enqueueEnd = &firstEnqueueHook_, **dequeueEnd = &firstDequeueHook_;
  for (const Plugged& p : plugged_) {
    auto* a = dynamic_cast<PortAgent*>(p.component);
    if (a == nullptr) continue;
    if (a->hooksEnqueue()) {
      *enqueueEnd = a;
      enqueueEnd = &a->nextEnqueueHook_;
    }
    if (a->hooksDequeue()) {
      *dequeueEnd = a;
      dequeueEnd = &a->nextDequeueHook_;
    }
  }
}

bool Port::enqueue(Packet* packet) {
  const uint8_t cls = packet->cls;
  Queue& q = *queues_[cls];
  const bool wasMarked = packet->marked;
  const bool taken = q.enqueue(packet, q.bytes_);
  if (taken) {
    q.bytes_ += packet->wireBytes;
    ++q.packets_;
    q.maxBytes_ = std::max(q.maxBytes_, q.bytes_);
    nonEmptyMask_ |= 1u << cls;
    for (PortAgent* a = firstEnqueueHook_; a != nullptr; a = a->nextEnqueueHook_) a->onEnqueue(*packet);
    if (packet->marked && !wasMarked) countMark(*packet);
    if (traced(kPackets)) tracePacket(PacketEvent::Enqueue, *packet);
  }
  if (discarding_) dropDiscarded();
  return taken;
}

/// The next packet of a class in which one waits; null if the queue has discarded all of them.
inline Packet* Port::take(uint8_t cls) {
  Queue& q = *queues_[cls];
  Packet* packet = q.dequeue();
  if (packet != nullptr) {
    q.bytes_ -= packet->wireBytes;
    --q.packets_;
  }
  if (q.packets_ == 0) nonEmptyMask_ &= ~(1u << cls);
  if (discarding_) dropDiscarded();
  return packet;
}

void Port::countMark(const Packet& packet) {
  ++network().counters().marks;
  if (traced(kPackets)) tracePacket(PacketEvent::Mark, packet);
}

void Queue::markLeaving(Packet& packet) {
  if (packet.marked) return;  // by an earlier switch
  packet.marked = true;
  port_->countMark(packet);
}

void Queue::discard(Packet* packet, DropReason reason) { port_->discard(*this, packet, reason); }

/// The queue is in the middle of something, so what its drop brings about waits until it is done.
void Port::discard(Queue& q, Packet* packet, DropReason reason) {
  q.bytes_ -= packet->wireBytes;
  --q.packets_;
  discardReason_ = reason;
  discarded_.push(packet);
  discarding_ = true;
}

void Port::dropDiscarded() {
  const bool outer = sending_;
  sending_ = true;  // a pause frame that this gives rise to waits
  while (!discarded_.empty()) {
    Packet* packet = discarded_.pop();
    if (queues_[packet->cls]->packets_ == 0) nonEmptyMask_ &= ~(1u << packet->cls);
    for (PortAgent* a = firstEnqueueHook_; a != nullptr; a = a->nextEnqueueHook_) a->onDiscard(*packet);
    node_->onDequeue(*this, *packet);
    node_->drop(*this, packet, discardReason_);
  }
  discarding_ = false;
  sending_ = outer;
  if (!sending_ && pauseWaits_) kick();
}

void Port::listMemory(const MemoryList& list) const {
  list(&node_, 1);
  list(&delay_, 1);
  list(&pfc_, 1);
  for (int c = 0; c < classes_; ++c) list(queues_[c], sizeof(Queue));
  list(wire, sizeof(CacheLine));
  list(firstEnqueueHook_, sizeof(CacheLine));
  list(firstDequeueHook_, sizeof(CacheLine));
  list(flowScheduler_, 2 * sizeof(CacheLine));
}

/// What has waited for long is out of the cache.
void Port::Done::fetchAhead() const {
  if (port.nonEmptyMask_ == 0) return;
  const Packet* packet = port.queues_[__builtin_ctz(port.nonEmptyMask_)]->front();
  if (packet != nullptr) FetchAhead::memory(packet);
}

int64_t Port::dataQueueBytes() const {
  int64_t bytes = queues_[classes_ - 1]->bytes_;
  for (int c = 1; c < classes_ - 1; ++c) bytes += queues_[c]->bytes_;
  return bytes;
}

bool Port::busy() const { return engine_->now() < busyUntil_; }

void Port::wakeAt(Time at) {
  if (at != Time::Max()) engine_->scheduleNoLaterThan(done_, at);
}

uint32_t Port::heldBack() const {
  uint32_t held = 0;
  for (uint32_t mask = holdMask_ & nonEmptyMask_; mask != 0; mask &= mask - 1) {
    const int cls = __builtin_ctz(mask);
    if (queues_[cls]->readyAt() > engine_->now()) held |= 1u << cls;
  }
  return held;
}

inline uint32_t Port::sendable() {
  uint32_t offered = nonEmptyMask_;
  if (holdMask_ != 0) offered &= ~heldBack();
  if (source_ != nullptr && !feeds_) offered |= source_->refresh();
  return offered & ~pausedMask_;
}

inline Packet* Port::next() {
  if (pauseWaits_) {
    Packet* pause = linkControl_.pop();
    pauseWaits_ = !linkControl_.empty();
    return pause;
  }
  while (const uint32_t mask = sendable()) {
    const auto cls = static_cast<uint8_t>(__builtin_ctz(mask));
    if (((nonEmptyMask_ >> cls) & 1u) == 0) {
      Packet* packet = source_->pull(cls);
      for (PortAgent* a = firstEnqueueHook_; a != nullptr; a = a->nextEnqueueHook_) a->onEnqueue(*packet);
      return packet;
    }
    if (Packet* packet = take(cls)) {
      node_->onDequeue(*this, *packet);
      return packet;
    }
  }
  return nullptr;
}

inline void Port::send(Packet* packet, Time now) {
  if (now < busyUntil_) ++network().counters().overlaps;
  for (PortAgent* a = firstDequeueHook_; a != nullptr; a = a->nextDequeueHook_) a->onDequeue(*packet);
  if (traced(kPackets)) tracePacket(PacketEvent::Dequeue, *packet);
  const Time duration = serialisation(packet->wireBytes);
  busyUntil_ = now + duration;
  sentWireBytes_ += packet->wireBytes;
  if (packet->kind == PacketKind::Data) sentDataBytes_ += packet->payload;
  ++network().counters().packetHops;
  engine_->transmit(*this, packet, duration);
}

void Port::kick() {
  if (sending_ || down_) return;
  if (feeds_) letIn();
  const Time now = engine_->now();
  if (now >= busyUntil_) {
    sending_ = true;
    Packet* packet = next();
    if (packet != nullptr) send(packet, now);
    sending_ = false;
  }
  if (source_ != nullptr || nonEmptyMask_ != 0 || pauseWaits_) armNext();
}

void Port::kickSoon() {
  if (!sending_ && !down_) wakeAt(std::max(engine_->now(), busyUntil_));
}

void Port::letIn() {
  const bool outer = sending_;
  sending_ = true;
  const int64_t backlog = flowScheduler_->backlog();
  for (;;) {
    uint32_t mask = source_->refresh();
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const int cls = __builtin_ctz(rest);
      if (queues_[cls]->bytes_ >= backlog) mask &= ~(1u << cls);
    }
    if (mask == 0) break;
    Packet* packet = source_->pull(static_cast<uint8_t>(__builtin_ctz(mask)));
    if (!enqueue(packet)) node_->drop(*this, packet, DropReason::QueueFull);
  }
  sending_ = outer;
}

void Port::armNext() {
  // The end of a transmission matters only if something waits for it.
  if (pauseWaits_ || sendable() != 0) {
    engine_->scheduleNoLaterThan(done_, busyUntil_);
  } else if (source_ != nullptr && !feeds_) {
    wakeAt(std::max(source_->nextWake(), busyUntil_));
  }
  if (feeds_) wakeAt(std::max(source_->nextWake(), engine_->now()));
  if (holdMask_ != 0) armHeldBack();
}

void Port::armHeldBack() {
  for (uint32_t mask = holdMask_ & nonEmptyMask_ & ~pausedMask_; mask != 0; mask &= mask - 1) {
    wakeAt(std::max(queues_[__builtin_ctz(mask)]->readyAt(), busyUntil_));
  }
}

void Port::sendPause(uint8_t cls, bool xoff) {
  if (down_) return;
  toldMask_ = xoff ? toldMask_ | 1u << cls : toldMask_ & ~(1u << cls);
  Packet* p = network().packets().fresh();
  p->kind = PacketKind::Pause;
  p->cls = cls;
  p->seq = xoff ? 1 : 0;
  p->wireBytes = kPauseFrameBytes;
  ++(xoff ? network().counters().xoffSent : network().counters().xonSent);
  if (traced(kPauses) && network().trace().wantsTime(kPauses, engine_->now())) {
    network().trace().emit(kPauses, engine_->now(), NodeId{node_->id()}, index_, cls, xoff, true);
  }
  linkControl_.push(p);
  pauseWaits_ = true;
  kick();
}

void Port::onPause(uint8_t cls, bool xoff) {
  if (traced(kPauses) && network().trace().wantsTime(kPauses, engine_->now())) {
    network().trace().emit(kPauses, engine_->now(), NodeId{node_->id()}, index_, cls, xoff, false);
  }
  const uint8_t before = pausedMask_;
  pausedMask_ = static_cast<uint8_t>(xoff ? before | 1u << cls : before & ~(1u << cls));
  if (before == 0 && pausedMask_ != 0) pausedSince_ = engine_->now();
  if (before != 0 && pausedMask_ == 0) pausedTotal_ += engine_->now() - pausedSince_;
  if (!xoff) kick();
}

void Port::takeDown() {
  faulty = true;
  if (!down_) changedAt_ = engine_->now();
  down_ = true;
  while (!linkControl_.empty()) node_->lose(*this, linkControl_.pop());
  pauseWaits_ = false;
  for (uint8_t c = 0; c < classes_; ++c) {
    while (queues_[c]->packets_ > 0) {
      Packet* packet = take(c);
      if (packet == nullptr) continue;
      for (PortAgent* a = firstEnqueueHook_; a != nullptr; a = a->nextEnqueueHook_) a->onDiscard(*packet);
      node_->onDequeue(*this, *packet);
      node_->lose(*this, packet);
    }
  }
  if (pausedMask_ != 0) pausedTotal_ += engine_->now() - pausedSince_;
  pausedMask_ = 0;
  network().counters().xoffForgotten += __builtin_popcount(toldMask_);
  toldMask_ = 0;
  node_->onLinkDown(*this);
}

void Port::bringUp() {
  down_ = false;
  changedAt_ = engine_->now();
  node_->onLinkUp(*this);
}

void Port::carryPause(uint8_t cls) {
  toldMask_ |= 1u << cls;
  --network().counters().xoffForgotten;
  if (peer_->pausedMask_ == 0) peer_->pausedSince_ = engine_->now();
  peer_->pausedMask_ |= 1u << cls;
}

bool Port::lost(const Packet& packet) const {
  // What began to be sent before the link came back was on it when it went down.
  const Time sent = engine_->now() - delay_;
  return down_ || sent - peer_->tookToSend(packet.wireBytes, sent) < changedAt_;
}

Time Port::pausedTime() const {
  return pausedMask_ == 0 ? pausedTotal_ : pausedTotal_ + (engine_->now() - pausedSince_);
}

int64_t Port::takeMaxBytes(uint8_t cls) {
  Queue& q = *queues_[cls];
  return std::exchange(q.maxBytes_, q.bytes_);
}

void Port::tracePacket(PacketEvent event, const Packet& p) const {
  TraceBus& trace = network().trace();
  const Time now = engine_->now();
  if (!trace.wantsTime(kPackets, now) || !trace.wantsFlow(kPackets, p.flowId) || !trace.wantsClass(kPackets, p.cls)) {
    return;
  }
  trace.emit(kPackets, now, NodeId{node_->id()}, index_, static_cast<uint8_t>(event), p.flowId,
             static_cast<uint8_t>(p.kind), p.seq, p.wireBytes, p.cls, p.marked);
}

}  // namespace fabric
