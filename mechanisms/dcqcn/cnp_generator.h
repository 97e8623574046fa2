// DCQCN at the receiver (notification point).
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class CnpGenerator final : public ReceiverAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;
  void onData(Flow& flow, Packet& packet) override;

 private:
  struct State {
    Time lastCnp;
    bool sent = false;
  };
  void onStart(Network& network) override;

  Engine* engine_ = nullptr;
  FlowState<State> state_;
  Time interval_;
};

}  // namespace fabric
