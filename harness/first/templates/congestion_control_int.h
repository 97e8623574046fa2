// NAME: the window follows what telemetry says of the fullest hop, once per round trip.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/hpcc/int_stack.h"

namespace fabric {

class CLASS final : public CongestionControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;
  void onSend(Flow& flow, Packet& packet) override;
  void onAck(Flow& flow, const Packet& ack) override;

 private:
  struct State {
    IntStack last;         // records of the previous update, one per hop
    double window = 0;     // bytes
    uint64_t updated = 0;  // no further update before this byte is acknowledged
  };
  void onStart(Network& network) override;
  void apply(Flow& flow, State& s) const;
  /// Share of a hop's capacity that its traffic takes, what waits there included.
  double load(const IntRecord& before, const IntRecord& now) const;

  PacketExtension<IntStack> stack_;
  FlowState<State> state_;
  Bytes increase_;
  double target_ = 0;
};

}  // namespace fabric
