#include "mechanisms/dart/iofd_tokens.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

const Description& IofdTokens::describe() {
  static const Description d =
      Describe<IofdTokens>("iofd_tokens", Kind::PortAgent, "Deflection tokens of short messages, at the sender's NIC")
          .help("Packets of a short message get tokens as they leave for the NIC, packets of other ones none.")
          .source("Dart, sections IV-A, IV-B and VI-A")
          .param("tokens", &IofdTokens::tokens_, 4, "how often a short message may be deflected; 0: never",
                 "Dart section VI-A: 4")
          .range(0, (1 << IofdHeader::kTokenBits) - 1)
          .param("short_message", &IofdTokens::shortMessage_, Bytes{8192}, "messages up to this size are short",
                 "Dart section VI-A: 2 to 8 KB")
          .extension(IofdHeader::kName, sizeof(IofdHeader), 0, "tokens, in spare bits of the header (chosen)")
          .done();
  return d;
}
FABRIC_REGISTER(IofdTokens);

void IofdTokens::onStart(Network& network) {
  header_ = network.packets().reserve<IofdHeader>(IofdHeader::kName);
  const auto* host = dynamic_cast<const Host*>(&port_->node());
  if (host == nullptr) {
    throw ParamError("port_agents of " + port_->node().name() +
                     ": iofd_tokens gives tokens where a message begins; put it into nic_agents");
  }
  const Transport& transport = host->transport();
  // Packets of a message come by a table entry in the order of its bytes, the last one last.
  if (transport.parts() > 1) {
    throw ParamError("iofd_tokens: all packets of a message take one path, and " + transport.description().name +
                     " of " + host->name() + " splits it into " + std::to_string(transport.parts()) +
                     " sub-flows; use another transport, or leave iofd and iofd_tokens out");
  }
}

/// What is sent again takes the shortest path: copies on their way would have to take the turns that it takes. What is
/// sent for the first time after it has its tokens all the same, so that the last packet comes by all table entries of
/// its message. The newest packet may have them again: it goes behind its copy, and begins nothing; if it is a last
/// packet that was lost, it ends what that one would have ended. A first packet may not, as it begins deflections.
void IofdTokens::onEnqueue(Packet& packet) {
  if (packet.kind != PacketKind::Data) return;
  IofdHeader& h = header_.fill(packet);
  const Flow& flow = *packet.flow;
  // Who may be stopped has no last packet then, and what opens a connection is no first one.
  const bool isShort = flow.spec.size != 0 && flow.spec.size <= static_cast<uint64_t>(shortMessage_.n);
  if (!isShort || flow.spec.stop.ps >= 0 || packet.payload == 0) return;
  const bool newest = packet.seq + packet.payload == flow.highest;
  if (newest && (packet.seq != 0 || flow.retransmittedBytes == 0)) h.tokens = static_cast<uint8_t>(tokens_);
}

}  // namespace fabric
