// MPTCP: a connection over several TCP sub-flows, each with its own ports and so its own path.
#pragma once

#include "mechanisms/tcp/tcp.h"

namespace fabric {

/// A sub-flow is a flow of its own at the NIC and in the network; the first is the connection itself.
class Mptcp final : public Tcp {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;
  void append(Flow& connection, Flow& message) override;
  bool maySend(const Flow& flow) const override;
  Flow& fill(Flow& flow, Packet& packet) override;
  bool onAck(Flow& flow, const Packet& ack) override;
  void onTimer(Flow& flow) override;

 private:
  bool inTurn() const { return scheduler_.index == 0; }
  Flow* next(const Flow& flow) const;
  void passTurn(Flow& flow);
  uint32_t parts() const override { return static_cast<uint32_t>(subflows_); }

  int64_t subflows_ = 8;
  Choice scheduler_;
};

}  // namespace fabric
