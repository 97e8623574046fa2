// What the model needs of a simulator, and no more. ns-3 and OMNeT++ implement it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "mechanisms/core/lane.h"
#include "mechanisms/core/types.h"

namespace fabric {

class Port;
struct Packet;

/// Timers that a mechanism may have for every flow, by all mechanisms of a network together.
inline constexpr int kFlowTimers = 16;

/// Kinds of events, in the order in which they run at one node at one time.
enum class EventKind : uint8_t {
  FlowSource,
  Arrival,
  TransmitDone,
  FlowStop,
  FlowTimer,  // the first of kFlowTimers, given out by Network::flowTimer()
  Retransmit = FlowTimer + kFlowTimers,
  NodeTimer,   // given out by Node::timerKey()
  AgentTimer,  // given out by Port::timerKey()
  Sample,
  Stop,
  LinkChange,
  FlowEnd,
};

/// The order of events at the same time: by node, kind and index, never by the order of scheduling,
/// which depends on how an engine keeps packets in flight. A key is unique among pending events.
constexpr uint64_t eventKey(uint32_t node, EventKind kind, uint32_t index) {
  return (uint64_t{node & 0xffffffu} << 40) | (uint64_t{static_cast<uint8_t>(kind)} << 32) | index;
}

/// Node numbers for events that belong to no node: flow starts come first, samples see all that
/// happened at their time.
inline constexpr uint32_t kFirstNode = 0;
inline constexpr uint32_t kLastNode = 0xffffffu;
/// Real nodes start here in keys.
constexpr uint32_t keyNode(uint32_t id) { return id + 1; }

/// An event, embedded in the object it belongs to and scheduled again and again: no allocation.
class Event {
 public:
  explicit Event(uint64_t key = 0) : key_(key) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  virtual ~Event() = default;

  virtual void fire() = 0;
  /// It fires soon and is in the cache: fetches what it looks at, see FetchAhead.
  virtual void fetchAhead() const {}

  uint64_t key() const { return key_; }
  void setKey(uint64_t key) { key_ = key; }
  bool pending() const { return slot != nullptr; }
  /// When it will fire; meaningful while pending.
  Time at() const { return at_; }

  /// For engines only: their record of a pending event, null when it is not pending.
  void* slot = nullptr;

 private:
  friend class Engine;
  Time at_;
  uint64_t key_;
};

/// An event that calls a member function of its owner.
template <class Owner, void (Owner::*Method)()>
class EventOf final : public Event {
 public:
  explicit EventOf(Owner* owner, uint64_t key = 0) : Event(key), owner_(owner) {}
  void fire() override { (owner_->*Method)(); }

 private:
  Owner* owner_;
};

class Engine {
 public:
  virtual ~Engine() = default;

  Time now() const { return clocks_.here().now; }

  /// How far the simulation is, for a thread that watches it.
  struct Progress {
    int64_t now = 0;  // ps
    uint64_t events = 0, flowsDone = 0;
  };
  Progress progress() const {
    Progress all;
    clocks_.forEach([&all](const Clock& c) {
      all.now = std::max(all.now, c.shown.load(std::memory_order_relaxed));
      all.events += c.events.load(std::memory_order_relaxed);
      all.flowsDone += c.flowsDone.load(std::memory_order_relaxed);
    });
    return all;
  }
  void countFlowDone() { count(clocks_.here().flowsDone); }

  /// `event` is not pending and `at` is not in the past.
  void schedule(Event& event, Time at) {
    event.at_ = at;
    doSchedule(event);
  }

  /// Makes a pending event not pending; does nothing to others.
  virtual void cancel(Event& event) = 0;

  /// Makes sure that `event` fires at `at` at the latest. An earlier time that it is pending for stays.
  void scheduleNoLaterThan(Event& event, Time at) {
    if (event.pending()) {
      if (event.at() <= at) {
        return;
      }
      cancel(event);
    }
    schedule(event, at);
  }

  /// Puts a packet on the wire: the peer's node receives it at now + duration + the link's delay.
  virtual void transmit(Port& from, Packet* packet, Time duration) = 0;

  /// Ends the simulation after the current event.
  virtual void stop() = 0;
  /// Lanes run side by side from now on, until as many meet: then what one has too much of goes to others.
  virtual void part() {}
  virtual void meet(uint32_t /*lanes*/) {}

 protected:
  virtual void doSchedule(Event& event) = 0;

  /// For an engine whose clock was moved by somebody else's event.
  void setNow(Time now) { clocks_.here().now = now; }

  /// To be called before an event fires or a packet is delivered.
  void advance(Time now) {
    Clock& c = clocks_.here();
    c.now = now;
    c.shown.store(now.ps, std::memory_order_relaxed);
    count(c.events);
  }

 private:
  struct Clock {
    Time now;
    std::atomic<int64_t> shown{0};  // the same
    std::atomic<uint64_t> events{0}, flowsDone{0};
  };
  /// One thread counts, others only look.
  static void count(std::atomic<uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  PerLane<Clock> clocks_;
};

}  // namespace fabric
