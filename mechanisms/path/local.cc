#include "mechanisms/path/local.h"

namespace fabric {

const Description& Local::describe() {
  static const Description d = [] {
    Describe<Local> description("local", Kind::PathSelector, "Local congestion-aware flowlet switching (like Flare)");
    description
        .help(
            "A flowlet takes the port with the smallest DRE metric of this switch, whatever lies behind it; among "
            "equals the one before or a random one.")
        .source("CONGA, SIGCOMM 2014, section 2.4: Local Only");
    return parameters(description).done();
  }();
  return d;
}
FABRIC_REGISTER(Local);

void Local::check(const Network& network, Report& report) const {
  FlowletSelector::check(network, report);
  Dre::checkFabricPorts(*this, *switch_, report);
}

void Local::onStart(Network& network) {
  FlowletSelector::onStart(network);
  dre_ = Dre::ofFabricPorts(*switch_);
}

/// Between several links of one host ECMP decides: they have no estimators.
bool Local::decidesFor(const Packet& packet, NextHops hops) const {
  return FlowletSelector::decidesFor(packet, hops) && dre_[hops.ports[0]] != nullptr;
}

uint16_t Local::decide(const Packet&, NextHops hops, int previous) {
  return least(hops, previous, [this](uint16_t port) { return int{dre_[port]->metric()}; });
}

}  // namespace fabric
