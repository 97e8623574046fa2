// Short flow completion times: a flow's rate is worth the more the smaller the flow.
#pragma once

#include "mechanisms/core/utility.h"

namespace fabric {

class FctMin final : public Utility {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

 private:
  double formulaMarginal(double rate, const UtilityFlow& flow) const override;
  double formulaRate(double price, const UtilityFlow& flow) const override;
  double formulaCurvature(double rate, const UtilityFlow& flow) const override;

  double epsilon_ = 0;
};

}  // namespace fabric
