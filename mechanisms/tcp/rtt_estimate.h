// The round trip as a TCP sender knows it, and the timeout that follows.
#pragma once

#include "mechanisms/core/types.h"

namespace fabric {

/// RFC 6298 section 2, with a clock without granularity.
struct RttEstimate {
  Time smoothed, variation;
  void sample(Time rtt) {
    if (smoothed.ps == 0) {
      smoothed = rtt;
      variation = Time{rtt.ps / 2};
      return;
    }
    const int64_t off = smoothed > rtt ? smoothed.ps - rtt.ps : rtt.ps - smoothed.ps;
    variation = Time{(3 * variation.ps + off) / 4};
    smoothed = Time{(7 * smoothed.ps + rtt.ps) / 8};
  }
  Time timeout() const { return Time{smoothed.ps + 4 * variation.ps}; }
};

}  // namespace fabric
