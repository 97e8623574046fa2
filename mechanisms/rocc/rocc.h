// RoCC at the sender.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/core/timer.h"

namespace fabric {

class Rocc final : public CongestionControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
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
  State& state(Flow& flow) const { return flow.at<State>(state_); }

  Engine* engine_ = nullptr;
  size_t feedback_ = 0, state_ = 0;
  Time recovery_;
};

}  // namespace fabric
