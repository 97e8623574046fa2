// The congestion control of Flowtune's servers: TCP until a rate from the allocator is here, and again when it is gone.
#pragma once

#include "mechanisms/tcp/tcp_window.h"

namespace fabric {

class FlowtuneEndpoint;

/// NewReno. While a flow is paced its window stands open, and nothing changes what the window was before.
class FlowtuneTcp final : public TcpWindow {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

  void onFlowStart(Flow& flow) override;
  void onSend(Flow& flow, Packet& packet) override;
  void onAcked(Flow& flow, const Acked& acked) override;
  void onRecovery(Flow& flow, uint64_t flight) override;
  void onTimeout(Flow& flow, uint64_t flight, bool again) override;
  void onEcnEcho(Flow& flow, uint64_t flight) override;
  void onIdle(Flow& flow, bool restart) override;

  /// Who is told when a flow has nothing left that was never sent.
  void setEndpoint(FlowtuneEndpoint& endpoint) { endpoint_ = &endpoint; }
  // For flowtune_endpoint, which calls Host::rateChanged() afterwards.
  void open(Flow& flow);
  /// The window goes on as what the flow had in flight at this rate.
  void close(Flow& flow, Rate rate);

 private:
  struct Pacing {
    bool on = false;
    Time srtt;
  };
  void onStart(Network& network) override;
  void avoid(Flow&, Window& w, const Acked& acked) override { growByOneMss(w, acked); }
  void noticeDrained(const Flow& flow);

  FlowState<Pacing> pacing_;
  FlowtuneEndpoint* endpoint_ = nullptr;
};

}  // namespace fabric
