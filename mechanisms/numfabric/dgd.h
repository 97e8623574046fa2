// Dual gradient descent at the sender: the rate at which U' is the price of the path.
#pragma once

#include "mechanisms/core/utility.h"
#include "mechanisms/numfabric/path_rate.h"

namespace fabric {

class Dgd final : public PathRate {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;

 private:
  void onStart(Network& network) override;
  double rateAt(double price, const Flow& flow) const override;

  const Utility* utility_ = nullptr;
};

}  // namespace fabric
