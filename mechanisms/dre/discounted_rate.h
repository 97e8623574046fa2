// The register of the discounting rate estimator (DRE).
#pragma once

#include "mechanisms/core/types.h"

namespace fabric {

/// X grows by every packet's bytes; at every multiple of the period it is multiplied by 1 - alpha, and
/// is 0 once it is below a byte. The decay is made up for when somebody looks: the same
/// multiplications in the same order as at a timer's, so the same bits. A packet at the very time of a
/// decay comes after it.
class DiscountedRate {
 public:
  void configure(Time period, double alpha) {
    period_ = period;
    keep_ = 1 - alpha;
    next_ = period;
  }
  void add(Time now, uint32_t bytes) {
    decay(now);
    x_ += bytes;
  }
  double at(Time now) {
    decay(now);
    return x_;
  }

 private:
  void decay(Time now) {
    if (now < next_) return;
    for (; x_ > 0 && next_ <= now; next_ += period_) {
      x_ *= keep_;
      if (x_ < 1) x_ = 0;
    }
    if (next_ <= now) next_ = Time{(now.ps / period_.ps + 1) * period_.ps};
  }

  double x_ = 0;
  double keep_ = 0;
  Time next_, period_;
};

}  // namespace fabric
