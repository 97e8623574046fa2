#include "event_module.h"

#include <optional>
#include <stdexcept>

#include "event_set.h"
#include "link.h"
#include "mechanisms/runner/scenario.h"
#include "outcome.h"

namespace fabriclab {

using omnetpp::cRuntimeError;

namespace {

/// Enter_Method_Silent() where another module's event is being handled; most often it is this module's own.
class Turn {
 public:
  explicit Turn(EventModule& module) {
    if (omnetpp::getSimulation()->getContext() == &module) return;
    context_.emplace(&module);
    context_->methodCallSilent();
  }

 private:
  std::optional<omnetpp::cMethodCallContextSwitcher> context_;
};

}  // namespace

void EventModule::post(FabricTimer& timer, omnetpp::simtime_t at) {
  const Turn turn(*this);
  if (engine_->unwatched()) {  // what scheduleAt() does where nobody is told
    timer.setSentFrom(this, -1, omnetpp::simTime());
    timer.setArrival(getId(), -1, at);
    getSimulation()->insertEvent(&timer);
    return;
  }
  if (timer.getOwner() != this) take(&timer);
  scheduleAt(at, &timer);
}

void EventModule::transmit(FabricFrame& frame, FabricLink& link, omnetpp::simtime_t duration) {
  const Turn turn(*this);
  if (engine_->unwatched() && link.carry(frame, duration)) return;
  if (frame.getOwner() != this) take(&frame);
  send(&frame, omnetpp::SendOptions().duration(duration), &link.from());
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

/// Notes why a run is refused, and ends the simulation where the model does.
template <class Work>
void EventModule::noting(const Work& work) {
  try {
    work();
  } catch (const fabric::InputError& e) {  // the flow list is read as the run goes on
    outcome().refused = e.what();
    throw;
  } catch (const std::invalid_argument& e) {  // a flow that its hosts cannot carry
    outcome().refused = e.what();
    throw;
  }
  if (engine_->stopping()) endSimulation();
}

void EventModule::handleMessage(omnetpp::cMessage* message) {
  noting([&] { handle(*message); });
}

void EventModule::runTurn() {
  noting([this] {
    FabricEventSet& events = *engine_->events();
    do {
      const FabricEventSet::Next next = events.takeNext();
      getSimulation()->setSimTime(omnetpp::SimTime::fromRaw(next.at));
      engine_->run(next);
    } while (events.moreOfTurn());
  });
}

void EventModule::handle(omnetpp::cMessage& message) {
  if (FabricFrame* frame = asFrame(&message)) {
    engine_->arrive(*frame);
  } else if (FabricTimer* timer = asTimer(&message)) {
    engine_->fire(*timer);
  } else {
    throw cRuntimeError("A (%s)%s has come here; only frames of the fabric travel on its links", message.getClassName(),
                        message.getFullName());
  }
}

}  // namespace fabriclab
