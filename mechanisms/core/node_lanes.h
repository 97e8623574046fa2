// A run on several threads: the nodes of a network dealt to lanes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "mechanisms/core/lane.h"
#include "mechanisms/core/lane_threads.h"
#include "mechanisms/core/node_events.h"

namespace fabric {

/// What an engine does in a lane.
class LaneWork {
 public:
  virtual ~LaneWork() = default;
  /// Runs the events of the node whose turn it is: while NodeEvents::more().
  virtual void runTurn(uint32_t lane) = 0;
  /// Takes the frames that other lanes have for this one.
  virtual void takeFrames(uint32_t lane) = 0;
};

/// Which lane each node is in: pieces of about the same work, of nodes that are near each other. `order` has the nodes
/// by place, `work` is by node.
std::vector<uint8_t> dealNodes(const std::vector<uint32_t>& order, const std::vector<uint64_t>& work, uint32_t lanes);

/// Within a window nodes do not touch each other, so several threads may each run some of them. Frames and events for
/// nodes of other lanes are taken when the window is over. Results are those of one thread: at each node the order of
/// events is the same, and trace rows and counters are joined as one thread has them.
template <class Entry>
class NodeLanes final : public OtherLanes {
 public:
  /// `first` has all nodes and all that waits. It shares them with `lanes` lanes in all, from the time on when each
  /// would have `least` events in a window: to wait for each other would take longer before. When windows become
  /// smaller again, the caller's thread runs all lanes one behind the other.
  NodeLanes(NodeEvents<Entry>& first, Windows& windows, uint32_t lanes, uint64_t least, LaneWork& work)
      : windows_(windows), work_(work), order_(windows.byPlace()), least_(least) {
    lanes_.push_back(&first);
    for (uint32_t lane = 1; lane < lanes; ++lane) {
      made_.push_back(std::make_unique<NodeEvents<Entry>>(first, static_cast<uint8_t>(lane)));
      lanes_.push_back(made_.back().get());
    }
    earliest_.resize(lanes);
    first.setOthers(this);
    if (least == 0) share();
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
      if (++windowCount_ % kCount == 0) countEvents();
      if (windowCount_ == nextLook_) look();
    }
    if (threads_ == nullptr) return lanes_.front()->earliest();
    return *std::min_element(earliest_.begin(), earliest_.end());
  }

  void part(int64_t end, int64_t near) override {
    end_ = end;
    near_ = near;
    apart_ = true;
    if (threads_ == nullptr) return;
    windows_.part();
    if (sideBySide_) threads_->part();
  }

 private:
  /// Dealt anew where a lane has so much more than its share.
  static constexpr double kUneven = 1.04;
  /// Windows from one look to the next, at most; and from one count of events to the next.
  static constexpr uint64_t kLook = 512, kCount = 16;

  void share() {
    lanes_.front()->makePlaces(static_cast<uint32_t>(order_.size()));
    windows_.setLanes(count());
    deal(std::vector<uint64_t>(order_.size(), 1));
    sideBySide_ = true;
    counted_ = 0;
    nextLook_ = windowCount_ + 8;
    threads_ = std::make_unique<LaneThreads>(
        count(), [this](uint32_t lane) { window(lane); }, [this](uint32_t lane) { take(lane); });
  }

  /// All lanes end the window.
  void end() {
    if (!threads_->meet()) runHere();
    windows_.meet();
  }

  void window(uint32_t lane) {
    NodeEvents<Entry>& events = *lanes_[lane];
    if (!events.startWindow(end_, near_)) return;
    do {
      work_.runTurn(lane);
    } while (events.turnInWindow());
  }

  void take(uint32_t lane) {
    work_.takeFrames(lane);
    for (NodeEvents<Entry>* from : lanes_) {
      if (from != lanes_[lane]) lanes_[lane]->take(*from);
    }
    earliest_[lane] = lanes_[lane]->endWindow();
  }

  /// All lanes but the first, which is done.
  void runHere() {
    for (uint32_t lane = 1; lane < count(); ++lane) {
      setThisLane(lane);
      window(lane);
    }
    for (uint32_t lane = 0; lane < count(); ++lane) {
      setThisLane(lane);
      take(lane);
    }
    setThisLane(0);
  }

  void countEvents() {
    const std::vector<uint32_t>& done = lanes_.front()->work();
    const uint64_t sum = std::accumulate(done.begin(), done.end(), uint64_t{0});
    const bool many = sum - counted_ >= kCount * count() * least_;
    counted_ = sum;
    if (threads_ != nullptr) {
      sideBySide_ = many;
    } else if (many) {
      share();
    }
  }

  /// Work moves: incasts come and go.
  void look() {
    nextLook_ += std::min(windowCount_, kLook);
    std::vector<uint32_t>& done = lanes_.front()->work();
    std::vector<uint64_t> work(order_.size()), byLane(lanes_.size());
    for (size_t node = 0; node < work.size(); ++node) {
      work[node] = done[node + 1];
      byLane[laneOf_[node + 1]] += work[node];
      counted_ -= done[node + 1] - done[node + 1] / 2;
      done[node + 1] /= 2;
    }
    const uint64_t all = std::accumulate(byLane.begin(), byLane.end(), uint64_t{0});
    const uint64_t most = *std::max_element(byLane.begin(), byLane.end());
    if (static_cast<double>(most * lanes_.size()) > kUneven * static_cast<double>(all)) deal(work);
  }

  void deal(const std::vector<uint64_t>& work) {
    const std::vector<uint8_t> dealt = dealNodes(order_, work, count());
    laneOf_.assign(1, UINT8_MAX);  // of nobody
    laneOf_.insert(laneOf_.end(), dealt.begin(), dealt.end());
    std::vector<std::vector<uint32_t>> own(lanes_.size());
    for (uint32_t node = 1; node < laneOf_.size(); ++node) own[laneOf_[node]].push_back(node);
    for (uint32_t lane = 0; lane < count(); ++lane) {
      lanes_[lane]->setNodes(std::move(own[lane]), laneOf_, count());
      earliest_[lane] = lanes_[lane]->endWindow();
    }
    windows_.setLaneOf(laneOf_);
  }

  Windows& windows_;
  LaneWork& work_;
  const std::vector<uint32_t> order_;
  std::vector<std::unique_ptr<NodeEvents<Entry>>> made_;  // but the first
  std::vector<NodeEvents<Entry>*> lanes_;
  std::vector<uint8_t> laneOf_;    // by a node's number in keys
  std::vector<int64_t> earliest_;  // by lane: the first event of its nodes
  const uint64_t least_;
  bool sideBySide_ = false;  // in the next window
  uint64_t counted_ = 0;     // events, when they were last counted
  bool apart_ = false;
  int64_t end_ = 0, near_ = 0;
  uint64_t windowCount_ = 0, nextLook_ = 0;
  std::unique_ptr<LaneThreads> threads_;  // null: the nodes are not shared yet
};

}  // namespace fabric
