// Dual gradient descent at a port: the price follows what comes beyond the capacity, and the queue.
#pragma once

#include "mechanisms/numfabric/price_agent.h"

namespace fabric {

class DgdPrice final : public PriceAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

 private:
  void arrives(const Packet& packet, const NumHeader*) override { arrived_ += packet.wireBytes; }
  void update() override;
  bool settled() const override { return price_ == 0; }

  double a_ = 0, b_ = 0, maxPrice_ = 0;
  int64_t arrived_ = 0;
};

}  // namespace fabric
