#include "mechanisms/utility/alpha_fair.h"

#include "mechanisms/core/portable_math.h"

namespace fabric {

const Description& AlphaFair::describe() {
  static const Description d =
      Describe<AlphaFair>("alpha_fair", Kind::Utility, "Weighted alpha-fair utility")
          .help(
              "U = w^alpha x^(1 - alpha) / (1 - alpha), and w log x for alpha 1, with the flow's weight w. Small alpha "
              "favours throughput, large alpha equal rates.")
          .source("Mo and Walrand 2000; NUMFabric, SIGCOMM 2016, Table 1; Flowtune, NSDI 2017: w log x")
          .param("alpha", &AlphaFair::alpha_, 1, "how much fairness counts: 1 is proportional fairness",
                 "NUMFabric sections 2 and 6.1: 1; section 6.2 goes from 0.125 to 8, here 0.1 to 16 are allowed")
          .range(0.1, 16)
          .live()
          .done();
  return d;
}
FABRIC_REGISTER(AlphaFair);

// U' = (w / x)^alpha. With alpha 1 nothing is rounded twice, and it is the fast case.

double AlphaFair::formulaMarginal(double rate, const UtilityFlow& f) const {
  return alpha_ == 1 ? f.weight / rate : portable::pow(f.weight / rate, alpha_);
}

double AlphaFair::formulaRate(double price, const UtilityFlow& f) const {
  return alpha_ == 1 ? f.weight / price : f.weight * portable::pow(price, -1 / alpha_);
}

double AlphaFair::formulaCurvature(double rate, const UtilityFlow& f) const {
  return -alpha_ * formulaMarginal(rate, f) / rate;
}

}  // namespace fabric
