#include "mechanisms/transport/mptcp.h"

#include "mechanisms/core/host.h"

namespace fabric {

const Description& Mptcp::describe() {
  static const Description d = [] {
    Describe<Mptcp> description("mptcp", Kind::Transport, "MPTCP: TCP over several sub-flows");
    description
        .help(
            "Every sub-flow is a TCP connection with ports of its own. A byte goes to the sub-flow that may send next "
            "and stays there.")
        .source("RFC 8684; CONGA section 5: 8 sub-flows")
        .param("subflows", &Mptcp::subflows_, 8, "number of sub-flows", "CONGA section 5 (recalled): 8")
        .range(1, 64);
    return parameters(description).done();
  }();
  return d;
}
FABRIC_REGISTER(Mptcp);

void Mptcp::onFlowStart(Flow& f) {
  begin(f, 0);
  for (uint32_t i = 1; i < subflows_; ++i) {
    const auto port = static_cast<uint16_t>(f.spec.srcPort + i);
    begin(host_->addSubflow(f, i, port, static_cast<uint16_t>(f.spec.dstPort + i)), i);
  }
}

}  // namespace fabric
