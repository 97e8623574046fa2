#include "mechanisms/tcp/tcp_window.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"
#include "mechanisms/tcp/tcp.h"

namespace fabric {

/// Over another transport nobody would say what is acknowledged, and the window would never move.
void TcpWindow::check(const Network&, Report& report) const {
  const Transport& transport = host_->transport();
  if (dynamic_cast<const Tcp*>(&transport) != nullptr) return;
  report.refuse(description().name + " needs the transport tcp or mptcp, and the transport is " +
                    transport.description().name + "; take one of these",
                {transport, *this});
}

void TcpWindow::onStart(Network& network) {
  window_ = network.flows().reserve<Window>("tcp_window");
  mss_ = host_->payloadPerPacket();
}

void TcpWindow::onFlowStart(Flow& f) {
  Window& w = window_.make(f);
  w.cwnd = initialWindow_ * mss_;
  w.ssthresh = std::numeric_limits<int64_t>::max();  // RFC 5681: arbitrarily high
  apply(f, w);
}

/// A window that the sender does not fill says nothing about the network and does not grow. In slow
/// start, which doubles it, more than half full is full.
void TcpWindow::onAcked(Flow& f, const Acked& a) {
  if (a.bytes == 0 || a.recovering || a.echo) return;
  Window& w = window(f);
  const auto used = static_cast<int64_t>(a.peak);
  if (w.cwnd < w.ssthresh) {
    if (w.cwnd >= 2 * used) return;
    // RFC 3465: at most two segments per ACK, one where a timeout's losses are being sent again.
    w.cwnd += std::min(static_cast<int64_t>(a.bytes), (a.afterTimeout ? 1 : 2) * mss_);
  } else {
    if (w.cwnd >= used + 2 * mss_) return limited(f);
    avoid(f, w, a);
  }
  apply(f, w);
}

/// Raiciu et al., NSDI 2012, section 4.2: half the window, and no slow start back to where it was. Linux has it like
/// this for every congestion control.
void TcpWindow::onPenalty(Flow& f) {
  Window& w = window(f);
  w.cwnd = std::max(w.cwnd / 2, mss_);
  w.ssthresh = std::max(w.cwnd, 2 * mss_);
  w.counted = 0;
  apply(f, w);
}

/// RFC 5681 section 4.1: what was in flight has left no ACK clock to send the window by.
void TcpWindow::onIdle(Flow& f, bool restart) {
  Window& w = window(f);
  if (!restart || w.cwnd <= initialWindow_ * mss_) return;
  w.cwnd = initialWindow_ * mss_;
  w.counted = 0;
  apply(f, w);
}

void TcpWindow::keep(Flow& f, std::byte* to) { std::memcpy(to, &window(f), sizeof(Window)); }

void TcpWindow::resume(Flow& f, const std::byte* from) {
  std::memcpy(&window(f), from, sizeof(Window));
  apply(f, window(f));
}

void TcpWindow::growByOneMss(Window& w, const Acked& a) const {
  w.counted += static_cast<int64_t>(a.bytes);
  if (w.counted < w.cwnd) return;
  w.counted -= w.cwnd;
  w.cwnd += mss_;
}

/// RFC 5681 equation 4. FlightSize counts what is SACKed behind a hole, which may be far more than the
/// window lets be in the network.
void TcpWindow::reduce(Flow& f, Window& w, uint64_t flight) {
  w.ssthresh = std::max(afterLoss(f, w, std::min(flight, static_cast<uint64_t>(w.cwnd))), 2 * mss_);
}

void TcpWindow::cut(Flow& f, uint64_t flight) {
  Window& w = window(f);
  reduce(f, w, flight);
  w.cwnd = w.ssthresh;
  w.counted = 0;
  apply(f, w);
}

void TcpWindow::onTimeout(Flow& f, uint64_t flight, bool again) {
  Window& w = window(f);
  if (!again) reduce(f, w, flight);
  w.cwnd = mss_;  // RFC 5681: the loss window
  w.counted = 0;
  apply(f, w);
}

}  // namespace fabric
