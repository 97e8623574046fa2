#include "mechanisms/dcqcn/cnp_generator.h"

#include <algorithm>
#include <utility>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

const CnpGenerator::MarkedFlows& CnpGenerator::markedFlows() {
  static const MarkedFlows table{"marked_flows",
                                 "marks that DCQCN's notification point saw of flows, a row as each ends, or the run",
                                 Scope::Flow,
                                 false,
                                 {"time_ps", "simulated time"},
                                 {"flow", "", "number of the flow"},
                                 {"size_bytes", "B", "payload of the flow, 0 = unlimited"},
                                 {"packets", "1", "data packets that came"},
                                 {"marked", "1", "of these, marked ones"}};
  return table;
}

const Description& CnpGenerator::describe() {
  static const Description d =
      Describe<CnpGenerator>("cnp_generator", Kind::ReceiverAgent, "DCQCN's notification point")
          .help("A marked data packet is answered by a CNP, at most one per flow and interval.")
          .source("DCQCN, SIGCOMM 2015, section 3.1 (NP algorithm)")
          .param("interval", &CnpGenerator::interval_, Time::Us(50), "shortest time between two CNPs of a flow",
                 "DCQCN section 3.1: 50 us")
          .live()
          .table(markedFlows())
          .done();
  return d;
}
FABRIC_REGISTER(CnpGenerator);

void CnpGenerator::onStart(Network& network) {
  network_ = &network;
  engine_ = &network.engine();
  table_ = network.trace().find(markedFlows());
  state_ = network.flows().reserve<State>("cnp_generator", FlowEnd::Receiver);
}

void CnpGenerator::onFlowStart(Flow& flow) {
  State& s = state_.make(flow);
  if (!network_->trace().on(table_)) return;
  s.place = counted_.size();
  counted_.push_back(&flow);
}

void CnpGenerator::onFlowEnd(Flow& flow) {
  if (!network_->trace().on(table_)) return;
  emit(flow);
  const size_t place = state_(flow).place;
  counted_[place] = counted_.back();
  state_(*counted_[place]).place = place;
  counted_.pop_back();
}

/// The receiver hears of an end a while after the sender is done, so not of that with which the run ends.
void CnpGenerator::onFinish() {
  std::sort(counted_.begin(), counted_.end(), [](const Flow* a, const Flow* b) {
    return std::make_pair(a->spec.id, a->spec.srcPort) < std::make_pair(b->spec.id, b->spec.srcPort);
  });
  for (Flow* flow : counted_) emit(*flow);
}

void CnpGenerator::emit(Flow& flow) const {
  TraceBus& trace = network_->trace();
  if (!trace.wantsFlow(table_, flow.spec.id) || !trace.wantsTime(table_, engine_->now())) return;
  const State& s = state_(flow);
  trace.emit(table_, engine_->now(), flow.spec.id, flow.spec.size, s.packets, s.marked);
}

void CnpGenerator::onData(Flow& flow, Packet& packet) {
  State& s = state_(flow);
  ++s.packets;
  s.marked += packet.marked;
  const Time now = engine_->now();
  if (!packet.marked || (s.sent && now - s.lastCnp < interval_)) return;
  s.sent = true;
  s.lastCnp = now;
  host_->sendControl(host_->controlFromReceiver(flow, ControlTypes::kCnp, static_cast<uint32_t>(host_->cnpBytes())));
}

}  // namespace fabric
