// Flows that wait for other flows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mechanisms/core/flow.h"
#include "mechanisms/core/types.h"

namespace fabric {

/// Which flows wait for which. A flow waits at its sender. There it learns that another flow is over: one that comes to
/// this host when its last byte arrives, one that leaves it when all of it is acknowledged. It learns of no others,
/// since news of them would need a link. The state of a flow changes only in events of its
/// sender's node.
class Dependencies {
 public:
  /// Of all these flows. Throws where a flow waits for what its sender does not see, or what never ends.
  explicit Dependencies(FlowFeed& flows);

  /// A task sends nothing and is over when it starts. So flows that wait for it wait for everything that it waited
  /// for.
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
