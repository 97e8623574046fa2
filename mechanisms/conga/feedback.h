// What leaves tell each other about the paths between them.
#pragma once

#include <array>
#include <cstdint>

#include "mechanisms/core/types.h"

namespace fabric {

/// A metric heard of; unheard of for long, it fades to 0.
struct HeardMetric {
  uint8_t metric = 0;
  Time heard;

  /// One less after `aging` without news, and one more for every further `step`.
  uint8_t at(Time now, Time aging, Time step) const {
    const Time quiet = now - heard;
    if (metric == 0 || quiet < aging) return metric;
    const int64_t lost = 1 + (quiet - aging).ps / step.ps;
    return lost >= metric ? 0 : static_cast<uint8_t>(metric - lost);
  }
};

/// One source leaf's row of the Congestion-From-Leaf table.
class FromLeaf {
 public:
  static constexpr int kTags = 32;  // an LBTag has at most 5 bits
  struct Feedback {
    bool some = false;
    uint8_t tag = 0;
    uint8_t metric = 0;
  };

  /// A packet of the tag has arrived with this CE.
  void hear(uint8_t tag, uint8_t ce, Time now);
  /// What goes back next: round robin, the tags first whose metric is not what was fed back last.
  Feedback next(Time now, Time aging, Time step);

 private:
  static constexpr uint16_t kNothing = 0x100;
  struct Entry {
    HeardMetric metric;
    uint16_t fed = kNothing;
  };
  std::array<Entry, kTags> entries_;
  uint32_t known_ = 0, changed_ = 0;  // sets of tags
  uint8_t last_ = kTags - 1;
};

}  // namespace fabric
