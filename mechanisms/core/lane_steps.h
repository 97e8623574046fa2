// How far lanes are, as they see it of each other.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "mechanisms/core/lane.h"

namespace fabric {

/// Each lane counts its steps and waits for the others' counts. Steps take microseconds, less than the operating
/// system needs to wake a thread, so a lane waits awake at first; where there are fewer cores than lanes it sleeps at
/// once.
class LaneSteps {
 public:
  explicit LaneSteps(uint32_t lanes);

  uint64_t of(uint32_t lane) const { return counts_[lane].steps.load(std::memory_order_relaxed); }
  /// What the lane did before is seen by those who wait for this count. In the step it has sent something to the lanes
  /// of these bits.
  void reach(uint32_t lane, uint64_t count, uint64_t sentTo = 0);
  /// The same bits of a lane that has reached `count`, and three more at most.
  uint64_t sentTo(uint32_t lane, uint64_t count) const { return counts_[lane].sentTo[count % kKept]; }
  /// Until every other lane has reached `count`.
  void await(uint32_t lane, uint64_t count);

 private:
  bool reached(uint32_t lane, uint64_t count) const;

  static constexpr size_t kKept = 4;
  struct Count {
    std::atomic<uint64_t> steps{0};
    std::array<uint64_t, kKept> sentTo{};
  };

  const uint32_t lanes_;
  const int awake_;  // looks before it sleeps
  PerLane<Count> counts_;
  alignas(kLaneBytes) std::atomic<uint32_t> asleep_{0};
  std::mutex mutex_;
  std::condition_variable next_;
};

}  // namespace fabric
