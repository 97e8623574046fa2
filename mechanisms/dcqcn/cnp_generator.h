// DCQCN at the receiver (notification point).
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class CnpGenerator final : public ReceiverAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void onData(Flow& flow, Packet& packet) override;

 private:
  struct State {
    Time lastCnp;
    bool sent = false;
    uint64_t packets = 0, marked = 0;
  };
  void onStart(Network& network) override;

  Network* network_ = nullptr;
  Engine* engine_ = nullptr;
  int table_ = -1;
  FlowState<State> state_;
  Time interval_;
};

}  // namespace fabric
