// FNCC at the sender: HPCC's window from fresher telemetry, and last-hop congestion speed-up.
#pragma once

#include "mechanisms/fncc/fncc_receiver.h"
#include "mechanisms/hpcc/int_control.h"

namespace fabric {

class Fncc final : public IntControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

 private:
  void onStart(Network& network) override;
  void onSend(Flow& flow, Packet& packet) override;
  void beforeWindow(State& s, const Measure& m, const IntStack& telemetry, const Packet& ack, bool updateWc) override;

  PacketExtension<FnccCount> n_;
  bool lhcs_ = true, lhcsEveryAck_ = true;
  double alpha_ = 0, beta_ = 0;
};

}  // namespace fabric
