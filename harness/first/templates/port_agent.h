// NAME: marks every n-th data packet of a port.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class CLASS final : public PortAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool hooksEnqueue() const override { return true; }
  void onEnqueue(Packet& packet) override;

 private:
  int64_t every_ = 0, seen_ = 0;
};

}  // namespace fabric
