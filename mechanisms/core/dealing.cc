#include "mechanisms/core/dealing.h"

#include <algorithm>
#include <numeric>

namespace fabric {

Dealing::Dealing(std::vector<std::vector<uint32_t>> units, uint32_t lanes) : units_(std::move(units)), lanes_(lanes) {
  for (const auto& unit : units_) {
    for (const uint32_t node : unit) nodes_.push_back({node});
  }
  deal(std::vector<uint32_t>(nodes_.size() + 1, 1));
}

bool Dealing::look(const std::vector<uint32_t>& work) {
  constexpr double kUneven = 1.04;
  if (uneven(work) <= kUneven) return false;
  deal(work);
  return true;
}

/// Where units are too large, their nodes are dealt.
void Dealing::deal(const std::vector<uint32_t>& work) {
  constexpr double kTooLarge = 1.1;
  deal(units_, work);
  if (uneven(work) > kTooLarge) deal(nodes_, work);
}

void Dealing::deal(const std::vector<std::vector<uint32_t>>& units, const std::vector<uint32_t>& work) {
  const uint64_t all = std::accumulate(work.begin() + 1, work.end(), uint64_t{0});
  laneOf_.assign(nodes_.size() + 1, UINT8_MAX);  // of nobody
  uint64_t before = 0;
  for (const std::vector<uint32_t>& unit : units) {
    uint64_t own = 0;
    for (const uint32_t node : unit) own += work[node + 1];
    // A unit is where its middle is.
    const uint64_t middle = 2 * before + own;
    const uint64_t lane = all == 0 ? 0 : std::min<uint64_t>(lanes_ - 1, middle * lanes_ / (2 * all));
    for (const uint32_t node : unit) laneOf_[node + 1] = static_cast<uint8_t>(lane);
    before += own;
  }
}

double Dealing::uneven(const std::vector<uint32_t>& work) const {
  std::vector<uint64_t> byLane(lanes_);
  for (size_t node = 1; node < work.size(); ++node) byLane[laneOf_[node]] += work[node];
  const uint64_t all = std::accumulate(byLane.begin(), byLane.end(), uint64_t{0});
  if (all == 0) return 1;
  return static_cast<double>(*std::max_element(byLane.begin(), byLane.end()) * lanes_) / static_cast<double>(all);
}

}  // namespace fabric
