// DCQCN at the receiver (notification point).
#pragma once

#include <vector>

#include "mechanisms/core/kinds.h"

namespace fabric {

class CnpGenerator final : public ReceiverAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void onData(Flow& flow, Packet& packet) override;
  void onFinish() override;

 private:
  struct State {
    Time lastCnp;
    bool sent = false;
    uint64_t packets = 0, marked = 0;
    size_t place = 0;  // in counted_
  };
  /// Time, flow; size, packets, marked ones.
  using MarkedFlows = Table<Time, uint32_t, uint64_t, uint64_t, uint64_t>;
  static const MarkedFlows& markedFlows();
  void onStart(Network& network) override;
  void emit(Flow& flow) const;

  Network* network_ = nullptr;
  Engine* engine_ = nullptr;
  MarkedFlows::Id table_;
  FlowState<State> state_;
  std::vector<Flow*> counted_;  // flows that have begun and not ended, where the table is on
  Time interval_;
};

}  // namespace fabric
