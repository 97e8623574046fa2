#include "mechanisms/tcp/lia.h"

#include <algorithm>
#include <cstring>

#include "mechanisms/core/network.h"

namespace fabric {

const Description& Lia::describe() {
  static const Description d = [] {
    Describe<Lia> description("lia", Kind::CongestionControl, "MPTCP's coupled increase (LIA)");
    description
        .help(
            "NewReno on every sub-flow, but in congestion avoidance all together grow no faster than one TCP on the "
            "best path.")
        .source("RFC 6356");
    return ecn(initialWindow(description)).done();
  }();
  return d;
}
FABRIC_REGISTER(Lia);

void Lia::onStart(Network& network) {
  TcpWindow::onStart(network);
  state_ = network.flows().reserve<State>("lia");
}

void Lia::onFlowStart(Flow& f) {
  TcpWindow::onFlowStart(f);
  state_.make(f);
}

void Lia::keep(Flow& f, std::byte* to) {
  TcpWindow::keep(f, to);
  std::memcpy(to + TcpWindow::keptBytes(), &state_(f), sizeof(State));
}

void Lia::resume(Flow& f, const std::byte* from) {
  TcpWindow::resume(f, from);
  std::memcpy(&state_(f), from + TcpWindow::keptBytes(), sizeof(State));
}

void Lia::onAcked(Flow& f, const Acked& a) {
  state_(f).rtt = static_cast<double>(a.srtt.ps);
  TcpWindow::onAcked(f, a);
}

/// RFC 6356 section 3: alpha = total * max(cwnd_i / rtt_i^2) / (sum of cwnd_i / rtt_i)^2.
void Lia::avoid(Flow& f, Window& w, const Acked& a) {
  double total = 0, best = 0, sum = 0;
  for (Flow* part = f.connection; part != nullptr; part = part->nextSubflow) {
    const double rtt = state_(*part).rtt;
    if (rtt == 0) continue;  // nothing is known of its path yet
    const auto cwnd = static_cast<double>(window(*part).cwnd);
    total += cwnd;
    best = std::max(best, cwnd / (rtt * rtt));
    sum += cwnd / rtt;
  }
  const double alpha = total * best / (sum * sum);
  const double bytes = static_cast<double>(a.bytes) * static_cast<double>(mss());
  State& s = state_(f);
  const double more = std::min(alpha * bytes / total, bytes / static_cast<double>(w.cwnd)) + s.grown;
  const auto whole = static_cast<int64_t>(more);
  s.grown = more - static_cast<double>(whole);
  w.cwnd += whole;
}

}  // namespace fabric
