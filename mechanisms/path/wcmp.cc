#include "mechanisms/path/wcmp.h"

#include "mechanisms/core/random.h"
#include "mechanisms/core/switch.h"

namespace fabric {

const Description& Wcmp::describe() {
  static const Description d =
      Describe<Wcmp>("wcmp", Kind::PathSelector, "Weighted multipath: static weights, a path for every flow")
          .help(
              "The hash of a flow's addresses and ports, mixed with the salt of the switch, chooses among the "
              "next hops by weight. Weights do not change with load.")
          .source("CONGA, SIGCOMM 2014, section 2.4: weights chosen according to the topology")
          .param("first", &Wcmp::firstParam_, 0.5,
                 "share of the flows that takes the first next hop, by port number; the other next hops share the rest "
                 "evenly",
                 "chosen: half")
          .range(0, 1)
          .param("overlay_bytes", &Wcmp::overlayParam_, Bytes{0},
                 "outer header between leaves; 50 = VXLAN, to compare with conga byte by byte", "chosen")
          .range(0, 256)
          .done();
  return d;
}
FABRIC_REGISTER(Wcmp);

void Wcmp::onStart(Network& network) {
  OverlaySelector::onStart(network);
  salt_ = switch_->hashSalt();
  first_ = static_cast<uint64_t>(firstParam_ * 4294967296.0);
}

uint16_t Wcmp::choice(uint32_t hash, uint64_t first, uint16_t count) {
  if (count == 1 || hash < first) return 0;
  const uint64_t rest = (uint64_t{1} << 32) - first;  // above 0, as hash is at least first
  return static_cast<uint16_t>(1 + (hash - first) * (count - 1u) / rest);
}

uint16_t Wcmp::select(Packet& packet, NextHops hops) {
  const auto hash = static_cast<uint32_t>(mix64(packet.hash + salt_ * kGolden) >> 32);
  return hops.ports[choice(hash, first_, hops.count)];
}

}  // namespace fabric
