#include "mechanisms/tcp/dctcp.h"

#include <algorithm>
#include <cstring>

#include "mechanisms/core/network.h"

namespace fabric {

const Description& Dctcp::describe() {
  static const Description d = [] {
    Describe<Dctcp> description("dctcp", Kind::CongestionControl, "DCTCP");
    description.help("The share of marked bytes per window, averaged, says how much a mark cuts the window.")
        .source("RFC 8257")
        .param("g", &Dctcp::g_, 1.0 / 16, "gain of the average", "RFC 8257 section 4.2: 1/16")
        .range(1e-6, 1)
        .live()
        .param("initial_alpha", &Dctcp::initialAlpha_, 1.0, "alpha at the start", "RFC 8257 section 4.2: 1")
        .range(0, 1);
    return initialWindow(description).done();
  }();
  return d;
}
FABRIC_REGISTER(Dctcp);

void Dctcp::onStart(Network& network) {
  TcpWindow::onStart(network);
  state_ = network.flows().reserve<State>("dctcp");
}

void Dctcp::onFlowStart(Flow& f) {
  TcpWindow::onFlowStart(f);
  State& s = state_.make(f);
  s.alpha = initialAlpha_;
}

void Dctcp::keep(Flow& f, std::byte* to) {
  TcpWindow::keep(f, to);
  State s = state_(f);
  s.windowEnd = s.cutUntil = 0;  // all that was sent is acknowledged; the next message's bytes count from 0
  std::memcpy(to + TcpWindow::keptBytes(), &s, sizeof s);
}

void Dctcp::resume(Flow& f, const std::byte* from) {
  TcpWindow::resume(f, from);
  std::memcpy(&state_(f), from + TcpWindow::keptBytes(), sizeof(State));
}

/// RFC 8257 section 3.3.
void Dctcp::onAcked(Flow& f, const Acked& a) {
  State& s = state_(f);
  s.acked += a.bytes;
  if (a.echo) s.marked += a.bytes;
  if (f.sndUna > s.windowEnd) {
    const double share = s.acked == 0 ? 0 : static_cast<double>(s.marked) / static_cast<double>(s.acked);
    s.alpha = s.alpha * (1 - g_) + g_ * share;
    s.windowEnd = f.sndNxt;
    s.acked = s.marked = 0;
  }
  if (a.echo && !a.recovering && !a.afterTimeout && f.sndUna >= s.cutUntil) {
    Window& w = window(f);
    w.cwnd = std::max(static_cast<int64_t>(static_cast<double>(w.cwnd) * (1 - s.alpha / 2)), 2 * mss());
    w.ssthresh = w.cwnd;
    w.counted = 0;
    s.cutUntil = f.sndNxt;
    apply(f, w);
  }
  TcpWindow::onAcked(f, a);
}

}  // namespace fabric
