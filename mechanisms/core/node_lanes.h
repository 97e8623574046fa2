// A run on several threads: the nodes of a network dealt to lanes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "mechanisms/core/dealing.h"
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
      : windows_(windows), work_(work), dealing_(windows.byPlace(), lanes), least_(least) {
    first.makePlaces(static_cast<uint32_t>(dealing_.laneOf().size() - 1));
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
      const bool due = looks_.due();
      if (looks_.windows() % kCount == 0) countEvents();
      if (due) look();
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
  /// Windows from one count of events to the next.
  static constexpr uint64_t kCount = 16;

  void share() {
    windows_.setLanes(count());
    dealing_.look(lanes_.front()->work());
    give();
    sideBySide_ = true;
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

  void look() {
    std::vector<uint32_t>& work = lanes_.front()->work();
    if (dealing_.look(work) && threads_ != nullptr) give();
    Looks::fade(work);
    counted_ = std::accumulate(work.begin(), work.end(), uint64_t{0});
  }

  /// Each lane gets the nodes that are dealt to it.
  void give() {
    const std::vector<uint8_t>& laneOf = dealing_.laneOf();
    std::vector<std::vector<uint32_t>> own(lanes_.size());
    for (uint32_t node = 1; node < laneOf.size(); ++node) own[laneOf[node]].push_back(node);
    for (uint32_t lane = 0; lane < count(); ++lane) {
      lanes_[lane]->setNodes(std::move(own[lane]), laneOf, count());
      earliest_[lane] = lanes_[lane]->endWindow();
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
  const uint64_t least_;
  bool sideBySide_ = false;  // in the next window
  uint64_t counted_ = 0;     // events, when they were last counted
  bool apart_ = false;
  int64_t end_ = 0, near_ = 0;
  std::unique_ptr<LaneThreads> threads_;  // null: the nodes are not shared yet
};

}  // namespace fabric
