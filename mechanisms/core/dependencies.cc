#include "mechanisms/core/dependencies.h"

#include <stdexcept>
#include <string>

namespace fabric {

namespace {

[[noreturn]] void refuse(uint32_t flow, const std::string& why) {
  throw std::invalid_argument("flow " + std::to_string(flow) + ": " + why);
}

struct Edge {
  uint32_t flow;
  Dependency after;
};

}  // namespace

Dependencies::Dependencies(FlowFeed& feed) {
  std::vector<Edge> edges;
  std::vector<uint32_t> receivers;
  std::vector<bool> ends;
  for (const FlowSpec* f = feed.peek(); f != nullptr; feed.pop(), f = feed.peek()) {
    if (f->id >= flows_.size()) {
      if (f->id > 2 * flows_.size() + 1024 * 1024) {
        refuse(f->id, "where flows wait for others, they are numbered 0, 1, 2, and so on");
      }
      flows_.resize(f->id + size_t{1});
      receivers.resize(flows_.size());
      ends.resize(flows_.size());
    }
    State& state = flows_[f->id];
    if (state.start.ps >= 0) refuse(f->id, "is in the flow list twice");
    state = {f->start, f->src, static_cast<uint32_t>(feed.after().size())};
    if (!feed.after().empty() && f->stop.ps >= 0) {
      refuse(f->id, "waits for other flows and has a stop, which may come before it starts; leave one of the two out");
    }
    receivers[f->id] = f->dst;
    ends[f->id] = isTask(*f) || (f->size != 0 && f->stop.ps < 0);
    for (const Dependency& d : feed.after()) edges.push_back({f->id, d});
  }
  first_.resize(flows_.size() + 1);
  for (const Edge& e : edges) {
    const uint32_t on = e.after.on;
    if (on >= flows_.size() || flows_[on].start.ps < 0) {
      refuse(e.flow, "waits for flow " + std::to_string(on) + ", which there is not");
    }
    if (!ends[on]) {
      refuse(e.flow, "waits for flow " + std::to_string(on) + ", which has no size or is stopped, so it may never end");
    }
    if (receivers[on] != flows_[e.flow].sender && flows_[on].sender != flows_[e.flow].sender) {
      refuse(e.flow, "waits for flow " + std::to_string(on) + ", which neither comes to its source nor leaves it");
    }
    ++first_[on + size_t{1}];
  }
  for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  waits_.resize(edges.size());
  std::vector<size_t> next(first_.begin(), first_.end() - 1);
  for (const Edge& e : edges) waits_[next[e.after.on]++] = {e.flow, e.after.delay};
}

}  // namespace fabric
