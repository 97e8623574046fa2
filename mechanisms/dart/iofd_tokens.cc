#include "mechanisms/dart/iofd_tokens.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"
#include "mechanisms/dart/iofd.h"

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

void IofdTokens::check(const Network&, Report& report) const {
  const auto* host = dynamic_cast<const Host*>(&port_->node());
  if (host == nullptr) {
    report.refuse("iofd_tokens gives tokens where a message begins, and is among port_agents; put it into nic_agents",
                  {*this});
    return;
  }
  const Transport& transport = host->transport();
  // Packets of a message come by a table entry in the order of its bytes, the last one last.
  if (transport.parts() > 1) {
    report.refuse("iofd_tokens needs all packets of a message on one path, and " + transport.description().name +
                      " splits it into " + std::to_string(transport.parts()) +
                      " sub-flows; use another transport, or leave iofd and iofd_tokens out",
                  {transport, *this});
  }
}

void IofdTokens::checkFlow(const FlowSpec& f, const Host&, Report& report) const {
  const auto* iofd = port_->node().network().first<Iofd>();
  if (iofd == nullptr || !mayDeflect(f) || iofd->isLane(f.cls)) return;
  report.refuse("the class of a flow is " + std::to_string(f.cls) +
                    ", which is no lane of iofd (data_class, escape_class), so it would never be deflected; give it "
                    "one of these, or name its class as a lane",
                {Spot::flow("class"), {*iofd, "data_class"}});
}

void IofdTokens::onStart(Network& network) { header_ = network.packets().reserve<IofdHeader>(IofdHeader::kName); }

/// Who may be stopped has no last packet then.
bool IofdTokens::mayDeflect(const FlowSpec& f) const {
  return tokens_ != 0 && f.size != 0 && f.size <= static_cast<uint64_t>(shortMessage_.n) && f.stop.ps < 0;
}

/// What is sent again takes the shortest path: copies on their way would have to take the turns that it takes. What is
/// sent for the first time after it has its tokens all the same, so that the last packet comes by all table entries of
/// its message. The newest packet may have them again: it goes behind its copy, and begins nothing; if it is a last
/// packet that was lost, it ends what that one would have ended. A first packet may not, as it begins deflections.
void IofdTokens::onEnqueue(Packet& packet) {
  if (packet.kind != PacketKind::Data) return;
  IofdHeader& h = header_.fill(packet);
  const Flow& flow = *packet.flow;
  if (!mayDeflect(flow.spec) || packet.payload == 0) return;  // what opens a connection is no first packet
  const bool newest = packet.seq + packet.payload == flow.highest;
  if (newest && (packet.seq != 0 || flow.retransmittedBytes == 0)) h.tokens = static_cast<uint8_t>(tokens_);
}

}  // namespace fabric
