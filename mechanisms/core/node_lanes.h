// A run on several threads: the nodes of a network dealt to lanes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "mechanisms/core/dealing.h"
#include "mechanisms/core/lane.h"
#include "mechanisms/core/lane_threads.h"
#include "mechanisms/core/node_events.h"
#include "mechanisms/core/side_by_side.h"

namespace fabric {

/// What an engine does in a lane.
class LaneWork {
 public:
  virtual ~LaneWork() = default;
  /// Runs the events of the node whose turn it is: while NodeEvents::more().
  virtual void runTurn(uint32_t lane) = 0;
  /// The frames that the lane sends to others from now on, it sends in this phase (LanePost).
  virtual void beginPhase(uint32_t lane, uint32_t phase) = 0;
  /// A bit for each lane to which this one has sent a frame in the phase.
  virtual uint64_t sentTo(uint32_t lane) const = 0;
  /// Takes the frames that another lane has sent to this one in the phase.
  virtual void takeFrames(uint32_t from, uint32_t lane, uint32_t phase) = 0;
};

/// Within a window nodes do not touch each other, so several threads may each run some of them. Results are those of
/// one thread: at each node the order of events is the same, and trace rows and counters are joined as one thread has
/// them.
///
/// A window has two phases. In the first one are nodes whose frames to other lanes go to nodes of the first one, too:
/// mostly the switches between lanes. So what a lane sends in a phase no other lane needs before the same phase of the
/// next window, and a lane may be a phase ahead of others: where one has more to do now and another one later, none
/// waits. Lanes meet only at the end of a span of windows, for what belongs to no node.
template <class Entry>
class NodeLanes final : public OtherLanes {
 public:
  /// `first` has all nodes and all that waits. It shares them with `lanes` lanes in all, from the time on when that is
  /// worth it: always where windows have `large` events for each. When it is no longer, the caller's thread runs all
  /// lanes one behind the other.
  NodeLanes(NodeEvents<Entry>& first, Windows& windows, uint32_t lanes, uint64_t large, LaneWork& work)
      : windows_(windows), work_(work), dealing_(windows.byPlace(), lanes), worth_(large) {
    first.makePlaces(static_cast<uint32_t>(dealing_.laneOf().size() - 1));
    lanes_.push_back(&first);
    for (uint32_t lane = 1; lane < lanes; ++lane) {
      made_.push_back(std::make_unique<NodeEvents<Entry>>(first, static_cast<uint8_t>(lane)));
      lanes_.push_back(made_.back().get());
    }
    earliest_.resize(lanes);
    first.setOthers(this);
    if (large == 0) share();
  }

  uint32_t count() const { return static_cast<uint32_t>(lanes_.size()); }
  NodeEvents<Entry>& lane(uint32_t lane) { return *lanes_[lane]; }
  bool apart() const { return apart_; }
  /// Events that wait; while the lanes stand still.
  size_t size() const {
    int64_t size = 0;
    for (const NodeEvents<Entry>* lane : lanes_) size += lane->balance();
    return static_cast<size_t>(size);
  }

  int64_t meet() override {
    if (apart_) {
      if (threads_ != nullptr) end();
      apart_ = false;
      const bool due = looks_.due(phases_ / 2);
      if (due || looks_.windows() - countedAt_ >= kCount) countEvents();
      if (due) look();
    }
    if (threads_ == nullptr) return lanes_.front()->earliest();
    return *std::min_element(earliest_.begin(), earliest_.end());
  }

  void part(int64_t begin, int64_t end, Time window) override {
    begin_ = begin;
    window_ = window;
    const int64_t most = sideBySide_ ? std::min<int64_t>(windows_.windowsAhead(), windowsInSpan()) : 1;
    end_ = end - begin > most * window.ps ? begin + most * window.ps : end;
    phases_ = 2 * static_cast<uint32_t>((end_ - begin + window.ps - 1) / window.ps);
    apart_ = true;
    if (threads_ == nullptr) return;
    phase_.forEach([](int64_t& phase) { phase = -1; });
    windows_.part();
    if (sideBySide_) threads_->part(phases_);
  }

  bool nextPhase(uint32_t lane) override {
    if (!apart_) return false;
    NodeEvents<Entry>& events = *lanes_[lane];
    for (int64_t& phase = phase_[lane]; phase + 1 < phases_;) {
      if (sideBySide_ && phase >= 0) threads_->nextPhase(lane, events.sentTo() | work_.sentTo(lane));
      const auto p = static_cast<uint32_t>(++phase);
      events.endPhase();
      for (uint32_t from = 0; p >= 2 && from < count(); ++from) {
        if (threads_->hasSent(from, lane, p - 2)) take(from, lane, p - 2);
      }
      work_.beginPhase(lane, p);
      if (events.startPhase(p, std::min(end_, begin_ + (p / 2 + 1) * window_.ps), window_)) return true;
    }
    return false;
  }

