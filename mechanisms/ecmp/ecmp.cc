#include "mechanisms/ecmp/ecmp.h"

#include "mechanisms/core/random.h"
#include "mechanisms/core/switch.h"

namespace fabric {

const Description& Ecmp::describe() {
  static const Description d =
      Describe<Ecmp>("ecmp", Kind::PathSelector, "Equal-cost multipath")
          .help(
              "The hash of a flow's addresses and ports, mixed with the salt of the switch, chooses among the "
              "next hops. Symmetric: a flow's packets and their ACKs take the same path in opposite directions.")
          .source("FNCC section 3.1, Observation 2")
          .param("symmetric", &Ecmp::symmetric_, true, "one hash for both directions of a flow",
                 "FNCC section 3.1: symmetric routing table")
          .param("salt", &Ecmp::saltParam_, 0, "another draw of every flow's path, the same flows and all else alike",
                 "chosen")
          .range(0, 1e9)
          .added()
          .param("overlay_bytes", &Ecmp::overlayParam_, Bytes{0},
                 "outer header between leaves; 50 = VXLAN, to compare with conga byte by byte", "chosen")
          .range(0, 256)
          .done();
  return d;
}
FABRIC_REGISTER(Ecmp);

void Ecmp::onStart(Network& network) {
  OverlaySelector::onStart(network);
  salt_ = switch_->hashSalt() + mix64(static_cast<uint64_t>(saltParam_));  // mix64(0) is 0
}

uint16_t Ecmp::choice(uint64_t hash, uint64_t salt, uint16_t count) {
  const auto h = static_cast<uint32_t>(mix64(hash + salt * kGolden) >> 32);
  return static_cast<uint16_t>((uint64_t{h} * count) >> 32);
}

uint16_t Ecmp::port(uint64_t hash, uint64_t symmetricHash, NextHops hops) const {
  return hops.ports[choice(symmetric_ ? symmetricHash : hash, salt_, hops.count)];
}

uint16_t Ecmp::select(Packet& packet, NextHops hops) { return port(packet.hash, packet.symmetricHash, hops); }

}  // namespace fabric
