#include "mechanisms/fncc/fncc_int.h"

#include "mechanisms/core/network.h"
#include "mechanisms/core/node.h"
#include "mechanisms/core/report.h"

namespace fabric {

const Description& FnccInt::describe() {
  static const Description d =
      Describe<FnccInt>("fncc_int", Kind::PortAgent, "FNCC's telemetry on ACKs: All_INT_Table")
          .help(
              "An ACK that came in by port i gets, as it leaves, the record of egress port i: the queue that the "
              "data packets of its flow use. The last hop of the data path therefore writes record 0.")
          .source("FNCC, Algorithm 1")
          .param("record_bytes", &FnccInt::recordBytes_, Bytes{8}, "wire bytes per record", "FNCC section 4.3: 64 bit")
          .range(0, 64)
          .param("refresh", &FnccInt::period_, Time{0}, "refresh period of All_INT_Table; 0 = always current",
                 "FNCC section 4.1: periodically (period chosen)")
          .live()
          .param("quantised", &FnccInt::quantised_, false, "values at the resolution of the 64-bit record",
                 "FNCC section 4.3")
          .extension(IntStack::kName, sizeof(IntStack), IntStack::kMostWireBytes, "2 B + 8 B per hop, on the ACK")
          .done();
  return d;
}
FABRIC_REGISTER(FnccInt);

void FnccInt::attach(Port& port, uint8_t index) {
  PortAgent::attach(port, index);
  timer_.setKey(port.timerKey());
}

void FnccInt::check(const Network&, Report& report) const {
  for (const Port* p : port_->node().ports()) {
    if (p->agent<FnccInt>() == nullptr) {
      report.refuse("fncc_int has a table of all ports of its switch, and one has no fncc_int; add it to port_agents",
                    {*this, Spot::slot("port_agents")});
    }
  }
}

void FnccInt::onStart(Network& network) {
  engine_ = &network.engine();
  stack_ = network.packets().reserve<IntStack>(IntStack::kName);
  n_ = network.packets().reserve<FnccCount>(FnccCount::kName);
  for (const Port* p : port_->node().ports()) table_.push_back(p->agent<FnccInt>());
  refresh();
}

void FnccInt::refresh() {
  entry_ = IntRecord::of(*port_, engine_->now(), quantised_);
  if (period_.ps > 0 && !timer_.pending()) engine_->schedule(timer_, engine_->now() + period_);
}

IntRecord FnccInt::entry() const {
  return period_.ps == 0 ? IntRecord::of(*port_, engine_->now(), quantised_) : entry_;
}

void FnccInt::onDequeue(Packet& packet) {
  if (packet.kind != PacketKind::Ack || n_.of(packet) == nullptr) return;
  IntStack* stack = stack_.of(packet);
  if (stack == nullptr) {  // the first switch that it meets
    stack = &stack_.claim(packet);
    stack->count = 0;
  }
  if (stack->push(table_[packet.ingress]->entry())) {
    packet.wireBytes += static_cast<uint32_t>(recordBytes_.n);
    packet.growsAt(stack->end());
  }
}

}  // namespace fabric
