#include "messages.h"

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
  }
  return "";
}

const char* nameOf(fabric::EventKind kind) {
  switch (kind) {
    case fabric::EventKind::FlowSource: return "flowSource";
    case fabric::EventKind::Arrival: return "arrival";
    case fabric::EventKind::TransmitDone: return "transmitDone";
    case fabric::EventKind::FlowStop: return "flowStop";
    case fabric::EventKind::FlowTimer0: return "flowTimer0";
    case fabric::EventKind::FlowTimer1: return "flowTimer1";
    case fabric::EventKind::FlowTimer2: return "flowTimer2";
    case fabric::EventKind::Retransmit: return "retransmit";
    case fabric::EventKind::NodeTimer: return "nodeTimer";
    case fabric::EventKind::AgentTimer: return "agentTimer";
    case fabric::EventKind::Sample: return "sample";
    case fabric::EventKind::Stop: return "stop";
  }
  return "";
}

}  // namespace

FabricFrame::FabricFrame(fabric::PacketKind kind) : cPacket(nameOf(kind), static_cast<short>(kind)), Keyed(this) {}

FabricFrame::FabricFrame(const FabricFrame& other)
    : cPacket(other),
      Keyed(this),
      seq_(other.seq_),
      flow_(other.flow_),
      src_(other.src_),
      dst_(other.dst_),
      cls_(other.cls_) {}

std::string FabricFrame::str() const {
  std::string text = "flow " + std::to_string(flow_) + " seq " + std::to_string(seq_) + " class " +
                     std::to_string(cls_) + " node " + std::to_string(src_) + " -> " + std::to_string(dst_);
  if (kind() == fabric::PacketKind::Pause) {
    text = std::string(seq_ != 0 ? "XOFF" : "XON") + " class " + std::to_string(cls_);
  }
  return text + ", " + std::to_string(getByteLength()) + " B";
}

FabricTimer::FabricTimer(fabric::EventKind kind) : cMessage(nameOf(kind), static_cast<short>(kind)), Keyed(this) {}

FabricTimer::FabricTimer(const FabricTimer& other) : cMessage(other), Keyed(this) {}

}  // namespace fabriclab
