#include "mechanisms/flowtune/team.h"

namespace fabric::flowtune {

Team::Team(uint32_t members) : members_(members), barrier_(members) {
  for (uint32_t m = 1; m < members; ++m) threads_.emplace_back([this, m] { serve(m); });
}

Team::~Team() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    end_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Team::run(const std::function<void(uint32_t)>& work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_ = &work;
    busy_ = members_ - 1;
    ++calls_;
  }
  wake_.notify_all();
  work(0);
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [&] { return busy_ == 0; });
}

void Team::serve(uint32_t member) {
  uint64_t served = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return end_ || calls_ != served; });
    if (end_) return;
    served = calls_;
    const auto* work = work_;
    lock.unlock();
    (*work)(member);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace fabric::flowtune
