// The threads of a run's lanes.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "mechanisms/core/barrier.h"

namespace fabric {

/// The caller's thread is lane 0; each other lane has one of its own. They run window by window: all do their own
/// events, then all take what the others have for them, then the caller goes on alone.
class LaneThreads {
 public:
  using Step = std::function<void(uint32_t lane)>;
  LaneThreads(uint32_t lanes, Step window, Step take);
  /// Waits for the window that is under way.
  ~LaneThreads();
  LaneThreads(const LaneThreads&) = delete;
  LaneThreads& operator=(const LaneThreads&) = delete;

  /// The other lanes begin their window.
  void part();
  /// The caller has done its own part: waits until all lanes have taken what is theirs. Throws what stopped a lane.
  /// False: they had not parted.
  bool meet();

 private:
  void serve(uint32_t lane);
  void guarded(const Step& step, uint32_t lane);

  Step window_, take_;
  Barrier barrier_;
  bool apart_ = false, over_ = false;
  std::vector<std::exception_ptr> errors_;  // by lane
  std::vector<std::thread> threads_;
};

}  // namespace fabric
