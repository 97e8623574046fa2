// Weighted multipath by a hash of the flow: static weights.
#pragma once

#include "mechanisms/ecmp/overlay.h"

namespace fabric {

class Wcmp final : public OverlaySelector {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  uint16_t select(Packet& packet, NextHops hops) override;

  /// Position of the chosen one among `count` next hops, for a hash of 32 bits: below `first`, in
  /// units of 2^-32, the first one; above, the others in equal parts.
  static uint16_t choice(uint32_t hash, uint64_t first, uint16_t count);

 private:
  void onStart(Network& network) override;

  double firstParam_ = 0.5;
  uint64_t first_ = 0;
  uint64_t salt_ = 0;  // of this switch
};

}  // namespace fabric
