#include "engine.h"

#include "event_module.h"
#include "mechanisms/core/node.h"
#include "mechanisms/core/port.h"
#include "wire.h"

namespace fabriclab {

namespace {

/// An idle message; a new one if there is none.
template <class T>
T& idle(std::vector<T*>& idle, std::vector<T*>& all) {
  if (idle.empty()) {
    all.push_back(new T());
    idle.push_back(all.back());
  }
  T* message = idle.back();
  idle.pop_back();
  return *message;
}

}  // namespace

void OmnetEngine::addNode(uint32_t id, EventModule& module) {
  if (nodes_.size() <= id) nodes_.resize(id + 1);
  nodes_[id] = &module;
}

EventModule& OmnetEngine::moduleOf(uint64_t key) const {
  const auto node = static_cast<uint32_t>(key >> 40);
  return node == fabric::kFirstNode || node == fabric::kLastNode ? manager_ : *nodes_[node - fabric::keyNode(0)];
}

void OmnetEngine::doSchedule(fabric::Event& event) {
  if (closed_) return;
  FabricTimer& timer = idle(timers_, allTimers_);
  timer.key = event.key();
  timer.event = &event;
  timer.module = &moduleOf(event.key());
  event.slot = &timer;
  if (events_ != nullptr) {
    events_->insert(timer, event.at().ps);
    return;
  }
  timer.setKind(static_cast<short>(event.key() >> 32 & 0xff));
  timer.module->post(timer, omnetpp::SimTime::fromRaw(event.at().ps));
}

void OmnetEngine::cancel(fabric::Event& event) {
  if (closed_ || !event.pending()) return;
  auto* timer = static_cast<FabricTimer*>(event.slot);
  event.slot = nullptr;
  timer->event = nullptr;
  if (events_ != nullptr) {
    if (events_->withdraw(*timer, event.at().ps)) timers_.push_back(timer);
    return;
  }
  timer->module->withdraw(*timer);
  timers_.push_back(timer);
}

void OmnetEngine::run(const FabricEventSet::Next& next) {
  if (!next.keyed->isWire) {
    FabricTimer& timer = static_cast<FabricTimer&>(*next.keyed);
    if (timer.event != nullptr) {
      fire(timer);
    } else {  // stopped
      timers_.push_back(&timer);
    }
    return;
  }
  advance(fabric::Time{next.at});
  fabric::Port& port = *static_cast<Wire&>(*next.keyed).to;
  port.node().receive(port, next.packet);
}

void OmnetEngine::fire(FabricTimer& timer) {
  fabric::Event& event = *timer.event;
  event.slot = nullptr;
  timer.event = nullptr;
  timers_.push_back(&timer);
  advance(event.at());
  event.fire();
}

void OmnetEngine::transmit(fabric::Port& from, fabric::Packet* packet, fabric::Time duration) {
  Wire& wire = *static_cast<Wire*>(from.wire);
  if (events_ != nullptr) {
    events_->insert(wire, *packet, duration.ps, (now() + duration + from.delay()).ps);
    return;
  }
  FabricFrame& frame = idle(frames_, allFrames_);
  frame.load(*packet, wire);
  wire.from->transmit(frame, *wire.link, omnetpp::SimTime::fromRaw(duration.ps));
}

void OmnetEngine::arrive(FabricFrame& frame) {
  advance(fabric::Time{omnetpp::simTime().raw()});
  frames_.push_back(&frame);
  fabric::Port& port = *frame.wire->to;
  port.node().receive(port, frame.unload());
}

void OmnetEngine::close(EventModule& owner) {
  closed_ = true;
  omnetpp::check_and_cast<FabricEventSet*>(omnetpp::getSimulation()->getFES())->removeModel();
  for (FabricTimer* t : allTimers_) {
    if (t->event != nullptr) t->event->slot = nullptr;
    owner.dispose(t);
  }
  for (FabricFrame* f : allFrames_) owner.dispose(f);
  timers_.clear();
  frames_.clear();
  allTimers_.clear();
  allFrames_.clear();
}

}  // namespace fabriclab
