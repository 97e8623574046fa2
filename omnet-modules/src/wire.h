// A link in one direction, and the frames on their way over it.
#pragma once

#include <omnetpp.h>

#include <cstdint>

#include "event_set.h"
#include "messages.h"

namespace fabric {
class Port;
}

namespace fabriclab {

class EventModule;
class FabricLink;

/// A port's `wire`. Frames cannot overtake each other on it, so only the first to arrive needs a place among
/// the events. Behind it the others are a list, and each knows what the event set asks of the one after it:
/// they stay out of the cache.
class alignas(64) Wire final : public Keyed {
 public:
  Wire() : Keyed(true) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  bool empty() const { return first_ == nullptr; }
  FabricFrame& first() const { return *first_; }
  /// When the first one arrives in full, in ps.
  int64_t firstAt() const { return firstAt_; }

  void push(FabricFrame& frame) {
    const int64_t at = frame.getArrivalTime().raw();
    if (empty()) {
      first_ = &frame;
      firstAt_ = at;
    } else {
      last_->behind = {&frame, frame.packet(), at};
    }
    last_ = &frame;
    frame.behind = {nullptr, nullptr, 0};
  }
  /// The first one is gone.
  void pop() {
    firstAt_ = first_->behind.at;
    first_ = first_->behind.frame;
  }
  /// The one that was taken last comes first again.
  void putBack(FabricFrame& frame) {
    if (empty()) {
      last_ = &frame;
      frame.behind = {nullptr, nullptr, 0};
    } else {
      frame.behind = {first_, first_->packet(), firstAt_};
    }
    first_ = &frame;
    firstAt_ = frame.getArrivalTime().raw();
  }
  /// Takes out one that is not the first.
  void remove(const FabricFrame& frame);

  // Its two ends: who sends, and the port that receives, at OMNeT++'s gate number `endGate`.
  int endGate = -1;
  EventModule* from = nullptr;
  FabricLink* link = nullptr;
  fabric::Port* to = nullptr;

 private:
  FabricFrame *first_ = nullptr, *last_ = nullptr;
  int64_t firstAt_ = 0;
};
static_assert(sizeof(Wire) == 64, "one line of the cache");

}  // namespace fabriclab