 private:
  /// Windows from one count of events to the next.
  static constexpr uint64_t kCount = 16;

  void share() {
    windows_.setLanes(count());
    lanes_.front()->setLanes(count());
    dealing_.look(lanes_.front()->work());
    give();
    sideBySide_ = true;
    threads_ = std::make_unique<LaneThreads>(
        count(), [this](uint32_t lane) { span(lane); }, [this](uint32_t lane) { takeAll(lane); });
  }

  /// All lanes end the span.
  void end() {
    if (!threads_->meet()) runHere();
    windows_.meet();
  }

  void span(uint32_t lane) {
    if (!nextPhase(lane)) return;
    do {
      work_.runTurn(lane);
    } while (lanes_[lane]->turnInSpan());
  }

  void take(uint32_t from, uint32_t lane, uint32_t phase) {
    lanes_[lane]->take(from, phase);
    work_.takeFrames(from, lane, phase);
  }

  /// Of the last window; all before is taken.
  void takeAll(uint32_t lane) {
    lanes_[lane]->endPhase();
    for (uint32_t from = 0; from < count(); ++from) {
      for (const uint32_t phase : {phases_ - 2, phases_ - 1}) take(from, lane, phase);
    }
    earliest_[lane] = lanes_[lane]->endSpan();
  }

  /// All lanes but the first, which is done.
  void runHere() {
    for (uint32_t lane = 1; lane < count(); ++lane) {
      setThisLane(lane);
      span(lane);
    }
    for (uint32_t lane = 0; lane < count(); ++lane) {
      setThisLane(lane);
      takeAll(lane);
    }
    setThisLane(0);
  }

  /// The fewer events they have, the more, as lanes wait for each other at the end. Held trace rows are few, too.
  int64_t windowsInSpan() const {
    constexpr uint64_t kEvents = 50'000;
    return static_cast<int64_t>(2 + kEvents / (perWindow_ + 1));
  }

  void countEvents() {
    const uint64_t windows = looks_.windows() - countedAt_, more = events() - counted_;
    const auto now = std::chrono::steady_clock::now();
    perWindow_ = more / windows;
    worth_.note(more, perWindow_ / count(), std::chrono::duration<double>(now - countedTime_).count());
    note(now);
    if (threads_ == nullptr && worth_.now()) share();
    sideBySide_ = worth_.now();
  }

  void note(std::chrono::steady_clock::time_point now) {
    counted_ = events();
    countedAt_ = looks_.windows();
    countedTime_ = now;
  }

  void look() {
    std::vector<uint32_t>& work = lanes_.front()->work();
    for (auto lane = lanes_.begin() + 1; lane != lanes_.end(); ++lane) {
      std::vector<uint32_t>& more = (*lane)->work();
      std::transform(work.begin(), work.end(), more.begin(), work.begin(), std::plus<>());
      std::fill(more.begin(), more.end(), 0);
    }
    if (dealing_.look(work) && threads_ != nullptr) give();
    Looks::fade(work);
    counted_ = events();
  }

  /// That are known as work.
  uint64_t events() const {
    uint64_t sum = 0;
    for (NodeEvents<Entry>* lane : lanes_) sum = std::accumulate(lane->work().begin(), lane->work().end(), sum);
    return sum;
  }

  /// Each lane gets the nodes that are dealt to it.
  void give() {
    const std::vector<uint8_t>& laneOf = dealing_.laneOf();
    lanes_.front()->deal(laneOf, windows_.early(laneOf));
    for (uint32_t lane = 0; lane < count(); ++lane) {
      lanes_[lane]->takeNodes(*this);
      earliest_[lane] = lanes_[lane]->endSpan();
    }
    windows_.setLaneOf(laneOf);
  }

  Windows& windows_;
  LaneWork& work_;
  Dealing dealing_;
  Looks looks_;
  std::vector<std::unique_ptr<NodeEvents<Entry>>> made_;  // but the first
  std::vector<NodeEvents<Entry>*> lanes_;
  std::vector<int64_t> earliest_;  // by lane: the first event of its nodes
  SideBySide worth_;
  bool sideBySide_ = false;  // in the next span
  uint64_t perWindow_ = 0;   // events
  // When events were last counted: how many, after how many windows, at what time.
  uint64_t counted_ = 0, countedAt_ = 0;
  std::chrono::steady_clock::time_point countedTime_ = std::chrono::steady_clock::now();
  bool apart_ = false;

  // The span.
  int64_t begin_ = 0, end_ = 0;
  Time window_;
  uint32_t phases_ = 0;
  PerLane<int64_t> phase_;                // of the lane; -1: before the first
  std::unique_ptr<LaneThreads> threads_;  // null: the nodes are not shared yet
};

}  // namespace fabric
