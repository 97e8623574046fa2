#include "mechanisms/hpcc/hpcc_echo.h"

#include "mechanisms/core/network.h"
#include "mechanisms/hpcc/int_stack.h"

namespace fabric {

const Description& HpccEcho::describe() {
  static const Description d =
      Describe<HpccEcho>("hpcc_echo", Kind::ReceiverAgent, "HPCC's telemetry on the ACK")
          .help("The ACK carries the records of the data packet it answers.")
          .source("HPCC, SIGCOMM 2019, section 4.1")
          .param("header_bytes", &HpccEcho::headerBytes_, Bytes{2}, "wire bytes before the records",
                 "HPCC section 4.1: nHop 4 bit, pathID 12 bit")
          .range(0, 64)
          .param("record_bytes", &HpccEcho::recordBytes_, Bytes{8}, "wire bytes per record", "HPCC section 4.1: 64 bit")
          .range(0, 64)
          .done();
  return d;
}
FABRIC_REGISTER(HpccEcho);

void HpccEcho::onStart(Network& network) { stack_ = network.packets().reserve<IntStack>(IntStack::kName); }

void HpccEcho::onAck(Flow&, Packet& packet) {
  const IntStack* stack = stack_.of(packet);
  if (stack == nullptr) return;  // the sender has another congestion control
  packet.wireBytes += static_cast<uint32_t>(headerBytes_.n + recordBytes_.n * stack->count);
}

}  // namespace fabric
