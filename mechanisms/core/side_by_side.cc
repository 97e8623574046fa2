#include "mechanisms/core/side_by_side.h"

#include <algorithm>

namespace fabric {

void SideBySide::note(uint64_t events, uint64_t perLane, double seconds) {
  if (perLane >= large_ || perLane < kTiny) {
    now_ = perLane >= large_;
    events_ = seconds_ = 0;
    trying_ = false;
    return;
  }
  events_ += static_cast<double>(events);
  seconds_ += seconds;
  if (seconds_ < kRound) return;
  constexpr double kBetter = 1.1;  // rates change a little with the load
  rates_[now_ ? 1 : 0] = events_ / seconds_;
  events_ = seconds_ = 0;
  if (rates_[now_ ? 0 : 1] > kBetter * rates_[now_ ? 1 : 0]) {
    // A try that was for nothing comes again later.
    untilNext_ = trying_ ? std::min(2 * untilNext_, kManyRounds) : kFewRounds;
    now_ = !now_;
    trying_ = false;
    rounds_ = 0;
    return;
  }
  if (trying_) untilNext_ = kFewRounds;
  trying_ = ++rounds_ >= untilNext_;
  if (!trying_) return;
  now_ = !now_;
  rounds_ = 0;
}

}  // namespace fabric
