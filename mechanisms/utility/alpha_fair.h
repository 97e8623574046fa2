// Weighted alpha-fairness; alpha 1 is proportional fairness, w log x.
#pragma once

#include "mechanisms/core/utility.h"

namespace fabric {

class AlphaFair final : public Utility {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

 private:
  double formulaMarginal(double rate, const UtilityFlow& flow) const override;
  double formulaRate(double price, const UtilityFlow& flow) const override;
  double formulaCurvature(double rate, const UtilityFlow& flow) const override;

  double alpha_ = 0;
};

}  // namespace fabric
