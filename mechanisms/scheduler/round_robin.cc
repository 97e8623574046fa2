#include "mechanisms/scheduler/round_robin.h"

namespace fabric {

const Description& RoundRobin::describe() {
  static const Description d =
      Describe<RoundRobin>("round_robin", Kind::FlowScheduler, "Flows take turns, packet by packet")
          .help("Of n flows of a class that may send, each sends every n-th packet, however long it was silent before.")
          .source("chosen: what RDMA NICs do between queue pairs")
          .done();
  return d;
}
FABRIC_REGISTER(RoundRobin);

}  // namespace fabric
