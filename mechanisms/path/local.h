// Local congestion-aware flowlet switching: the least loaded of the switch's own ports.
#pragma once

#include "mechanisms/dre/dre.h"
#include "mechanisms/path/flowlets.h"

namespace fabric {

class Local final : public FlowletSelector {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;

 private:
  void onStart(Network& network) override;
  bool decidesFor(const Packet& packet, NextHops hops) const override;
  uint16_t decide(const Packet& packet, NextHops hops, int previous) override;

  std::vector<Dre*> dre_;  // by port
};

}  // namespace fabric
