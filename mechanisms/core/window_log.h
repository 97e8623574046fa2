// What a run would gain from threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

#include "mechanisms/core/dealing.h"
#include "mechanisms/core/lane.h"
#include "mechanisms/core/node_events.h"

namespace fabric {

/// In place of other lanes, for a run on one thread: writes a line for each window, with its events and those of the
/// lane that would have most of them with 2, 4, … lanes. The other lanes would wait for that one.
template <class Entry>
class WindowLog final : public OtherLanes {
 public:
  WindowLog(NodeEvents<Entry>& nodes, const Windows& windows, std::ostream& out) : nodes_(nodes), out_(out) {
    const auto units = windows.byPlace();
    nodes.setOthers(this);
    out_ << "events";
    for (uint32_t lanes = 2; lanes <= kMostLanes; lanes *= 2) {
      dealings_.emplace_back(units, lanes);
      out_ << ',' << lanes;
    }
    out_ << '\n';
    nodes.makePlaces(static_cast<uint32_t>(dealings_.front().laneOf().size() - 1));
    before_.resize(nodes.work().size());
  }

  int64_t meet() override {
    if (std::exchange(apart_, false)) note();
    return nodes_.earliest();
  }
  void part(int64_t, int64_t, Time) override { apart_ = true; }
  bool nextPhase(uint32_t) override { return false; }

 private:
  void note() {
    std::vector<uint32_t>& work = nodes_.work();
    uint64_t all = 0;
    busy_.clear();
    for (uint32_t node = 1; node < work.size(); ++node) {
      if (work[node] == before_[node]) continue;
      busy_.push_back(node);
      all += work[node] - before_[node];
    }
    out_ << all;
    for (const Dealing& d : dealings_) {
      std::vector<uint64_t> byLane(d.lanes());
      for (const uint32_t node : busy_) byLane[d.laneOf()[node]] += work[node] - before_[node];
      out_ << ',' << *std::max_element(byLane.begin(), byLane.end());
    }
    out_ << '\n';
    if (looks_.due()) {
      for (Dealing& d : dealings_) d.look(work);
      Looks::fade(work);
    }
    before_ = work;
  }

  NodeEvents<Entry>& nodes_;
  std::ostream& out_;
  std::vector<Dealing> dealings_;
  Looks looks_;
  std::vector<uint32_t> before_, busy_;
  bool apart_ = false;
};

}  // namespace fabric
