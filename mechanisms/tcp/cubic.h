// CUBIC: the window grows with the cube of the time since the last reduction.
#pragma once

#include "mechanisms/tcp/tcp_window.h"

namespace fabric {

class Cubic final : public TcpWindow {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;
  void onTimeout(Flow& flow, uint64_t flight, bool again) override;
  void onIdle(Flow& flow, bool restart) override;
  int64_t keptBytes() const override { return TcpWindow::keptBytes() + static_cast<int64_t>(sizeof(State)); }
  void keep(Flow& flow, std::byte* to) override;
  void resume(Flow& flow, const std::byte* from) override;

 private:
  struct State {
    Time epoch = Time{-1};  // when congestion avoidance began, -1: not yet since the last reduction
    double most = 0;        // W_max, in segments
    double prior = 0;       // cwnd before the last reduction
    double k = 0;           // seconds from `epoch` to where the curve is flat
    double estimate = 0;    // W_est
    double grown = 0;       // parts of a byte that cwnd is behind
    Time runsTo;            // the curve has been followed up to this time
  };
  void onStart(Network& network) override;
  void avoid(Flow& flow, Window& w, const Acked& acked) override;
  void limited(Flow& flow) override;
  int64_t afterLoss(Flow& flow, Window& w, uint64_t flight) override;

  size_t state_ = 0;
  Engine* engine_ = nullptr;
  double c_ = 0, beta_ = 0;
  bool fastConvergence_ = true, friendly_ = true;
};

}  // namespace fabric
