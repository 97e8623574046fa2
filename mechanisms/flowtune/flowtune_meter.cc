#include "mechanisms/flowtune/flowtune_meter.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/flowtune/flowtune_allocator.h"

namespace fabric {

const FlowtuneMeter::Traffic& FlowtuneMeter::traffic() {
  static const Traffic table{
      "flowtune_traffic",
      "Flowtune's messages on a link, so far",
      Scope::Port,
      true,
      {"time_ps", "simulated time"},
      {"node", "node the link leaves"},
      {"port", "", "number of the port at its node"},
      {"to_allocator_bytes", "B", "frames with messages to the allocator, headers among them"},
      {"from_allocator_bytes", "B", "frames with messages of the allocator, headers among them"},
      {"ack_bytes", "B", "frames to and from the allocator without payload: ACKs of these messages"},
      {"other_bytes", "B", "all other frames"}};
  return table;
}

const Description& FlowtuneMeter::describe() {
  static const Description d =
      Describe<FlowtuneMeter>("flowtune_meter", Kind::PortAgent, "Flowtune's messages on a link")
          .help("Counts what the link carries of Flowtune's messages, headers and all, and of everything else.")
          .source("Flowtune, NSDI 2017, section 5.3.2")
          .needs("flowtune_allocator")
          .table(traffic())
          .done();
  return d;
}
FABRIC_REGISTER(FlowtuneMeter);

void FlowtuneMeter::onStart(Network& network) {
  network_ = &network;
  table_ = network.trace().find(traffic());
  for (const Node* n : network.nodes()) {
    const auto* host = dynamic_cast<const Host*>(n);
    if (host != nullptr && host->application<FlowtuneAllocator>() != nullptr) allocator_ = host->id();
  }
}

void FlowtuneMeter::onDequeue(Packet& p) {
  // Flows of the workload from or to the allocator's host count with its messages; it has none in the paper.
  if (p.dst != allocator_ && p.src != allocator_) {
    other_ += p.wireBytes;
  } else if (p.payload == 0) {
    acks_ += p.wireBytes;
  } else {
    (p.dst == allocator_ ? to_ : from_) += p.wireBytes;
  }
}

void FlowtuneMeter::onSample(int) {
  TraceBus& trace = network_->trace();
  const uint32_t node = port_->node().id();
  if (!trace.wantsPort(table_, node, port_->index())) return;
  trace.emit(table_, network_->engine().now(), NodeId{node}, port_->index(), to_, from_, acks_, other_);
}

}  // namespace fabric
