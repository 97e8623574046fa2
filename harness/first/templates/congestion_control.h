// NAME: one cut per round trip that has an ECN mark, additive increase otherwise.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class CLASS final : public CongestionControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool ecnCapable() const override { return true; }
  void onFlowStart(Flow& flow) override;
  void onAck(Flow& flow, const Packet& ack) override;

 private:
  struct State {
    double window = 0;      // bytes
    uint64_t cutUntil = 0;  // no second cut before this byte is acknowledged
  };
  void onStart(Network& network) override;
  void apply(Flow& flow, State& s) const;

  FlowState<State> state_;
  Bytes increase_;
  double decrease_ = 0;
};

}  // namespace fabric
