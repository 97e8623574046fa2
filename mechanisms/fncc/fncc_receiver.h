// FNCC at the receiver: the number of flows that send to this host, in every ACK.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

/// The packet extension of FNCC's ACK beside the telemetry.
struct FnccCount {
  static constexpr const char* kName = "fncc_n";
  uint16_t n = 1;
};

class FnccReceiver final : public ReceiverAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void onData(Flow& flow, Packet& packet) override;
  void onAck(Flow& flow, Packet& packet) override;

  /// N now.
  uint16_t concurrent();

 private:
  /// Active flows in the order of their last data packet, the longest silent first.
  struct State {
    Flow *prev = nullptr, *next = nullptr;
    Time lastData;
    bool counted = false;
  };
  void onStart(Network& network) override;
  State& state(Flow& flow) const { return state_(flow); }
  void count(Flow& flow);
  void discount(Flow& flow);

  Engine* engine_ = nullptr;
  PacketExtension<FnccCount> n_;
  FlowState<State> state_;
  Flow *oldest_ = nullptr, *newest_ = nullptr;
  uint32_t active_ = 0;
  Time idleTimeout_;
  Bytes headerBytes_;
};

}  // namespace fabric
