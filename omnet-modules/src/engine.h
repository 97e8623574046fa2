// The model's view of OMNeT++.
#pragma once

#include <vector>

#include "mechanisms/core/engine.h"
#include "messages.h"

namespace fabriclab {

class EventModule;

class OmnetEngine final : public fabric::Engine {
 public:
  /// `manager` gets the events that belong to no node.
  explicit OmnetEngine(EventModule& manager) : manager_(manager) {}
  OmnetEngine(const OmnetEngine&) = delete;
  OmnetEngine& operator=(const OmnetEngine&) = delete;

  void cancel(fabric::Event& event) override;
  void transmit(fabric::Port& from, fabric::Packet* packet, fabric::Time duration) override;
  void stop() override { stopping_ = true; }

  /// Where the events of node number `id` happen.
  void addNode(uint32_t id, EventModule& module);

  /// From now on (FabricEventSet::runNodeByNode()).
  void runNodeByNode(FabricEventSet& events) { events_ = &events; }

  // For the modules that events arrive at.
  /// Null: events come as messages.
  FabricEventSet* events() const { return events_; }
  void run(const FabricEventSet::Next& next);
  void fire(FabricTimer& timer);
  void arrive(FabricFrame& frame);
  bool stopping() const { return stopping_; }
  /// Nobody looks at single events.
  bool unwatched() const { return unwatched_; }
  void setUnwatched(bool unwatched) { unwatched_ = unwatched; }
  /// Brings the model's clock to the simulation's, before the model is entered from elsewhere.
  void sync() { setNow(fabric::Time{omnetpp::simTime().raw()}); }

  /// The network is being deleted: nothing happens any more. `owner` takes all messages and deletes them.
  void close(EventModule& owner);

 private:
  void doSchedule(fabric::Event& event) override;
  EventModule& moduleOf(uint64_t key) const;

  FabricEventSet* events_ = nullptr;  // where nodes run one behind the other
  EventModule& manager_;
  std::vector<EventModule*> nodes_;
  // Idle messages, the last used on top: it is in the cache, and often in the right module. They belong to
  // the modules they arrived at; `all…` is how close() finds every one.
  std::vector<FabricTimer*> timers_;
  std::vector<FabricFrame*> frames_;
  std::vector<FabricTimer*> allTimers_;
  std::vector<FabricFrame*> allFrames_;
  bool stopping_ = false, unwatched_ = false;
  bool closed_ = false;
};

}  // namespace fabriclab
