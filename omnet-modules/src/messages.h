// What travels and what waits in the event set: frames on links, timers at nodes. Both are reused.
#pragma once

#include <omnetpp.h>

#include <memory>
#include <string>
#include <typeinfo>

#include "event_set.h"
#include "mechanisms/core/engine.h"
#include "mechanisms/core/packet.h"

namespace fabriclab {

class EventModule;

/// A packet on its way over a link. Its kind and name are the packet's.
class alignas(64) FabricFrame final : public omnetpp::cPacket {
 public:
  FabricFrame() : cPacket(nullptr) {}
  /// Copies are for logs and animations: they show what the frame was and carry no packet.
  FabricFrame(const FabricFrame& other);
  FabricFrame& operator=(const FabricFrame&) = delete;
  FabricFrame* dup() const override { return new FabricFrame(*this); }
  const char* getName() const override;
  std::string str() const override;

  /// `packet` is inside from now on, and goes over `way`.
  void load(fabric::Packet& packet, Wire& way) {
    packet_ = &packet;
    wire = &way;
    setKind(static_cast<short>(packet.kind));
    setBitLength(int64_t{packet.wireBytes} * 8);
  }
  fabric::Packet* unload() {
    fabric::Packet* p = packet_;
    packet_ = nullptr;
    return p;
  }
  /// It has passed the link and will be in full at module number `module`, behind its gate number `gate`, at `t`.
  void arriveAt(int module, int gate, omnetpp::simtime_t t) {
    setArrival(module, gate, t);
    setRemainingDuration(SIMTIME_ZERO);
  }
  fabric::Packet* packet() const { return packet_; }
  /// The modules of a fabric live as long as the simulation.
  bool isStale() override { return false; }

  Wire* wire = nullptr;  // it travels on
  /// The next one on the same wire.
  struct Behind {
    FabricFrame* frame = nullptr;
    fabric::Packet* packet = nullptr;
    int64_t at = -1;  // ps: it arrives in full; 0: there is none; -1: this frame itself is not in the event set
  } behind;
  bool waits() const { return behind.at >= 0; }

 private:
  fabric::Packet* packet_ = nullptr;
  std::unique_ptr<std::string> shown_;  // of a copy: what the frame said
};

static_assert(sizeof(FabricFrame) <= 256, "four lines of the cache");

/// An event of the model as a self-message of the module it happens at.
class FabricTimer final : public omnetpp::cMessage, public Keyed {
 public:
  FabricTimer() : Keyed(false) {}
  FabricTimer(const FabricTimer& other);
  FabricTimer& operator=(const FabricTimer&) = delete;
  FabricTimer* dup() const override { return new FabricTimer(*this); }
  const char* getName() const override;

  bool isStale() override { return false; }

  fabric::Event* event = nullptr;  // null: idle
  bool waits = false;              // in the event set, as a message of its own
};

/// Stands for all events of a node within a window, which its module takes from the event set.
class FabricTurn final : public omnetpp::cEvent {
 public:
  FabricTurn() : cEvent("turn") {}
  FabricTurn* dup() const override;
  void begin(EventModule& module, omnetpp::simtime_t at) {
    module_ = &module;
    setArrivalTime(at);
  }
  omnetpp::cObject* getTargetObject() const override;
  void execute() override;

 private:
  EventModule* module_ = nullptr;
};

/// `event` as a frame or a timer; null if it is something else. Both classes are final and of this program:
/// a type has one address.
inline FabricFrame* asFrame(omnetpp::cEvent* event) {
  return &typeid(*event) == &typeid(FabricFrame) ? static_cast<FabricFrame*>(event) : nullptr;
}
inline FabricTimer* asTimer(omnetpp::cEvent* event) {
  return &typeid(*event) == &typeid(FabricTimer) ? static_cast<FabricTimer*>(event) : nullptr;
}

}  // namespace fabriclab
