// The plain engine where several threads share a run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "mechanisms/core/fetch_ahead.h"
#include "mechanisms/core/lane.h"
#include "mechanisms/core/lane_post.h"
#include "mechanisms/core/node_events.h"
#include "mechanisms/core/node_lanes.h"
#include "mechanisms/plain/engine.h"

namespace fabric {

/// Only when it is asked to does it leave the heap and the order of time: then it has the event lists and lanes of the
/// engines that have a simulator, and is no opinion of its own.
class SharedEngine final : public PlainEngine, private LaneWork {
 public:
  using PlainEngine::run;
  /// Runs everything by so many threads (`least`: see NodeLanes), and in the order of time what they cannot share.
  void run(Windows& windows, uint32_t threads, uint64_t least) {
    nodes_.setWindows(windows);
    sharing_ = true;
    for (Event* e : takeAll()) doSchedule(*e);
    frames_.setLanes(threads);
    lanes_ = std::make_unique<NodeLanes<Entry>>(nodes_, windows, threads, least, static_cast<LaneWork&>(*this));
    for (uint32_t lane = 0; lane < threads; ++lane) lane_[lane] = &lanes_->lane(lane);
    try {
      while (!stopped() && turn()) runTurn(0);
    } catch (...) {
      lanes_.reset();  // before what the other threads look at is gone
      throw;
    }
    lanes_.reset();
    sharing_ = false;
    nodes_.forEach([this](const Entry& e) { PlainEngine::doSchedule(*e.event); });
    run();
  }

  void cancel(Event& e) override {
    if (!sharing_) {
      PlainEngine::cancel(e);
    } else if (e.pending()) {
      lane_[thisLane()]->remove({e.at().ps, e.key(), &e}, [&e](const Entry& entry) { return entry.event == &e; });
      e.slot = nullptr;
    }
  }

  void transmit(Port& from, Packet* packet, Time duration) override {
    if (!apart_ || from.peerLane == thisLane()) {
      PlainEngine::transmit(from, packet, duration);
    } else {
      frames_.send(from.peerLane, {static_cast<Link*>(from.wire), packet, now() + duration + from.delay()});
    }
  }

  void part() override { apart_ = true; }
  void meet(uint32_t) override { apart_ = false; }

 private:
  struct Entry {
    int64_t at;
    uint64_t key;
    Event* event;

    bool before(const Entry& o) const { return at < o.at || (at == o.at && key < o.key); }
    uint32_t node() const { return static_cast<uint32_t>(key >> 40); }
    void fetch() const { FetchAhead::memory(event); }
    void fetchMore() const { event->fetchAhead(); }
  };
  struct Frame {
    Link* wire;
    Packet* packet;
    Time arrival;
  };

  void doSchedule(Event& e) override {
    if (!sharing_) return PlainEngine::doSchedule(e);
    e.slot = this;  // it is pending
    lane_[thisLane()]->insert({e.at().ps, e.key(), &e});
  }

  /// False: nothing is left, or events have to run in the order of time from now on.
  bool turn() {
    if (!nodes_.turnInSpan()) lanes_->meet();  // else nobody knows whether something is left
    return (lanes_->apart() || lanes_->size() > 0) && nodes_.turn();
  }

  void runTurn(uint32_t lane) override {
    NodeEvents<Entry>& nodes = *lane_[lane];
    do {
      const Entry e = nodes.takeFirst();
      e.event->slot = nullptr;
      advance(Time{e.at});
      e.event->fire();
    } while (nodes.more());
  }
  void beginPhase(uint32_t lane, uint32_t phase) override { frames_.setPhase(lane, phase); }
  uint64_t sentTo(uint32_t lane) const override { return frames_.sentTo(lane); }
  void takeFrames(uint32_t from, uint32_t lane, uint32_t phase) override {
    for (const Frame& f : frames_.sent(from, lane, phase)) f.wire->push(f.packet, f.arrival);
  }

  NodeEvents<Entry> nodes_;
  std::array<NodeEvents<Entry>*, kMostLanes> lane_{&nodes_};
  LanePost<Frame> frames_;
  std::unique_ptr<NodeLanes<Entry>> lanes_;
  bool sharing_ = false, apart_ = false;
};

}  // namespace fabric
