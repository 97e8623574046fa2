// The receiver of NUMFabric, DGD and RCP*: what the path said, and how fast packets come.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/numfabric/num_header.h"

namespace fabric {

class NumEcho final : public ReceiverAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override { state_.make(flow); }
  void onData(Flow& flow, Packet& packet) override { state_(flow).bytes += packet.wireBytes; }
  void onAck(Flow& flow, Packet& packet) override;

 private:
  struct State {
    Time lastAt = Time{-1};
    int64_t bytes = 0;  // since then
  };
  void onStart(Network& network) override;

  Engine* engine_ = nullptr;
  PacketExtension<NumHeader> header_;
  FlowState<State> state_;
  Bytes headerBytes_;
};

}  // namespace fabric
