// The modules at which events of the model happen.
#pragma once

#include <omnetpp.h>

#include <memory>

#include "engine.h"

namespace fabriclab {

/// Takes the model's events as self-messages.
class EventModule : public omnetpp::cSimpleModule {
 public:
  void setEngine(std::shared_ptr<OmnetEngine> engine) { engine_ = std::move(engine); }
  void post(FabricTimer& timer, omnetpp::simtime_t at);
  void withdraw(FabricTimer& timer);
  /// Deletes a message, whoever owns it.
  void dispose(omnetpp::cMessage* message);

 protected:
  void handleMessage(omnetpp::cMessage* message) override;
  /// A frame that has arrived in full; only FabricMac has a gate for it.
  virtual void receive(FabricFrame& frame);

  std::shared_ptr<OmnetEngine> engine_;
};

/// FabricClock: a node's timers.
class FabricClock final : public EventModule {};

}  // namespace fabriclab
