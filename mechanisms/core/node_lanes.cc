#include "mechanisms/core/node_lanes.h"

namespace fabric {

std::vector<uint8_t> dealNodes(const std::vector<uint32_t>& order, const std::vector<uint64_t>& work, uint32_t lanes) {
  uint64_t all = 0, before = 0;
  for (const uint64_t w : work) all += w;
  std::vector<uint8_t> laneOf(order.size());
  for (const uint32_t node : order) {
    // A node is where its middle is.
    const uint64_t middle = 2 * before + work[node];
    laneOf[node] = static_cast<uint8_t>(all == 0 ? 0 : std::min<uint64_t>(lanes - 1, middle * lanes / (2 * all)));
    before += work[node];
  }
  return laneOf;
}

}  // namespace fabric
