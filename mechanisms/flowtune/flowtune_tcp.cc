#include "mechanisms/flowtune/flowtune_tcp.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/flowtune/flowtune_endpoint.h"

namespace fabric {

const Description& FlowtuneTcp::describe() {
  static const Description d = [] {
    Describe<FlowtuneTcp> description("flowtune_tcp", Kind::CongestionControl, "TCP of Flowtune's servers");
    description
        .help(
            "NewReno. While the flow has a rate from the allocator, the window stands open and the rate alone counts; "
            "losses are sent again all the same. When the rate is gone, the window is what was in flight at that rate. "
            "Without flowtune_endpoint it is NewReno.")
        .source("Flowtune, NSDI 2017, sections 5.3 and 6; NewReno: chosen");
    return initialWindow(description).done();
  }();
  return d;
}
FABRIC_REGISTER(FlowtuneTcp);

void FlowtuneTcp::onStart(Network& network) {
  TcpWindow::onStart(network);
  pacing_ = network.flows().reserve<Pacing>("flowtune_tcp");
}

void FlowtuneTcp::onFlowStart(Flow& f) {
  TcpWindow::onFlowStart(f);
  pacing_.make(f);
}

void FlowtuneTcp::onSend(Flow& f, Packet&) { noticeDrained(f); }

void FlowtuneTcp::onAcked(Flow& f, const Acked& a) {
  noticeDrained(f);  // one that was stopped sends nothing more
  pacing_(f).srtt = a.srtt;
  if (!pacing_(f).on) TcpWindow::onAcked(f, a);
}

void FlowtuneTcp::onRecovery(Flow& f, uint64_t flight) {
  if (!pacing_(f).on) TcpWindow::onRecovery(f, flight);
}

void FlowtuneTcp::onTimeout(Flow& f, uint64_t flight, bool again) {
  if (!pacing_(f).on) TcpWindow::onTimeout(f, flight, again);
}

void FlowtuneTcp::onEcnEcho(Flow& f, uint64_t flight) {
  if (!pacing_(f).on) TcpWindow::onEcnEcho(f, flight);
}

void FlowtuneTcp::onIdle(Flow& f, bool restart) {
  if (!pacing_(f).on) TcpWindow::onIdle(f, restart);
}

void FlowtuneTcp::noticeDrained(const Flow& f) {
  if (endpoint_ != nullptr && f.sndNxt >= f.end) endpoint_->onDrained(f);
}

void FlowtuneTcp::open(Flow& f) {
  pacing_(f).on = true;
  f.window = -1;
}

void FlowtuneTcp::close(Flow& f, Rate rate) {
  Pacing& p = pacing_(f);
  p.on = false;
  Window& w = window(f);
  if (p.srtt.ps > 0) {
    // Of what the rate moves in a round trip the payload: segments of an MSS in frames of an MTU.
    const int128 segments =
        static_cast<int128>(rate.bps) * p.srtt.ps / (host_->mtu() * 8 * int128{1000000000000});
    w.cwnd = w.ssthresh = std::max(static_cast<int64_t>(segments), int64_t{2}) * mss();
    w.counted = 0;
  }
  apply(f, w);
}

}  // namespace fabric
