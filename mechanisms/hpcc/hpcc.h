// HPCC at the sender.
#pragma once

#include "mechanisms/hpcc/int_control.h"

namespace fabric {

class Hpcc final : public IntControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onSend(Flow& flow, Packet& packet) override;

 private:
  Bytes headerBytes_;
};

}  // namespace fabric
