#include "nodes.h"

#include "event_module.h"
#include "link.h"
#include "mac.h"
#include "parameters.h"

namespace fabriclab {

using omnetpp::cModule;
using omnetpp::cRuntimeError;

Define_Module(MechanismModule);
Define_Module(PortModule);
Define_Module(HostModule);
Define_Module(SwitchModule);

namespace {

/// The mechanism in submodule `name` of `parent`, as the kind T that plugs in there.
template <class T>
T& mechanism(cModule& parent, const char* name, int index, const std::shared_ptr<OmnetEngine>& engine) {
  cModule* module = index < 0 ? parent.getSubmodule(name) : parent.getSubmodule(name, index);
  auto* holder = omnetpp::check_and_cast<MechanismModule*>(module);
  auto* found = dynamic_cast<T*>(&holder->component(engine));
  if (found == nullptr) {
    throw cRuntimeError(holder, "This is a %s, which does not go here",
                        fabric::toString(holder->component(engine).description().kind));
  }
  return *found;
}

}  // namespace

// ---------------------------------------------------------------- mechanisms

fabric::Component& MechanismModule::component(const std::shared_ptr<OmnetEngine>& engine) {
  if (component_ == nullptr) {
    engine_ = engine;
    const omnetpp::cProperty* property = getProperties()->get("component");
    const fabric::Description* d = property != nullptr ? fabric::Registry::find(property->getValue()) : nullptr;
    if (d == nullptr) throw cRuntimeError(this, "The NED type names no mechanism in its @component property");
    component_ = d->create();
    readParameters(*component_, *this);
  }
  return *component_;
}

void MechanismModule::handleParameterChange(const char* name) {
  if (component_ == nullptr) return;
  engine_->sync();
  changeParameter(*component_, *this, name);
}

// ---------------------------------------------------------------- ports

MacModule& PortModule::mac() {
  return *omnetpp::check_and_cast<MacModule*>(getParentModule()->getSubmodule("mac", getIndex()));
}

void PortModule::build(const std::shared_ptr<OmnetEngine>& engine) {
  engine_ = engine;
  readParameters(port_, *this);
  mac().setEngine(engine);
  mac().connect(port_);
  if (!hasPar("numClasses")) return;  // a NIC: queues are the host's
  std::vector<fabric::Queue*> queues;
  for (int c = 0; c < par("numClasses").intValue(); ++c) {
    queues.push_back(&mechanism<fabric::Queue>(*this, "queue", c, engine));
    queues_.push_back(getSubmodule("queue", c));
  }
  if (queues.empty() || queues.size() > fabric::kMaxClasses) {
    throw cRuntimeError(this, "Parameter numClasses: there must be 1 to %d classes", fabric::kMaxClasses);
  }
  port_.setQueues(std::move(queues));
  for (int a = 0; a < par("numPortAgents").intValue(); ++a) {
    port_.addAgent(mechanism<fabric::PortAgent>(*this, "portAgent", a, engine));
  }
}

cModule& PortModule::classModule(size_t cls) { return cls < queues_.size() ? *queues_[cls] : *this; }

void PortModule::handleParameterChange(const char* name) {
  if (engine_ == nullptr) return;
  engine_->sync();
  changeParameter(port_, *this, name);
}

// ---------------------------------------------------------------- nodes

void NodeModule::build(fabric::Network& network, uint32_t id, const std::shared_ptr<OmnetEngine>& engine) {
  engine_ = engine;
  readParameters(node(), *this);
  node().join(network, id, getFullName());
  auto* clock = omnetpp::check_and_cast<EventModule*>(getSubmodule("clock"));
  clock->setEngine(engine);

  std::vector<MacModule*> macs;
  for (int i = 0; i < getSubmoduleVectorSize("port"); ++i) {
    auto* port = omnetpp::check_and_cast<PortModule*>(getSubmodule("port", i));
    const FabricLink& link = port->mac().link();
    node().addPort(port->port(), link.rate(), link.latency());
    port->build(engine);
    ports_.push_back(port);
    macs.push_back(&port->mac());
  }
  engine->addNode(id, *clock, std::move(macs));
  buildMechanisms(engine);
}

void NodeModule::handleParameterChange(const char* name) {
  if (engine_ == nullptr) return;
  engine_->sync();
  changeParameter(node(), *this, name);
}

void HostModule::buildMechanisms(const std::shared_ptr<OmnetEngine>& engine) {
  host_.setCongestionControl(mechanism<fabric::CongestionControl>(*this, "congestionControl", -1, engine));
  for (int i = 0; i < par("numReceiverAgents").intValue(); ++i) {
    host_.addReceiverAgent(mechanism<fabric::ReceiverAgent>(*this, "receiverAgent", i, engine));
  }
}

void SwitchModule::buildMechanisms(const std::shared_ptr<OmnetEngine>& engine) {
  switch_.setHashSalt(static_cast<uint64_t>(par("hashSalt").intValue()));
  switch_.setPathSelector(mechanism<fabric::PathSelector>(*this, "pathSelector", -1, engine));
}

}  // namespace fabriclab
