// What lanes have for each other.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mechanisms/core/lane.h"

namespace fabric {

/// What a lane sends in a phase, another one takes two phases later, or when lanes meet. A lane may be one phase ahead
/// of another, so a phase's list serves again after four: all have taken it by then. Only the sender writes to a list,
/// which its core's cache keeps then.
template <class T>
class LanePost {
 public:
  static constexpr uint32_t kPhases = 4;

  void setLanes(uint32_t count) {
    for (uint32_t lane = 0; lane < count; ++lane) lanes_[lane].lists.resize(count);
  }
  /// What `lane` sends from now on, it sends in this phase.
  void setPhase(uint32_t lane, uint32_t phase) {
    Lane& own = lanes_[lane];
    own.phase = phase % kPhases;
    own.sentTo = 0;
    for (auto& list : own.lists) list[own.phase].all.clear();
  }
  void send(uint32_t to, const T what) {
    Lane& own = lanes_.here();
    own.lists[to][own.phase].all.push_back(what);
    own.sentTo |= uint64_t{1} << to;
  }
  /// A bit for each lane to which this one has sent something in the phase.
  uint64_t sentTo(uint32_t lane) const { return lanes_[lane].sentTo; }
  const std::vector<T>& sent(uint32_t from, uint32_t to, uint32_t phase) const {
    return lanes_[from].lists[to][phase % kPhases].all;
  }

 private:
  struct alignas(kLaneBytes) List {
    std::vector<T> all;
  };
  struct Lane {
    uint32_t phase = 0;
    uint64_t sentTo = 0;
    std::vector<std::array<List, kPhases>> lists;  // by receiving lane
  };
  PerLane<Lane> lanes_;
};

}  // namespace fabric
