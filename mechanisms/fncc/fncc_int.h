// FNCC at the switch: the ACK collects the telemetry of the data direction.
#pragma once

#include <memory>
#include <vector>

#include "mechanisms/core/kinds.h"
#include "mechanisms/fncc/fncc_receiver.h"
#include "mechanisms/hpcc/int_stack.h"

namespace fabric {

class FnccInt final : public PortAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  void attach(Port& port, uint8_t index) override;
  bool hooksDequeue() const override { return true; }
  void onDequeue(Packet& packet) override;

  /// This port's entry of All_INT_Table.
  IntRecord entry() const;

 private:
  void onStart(Network& network) override;
  void onChange() override { refresh(); }
  void refresh();

  Engine* engine_ = nullptr;
  PacketExtension<IntStack> stack_;
  PacketExtension<FnccCount> n_;
  std::vector<const FnccInt*> table_;  // All_INT_Table, by port
  IntRecord entry_;
  EventOf<FnccInt, &FnccInt::refresh> timer_{this};
  Bytes recordBytes_;
  Time period_;
  bool quantised_ = false;
};

}  // namespace fabric
