// The trace table of the senders of NUMFabric, DGD and RCP*.
#pragma once

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

/// Time, flow, part; rate, weight, price, hops, window.
using NumFlows = Table<Time, uint32_t, uint8_t, double, double, double, uint8_t, Bytes>;
const NumFlows& numFlows();

/// A row for each part of the active flows of a host. `of` gives what a flow's state says.
struct NumFlowRow {
  double rate, weight, price;
  uint8_t hops;
};
template <class Of>
void sampleNumFlows(Network& network, NumFlows::Id table, const Host& host, Of&& of) {
  TraceBus& trace = network.trace();
  host.forEachActive([&](Flow& f) {
    if (!trace.wantsFlow(table, f.spec.id)) return;
    uint8_t part = 0;
    for (Flow* p = f.connection; p != nullptr; p = p->nextSubflow) {
      const NumFlowRow r = of(*p);
      trace.emit(table, network.engine().now(), f.spec.id, part++, r.rate, r.weight, r.price, r.hops, Bytes{p->window});
    }
  });
}

}  // namespace fabric
