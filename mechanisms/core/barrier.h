// Where threads wait for each other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace fabric {

/// Everybody waits here for everybody. Steps take microseconds, less than the operating system needs to wake a
/// thread, so a member waits awake at first; where there are fewer cores than members it sleeps at once.
class Barrier {
 public:
  explicit Barrier(uint32_t members);
  void wait();

 private:
  const uint32_t members_;
  const int awake_;  // looks before it sleeps
  alignas(64) std::atomic<uint32_t> arrived_{0};
  alignas(64) std::atomic<uint32_t> round_{0};
  std::mutex mutex_;
  std::condition_variable next_;
};

}  // namespace fabric
