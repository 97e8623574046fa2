// What pFabric's packets carry.
#pragma once

#include <cstdint>

namespace fabric {

/// Of a data packet; its ACK takes `segment` back, which is how the sender learns of packets behind a gap.
struct PFabricHeader {
  static constexpr const char* kName = "pfabric";
  static constexpr uint32_t kProbe = ~uint32_t{0};

  uint64_t priority = 0;  // bytes of the flow that were left when the packet was sent; the smallest goes first
  uint32_t segment = 0;   // its number in its flow; kProbe: of a probe
};

}  // namespace fabric
