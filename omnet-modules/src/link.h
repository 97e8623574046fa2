// FabricLink: a datarate channel that stays as it is during a run.
#pragma once

#include <omnetpp.h>

#include "mechanisms/core/types.h"
#include "messages.h"
#include "outcome.h"

namespace fabriclab {

class FabricLink final : public Quiet<omnetpp::cDatarateChannel> {
 public:
  explicit FabricLink(const char* name = nullptr) : Quiet(name) {}

  fabric::Rate rate() const;
  fabric::Time latency() const;

  /// As a datarate channel does it, for what the model sends: a frame with its duration. Anything else, and all of
  /// it while somebody listens to the channel's signals, is left to the base class.
  Result processMessage(omnetpp::cMessage* message, const omnetpp::SendOptions& options, omnetpp::simtime_t t) override;
  omnetpp::simtime_t getTransmissionFinishTime() const override;

  /// The way that it is a part of: from a node's gate to another node's.
  void lead(omnetpp::cGate& from, const omnetpp::cGate& to);
  omnetpp::cGate& from() const { return *from_; }
  /// Does what a module's send() does, without the gates on the way, which are out of the cache. False: somebody
  /// listens, and nothing was done.
  bool carry(FabricFrame& frame, omnetpp::simtime_t duration);
  bool isBusy() const override { return getTransmissionFinishTime() > omnetpp::simTime(); }

 protected:
  void initialize() override;
  void handleParameterChange(const char* name) override;

 private:
  bool heard() const { return mayHaveListeners(messageSentSignal) || mayHaveListeners(channelBusySignal); }
  void begin(FabricFrame& frame, omnetpp::simtime_t at, omnetpp::simtime_t duration);

  omnetpp::cGate* from_ = nullptr;
  omnetpp::cModule* sender_ = nullptr;
  int fromGate_ = -1, receiver_ = -1, toGate_ = -1;  // numbers
  omnetpp::simtime_t delay_;
  omnetpp::simtime_t finish_;  // of the last transmission
  bool started_ = false;
};

}  // namespace fabriclab
