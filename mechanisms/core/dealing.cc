#include "mechanisms/core/dealing.h"

#include <algorithm>
#include <numeric>

namespace fabric {

bool Dealing::look(const std::vector<uint32_t>& work) {
  constexpr double kUneven = 1.04;
  std::vector<uint64_t> byLane(lanes_);
  for (size_t node = 1; node < work.size(); ++node) byLane[laneOf_[node]] += work[node];
  const uint64_t all = std::accumulate(byLane.begin(), byLane.end(), uint64_t{0});
  const uint64_t most = *std::max_element(byLane.begin(), byLane.end());
  if (static_cast<double>(most * lanes_) <= kUneven * static_cast<double>(all)) return false;
  deal(work);
  return true;
}

void Dealing::deal(const std::vector<uint32_t>& work) {
  const uint64_t all = std::accumulate(work.begin() + 1, work.end(), uint64_t{0});
  laneOf_.assign(order_.size() + 1, UINT8_MAX);  // of nobody
  uint64_t before = 0;
  for (const uint32_t node : order_) {
    // A node is where its middle is.
    const uint64_t middle = 2 * before + work[node + 1];
    laneOf_[node + 1] =
        static_cast<uint8_t>(all == 0 ? 0 : std::min<uint64_t>(lanes_ - 1, middle * lanes_ / (2 * all)));
    before += work[node + 1];
  }
}

}  // namespace fabric
