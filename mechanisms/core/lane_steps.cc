#include "mechanisms/core/lane_steps.h"

#include <thread>

#include "mechanisms/core/processor.h"

namespace fabric {

/// Looks at once, before the core may rest between two.
constexpr int kAtOnce = 64;
/// After so many looks another lane may have the core, in case that both are on the same one.
constexpr int kYield = 256;

LaneSteps::LaneSteps(uint32_t lanes) : lanes_(lanes), awake_(lanes <= std::thread::hardware_concurrency() ? 2000 : 0) {}

/// Sequentially consistent, as is the look at asleep_: a lane that is about to sleep is either seen here, or sees the
/// count.
void LaneSteps::reach(uint32_t lane, uint64_t count, uint64_t sentTo) {
  counts_[lane].sentTo[count % kKept] = sentTo;
  counts_[lane].steps.store(count);
  if (asleep_.load() == 0) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
  }
  next_.notify_all();
}

void LaneSteps::await(uint32_t lane, uint64_t count) {
  for (int i = 0; i < awake_; ++i) {
    if (reached(lane, count)) return;
    if (i < kAtOnce) continue;
    i % kYield == 0 ? std::this_thread::yield() : pauseInLoop();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  ++asleep_;
  next_.wait(lock, [&] { return reached(lane, count); });
  --asleep_;
}

bool LaneSteps::reached(uint32_t lane, uint64_t count) const {
  for (uint32_t other = 0; other < lanes_; ++other) {
    if (other != lane && counts_[other].steps.load() < count) return false;
  }
  return true;
}

}  // namespace fabric
