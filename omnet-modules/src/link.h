// FabricLink: a datarate channel that stays as it is during a run.
#pragma once

#include <omnetpp.h>

#include "mechanisms/core/types.h"

namespace fabriclab {

class FabricLink final : public omnetpp::cDatarateChannel {
 public:
  explicit FabricLink(const char* name = nullptr) : cDatarateChannel(name) {}

  fabric::Rate rate() const;
  fabric::Time latency() const;

  /// As a datarate channel does it, for what the model sends: a frame with its duration. Anything else, and all of
  /// it while somebody listens to the channel's signals, is left to the base class.
  Result processMessage(omnetpp::cMessage* message, const omnetpp::SendOptions& options, omnetpp::simtime_t t) override;
  omnetpp::simtime_t getTransmissionFinishTime() const override;
  bool isBusy() const override { return getTransmissionFinishTime() > omnetpp::simTime(); }

 protected:
  void initialize() override;
  void handleParameterChange(const char* name) override;

 private:
  omnetpp::simtime_t delay_;
  omnetpp::simtime_t finish_;  // of the last transmission
  bool started_ = false;
};

}  // namespace fabriclab
