#include "mechanisms/core/lane_threads.h"

#include <utility>

#include "mechanisms/core/lane.h"

namespace fabric {

LaneThreads::LaneThreads(uint32_t lanes, Step window, Step take)
    : window_(std::move(window)), take_(std::move(take)), barrier_(lanes), errors_(lanes) {
  for (uint32_t lane = 1; lane < lanes; ++lane) threads_.emplace_back([this, lane] { serve(lane); });
}

LaneThreads::~LaneThreads() {
  if (apart_) {
    barrier_.wait();
    barrier_.wait();
  }
  over_ = true;
  barrier_.wait();
  for (std::thread& t : threads_) t.join();
}

void LaneThreads::part() {
  apart_ = true;
  barrier_.wait();
}

bool LaneThreads::meet() {
  if (!apart_) return false;
  barrier_.wait();
  guarded(take_, 0);
  barrier_.wait();
  apart_ = false;
  for (const std::exception_ptr& error : errors_) {
    if (error != nullptr) std::rethrow_exception(error);
  }
  return true;
}

void LaneThreads::serve(uint32_t lane) {
  setThisLane(lane);
  for (;;) {
    barrier_.wait();
    if (over_) return;
    guarded(window_, lane);
    barrier_.wait();
    guarded(take_, lane);
    barrier_.wait();
  }
}

void LaneThreads::guarded(const Step& step, uint32_t lane) {
  try {
    if (errors_[lane] == nullptr) step(lane);
  } catch (...) {
    errors_[lane] = std::current_exception();
  }
}

}  // namespace fabric
