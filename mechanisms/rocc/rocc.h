// RoCC at the sender.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/core/timer.h"
#include "mechanisms/rocc/rocc_pi.h"

namespace fabric {

class Rocc final : public CongestionControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool staysOpen() const override { return true; }
  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void onCnp(Flow& flow, const Packet& cnp) override;

 private:
  struct State {
    State(Rocc& owner, Flow& flow);
    void recover();

    Rocc& owner;
    Flow& flow;
    uint64_t point = 0;    // the congestion point that sets the rate
    bool limited = false;  // false: no limiter, line rate
    LazyTimer<State> timer;
  };
  void onStart(Network& network) override;
  State& state(Flow& flow) const { return state_(flow); }

  Engine* engine_ = nullptr;
  PacketExtension<RoccFeedback> feedback_;
  FlowState<State> state_;
  FlowTimer timer_;
  Time recovery_;
};

}  // namespace fabric
