// Flows that wait for other flows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mechanisms/core/flow.h"
#include "mechanisms/core/types.h"

namespace fabric {

/// Which flows wait for which. A flow waits at its sender, where it gets to know that others are over: those that come
/// to this host when their last byte is here, those that leave it when all of theirs is acknowledged. It knows of no
/// others, since news from elsewhere would have to come over a link. All that changes of a flow here changes in events
/// of its sender's node.
class Dependencies {
 public:
  /// Of all these flows. Throws where a flow waits for what its sender does not see, or what never ends.
  explicit Dependencies(FlowFeed& flows);

  /// A task sends nothing. It is over when it starts: others that wait for it get to know that all is over that it has
  /// waited for.
  static bool isTask(const FlowSpec& flow) { return flow.src == flow.dst; }

  size_t flows() const { return flows_.size(); }
  /// Whether all that the flow waits for is over.
  bool mayStart(uint32_t flow) const { return flows_[flow].waitsFor == 0; }
  /// The earliest start by the flow list and by what is over so far.
  Time startOf(uint32_t flow) const { return flows_[flow].start; }
  /// `flow` is over at `host`. Calls next(id) for every flow that may start because of it.
  template <class Next>
  void onOver(uint32_t flow, uint32_t host, Time now, const Next& next) {
    for (size_t i = first_[flow]; i < first_[flow + 1]; ++i) {
      const Dependency& d = waits_[i];
      State& waiting = flows_[d.on];
      if (waiting.sender != host) continue;
      waiting.start = std::max(waiting.start, now + d.delay);
      if (--waiting.waitsFor == 0) next(d.on);
    }
  }

 private:
  struct State {
    Time start = Time{-1};
    uint32_t sender = 0;
    uint32_t waitsFor = 0;
  };
  std::vector<State> flows_;       // by number
  std::vector<size_t> first_;      // by number: where in waits_ begins who waits for this flow
  std::vector<Dependency> waits_;  // `on` is the flow that waits
};

}  // namespace fabric
