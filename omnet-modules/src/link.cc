#include "link.h"

#include <algorithm>

#include "messages.h"
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
  delay_ = getDelay();
  started_ = true;
}

omnetpp::cChannel::Result FabricLink::processMessage(omnetpp::cMessage* message, const omnetpp::SendOptions& options,
                                                     omnetpp::simtime_t t) {
  FabricFrame* frame = asFrame(message);
  if (frame == nullptr || heard() || options.isUpdate || options.duration_ < SIMTIME_ZERO) {
    return cDatarateChannel::processMessage(message, options, t);
  }
  begin(*frame, t, options.duration_);
  Result result;
  result.delay = delay_;
  result.duration = result.remainingDuration = options.duration_;
  return result;
}

void FabricLink::begin(FabricFrame& frame, omnetpp::simtime_t at, omnetpp::simtime_t duration) {
  if (at < finish_) {
    throw cRuntimeError(this, "(%s)%s is sent while another frame is, until %s", frame.getClassName(), frame.getName(),
                        finish_.str().c_str());
  }
  frame.setTxChannelEncountered();
  frame.setDuration(duration);
  frame.setRemainingDuration(duration);
  finish_ = at + duration;
}

void FabricLink::lead(omnetpp::cGate& from, const omnetpp::cGate& to) {
  from_ = &from;
  sender_ = from.getOwnerModule();
  fromGate_ = from.getId();
  receiver_ = to.getOwnerModule()->getId();
  toGate_ = to.getId();
}

bool FabricLink::carry(FabricFrame& frame, omnetpp::simtime_t duration) {
  if (heard()) return false;
  const omnetpp::simtime_t now = omnetpp::simTime();
  begin(frame, now, duration);
  frame.setSentFrom(sender_, fromGate_, now);
  frame.arriveAt(receiver_, toGate_, finish_ + delay_);
  getSimulation()->insertEvent(&frame);
  return true;
}

omnetpp::simtime_t FabricLink::getTransmissionFinishTime() const {
  return std::max(finish_, cDatarateChannel::getTransmissionFinishTime());
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
