#include "mechanisms/path/local.h"

namespace fabric {

const Description& Local::describe() {
  static const Description d =
      Describe<Local>("local", Kind::PathSelector, "Local congestion-aware flowlet switching (like Flare)")
          .help(
              "A flowlet takes the port with the smallest DRE metric of this switch, whatever lies behind it; among "
              "equals the one before or a random one.")
          .source("CONGA, SIGCOMM 2014, section 2.4: Local Only")
          .needs("dre")
          .param("flowlet_timeout", &Local::timeout_, Time::Us(500),
                 "Tfl: a gap between one and two of it ends a flowlet", "CONGA (recalled): 500 us")
          .range(1000, 1e15)
          .param("flowlet_entries", &Local::entries_, 65536, "entries of a switch's flowlet table",
                 "CONGA section 2.6: 64K")
          .range(1, 1 << 20)
          .param("overlay_bytes", &Local::overlayParam_, Bytes{0},
                 "outer header between leaves; 50 = VXLAN, to compare with conga byte by byte", "chosen")
          .range(0, 256)
          .table(traceTable())
          .done();
  return d;
}
FABRIC_REGISTER(Local);

void Local::onStart(Network& network) {
  FlowletSelector::onStart(network);
  dre_ = Dre::ofFabricPorts(*switch_, "local");
}

uint16_t Local::decide(const Packet&, NextHops hops, int previous) {
  return least(hops, previous, [this](uint16_t port) { return int{dre_[port]->metric()}; });
}

}  // namespace fabric
