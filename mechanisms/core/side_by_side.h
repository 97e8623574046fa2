// Whether lanes are worth their threads.
#pragma once

#include <array>
#include <cstdint>

namespace fabric {

/// Lanes that wait for each other after few events may take longer than one thread would, the more so where other
/// programs use the cores. So where windows are neither large nor tiny, the other way is tried now and then for a
/// while, and the faster one stays.
class SideBySide {
 public:
  /// Windows with so many events for each lane are large.
  explicit SideBySide(uint64_t large) : large_(large) {}

  bool now() const { return now_; }
  /// So many events have run since the last call, and took so long; in a window each lane had `perLane` of them.
  void note(uint64_t events, uint64_t perLane, double seconds);

 private:
  static constexpr uint64_t kTiny = 8;    // events
  static constexpr double kRound = 2e-3;  // seconds
  static constexpr uint32_t kFewRounds = 4, kManyRounds = 512;

  const uint64_t large_;
  bool now_ = false, trying_ = false;
  double events_ = 0, seconds_ = 0;               // of the round
  std::array<double, 2> rates_{};                 // events in a second: one behind the other, side by side
  uint32_t rounds_ = 0, untilNext_ = kFewRounds;  // since the last try, and to the next one
};

}  // namespace fabric
