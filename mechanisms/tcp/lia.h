// LIA: the coupled increase of MPTCP's sub-flows.
#pragma once

#include "mechanisms/tcp/tcp_window.h"

namespace fabric {

class Lia final : public TcpWindow {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;
  int64_t keptBytes() const override { return TcpWindow::keptBytes() + static_cast<int64_t>(sizeof(State)); }
  void keep(Flow& flow, std::byte* to) override;
  void resume(Flow& flow, const std::byte* from) override;
  void onAcked(Flow& flow, const Acked& acked) override;

 private:
  struct State {
    double rtt = 0;    // smoothed, ps; 0 before the first sample
    double grown = 0;  // parts of a byte that cwnd is behind
  };
  void onStart(Network& network) override;
  void avoid(Flow& flow, Window& w, const Acked& acked) override;

  FlowState<State> state_;
};

}  // namespace fabric
