#include "mechanisms/hpcc/hpcc_int.h"

#include "mechanisms/core/network.h"
#include "mechanisms/hpcc/int_stack.h"

namespace fabric {

const Description& HpccInt::describe() {
  static const Description d =
      Describe<HpccInt>("hpcc_int", Kind::PortAgent, "HPCC's telemetry on data packets")
          .help(
              "As a data packet leaves its egress queue, the port adds its rate, the time, the bytes it has sent "
              "before this packet and the data bytes that still wait.")
          .source("HPCC, SIGCOMM 2019, section 4.1")
          .param("record_bytes", &HpccInt::recordBytes_, Bytes{8}, "wire bytes per record", "HPCC section 4.1: 64 bit")
          .range(0, 64)
          .param("quantised", &HpccInt::quantised_, false, "values at the resolution of the 64-bit record",
                 "HPCC section 4.1")
          .extension(IntStack::kName, sizeof(IntStack), IntStack::kMostWireBytes,
                     "2 B + 8 B per hop, on data and on the ACK")
          .done();
  return d;
}
FABRIC_REGISTER(HpccInt);

void HpccInt::onStart(Network& network) {
  engine_ = &network.engine();
  stack_ = network.packets().reserve<IntStack>(IntStack::kName);
}

void HpccInt::onDequeue(Packet& packet) {
  if (packet.kind != PacketKind::Data) return;
  IntStack* stack = stack_.of(packet);
  if (stack != nullptr && stack->push(IntRecord::of(*port_, engine_->now(), quantised_))) {
    packet.wireBytes += static_cast<uint32_t>(recordBytes_.n);
    packet.growsAt(stack->end());
  }
}

}  // namespace fabric
