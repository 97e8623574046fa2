#include "mechanisms/dcqcn/cnp_generator.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

const Description& CnpGenerator::describe() {
  static const Description d =
      Describe<CnpGenerator>("cnp_generator", Kind::ReceiverAgent, "DCQCN's notification point")
          .help("A marked data packet is answered by a CNP, at most one per flow and interval.")
          .source("DCQCN, SIGCOMM 2015, section 3.1 (NP algorithm)")
          .param("interval", &CnpGenerator::interval_, Time::Us(50), "shortest time between two CNPs of a flow",
                 "DCQCN section 3.1: 50 us")
          .live()
          .done();
  return d;
}
FABRIC_REGISTER(CnpGenerator);

void CnpGenerator::onStart(Network& network) {
  engine_ = &network.engine();
  state_ = network.flows().reserve<State>("cnp_generator");
}

void CnpGenerator::onFlowStart(Flow& flow) { state_.make(flow); }

void CnpGenerator::onData(Flow& flow, Packet& packet) {
  State& s = state_(flow);
  const Time now = engine_->now();
  if (!packet.marked || (s.sent && now - s.lastCnp < interval_)) return;
  s.sent = true;
  s.lastCnp = now;
  host_->sendControl(host_->controlFromReceiver(flow, ControlTypes::kCnp, static_cast<uint32_t>(host_->cnpBytes())));
}

}  // namespace fabric
