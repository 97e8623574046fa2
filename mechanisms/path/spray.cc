#include "mechanisms/path/spray.h"

#include "mechanisms/core/network.h"
#include "mechanisms/core/random.h"
#include "mechanisms/core/switch.h"

namespace fabric {

const Description& Spray::describe() {
  static const Description d =
      Describe<Spray>("spray", Kind::PathSelector, "Packet spraying: a port for every packet")
          .help(
              "Each packet takes a random one of the next hops, or they take turns for each destination host, "
              "beginning at a random one. Packets of a flow overtake each other.")
          .source("CONGA, SIGCOMM 2014, section 2.4: packet spraying")
          .param("order", &Spray::order_, {"random", "round_robin"}, "random", "how the ports take turns", "chosen")
          .param("overlay_bytes", &Spray::overlayParam_, Bytes{0},
                 "outer header between leaves; 50 = VXLAN, to compare with conga byte by byte", "chosen")
          .range(0, 256)
          .done();
  return d;
}
FABRIC_REGISTER(Spray);

void Spray::onStart(Network& network) {
  OverlaySelector::onStart(network);
  random_ = RandomStream(network.seed(), "spray", switch_->nameHash());
  if (order_.index == 0) return;
  const uint64_t first = random_.next();
  turn_.clear();
  for (const Node* dst : network.nodes()) turn_.push_back(static_cast<uint16_t>(mix64(first ^ dst->nameHash())));
}

uint16_t Spray::select(Packet& packet, NextHops hops) {
  if (hops.count == 1) return hops.ports[0];
  if (order_.index == 0) return hops.ports[random_.below(hops.count)];
  uint16_t& turn = turn_[packet.dst];
  if (++turn >= hops.count) turn = static_cast<uint16_t>(turn % hops.count);
  return hops.ports[turn];
}

}  // namespace fabric
