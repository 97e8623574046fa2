#include "mechanisms/hpcc/hpcc.h"

namespace fabric {

const Description& Hpcc::describe() {
  static const Description d = [] {
    Describe<Hpcc> b("hpcc", Kind::CongestionControl, "HPCC: high precision congestion control");
    b.help("Window and pacing rate from the telemetry that data packets collect and ACKs return.")
        .source("HPCC, SIGCOMM 2019, Algorithm 1; FNCC Algorithm 3")
        .needs("hpcc_int")
        .needs("hpcc_echo");
    shared(b)
        .param("header_bytes", &Hpcc::headerBytes_, Bytes{2}, "wire bytes of the telemetry header on data packets",
               "HPCC section 4.1: nHop 4 bit, pathID 12 bit")
        .range(0, 256);
    return b.done();
  }();
  return d;
}
FABRIC_REGISTER(Hpcc);

void Hpcc::onSend(Flow&, Packet& packet) {
  stack_.claim(packet).count = 0;
  packet.wireBytes += static_cast<uint32_t>(headerBytes_.n);
}

}  // namespace fabric
