// RCP* at a port: the fair share rate of its link.
#pragma once

#include "mechanisms/numfabric/price_agent.h"

namespace fabric {

class RcpStarRate final : public PriceAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  /// R in Mb/s.
  double fairShare() const { return fairShare_; }

 private:
  void onStart(Network& network) override;
  void onChange() override;
  void bound();
  void arrives(const Packet& packet, const NumHeader* header) override;
  void update() override;
  bool settled() const override { return fairShare_ == most_; }
  void advertise();

  double a_ = 0, b_ = 0, alpha_ = 0;
  Rate minRate_;
  Time baseRtt_;
  double fairShare_ = 0, least_ = 0, most_ = 0;  // Mb/s
  double rttPs_ = 0;                             // d
  int64_t arrived_ = 0;
};

}  // namespace fabric
