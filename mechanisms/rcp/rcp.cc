#include "mechanisms/rcp/rcp.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

const Description& Rcp::describe() {
  static const Description d =
      Describe<Rcp>("rcp", Kind::CongestionControl, "RCP's sender")
          .help("Packets ask for the line rate, routers lower that to their own rate, and ACKs bring it back.")
          .source("RCP: Dukkipati et al., IWQoS 2005; Dukkipati's thesis, 2008 (recalled)")
          .needs("rcp_rate")
          .param("initial_window", &Rcp::initialWindow_, 1,
                 "packets that go, at line rate, before the first ACK says a rate",
                 "chosen: RCP asks for its rate with the SYN, which is not modelled")
          .range(1, 10000)
          .param("min_rate", &Rcp::minRate_, Rate::Mbps(10), "smallest rate", "chosen")
          .range(1, 1e12)
          .live()
          .extension(RcpHeader::kName, sizeof(RcpHeader), 0, "its bytes are among host.header_bytes and host.ack_bytes")
          .done();
  return d;
}
FABRIC_REGISTER(Rcp);

void Rcp::onStart(Network& network) {
  engine_ = &network.engine();
  state_ = network.flows().reserve<State>("rcp");
  header_ = network.packets().reserve<RcpHeader>(RcpHeader::kName);
}

void Rcp::onFlowStart(Flow& flow) {
  state_.make(flow);
  flow.window = initialWindow_ * host_->payloadPerPacket();
}

void Rcp::onSend(Flow& flow, Packet& packet) {
  header_.claim(packet) = {static_cast<double>(host_->lineRate().bps), state_(flow).rtt};
}

void Rcp::onAck(Flow& flow, const Packet& ack) {
  state_(flow).rtt = engine_->now() - ack.sentAt;
  const Rate line = host_->lineRate();
  flow.rate = std::clamp(Rate{static_cast<int64_t>(header_(ack).rate)}, std::min(minRate_, line), line);
  flow.window = -1;
}

}  // namespace fabric
