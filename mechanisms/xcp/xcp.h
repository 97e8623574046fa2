// XCP's sender: a window that changes by what routers say.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/xcp/xcp_header.h"

namespace fabric {

class Xcp final : public CongestionControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;

  void onFlowStart(Flow& flow) override;
  void onSend(Flow& flow, Packet& packet) override;
  void onAck(Flow& flow, const Packet& ack) override;
  void onAcked(Flow& flow, const Acked& acked) override;
  void onRecovery(Flow& flow, uint64_t flight) override;
  void onTimeout(Flow& flow, uint64_t flight, bool again) override;

  /// The window in bytes of the wire.
  double window(Flow& flow) const { return state_(flow).cwnd; }

 private:
  struct State {
    double cwnd = 0;  // bytes of the wire
    Time rtt;         // 0: no estimate yet
  };
  void onStart(Network& network) override;
  void set(Flow& flow, double cwnd) const;

  FlowState<State> state_;
  PacketExtension<XcpHeader> header_;
  double packet_ = 0;     // bytes of a full packet on the wire
  double perSecond_ = 0;  // bytes at line rate
  int64_t initialWindow_ = 0;
};

}  // namespace fabric
