// Equal-cost multipath by a hash of the flow.
#pragma once

#include "mechanisms/ecmp/overlay.h"

namespace fabric {

class Ecmp final : public OverlaySelector {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  uint16_t select(Packet& packet, NextHops hops) override;
  /// The port that a packet with these hashes takes.
  uint16_t port(uint64_t hash, uint64_t symmetricHash, NextHops hops) const;

  /// Position of the chosen one among `count` next hops.
  static uint16_t choice(uint64_t hash, uint64_t salt, uint16_t count);

 private:
  void onStart(Network& network) override;

  bool symmetric_ = true;
  int64_t saltParam_ = 0;
  uint64_t salt_ = 0;  // of this switch
};

}  // namespace fabric
