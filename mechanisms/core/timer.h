// A timer that is restarted far more often than it expires.
#pragma once

#include "mechanisms/core/engine.h"

namespace fabric {

/// Holds a deadline and one event. The event is rescheduled only if it would fire too late. When it fires too early, it
/// is scheduled for the deadline. So restarting the timer to a later time costs nothing.
template <class Owner>
class LazyTimer final : public Event {
 public:
  using Handler = void (Owner::*)();
  LazyTimer(Engine& engine, Owner& owner, Handler onExpiry, uint64_t key)
      : Event(key), engine_(engine), owner_(owner), onExpiry_(onExpiry) {}
  ~LazyTimer() override { engine_.cancel(*this); }

  void restart(Time deadline) {
    running_ = true;
    deadline_ = deadline;
    engine_.scheduleNoLaterThan(*this, deadline);
  }
  void stop() { running_ = false; }
  bool running() const { return running_; }

  void fire() override {
    if (!running_) return;
    if (deadline_ > engine_.now()) {
      engine_.schedule(*this, deadline_);
      return;
    }
    running_ = false;
    (owner_.*onExpiry_)();
  }

 private:
  Engine& engine_;
  Owner& owner_;
  Handler onExpiry_;
  Time deadline_;
  bool running_ = false;
};

}  // namespace fabric
