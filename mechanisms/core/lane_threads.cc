#include "mechanisms/core/lane_threads.h"

#include <utility>

#include "mechanisms/core/lane.h"

namespace fabric {

LaneThreads::LaneThreads(uint32_t lanes, Part span, Part take)
    : span_(std::move(span)), take_(std::move(take)), steps_(lanes), errors_(lanes) {
  for (uint32_t lane = 1; lane < lanes; ++lane) threads_.emplace_back([this, lane] { serve(lane); });
}

LaneThreads::~LaneThreads() {
  if (apart_) {
    // The caller was stopped within its part: nobody waits for it.
    steps_.reach(0, end_);
    steps_.await(0, end_ + 1);
  }
  over_ = true;
  steps_.reach(0, end_ + 1);
  for (std::thread& t : threads_) t.join();
}

void LaneThreads::part(uint32_t phases) {
  apart_ = true;
  begin_ = end_ + 1;
  end_ = begin_ + phases;
  steps_.reach(0, begin_);
}

bool LaneThreads::meet() {
  if (!apart_) return false;
  steps_.reach(0, end_);
  steps_.await(0, end_);
  guarded(take_, 0);
  steps_.await(0, end_ + 1);
  apart_ = false;
  for (const std::exception_ptr& error : errors_) {
    if (error != nullptr) std::rethrow_exception(error);
  }
  return true;
}

/// A lane's count before a span is that of its begin, which the caller's lane alone still has to reach.
void LaneThreads::serve(uint32_t lane) {
  setThisLane(lane);
  uint64_t begin = 1;
  for (;;) {
    steps_.reach(lane, begin);
    steps_.await(lane, begin);
    if (over_) return;
    const uint64_t end = end_;
    guarded(span_, lane);
    steps_.reach(lane, end);
    steps_.await(lane, end);
    guarded(take_, lane);
    begin = end + 1;
  }
}

void LaneThreads::guarded(const Part& part, uint32_t lane) {
  try {
    if (errors_[lane] == nullptr) part(lane);
  } catch (...) {
    errors_[lane] = std::current_exception();
  }
}

}  // namespace fabric
