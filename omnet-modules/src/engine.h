// The model's view of OMNeT++.
#pragma once

#include <array>
#include <vector>

#include "mechanisms/core/engine.h"
#include "messages.h"

namespace fabriclab {

class EventModule;
class MacModule;

class OmnetEngine final : public fabric::Engine {
 public:
  /// `manager` gets the events that belong to no node.
  explicit OmnetEngine(EventModule& manager) : manager_(manager) {}
  OmnetEngine(const OmnetEngine&) = delete;
  OmnetEngine& operator=(const OmnetEngine&) = delete;

  void cancel(fabric::Event& event) override;
  void transmit(fabric::Port& from, fabric::Packet* packet, fabric::Time duration) override;
  void stop() override { stopping_ = true; }

  /// The modules of node number `id`: its clock, and its ports in their order.
  void addNode(uint32_t id, EventModule& clock, std::vector<MacModule*> ports);

  // For the modules that events arrive at.
  void fire(FabricTimer& timer);
  /// The packet inside; the frame may be used again.
  fabric::Packet* arrive(FabricFrame& frame);
  bool stopping() const { return stopping_; }
  /// Brings the model's clock to the simulation's, before the model is entered from elsewhere.
  void sync() { setNow(fabric::Time{omnetpp::simTime().raw()}); }

  /// The network is being deleted: nothing happens any more. `owner` takes all messages and deletes them.
  void close(EventModule& owner);

 private:
  void doSchedule(fabric::Event& event) override;
  EventModule& moduleOf(uint64_t key) const;

  static constexpr size_t kTimerKinds = static_cast<size_t>(fabric::EventKind::Stop) + 1;
  static constexpr size_t kFrameKinds = static_cast<size_t>(fabric::PacketKind::Control) + 1;

  struct Node {
    EventModule* clock;
    std::vector<MacModule*> ports;
  };
  EventModule& manager_;
  std::vector<Node> nodes_;
  // Idle messages by kind, so that their names stay what they are. They belong to the modules they
  // arrived at; `all…` is how close() finds every one.
  std::array<std::vector<FabricTimer*>, kTimerKinds> timers_;
  std::array<std::vector<FabricFrame*>, kFrameKinds> frames_;
  std::vector<FabricTimer*> allTimers_;
  std::vector<FabricFrame*> allFrames_;
  bool stopping_ = false;
  bool closed_ = false;
};

}  // namespace fabriclab
