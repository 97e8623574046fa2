// NAME: takes some ECN marks away before the ACK returns them.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class CLASS final : public ReceiverAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onData(Flow& flow, Packet& packet) override;

 private:
  int64_t keep_ = 0, marks_ = 0;
};

}  // namespace fabric
