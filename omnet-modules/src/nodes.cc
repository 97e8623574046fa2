#include "nodes.h"

#include "link.h"
#include "names.h"
#include "parameters.h"

namespace fabriclab {

using omnetpp::cGate;
using omnetpp::cModule;
using omnetpp::cRuntimeError;

Define_Module(MechanismModule);
Define_Module(PortModule);
Define_Module(HostModule);
Define_Module(SwitchModule);

namespace {

/// Plugs in what stands in a submodule of a slot.
MechanismModule* plugModule(cModule& submodule, const fabric::Slot& slot, fabric::Component& place,
                            const std::shared_ptr<OmnetEngine>& engine) {
  auto* holder = omnetpp::check_and_cast<MechanismModule*>(&submodule);
  try {
    fabric::plug(place, slot, holder->component(engine));
  } catch (const std::exception& e) {
    throw cRuntimeError(holder, "%s", e.what());
  }
  return holder;
}

/// Plugs the mechanisms in the submodules of `module` into the slots of its host, switch or port.
Mechanisms plugAll(cModule& module, fabric::Component& place, const std::shared_ptr<OmnetEngine>& engine) {
  Mechanisms plugged;
  for (const fabric::Slot& slot : fabric::Slots::all()) {
    if (slot.where != fabric::where(place)) continue;
    const std::string name = camelCase(slot.kind.name);
    if (slot.count == fabric::Count::One) {
      if (cModule* one = module.getSubmodule(name.c_str())) plugged.push_back(plugModule(*one, slot, place, engine));
      continue;
    }
    for (int i = 0; i < module.getSubmoduleVectorSize(name.c_str()); ++i) {
      plugged.push_back(plugModule(*module.getSubmodule(name.c_str(), i), slot, place, engine));
    }
  }
  return plugged;
}

/// The link behind a node's gate; throws where there is none, or another kind of channel.
FabricLink& linkAt(cGate& out) {
  FabricLink* found = nullptr;
  for (cGate* g = &out; g->getNextGate() != nullptr; g = g->getNextGate()) {
    if (g->getChannel() == nullptr) continue;
    auto* link = dynamic_cast<FabricLink*>(g->getChannel());
    if (link == nullptr || found != nullptr) {
      throw cRuntimeError(out.getOwnerModule(),
                          "The connection at %s must be one fabriclab.FabricLink, with nothing but plain "
                          "connections around it",
                          out.getFullPath().c_str());
    }
    found = link;
  }
  if (found == nullptr) {
    throw cRuntimeError(out.getOwnerModule(),
                        "Port %s is not connected; connect it in the NED file: "
                        "a.link++ <--> FabricLink { datarate = 100Gbps; delay = 1us; } <--> b.link++",
                        out.getFullPath().c_str());
  }
  return *found;
}

/// For graphical user interfaces; Cmdenv asks for none of it.
void showBytes(const cModule& module, int64_t bytes) {
  module.getDisplayString().setTagArg("t", 0, bytes == 0 ? "" : (std::to_string(bytes) + " B").c_str());
}

}  // namespace

// ---------------------------------------------------------------- mechanisms

fabric::Component& MechanismModule::component(const std::shared_ptr<OmnetEngine>& engine) {
  if (component_ == nullptr) {
    engine_ = engine;
    const omnetpp::cProperty* property = getProperties()->get("component");
    if (property == nullptr) throw cRuntimeError(this, "The NED type names no mechanism in a @component property");
    const fabric::Description* d = fabric::Registry::find(property->getValue());
    if (d == nullptr) {
      throw cRuntimeError(this,
                          "This program has no mechanism '%s', which the NED type names in its @component property; "
                          "load the library that has it with -l, or correct the name",
                          property->getValue());
    }
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

void PortModule::build(const std::shared_ptr<OmnetEngine>& engine) {
  engine_ = engine;
  readParameters(port_, *this);
  mechanisms_ = plugAll(*this, port_, engine);
  for (int c = 0; c < getSubmoduleVectorSize("queue"); ++c) queues_.push_back(getSubmodule("queue", c));
}

void PortModule::connect(EventModule& node, cGate& gate) {
  const cGate* end = gate.getPathEndGate();
  auto* peer = dynamic_cast<NodeModule*>(end->getOwnerModule());
  if (peer == nullptr) {
    throw cRuntimeError(&node, "The link at %s does not end at a FabricHost or FabricSwitch",
                        gate.getFullPath().c_str());
  }
  wire_.from = &node;
  wire_.link = &linkAt(gate);
  wire_.link->lead(gate, *end);
  wire_.endGate = end->getId();
  wire_.module = peer;
  wire_.to = &peer->portModule(static_cast<size_t>(end->getIndex())).port();
  wire_.key = fabric::eventKey(fabric::keyNode(wire_.to->node().id()), fabric::EventKind::Arrival, wire_.to->index());
  port_.wire = &wire_;
  fabric::Port::connect(port_, *wire_.to);
}

cModule& PortModule::classModule(size_t cls) { return cls < queues_.size() ? *queues_[cls] : *this; }

void PortModule::refreshDisplay() const {
  if (engine_ == nullptr) return;
  int64_t sum = 0;
  for (size_t cls = 0; cls < queues_.size(); ++cls) {
    const int64_t bytes = port_.queueBytes(static_cast<uint8_t>(cls));
    sum += bytes;
    showBytes(*queues_[cls], bytes);
  }
  showBytes(*this, sum);
}

void PortModule::handleParameterChange(const char* name) {
  if (engine_ == nullptr) return;
  engine_->sync();
  changeParameter(port_, *this, name);
}

// ---------------------------------------------------------------- nodes

void NodeModule::build(fabric::Network& network, uint32_t id, const std::string& path,
                       const std::shared_ptr<OmnetEngine>& engine) {
  readParameters(node(), *this);
  const std::string name = par("nodeName").stringValue();
  node().join(network, id, name.empty() ? path : name);
  setEngine(engine);
  engine->addNode(id, *this);
  for (int i = 0; i < getSubmoduleVectorSize(portName()); ++i) {
    auto* port = omnetpp::check_and_cast<PortModule*>(getSubmodule(portName(), i));
    ports_.push_back(port);
    const FabricLink& link = linkAt(out(i));
    node().addPort(port->port(), link.rate(), link.latency());
    port->build(engine);
  }
  mechanisms_ = plugAll(*this, node(), engine);
}

cGate& NodeModule::out(size_t index) { return *gate("link$o", static_cast<int>(index)); }

void NodeModule::connect() {
  for (size_t i = 0; i < ports_.size(); ++i) ports_[i]->connect(*this, out(i));
}

/// As the base class does it, without looking up what the wire knows.
void NodeModule::arrived(omnetpp::cMessage* message, cGate* gate, const omnetpp::SendOptions& options,
                         omnetpp::simtime_t t) {
  FabricFrame* frame = asFrame(message);
  if (frame == nullptr) {
    EventModule::arrived(message, gate, options, t);
    return;
  }
  frame->arriveAt(getId(), frame->wire->endGate, t + frame->getRemainingDuration());
  getSimulation()->insertEvent(frame);
}

void NodeModule::handleParameterChange(const char* name) {
  if (engine_ == nullptr) return;
  engine_->sync();
  changeParameter(node(), *this, name);
}

void SwitchModule::build(fabric::Network& network, uint32_t id, const std::string& path,
                         const std::shared_ptr<OmnetEngine>& engine) {
  NodeModule::build(network, id, path, engine);
  switch_.setHashSalt(static_cast<uint64_t>(par("hashSalt").intValue()));
}

void SwitchModule::refreshDisplay() const { showBytes(*this, switch_.buffer().used()); }

}  // namespace fabriclab
