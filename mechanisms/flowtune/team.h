// Threads that do the same steps side by side.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fabric::flowtune {

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

/// The caller and threads of its own. Between two calls of run() the threads sleep.
class Team {
 public:
  explicit Team(uint32_t members);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  uint32_t members() const { return members_; }
  /// work(member) by every member, 0 is the caller; returns when all are done.
  void run(const std::function<void(uint32_t)>& work);
  /// Inside work: waits for the others.
  void meet() {
    if (members_ > 1) barrier_.wait();
  }

 private:
  void serve(uint32_t member);

  const uint32_t members_;
  Barrier barrier_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(uint32_t)>* work_ = nullptr;
  uint64_t calls_ = 0;
  uint32_t busy_ = 0;
  bool end_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace fabric::flowtune
