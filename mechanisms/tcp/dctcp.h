// DCTCP: the window is cut in proportion to the share of marked bytes.
#pragma once

#include "mechanisms/tcp/tcp_window.h"

namespace fabric {

class Dctcp final : public TcpWindow {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool ecnCapable() const override { return true; }
  EcnEcho ecnEcho() const override { return EcnEcho::Exact; }
  void onFlowStart(Flow& flow) override;
  int64_t keptBytes() const override { return TcpWindow::keptBytes() + static_cast<int64_t>(sizeof(State)); }
  void keep(Flow& flow, std::byte* to) override;
  void resume(Flow& flow, const std::byte* from) override;
  void onAcked(Flow& flow, const Acked& acked) override;

  double alpha(Flow& flow) const { return state_(flow).alpha; }

 private:
  struct State {
    double alpha = 1;
    uint64_t acked = 0, marked = 0;  // bytes of this window
    uint64_t windowEnd = 0;
    uint64_t cutUntil = 0;  // no second cut before this byte is acknowledged
  };
  void onStart(Network& network) override;
  void avoid(Flow&, Window& w, const Acked& acked) override { growByOneMss(w, acked); }

  FlowState<State> state_;
  double g_ = 0, initialAlpha_ = 1;
};

}  // namespace fabric
