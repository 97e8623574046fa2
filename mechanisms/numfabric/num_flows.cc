#include "mechanisms/numfabric/num_flows.h"

namespace fabric {

const NumFlows& numFlows() {
  static const NumFlows table{
      "num_flows",
      "flows at their senders, sampled (NUMFabric, DGD, RCP*)",
      Scope::Flow,
      true,
      {"time_ps", "simulated time"},
      {"flow", "", "number of the flow"},
      {"part", "", "number of the sub-flow, from 0"},
      {"rate_mbps", "Mb/s", "rate on the wire: measured (NUMFabric) or chosen (DGD, RCP*), 0 = unknown yet"},
      {"weight", "Mb/s", "weight of the next packets, 0 = goes first (DGD, RCP*: the rate)"},
      {"price", "1/(Mb/s)", "path price in the last ACK"},
      {"hops", "", "links that added to it"},
      {"window_bytes", "window, -1 = none"}};
  return table;
}

}  // namespace fabric
