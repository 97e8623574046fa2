// RCP's sender: it paces at the rate that the path's routers leave it.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/rcp/rcp_header.h"

namespace fabric {

class Rcp final : public CongestionControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;
  void onSend(Flow& flow, Packet& packet) override;
  void onAck(Flow& flow, const Packet& ack) override;

 private:
  struct State {
    Time rtt;  // the last sample, 0 = none yet
  };
  void onStart(Network& network) override;

  Engine* engine_ = nullptr;
  FlowState<State> state_;
  PacketExtension<RcpHeader> header_;
  int64_t initialWindow_ = 0;
  Rate minRate_;
};

}  // namespace fabric
