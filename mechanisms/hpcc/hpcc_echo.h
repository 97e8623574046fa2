// HPCC at the receiver: the ACK returns what the data packet collected.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/hpcc/int_stack.h"

namespace fabric {

class HpccEcho final : public ReceiverAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onAck(Flow& flow, Packet& packet) override;

 private:
  void onStart(Network& network) override;
  PacketExtension<IntStack> stack_;
  Bytes headerBytes_, recordBytes_;
};

}  // namespace fabric
