// TIMELY at the sender: a rate that follows the gradient of the round trip.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class Timely final : public CongestionControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool staysOpen() const override { return true; }
  void onFlowStart(Flow& flow) override;
  void onAck(Flow& flow, const Packet& ack) override;

  /// Per flow; names as in TIMELY, Algorithm 1.
  struct State {
    double rate = 0;         // bit/s on the wire
    double rttDiff = 0;      // ps, smoothed
    int64_t increases = 0;   // in a row, as far as they count towards hyperactive increase
    uint64_t updatedTo = 0;  // no second update of this round trip before this byte is acknowledged
    Time rtt = Time{-1};     // the last sample, -1 = none yet
  };
  State& state(Flow& flow) const { return state_(flow); }

 private:
  void onStart(Network& network) override;
  void update(State& s, Time rtt) const;
  void increase(State& s, bool counts) const;
  void apply(Flow& flow, const State& s, Time rtt) const;

  Engine* engine_ = nullptr;
  FlowState<State> state_;
  double alpha_ = 0, beta_ = 0;
  Time low_, high_, minRtt_;
  Rate delta_, minRate_;
  int64_t haiAfter_ = 0, haiFactor_ = 0;
  bool haiBelowLow_ = false;
  Choice form_, updateBy_;
};

}  // namespace fabric
