// Threads that do the same steps side by side.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "mechanisms/core/barrier.h"

namespace fabric::flowtune {

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
