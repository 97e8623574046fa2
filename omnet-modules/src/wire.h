// A link in one direction, and the frames on their way over it.
#pragma once

#include <omnetpp.h>

#include <cstdint>
#include <memory>

#include "event_set.h"
#include "mechanisms/core/packet.h"

namespace fabric {
class Port;
}

namespace fabriclab {

class EventModule;
class FabricFrame;

/// A port's `wire`. Frames cannot overtake each other on it, so only the first to arrive needs a place among
/// the events; the others wait here with what the event set asks of them, and stay out of the cache.
class alignas(64) Wire final : public Keyed {
 public:
  struct InFlight {
    int64_t at;  // ps: the frame arrives in full
    FabricFrame* frame;
    fabric::Packet* packet;
  };

  Wire() : Keyed(true), ring_(std::make_unique<InFlight[]>(kFewest)) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  uint32_t size() const { return count_; }
  const InFlight& operator[](uint32_t i) const { return ring_[(first_ + i) & mask_]; }
  const InFlight& front() const { return ring_[first_]; }

  void pushBack(const InFlight& f) {
    if (count_ > mask_) grow();
    ring_[(first_ + count_++) & mask_] = f;
  }
  void pushFront(const InFlight& f) {
    if (count_ > mask_) grow();
    first_ = (first_ - 1) & mask_;
    ++count_;
    ring_[first_] = f;
  }
  void popFront() {
    first_ = (first_ + 1) & mask_;
    --count_;
  }
  /// Takes out number `i`.
  void erase(uint32_t i);

  /// Its first frame arrives soon: fetches from memory what is looked at then.
  void prefetchArrival() const;

  // Its two ends: who sends, through which gate, and the port that receives.
  EventModule* from = nullptr;
  omnetpp::cGate* gate = nullptr;
  fabric::Port* to = nullptr;

 private:
  static constexpr uint32_t kFewest = 16;
  void grow();

  std::unique_ptr<InFlight[]> ring_;
  uint32_t mask_ = kFewest - 1;  // the ring's size, a power of two, less 1
  uint32_t first_ = 0;
  uint32_t count_ = 0;

 public:
  int endGate = -1;  // OMNeT++'s number of the gate at `to`
};
static_assert(sizeof(Wire) == 64, "one line of the cache");

}  // namespace fabriclab
