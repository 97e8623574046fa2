// Packet spraying: every packet chooses for itself.
#pragma once

#include <vector>

#include "mechanisms/core/random.h"
#include "mechanisms/ecmp/overlay.h"

namespace fabric {

class Spray final : public OverlaySelector {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  uint16_t select(Packet& packet, NextHops hops) override;

 private:
  void onStart(Network& network) override;

  RandomStream random_;
  std::vector<uint16_t> turn_;  // round robin: next place, by destination host
  Choice order_;
};

}  // namespace fabric
