// DCQCN at the sender (reaction point).
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/core/timer.h"

namespace fabric {

class Dcqcn final : public CongestionControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool ecnCapable() const override { return true; }
  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void onSend(Flow& flow, Packet& packet) override;
  void onAck(Flow& flow, const Packet& ack) override;
  void onCnp(Flow& flow, const Packet& cnp) override;

  /// Per flow; names as in DCQCN, Figure 7 and equations 1 to 4. Rates in bit/s.
  struct State {
    State(Dcqcn& owner, Flow& flow);
    void alphaExpired();
    void increaseExpired();
    void polled();

    Dcqcn& owner;
    Flow& flow;
    double current, target;  // R_C, R_T
    double alpha = 1;
    int64_t timerStage = 0, byteStage = 0;  // T, BC
    int64_t bytes = 0;
    bool noticed = false;
    Time lastCut;
    LazyTimer<State> alphaTimer, increaseTimer, pollTimer;
    // Polled notices: when the first one came, how many alpha periods have been counted since, and whether a notice
    // came in the one that runs.
    Time first;
    int64_t alphaPeriods = 0;
    bool inPeriod = false;
  };
  State& state(Flow& flow) const { return state_(flow); }

 private:
  void onStart(Network& network) override;
  void notice(Flow& flow);
  void noticePolled(State& s);
  void countPeriods(State& s) const;
  void cut(State& s);
  void increase(State& s);
  void apply(State& s);

  Engine* engine_ = nullptr;
  FlowState<State> state_;
  FlowTimer alphaKey_, increaseKey_, pollKey_;
  double g_ = 0;
  Time alphaTimer_, increaseTimer_, decreaseInterval_;
  Bytes byteCounter_;
  int64_t fastRecovery_ = 0;
  Rate ai_, hai_, minRate_;
  bool firstCut_ = true, clampTarget_ = true, polled_ = false, timerStages_ = false;
  Choice noticeBy_;
};

}  // namespace fabric
