// The rates of DCQCN's reaction point: what DCQCN and schemes that fall back on it share.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/core/timer.h"

namespace fabric {

class RateControl : public CongestionControl {
 public:
  void check(const Network& network, Report& report) const override;
  bool ecnCapable() const override { return true; }
  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void onSend(Flow& flow, Packet& packet) override;
  void onAck(Flow& flow, const Packet& ack) override;
  void onCnp(Flow& flow, const Packet& cnp) override;

  /// Per flow; names as in DCQCN, Figure 7 and equations 1 to 4. Rates in bit/s.
  struct State {
    State(RateControl& owner, Flow& flow);
    void alphaExpired();
    void increaseExpired();
    void polled();

    RateControl& owner;
    Flow& flow;
    double current, target;  // R_C, R_T
    double ceiling;          // the flow's rate is not above this either; line rate in DCQCN
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

 protected:
  template <class C>
  static Describe<C>& shared(Describe<C>& d) {
    d.needsWhile("notice", "cnp", "cnp_generator")
        .param("g", &C::g_, 1.0 / 256, "gain of the congestion estimate alpha", "DCQCN section 5.2: 1/256")
        .range(1e-6, 1)
        .live()
        .param("alpha_timer", &C::alphaTimer_, Time::Us(55), "alpha decays after this time without a notice",
               "DCQCN section 5.2: 55 us")
        .range(1, 1e15)
        .live()
        .param("increase_timer", &C::increaseTimer_, Time::Us(55), "period of the increase timer",
               "DCQCN section 5.2: 55 us")
        .range(1, 1e15)
        .live()
        .param("byte_counter", &C::byteCounter_, Bytes{10000000}, "bytes per byte-counter event; 0 = none",
               "DCQCN section 5.2: 10 MB")
        .live()
        .param("fast_recovery", &C::fastRecovery_, 5, "F: increase events of fast recovery", "DCQCN section 3.1: 5")
        .range(1, 1000)
        .live()
        .param("rate_ai", &C::ai_, Rate::Mbps(40), "R_AI, additive increase", "DCQCN section 5.2: 40 Mb/s")
        .live()
        .param("rate_hai", &C::hai_, Rate::Mbps(200), "R_HAI, hyper increase", "the authors' public simulator")
        .live()
        .param("min_rate", &C::minRate_, Rate::Mbps(100), "smallest rate", "chosen")
        .range(1, 1e12)
        .live()
        .param("decrease_interval", &C::decreaseInterval_, Time{0}, "cut at most once in this time; 0 = always",
               "chosen: the notices' own spacing limits cuts")
        .live()
        .param("first_cut", &C::firstCut_, true,
               "whether a flow's first notice cuts its rate, or only sets alpha to 1; not with polled", "chosen")
        .live()
        .param("notice", &C::noticeBy_, {"cnp", "ack"}, "cnp",
               "what counts as a congestion notice: a CNP, or a marked packet's ACK",
               "DCQCN section 3.1: CNP; HPCC's public simulator: ACK")
        .param("polled", &C::polled_, false,
               "from a flow's first notice on, look every alpha_timer and every decrease_interval whether a notice "
               "came since, instead of acting on each one",
               "HPCC's public simulator: yes")
        .added()
        .param("clamp_target", &C::clampTarget_, true,
               "at a cut with no increase since the last one: true = the current rate becomes the target, false = the "
               "target stays",
               "DCQCN section 3.1: yes; HPCC's public simulator, CLAMP_TARGET_RATE: no")
        .added()
        .live()
        .param("timer_stages", &C::timerStages_, false,
               "stages go by the timer alone: fast recovery up to its event F, then one additive increase, then "
               "hyper increase by rate_hai each",
               "HPCC's public simulator: yes")
        .added()
        .live();
    return d;
  }
  void onStart(Network& network) override;
  /// Makes the flow's rate what its state says.
  void apply(State& s);

 private:
  void notice(Flow& flow);
  void noticePolled(State& s);
  void countPeriods(State& s) const;
  void cut(State& s);
  void increase(State& s);

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
