#include "messages.h"

#include "event_module.h"

namespace fabriclab {

namespace {

const char* nameOf(fabric::PacketKind kind) {
  switch (kind) {
    case fabric::PacketKind::Data: return "data";
    case fabric::PacketKind::Ack: return "ack";
    case fabric::PacketKind::Nack: return "nack";
    case fabric::PacketKind::Cnp: return "cnp";
    case fabric::PacketKind::Pause: return "pause";
    case fabric::PacketKind::Control: return "control";
    case fabric::PacketKind::Foreign: return "foreign";
  }
  return "";
}

const char* nameOf(fabric::EventKind kind) {
  if (kind >= fabric::EventKind::FlowTimer && kind < fabric::EventKind::Retransmit) return "flowTimer";
  switch (kind) {
    case fabric::EventKind::FlowSource: return "flowSource";
    case fabric::EventKind::Arrival: return "arrival";
    case fabric::EventKind::TransmitDone: return "transmitDone";
    case fabric::EventKind::FlowStop: return "flowStop";
    case fabric::EventKind::FlowTimer: break;
    case fabric::EventKind::Retransmit: return "retransmit";
    case fabric::EventKind::NodeTimer: return "nodeTimer";
    case fabric::EventKind::AgentTimer: return "agentTimer";
    case fabric::EventKind::Sample: return "sample";
    case fabric::EventKind::Stop: return "stop";
    case fabric::EventKind::LinkChange: return "linkChange";
    case fabric::EventKind::FlowEnd: return "flowEnd";
  }
  return "";
}

}  // namespace

const char* FabricFrame::getName() const { return nameOf(static_cast<fabric::PacketKind>(getKind())); }

FabricFrame::FabricFrame(const FabricFrame& other)
    : cPacket(other), shown_(std::make_unique<std::string>(other.str())) {}

std::string FabricFrame::str() const {
  if (shown_ != nullptr) return *shown_;
  if (packet_ == nullptr) return "idle";
  const fabric::Packet& p = *packet_;
  const std::string cls = " class " + std::to_string(p.cls);
  const std::string text = p.kind == fabric::PacketKind::Pause
                               ? (p.seq != 0 ? "XOFF" : "XON") + cls
                               : "flow " + std::to_string(p.flowId) + " seq " + std::to_string(p.seq) + cls + " node " +
                                     std::to_string(p.src) + " -> " + std::to_string(p.dst);
  return text + ", " + std::to_string(getByteLength()) + " B";
}

FabricTimer::FabricTimer(const FabricTimer& other) : cMessage(other), Keyed(false) {}

FabricTurn* FabricTurn::dup() const {
  copyNotSupported();
  return nullptr;
}

omnetpp::cObject* FabricTurn::getTargetObject() const { return module_; }

/// As the kernel does for a message.
void FabricTurn::execute() {
  omnetpp::getSimulation()->setContext(module_);
  module_->runTurn();
}

const char* FabricTimer::getName() const { return nameOf(static_cast<fabric::EventKind>(getKind())); }

}  // namespace fabriclab
