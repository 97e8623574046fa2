#include "engine.h"

#include "event_module.h"
#include "mac.h"
#include "mechanisms/core/port.h"

namespace fabriclab {

using fabric::EventKind;

void OmnetEngine::addNode(uint32_t id, EventModule& clock, std::vector<MacModule*> ports) {
  if (nodes_.size() <= id) nodes_.resize(id + 1);
  nodes_[id] = {&clock, std::move(ports)};
}

EventModule& OmnetEngine::moduleOf(uint64_t key) const {
  const auto node = static_cast<uint32_t>(key >> 40);
  if (node == fabric::kFirstNode || node == fabric::kLastNode) return manager_;
  const Node& n = nodes_[node - fabric::keyNode(0)];
  if (static_cast<EventKind>(key >> 32 & 0xff) == EventKind::TransmitDone) return *n.ports[key & 0xffffffffu];
  return *n.clock;
}

void OmnetEngine::doSchedule(fabric::Event& event) {
  if (closed_) return;
  const auto kind = static_cast<size_t>(event.key() >> 32 & 0xff);
  std::vector<FabricTimer*>& idle = timers_[kind];
  if (idle.empty()) {
    idle.push_back(new FabricTimer(static_cast<EventKind>(kind)));
    allTimers_.push_back(idle.back());
  }
  FabricTimer* timer = idle.back();
  idle.pop_back();
  timer->key = event.key();
  timer->event = &event;
  timer->module = &moduleOf(event.key());
  event.slot = timer;
  timer->module->post(*timer, omnetpp::SimTime::fromRaw(event.at().ps));
}

void OmnetEngine::cancel(fabric::Event& event) {
  if (closed_ || !event.pending()) return;
  auto* timer = static_cast<FabricTimer*>(event.slot);
  event.slot = nullptr;
  timer->event = nullptr;
  timer->module->withdraw(*timer);
  timers_[static_cast<size_t>(timer->kind())].push_back(timer);
}

void OmnetEngine::fire(FabricTimer& timer) {
  fabric::Event& event = *timer.event;
  event.slot = nullptr;
  timer.event = nullptr;
  timers_[static_cast<size_t>(timer.kind())].push_back(&timer);
  advance(event.at());
  event.fire();
}

void OmnetEngine::transmit(fabric::Port& from, fabric::Packet* packet, fabric::Time duration) {
  std::vector<FabricFrame*>& idle = frames_[static_cast<size_t>(packet->kind)];
  if (idle.empty()) {
    idle.push_back(new FabricFrame(packet->kind));
    allFrames_.push_back(idle.back());
  }
  FabricFrame* frame = idle.back();
  idle.pop_back();
  frame->load(*packet);
  static_cast<MacModule*>(from.device)->transmit(*frame, omnetpp::SimTime::fromRaw(duration.ps));
}

fabric::Packet* OmnetEngine::arrive(FabricFrame& frame) {
  advance(fabric::Time{omnetpp::simTime().raw()});
  frames_[static_cast<size_t>(frame.kind())].push_back(&frame);
  return frame.unload();
}

void OmnetEngine::close(EventModule& owner) {
  closed_ = true;
  omnetpp::check_and_cast<FabricEventSet*>(omnetpp::getSimulation()->getFES())->removeModel();
  for (FabricTimer* t : allTimers_) {
    if (t->event != nullptr) t->event->slot = nullptr;
    owner.dispose(t);
  }
  for (FabricFrame* f : allFrames_) owner.dispose(f);
  for (auto& idle : timers_) idle.clear();
  for (auto& idle : frames_) idle.clear();
  allTimers_.clear();
  allFrames_.clear();
}

}  // namespace fabriclab
