#include "event_module.h"

namespace fabriclab {

using omnetpp::cRuntimeError;

Define_Module(FabricClock);

void EventModule::post(FabricTimer& timer, omnetpp::simtime_t at) {
  Enter_Method_Silent();
  take(&timer);
  scheduleAt(at, &timer);
}

/// As cancelEvent(), which looks at a flag that only the kernel's own event set can set.
void EventModule::withdraw(FabricTimer& timer) {
  omnetpp::getSimulation()->getFES()->remove(&timer);
  omnetpp::getEnvir()->messageCancelled(&timer);
}

void EventModule::dispose(omnetpp::cMessage* message) {
  take(message);
  delete message;
}

void EventModule::handleMessage(omnetpp::cMessage* message) {
  if (FabricFrame* frame = asFrame(message)) {
    receive(*frame);
  } else if (FabricTimer* timer = asTimer(message)) {
    engine_->fire(*timer);
  } else {
    throw cRuntimeError("A (%s)%s has come here; only frames of the fabric travel on its links",
                        message->getClassName(), message->getFullName());
  }
  if (engine_->stopping()) endSimulation();
}

void EventModule::receive(FabricFrame&) { throw cRuntimeError("A frame has come here; this module takes none"); }

}  // namespace fabriclab
