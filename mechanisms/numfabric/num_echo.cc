#include "mechanisms/numfabric/num_echo.h"

#include "mechanisms/core/network.h"

namespace fabric {

const Description& NumEcho::describe() {
  static const Description d =
      Describe<NumEcho>("num_echo", Kind::ReceiverAgent, "Path price, path length and inter-packet time on the ACK")
          .help(
              "The ACK returns the header of the data packet that it answers, the time since the ACK before, and the "
              "bytes that came in it. With one ACK per packet that time is the time between two packets.")
          .source("NUMFabric, SIGCOMM 2016, sections 4.1 and 5")
          .param("header_bytes", &NumEcho::headerBytes_, Bytes{0}, "wire bytes on an ACK; 0: host.ack_bytes has them",
                 "NUMFabric's authors' simulator: an ACK is 90 B with all headers")
          .range(0, 256)
          .extension(NumHeader::kName, sizeof(NumHeader), 0, "header_bytes on ACKs, which are shorter than data")
          .done();
  return d;
}
FABRIC_REGISTER(NumEcho);

void NumEcho::onStart(Network& network) {
  engine_ = &network.engine();
  header_ = network.packets().reserve<NumHeader>(NumHeader::kName);
  state_ = network.flows().reserve<State>("num_echo", FlowEnd::Receiver);
}

void NumEcho::onAck(Flow& flow, Packet& packet) {
  NumHeader* h = header_.of(packet);
  if (h == nullptr) return;  // the sender has another congestion control
  State& s = state_(flow);
  const Time now = engine_->now();
  h->interval = s.lastAt.ps < 0 ? Time{-1} : now - s.lastAt;
  h->bytes = s.bytes;
  s = {packet.seq > 0 ? now : Time{-1}, 0};  // the answer to a handshake begins no interval
  packet.wireBytes += static_cast<uint32_t>(headerBytes_.n);
}

}  // namespace fabric
