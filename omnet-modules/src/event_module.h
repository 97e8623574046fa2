// The modules at which events of the model happen.
#pragma once

#include <omnetpp.h>

#include <memory>

#include "engine.h"
#include "outcome.h"

namespace fabriclab {

class FabricLink;

/// Takes the model's events as self-messages, and frames; sends frames.
class EventModule : public Quiet<omnetpp::cSimpleModule> {
 public:
  void setEngine(std::shared_ptr<OmnetEngine> engine) { engine_ = std::move(engine); }
  void post(FabricTimer& timer, omnetpp::simtime_t at);
  void withdraw(FabricTimer& timer);
  void transmit(FabricFrame& frame, FabricLink& link, omnetpp::simtime_t duration);
  /// Its events that the event set has for it, in the window (FabricTurn).
  void runTurn();
  /// Deletes a message, whoever owns it.
  void dispose(omnetpp::cMessage* message);

 protected:
  void handleMessage(omnetpp::cMessage* message) override;

  std::shared_ptr<OmnetEngine> engine_;

 private:
  void handle(omnetpp::cMessage& message);
  template <class Work>
  void noting(const Work& work);
};

}  // namespace fabriclab
