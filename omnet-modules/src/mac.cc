#include "mac.h"

#include "link.h"
#include "mechanisms/core/node.h"

namespace fabriclab {

using omnetpp::cRuntimeError;

Define_Module(MacModule);

FabricLink& MacModule::link() {
  out_ = gate("wire$o");
  FabricLink* found = nullptr;
  for (omnetpp::cGate* g = out_; g->getNextGate() != nullptr; g = g->getNextGate()) {
    if (g->getChannel() == nullptr) continue;
    auto* link = dynamic_cast<FabricLink*>(g->getChannel());
    if (link == nullptr || found != nullptr) {
      throw cRuntimeError(this,
                          "The connection at %s must be one fabriclab.FabricLink, with nothing but plain "
                          "connections around it",
                          g->getFullPath().c_str());
    }
    found = link;
  }
  if (found == nullptr) {
    throw cRuntimeError(this,
                        "The port is not connected; connect it in the NED file: "
                        "a.link <--> FabricLink { datarate = 100Gbps; delay = 1us; } <--> b.link");
  }
  return *found;
}

MacModule& MacModule::peer() {
  auto* mac = dynamic_cast<MacModule*>(gate("wire$o")->getPathEndGate()->getOwnerModule());
  if (mac == nullptr) throw cRuntimeError(this, "The link does not end at a port of a FabricHost or FabricSwitch");
  return *mac;
}

void MacModule::connect(fabric::Port& port) {
  port_ = &port;
  port.device = this;
}

void MacModule::transmit(FabricFrame& frame, omnetpp::simtime_t duration) {
  Enter_Method_Silent();
  take(&frame);
  if (arrivalKey_ == 0) {
    const fabric::Port& to = peer().port();
    arrivalKey_ = fabric::eventKey(fabric::keyNode(to.node().id()), fabric::EventKind::Arrival, to.index());
  }
  frame.key = arrivalKey_;
  frame.wire = &wire_;
  send(&frame, omnetpp::SendOptions().duration(duration), out_);
}

void MacModule::receive(FabricFrame& frame) { port_->node().receive(*port_, engine_->arrive(frame)); }

}  // namespace fabriclab
