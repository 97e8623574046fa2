#include "mechanisms/core/barrier.h"

#include <thread>

#include "mechanisms/core/processor.h"

namespace fabric {

Barrier::Barrier(uint32_t members)
    : members_(members), awake_(members <= std::thread::hardware_concurrency() ? 2000 : 0) {}

void Barrier::wait() {
  const uint32_t round = round_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
    arrived_.store(0, std::memory_order_relaxed);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      round_.store(round + 1, std::memory_order_release);
    }
    next_.notify_all();
    return;
  }
  for (int i = 0; i < awake_; ++i) {
    if (round_.load(std::memory_order_acquire) != round) return;
    pauseInLoop();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  next_.wait(lock, [&] { return round_.load(std::memory_order_acquire) != round; });
}

}  // namespace fabric
