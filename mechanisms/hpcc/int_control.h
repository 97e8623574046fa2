// The window algorithm that HPCC and FNCC share: both compute it from telemetry, they differ in how
// the telemetry travels and in FNCC's last-hop speed-up.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/hpcc/int_stack.h"

namespace fabric {

class IntControl : public CongestionControl {
 public:
  void check(const Network& network, Report& report) const override;
  /// U_j: last known load of each hop.
  using HopLoads = std::array<double, IntStack::kMaxHops>;
  /// Per flow; names as in HPCC, Algorithm 1.
  struct State {
    IntStack last;  // L: telemetry of the previous ACK
    HopLoads hopU{};
    double u = 0;   // U: normalised bytes in flight, averaged
    double wc = 0;  // W^c: reference window, bytes
    double w = 0;   // W: window, bytes
    int64_t incStage = 0;
    uint64_t lastUpdateSeq = 0;
  };
  /// One ACK's measurement.
  struct Measure {
    bool valid = false;  // false: nothing to compare with yet
    double max = 0;      // u': of the most loaded hop
    int hop = -1;        // which it is
    Time tau;            // time between its two records
  };

  bool staysOpen() const override { return true; }
  void onFlowStart(Flow& flow) override;
  void onAck(Flow& flow, const Packet& ack) override;
  State& state(Flow& flow) const { return state_(flow); }

  /// The most loaded hop between two ACKs. `baseRtt` is T. A hop whose record is the same in both
  /// keeps its load and adds no time (tau) to the average. With `rising`, U is averaged in the loop:
  /// at each hop that is more loaded than those before it.
  static Measure measure(const IntStack& last, const IntStack& now, Time baseRtt, HopLoads& hopU,
                         double* rising = nullptr);
  /// U after one more measurement.
  static double average(double u, const Measure& m, Time baseRtt);
  /// W from U (HPCC Algorithm 1, ComputeWind), not yet capped.
  double computeWindow(State& s, double u, bool updateWc) const;

 protected:
  template <class C>
  static Describe<C>& shared(Describe<C>& d) {
    d.param("eta", &C::eta_, 0.95, "target utilisation", "HPCC section 5.1: 95 %")
        .range(0.01, 1)
        .live()
        .param("max_stage", &C::maxStage_, 5, "additive increases before a multiplicative one is tried",
               "HPCC section 5.1: 5")
        .range(0, 1000)
        .live()
        .param("w_ai", &C::wAi_, Bytes{80}, "additive increase per update", "HPCC section 5.1: 80 B (recalled)")
        .live()
        .param("min_rate", &C::minRate_, Rate::Mbps(100), "the window never falls below this rate times T", "chosen")
        .range(1, 1e12)
        .live()
        .param("u_initial", &C::uInitial_, 1.0,
               "U of a flow that has measured nothing yet: 1, as it starts with a full window at line rate",
               "HPCC's public simulator; the papers give no value")
        .range(0, 10)
        .param("window", &C::window_, true,
               "the window bounds the bytes in flight; false: senders only pace, at R = W / T",
               "FNCC section 3.2.2 and HPCC section 3.2 have it; in HPCC's public simulator it is an option")
        .added()
        .extension(IntStack::kName, sizeof(IntStack), IntStack::kMostWireBytes, "2 B + 8 B per hop")
        .table(windows(d.name()));
    return d;
  }
  /// Time, flow; load of the fullest hop, which that is, average load, reference window, window.
  using Windows = Table<Time, uint32_t, double, uint8_t, double, double, double>;
  static Windows windows(const std::string& name);

  void onStart(Network& network) override;
  /// Before ComputeWind: what FNCC adds.
  virtual void beforeWindow(State&, const Measure&, const IntStack&, const Packet&, bool /*updateWc*/) {}

  PacketExtension<IntStack> stack_;
  double eta_ = 0, uInitial_ = 0;
  int64_t maxStage_ = 0;
  bool window_ = true, averageInLoop_ = false;
  Bytes wAi_;
  Rate minRate_;

 private:
  void apply(Flow& flow, State& s) const;

  Network* network_ = nullptr;
  FlowState<State> state_;
  Windows::Id table_;
};

}  // namespace fabric
