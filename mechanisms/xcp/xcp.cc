#include "mechanisms/xcp/xcp.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"

namespace fabric {

const Description& Xcp::describe() {
  static const Description d =
      Describe<Xcp>("xcp", Kind::CongestionControl, "XCP's sender")
          .help(
              "Packets carry window and round trip, and ask for what the line rate would need; ACKs bring back by how "
              "much the routers let the window change.")
          .source("XCP, SIGCOMM 2002, sections 3.2 to 3.4")
          .needs("xcp_router")
          .param("initial_window", &Xcp::initialWindow_, 1, "window at the start, in packets",
                 "chosen: the smallest; routers take no notice of the first, which names no round trip")
          .range(1, 10000)
          .extension(XcpHeader::kName, sizeof(XcpHeader), 0, "its bytes are among host.header_bytes and host.ack_bytes")
          .done();
  return d;
}
FABRIC_REGISTER(Xcp);

void Xcp::check(const Network&, Report& report) const {
  const Transport& transport = host_->transport();
  if (transport.description().name != "tcp") {
    report.refuse("xcp needs the transport tcp, and the transport is " + transport.description().name + "; take tcp",
                  {transport, *this});
  }
  if (host_->ackEvery() != 1) {
    report.refuse("xcp needs an ACK for every packet, and host.ack_every is " + std::to_string(host_->ackEvery()) +
                      "; set it to 1",
                  {{*host_, "ack_every"}, *this});
  }
}

void Xcp::onStart(Network& network) {
  state_ = network.flows().reserve<State>("xcp");
  header_ = network.packets().reserve<XcpHeader>(XcpHeader::kName);
  packet_ = static_cast<double>(host_->mtu());
  perSecond_ = static_cast<double>(host_->lineRate().bps) / 8;
}

/// The window in payload, which the transport counts; the paper's floor is one packet.
void Xcp::set(Flow& f, double cwnd) const {
  const double packets = std::max(cwnd / packet_, 1.0);
  state_(f).cwnd = packets * packet_;
  f.window = static_cast<int64_t>(packets * static_cast<double>(host_->payloadPerPacket()));
}

void Xcp::onFlowStart(Flow& f) {
  state_.make(f);
  set(f, static_cast<double>(initialWindow_) * packet_);
}

/// What is asked for is spread over the packets of a window.
void Xcp::onSend(Flow& f, Packet& p) {
  const State& s = state_(f);
  XcpHeader& h = header_.claim(p);
  h.cwnd = s.cwnd;
  h.rtt = s.rtt;
  const double desired = perSecond_ * static_cast<double>(s.rtt.ps) * 1e-12;
  h.feedback = s.rtt.ps == 0 ? 0 : (desired - s.cwnd) * static_cast<double>(p.wireBytes) / s.cwnd;
}

void Xcp::onAck(Flow& f, const Packet& ack) { set(f, state_(f).cwnd + header_(ack).feedback); }

void Xcp::onAcked(Flow& f, const Acked& a) { state_(f).rtt = a.srtt; }

/// Section 3.2: XCP responds to losses as TCP does.
void Xcp::onRecovery(Flow& f, uint64_t) { set(f, state_(f).cwnd / 2); }

void Xcp::onTimeout(Flow& f, uint64_t, bool) { set(f, packet_); }

}  // namespace fabric
