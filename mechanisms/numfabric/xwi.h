// xWI at a port: the price from the smallest residual of the flows, and from what is left of the link.
#pragma once

#include "mechanisms/numfabric/price_agent.h"

namespace fabric {

class Xwi final : public PriceAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;

 private:
  void arrives(const Packet& packet, const NumHeader* header) override;
  void leaves(const Packet& packet) override;
  void update() override;
  bool settled() const override { return price_ == 0; }
  /// Shortly after an update the network still shows what the price before has brought about.
  bool guarded() const { return now().ps % interval_.ps < guard_.ps; }

  double eta_ = 0, beta_ = 0;
  Time guard_;
  Bytes extra_;
  int64_t serviced_ = 0;
  bool any_ = false;  // residuals in this interval
  double minResidual_ = 0;
};

}  // namespace fabric
