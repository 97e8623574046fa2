// What TCP's congestion controls have in common: slow start, and what losses and timeouts do.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

/// Loss recovery is the transport's (RFC 6675): the window stays as it is while it lasts.
class TcpWindow : public CongestionControl {
 public:
  void check(const Network& network, Report& report) const override;
  bool ecnCapable() const override { return ecn_; }
  void onFlowStart(Flow& flow) override;
  void onAcked(Flow& flow, const Acked& acked) override;
  void onRecovery(Flow& flow, uint64_t flight) override { cut(flow, flight); }
  void onTimeout(Flow& flow, uint64_t flight, bool again) override;
  void onEcnEcho(Flow& flow, uint64_t flight) override { cut(flow, flight); }
  void onPenalty(Flow& flow) override;
  void onIdle(Flow& flow, bool restart) override;
  int64_t keptBytes() const override { return sizeof(Window); }
  void keep(Flow& flow, std::byte* to) override;
  void resume(Flow& flow, const std::byte* from) override;

 protected:
  struct Window {
    int64_t cwnd = 0;      // bytes
    int64_t ssthresh = 0;  // bytes
    int64_t counted = 0;   // bytes acknowledged towards the next increase
  };

  void onStart(Network& network) override;
  /// Congestion avoidance: the ACK may make the window larger.
  virtual void avoid(Flow& flow, Window& w, const Acked& acked) = 0;
  /// The ACK would make it larger, but the sender does not fill it.
  virtual void limited(Flow&) {}
  /// What a loss leaves of the window.
  virtual int64_t afterLoss(Flow&, Window&, uint64_t flight) { return static_cast<int64_t>(flight / 2); }

  Window& window(Flow& flow) const { return window_(flow); }
  void apply(Flow& flow, const Window& w) const { flow.window = w.cwnd; }
  /// RFC 5681 equation 3, by bytes that were acknowledged (RFC 3465): an MSS per window.
  void growByOneMss(Window& w, const Acked& acked) const;
  int64_t mss() const { return mss_; }

  template <class C>
  static Describe<C>& initialWindow(Describe<C>& d) {
    return d.param("initial_window", &TcpWindow::initialWindow_, 10, "window at the start, in segments", "RFC 6928: 10")
        .range(1, 10000);
  }
  template <class C>
  static Describe<C>& ecn(Describe<C>& d) {
    return d.param("ecn", &TcpWindow::ecn_, false, "marks are asked for and treated as losses without retransmission",
                   "RFC 3168; chosen: off");
  }

  bool ecn_ = false;

 private:
  void cut(Flow& flow, uint64_t flight);
  void reduce(Flow& flow, Window& w, uint64_t flight);

  FlowState<Window> window_;
  int64_t mss_ = 0, initialWindow_ = 10;
};

}  // namespace fabric
