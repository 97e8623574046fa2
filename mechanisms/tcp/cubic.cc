#include "mechanisms/tcp/cubic.h"

#include <algorithm>
#include <cstring>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/portable_math.h"

namespace fabric {

const Description& Cubic::describe() {
  static const Description d = [] {
    Describe<Cubic> description("cubic", Kind::CongestionControl, "TCP CUBIC");
    description.help("The window is a cubic function of the time since the last loss, and at least Reno's.")
        .source("RFC 9438")
        .param("c", &Cubic::c_, 0.4, "C: how fast the window grows, in segments per second cubed",
               "RFC 9438 section 5: 0.4")
        .range(1e-6, 1e6)
        .live()
        .param("beta", &Cubic::beta_, 0.7, "share of the window that is kept after a loss", "RFC 9438 section 4.6: 0.7")
        .range(0.1, 0.99)
        .live()
        .param("fast_convergence", &Cubic::fastConvergence_, true, "a window that shrinks makes more room for others",
               "RFC 9438 section 4.7")
        .live()
        .param("reno_friendly", &Cubic::friendly_, true, "the window is never below Reno's", "RFC 9438 section 4.3")
        .live();
    return ecn(initialWindow(description)).done();
  }();
  return d;
}
FABRIC_REGISTER(Cubic);

void Cubic::onStart(Network& network) {
  TcpWindow::onStart(network);
  engine_ = &network.engine();
  state_ = network.flows().reserve<State>("cubic");
}

void Cubic::onFlowStart(Flow& f) {
  TcpWindow::onFlowStart(f);
  state_.make(f);
}

/// RFC 9438 section 4.2 to 4.5. Windows in segments, times in seconds.
void Cubic::avoid(Flow& f, Window& w, const Acked& a) {
  State& s = state_(f);
  const double mss = static_cast<double>(this->mss());
  const double cwnd = static_cast<double>(w.cwnd) / mss;
  const double acked = static_cast<double>(a.bytes) / mss;
  if (s.epoch.ps < 0) {
    s.epoch = engine_->now();
    if (s.most < cwnd) s.most = cwnd;  // no loss yet, or grown beyond it in slow start: K = 0
    s.k = portable::cubeRoot((s.most - cwnd) / c_);
    s.estimate = cwnd;
    s.grown = 0;
  }
  const double t = static_cast<double>((engine_->now() - s.epoch).ps) * 1e-12;
  const double rtt = static_cast<double>(a.srtt.ps) * 1e-12;
  const double ahead = t + rtt - s.k, here = t - s.k;
  const double target = std::clamp(c_ * ahead * ahead * ahead + s.most, cwnd, 1.5 * cwnd);
  const double alpha = s.estimate >= s.prior ? 1 : 3 * (1 - beta_) / (1 + beta_);
  s.estimate += alpha * acked / cwnd;
  double next = cwnd + (target - cwnd) / cwnd * acked;
  if (friendly_ && c_ * here * here * here + s.most < s.estimate) next = std::max(cwnd, s.estimate);
  const double bytes = next * mss + s.grown;
  w.cwnd = static_cast<int64_t>(bytes);
  s.grown = bytes - static_cast<double>(w.cwnd);
  s.runsTo = engine_->now();
}

/// RFC 9438 sections 4.2 and 5.8: time in which the sender does not fill its window is none of the curve's.
void Cubic::limited(Flow& f) {
  State& s = state_(f);
  if (s.epoch.ps < 0) return;
  s.epoch = s.epoch + (engine_->now() - s.runsTo);
  s.runsTo = engine_->now();
}

void Cubic::onIdle(Flow& f, bool restart) {
  limited(f);
  if (restart) state_(f).epoch = Time{-1};  // congestion avoidance begins again behind slow start
  TcpWindow::onIdle(f, restart);
}

void Cubic::keep(Flow& f, std::byte* to) {
  TcpWindow::keep(f, to);
  std::memcpy(to + TcpWindow::keptBytes(), &state_(f), sizeof(State));
}

void Cubic::resume(Flow& f, const std::byte* from) {
  TcpWindow::resume(f, from);
  std::memcpy(&state_(f), from + TcpWindow::keptBytes(), sizeof(State));
}

/// RFC 9438 section 4.8: the curve behind a timeout begins flat where slow start ends.
void Cubic::onTimeout(Flow& f, uint64_t flight, bool again) {
  TcpWindow::onTimeout(f, flight, again);
  state_(f).most = 0;
}

/// RFC 9438 sections 4.6 and 4.7.
int64_t Cubic::afterLoss(Flow& f, Window& w, uint64_t flight) {
  State& s = state_(f);
  const double cwnd = static_cast<double>(w.cwnd) / static_cast<double>(mss());
  s.most = fastConvergence_ && cwnd < s.most ? cwnd * (1 + beta_) / 2 : cwnd;
  s.prior = cwnd;
  s.epoch = Time{-1};
  return static_cast<int64_t>(static_cast<double>(flight) * beta_);
}

}  // namespace fabric
