// MPTCP: a connection over several TCP sub-flows, each with its own ports and so its own path.
#pragma once

#include "mechanisms/transport/tcp.h"

namespace fabric {

/// A sub-flow is a flow of its own at the NIC and in the network; the first is the connection itself.
class Mptcp final : public Tcp {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;

 private:
  uint32_t parts() const override { return static_cast<uint32_t>(subflows_); }

  int64_t subflows_ = 8;
};

}  // namespace fabric
