// What travels and what waits in the event set: frames on links, timers at nodes. Both are reused.
#pragma once

#include <omnetpp.h>

#include <typeinfo>

#include "event_set.h"
#include "mechanisms/core/engine.h"
#include "mechanisms/core/packet.h"

namespace fabriclab {

class EventModule;

/// A packet on its way over a link.
class FabricFrame final : public omnetpp::cPacket, public Keyed {
 public:
  explicit FabricFrame(fabric::PacketKind kind);
  /// Copies are for logs and animations: they show what the frame was and carry no packet.
  FabricFrame(const FabricFrame& other);
  FabricFrame& operator=(const FabricFrame&) = delete;
  FabricFrame* dup() const override { return new FabricFrame(*this); }
  std::string str() const override;

  /// `packet` is inside from now on.
  void load(fabric::Packet& packet) {
    packet_ = &packet;
    seq_ = packet.seq;
    flow_ = packet.flowId;
    src_ = packet.src;
    dst_ = packet.dst;
    cls_ = packet.cls;
    setBitLength(int64_t{packet.wireBytes} * 8);
  }
  fabric::Packet* unload() {
    fabric::Packet* p = packet_;
    packet_ = nullptr;
    return p;
  }
  fabric::PacketKind kind() const { return static_cast<fabric::PacketKind>(getKind()); }
  /// The modules of a fabric live as long as the simulation.
  bool isStale() override { return false; }

  Wire* wire = nullptr;           // it travels on
  FabricFrame* behind = nullptr;  // on the same wire

 private:
  fabric::Packet* packet_ = nullptr;
  uint64_t seq_ = 0;
  uint32_t flow_ = 0, src_ = 0, dst_ = 0;
  uint8_t cls_ = 0;
};

/// An event of the model as a self-message of the module it happens at.
class FabricTimer final : public omnetpp::cMessage, public Keyed {
 public:
  explicit FabricTimer(fabric::EventKind kind);
  FabricTimer(const FabricTimer& other);
  FabricTimer& operator=(const FabricTimer&) = delete;
  FabricTimer* dup() const override { return new FabricTimer(*this); }

  fabric::EventKind kind() const { return static_cast<fabric::EventKind>(getKind()); }
  bool isStale() override { return false; }

  fabric::Event* event = nullptr;  // null: idle
  EventModule* module = nullptr;   // where it is a self-message
};

/// `event` as a frame or a timer; null if it is something else. Both classes are final: comparing types is
/// enough, and cheaper than a cast.
inline FabricFrame* asFrame(omnetpp::cEvent* event) {
  return event->isPacket() && typeid(*event) == typeid(FabricFrame) ? static_cast<FabricFrame*>(event) : nullptr;
}
inline FabricTimer* asTimer(omnetpp::cEvent* event) {
  return !event->isPacket() && typeid(*event) == typeid(FabricTimer) ? static_cast<FabricTimer*>(event) : nullptr;
}

}  // namespace fabriclab
