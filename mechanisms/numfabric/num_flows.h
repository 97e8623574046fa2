// The trace table of the senders of NUMFabric, DGD and RCP*.
#pragma once

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

inline TableDesc numFlowsTable() {
  using T = ColumnType;
  return {
      "num_flows",
      "flows at their senders, sampled (NUMFabric, DGD, RCP*)",
      Scope::Flow,
      true,
      {{"time_ps", T::I64, "ps", "simulated time"},
       {"flow", T::U32, "", "number of the flow"},
       {"part", T::U8, "", "number of the sub-flow, from 0"},
       {"rate_mbps", T::F64, "Mb/s", "rate on the wire: measured (NUMFabric) or chosen (DGD, RCP*), 0 = unknown yet"},
       {"weight", T::F64, "Mb/s", "weight of the next packets, 0 = goes first (DGD, RCP*: the rate)"},
       {"price", T::F64, "1/(Mb/s)", "path price in the last ACK"},
       {"hops", T::U8, "", "links that added to it"},
       {"window_bytes", T::I64, "B", "window, -1 = none"}}};
}

/// A row for each part of the active flows of a host. `of` gives what a flow's state says.
struct NumFlowRow {
  double rate, weight, price;
  uint8_t hops;
};
template <class Of>
void sampleNumFlows(Network& network, int table, const Host& host, Of&& of) {
  TraceBus& trace = network.trace();
  host.forEachActive([&](Flow& f) {
    if (!trace.wantsFlow(table, f.spec.id)) return;
    uint8_t part = 0;
    for (Flow* p = f.connection; p != nullptr; p = p->nextSubflow) {
      const NumFlowRow r = of(*p);
      trace.emit(table, {network.engine().now(), f.spec.id, part++, r.rate, r.weight, r.price, r.hops, p->window});
    }
  });
}

}  // namespace fabric
