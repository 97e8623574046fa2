// InfiniBand's congestion control at a channel adapter.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/core/timer.h"

namespace fabric {

class IbCc final : public CongestionControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  bool ecnCapable() const override { return true; }
  bool staysOpen() const override { return true; }
  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void onAck(Flow& flow, const Packet& ack) override;
  void onCnp(Flow& flow, const Packet& cnp) override;

  /// The flow's index into the table.
  int64_t index(Flow& flow) const { return state_(flow).index; }

 private:
  struct State {
    State(IbCc& owner, Flow& flow);
    void expired();

    IbCc& owner;
    Flow& flow;
    int64_t index;  // CCTI
    LazyTimer<State> timer;
  };
  void onStart(Network& network) override;
  void notice(Flow& flow);
  void apply(State& s) const;
  double multiplier(int64_t i) const;

  Engine* engine_ = nullptr;
  FlowState<State> state_;
  FlowTimer timerKey_;
  Choice noticeBy_, curve_;
  int64_t increase_ = 0, least_ = 0, limit_ = 0, shift_ = 0;
  double step_ = 0;
  Time timer_;
};

}  // namespace fabric
