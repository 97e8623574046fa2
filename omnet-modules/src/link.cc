#include "link.h"

#include "parameters.h"

namespace fabriclab {

using omnetpp::cRuntimeError;

Define_Channel(FabricLink);

void FabricLink::initialize() {
  cDatarateChannel::initialize();
  if (par("disabled").boolValue() || par("ber").doubleValue() != 0 || par("per").doubleValue() != 0) {
    throw cRuntimeError(this,
                        "disabled, ber and per cannot be set: frames are neither lost nor damaged on a FabricLink");
  }
  started_ = true;
}

void FabricLink::handleParameterChange(const char* name) {
  if (started_) {
    throw cRuntimeError(this, "%s cannot change during a run; set it before the simulation starts",
                        name != nullptr ? name : "a link's parameter");
  }
  cDatarateChannel::handleParameterChange(name);
}

fabric::Rate FabricLink::rate() const {
  const int64_t bps = wholeNumber(const_cast<FabricLink*>(this)->par("datarate").doubleValue(), 1, "bps", "datarate");
  if (bps <= 0) throw cRuntimeError(this, "datarate: must be above 0 bps");
  return fabric::Rate{bps};
}

fabric::Time FabricLink::latency() const {
  return fabric::Time{wholeNumber(const_cast<FabricLink*>(this)->par("delay").doubleValue(), 1e12, "ps", "delay")};
}

}  // namespace fabriclab
