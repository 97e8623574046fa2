// HPCC at the switch: telemetry on data packets.
#pragma once

#include "mechanisms/core/kinds.h"

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
  size_t stack_ = 0;
  Bytes recordBytes_;
  bool quantised_ = false;
};

}  // namespace fabric
