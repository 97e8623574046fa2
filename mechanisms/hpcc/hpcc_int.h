// HPCC at the switch: telemetry on data packets.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/hpcc/int_stack.h"

namespace fabric {

class HpccInt final : public PortAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool hooksDequeue() const override { return true; }
  void onDequeue(Packet& packet) override;

 private:
  void onStart(Network& network) override;
  Engine* engine_ = nullptr;
  Bytes recordBytes_;
  PacketExtension<IntStack> stack_;  // with the rest in one line of the cache
  bool quantised_ = false;
};

}  // namespace fabric
