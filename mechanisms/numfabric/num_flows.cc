#include "mechanisms/numfabric/num_flows.h"

namespace fabric {

TableDesc numFlowsTable() {
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

}  // namespace fabric
