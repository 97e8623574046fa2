// RCP* at the sender: the rate from the fair shares of the path.
#pragma once

#include "mechanisms/numfabric/path_rate.h"

namespace fabric {

class RcpStar final : public PathRate {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

 private:
  double rateAt(double price, const Flow& flow) const override;

  double alpha_ = 0;
};

}  // namespace fabric
