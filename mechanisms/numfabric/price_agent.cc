#include "mechanisms/numfabric/price_agent.h"

#include "mechanisms/core/network.h"
#include "mechanisms/core/node.h"

namespace fabric {

const PriceAgent::Prices& PriceAgent::prices() {
  static const Prices table{
      "prices",
      "prices of ports, sampled (NUMFabric, DGD, RCP*)",
      Scope::Port,
      true,
      {"time_ps", "simulated time"},
      {"node", "the node whose port it is"},
      {"port", "", "number of the port at its node"},
      {"price", "1/(Mb/s)", "what the link adds to a path's price: utility per Mb/s"},
      {"load", "1", "traffic of the last interval as a share of the capacity, as the mechanism counts it"}};
  return table;
}

void PriceAgent::attach(Port& port, uint8_t index) {
  PortAgent::attach(port, index);
  timer_.setKey(port.timerKey());
}

void PriceAgent::onStart(Network& network) {
  network_ = &network;
  table_ = network.trace().find(prices());
  engine_ = &network.engine();
  header_ = network.packets().reserve<NumHeader>(NumHeader::kName);
}

void PriceAgent::onEnqueue(Packet& packet) {
  arrives(packet, packet.kind == PacketKind::Data ? header_.of(packet) : nullptr);
  quiet_ = false;
  startTimer();
}

/// Updates come on one grid of times at all ports, and only while they change something.
void PriceAgent::startTimer() {
  if (!timer_.pending()) engine_->schedule(timer_, Time{(now().ps / interval_.ps + 1) * interval_.ps});
}

void PriceAgent::onDequeue(Packet& packet) {
  leaves(packet);
  NumHeader* h = packet.kind == PacketKind::Data ? header_.of(packet) : nullptr;
  if (h == nullptr) return;
  h->price += price_;
  ++h->hops;
}

void PriceAgent::tick() {
  update();
  if (!quiet_ || port_->dataQueueBytes() > 0 || !settled()) engine_->schedule(timer_, now() + interval_);
  quiet_ = true;
}

void PriceAgent::onSample(int) {
  const uint32_t node = port_->node().id();
  if (!network_->trace().wantsPort(table_, node, port_->index())) return;
  network_->trace().emit(table_, now(), NodeId{node}, port_->index(), price_, load_);
}

}  // namespace fabric
