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
/// the events. Behind it the others are a list. Where nodes run one behind the other, the list is of packets, and one
/// line of the cache has all that they need. Else each frame knows what the event set asks of the one after it: they
/// stay out of the cache.
class alignas(64) Wire final : public Keyed {
 public:
  Wire() : Keyed(true) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  bool empty() const { return packet_ == nullptr; }
  /// When the first one arrives in full, in ps.
  int64_t firstAt() const { return firstAt_; }
  fabric::Packet* packet() const { return packet_; }

  /// As a packet alone. In ps: it takes `duration` from now on, and its last bit arrives at `arrival`.
  void push(fabric::Packet& packet, int64_t duration, int64_t arrival) {
    if (empty()) {
      packet_ = &packet;
      firstAt_ = arrival;
    } else {
      if (arrival - duration < lastAt_) refuseOverlap();
      last_->next = &packet;
      last_->nextAt = fabric::Time{arrival};
    }
    last_ = &packet;
    lastAt_ = arrival;
    packet.next = nullptr;
  }
  fabric::Packet& pop() {
    fabric::Packet& first = *packet_;
    packet_ = first.next;
    firstAt_ = first.nextAt.ps;
    return first;
  }

  // Of frames.
  FabricFrame& first() const { return *firstFrame_; }
  void push(FabricFrame& frame) {
    const int64_t at = frame.getArrivalTime().raw();
    if (empty()) {
      setFirst(&frame, frame.packet(), at);
    } else {
      lastFrame_->behind = {&frame, frame.packet(), at};
    }
    lastFrame_ = &frame;
    frame.behind = {nullptr, nullptr, 0};
  }
  /// The first one is gone.
  void popFrame() { setFirst(firstFrame_->behind.frame, firstFrame_->behind.packet, firstFrame_->behind.at); }
  /// The one that was taken last comes first again.
  void putBack(FabricFrame& frame) {
    if (empty()) {
      lastFrame_ = &frame;
      frame.behind = {nullptr, nullptr, 0};
    } else {
      frame.behind = {firstFrame_, packet_, firstAt_};
    }
    setFirst(&frame, frame.packet(), frame.getArrivalTime().raw());
  }
  /// Takes out one that is not the first.
  void remove(const FabricFrame& frame);

 private:
  void setFirst(FabricFrame* frame, fabric::Packet* packet, int64_t at) {
    firstFrame_ = frame;
    packet_ = packet;
    firstAt_ = at;
  }
  FABRIC_RARE void refuseOverlap() const;

  fabric::Packet *packet_ = nullptr, *last_ = nullptr;
  int64_t firstAt_ = 0, lastAt_ = 0;

 public:
  fabric::Port* to = nullptr;  // the port that receives
  // The other end, and OMNeT++'s number of the gate at this one.
  EventModule* from = nullptr;
  FabricLink* link = nullptr;
  int endGate = -1;

 private:
  FabricFrame *firstFrame_ = nullptr, *lastFrame_ = nullptr;
};
static_assert(sizeof(Wire) == 128, "two lines of the cache");

}  // namespace fabriclab
