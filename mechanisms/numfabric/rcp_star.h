// RCP* at the sender: the rate from the fair shares of the path.
#pragma once

#include "mechanisms/numfabric/path_rate.h"

namespace fabric {

class RcpStar final : public PathRate {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  /// Refuses another alpha at the other component, if there is one.
  static void sameAlpha(const Component& one, const Component* other, const char* why, Report& report);

 private:
  double rateAt(double price, const Flow& flow) const override;

  double alpha_ = 0;
};

}  // namespace fabric
