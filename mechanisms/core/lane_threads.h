// The threads of a run's lanes.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "mechanisms/core/lane_steps.h"

namespace fabric {

/// The caller's thread is lane 0; each other lane has one of its own. They run span by span: all do the same number of
/// phases, then all take what the others have for them, then the caller goes on alone. Within a span a lane may be one
/// phase ahead of others.
class LaneThreads {
 public:
  using Part = std::function<void(uint32_t lane)>;
  /// `span` is a lane's part of a span, with nextPhase() after each phase but the last.
  LaneThreads(uint32_t lanes, Part span, Part take);
  /// Waits for the span that is under way.
  ~LaneThreads();
  LaneThreads(const LaneThreads&) = delete;
  LaneThreads& operator=(const LaneThreads&) = delete;

  /// The other lanes begin a span of so many phases.
  void part(uint32_t phases = 1);
  /// The lane has done a phase, and sent something to the lanes of these bits. Waits until no other one is more than a
  /// phase behind the next one.
  void nextPhase(uint32_t lane, uint64_t sentTo) {
    const uint64_t done = steps_.of(lane) + 1;
    steps_.reach(lane, done, sentTo);
    steps_.await(lane, done - 1);
  }
  /// Whether a lane has sent another one something in this phase of the span, the last but one before that lane's next.
  bool hasSent(uint32_t from, uint32_t to, uint32_t phase) const {
    return (steps_.sentTo(from, begin_ + phase + 1) >> to & 1) != 0;
  }
  /// The caller has done its own part: waits until all lanes have taken what is theirs. Throws what stopped a lane.
  /// False: they had not parted.
  bool meet();

 private:
  void serve(uint32_t lane);
  void guarded(const Part& part, uint32_t lane);

  Part span_, take_;
  LaneSteps steps_;
  uint64_t begin_ = 0, end_ = 0;  // of the span: the steps of each lane by then
  bool apart_ = false, over_ = false;
  std::vector<std::exception_ptr> errors_;  // by lane
  std::vector<std::thread> threads_;
};

}  // namespace fabric
