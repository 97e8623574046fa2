#include "mechanisms/utility/fct_min.h"

#include "mechanisms/core/portable_math.h"

namespace fabric {

const Description& FctMin::describe() {
  static const Description d =
      Describe<FctMin>("fct_min", Kind::Utility, "Utility for short flow completion times")
          .help(
              "U = w / s x^(1 - epsilon), with the flow's size s in bytes and its weight w: close to "
              "shortest flow first. An unlimited flow counts as one of 1 PB.")
          .source("NUMFabric, SIGCOMM 2016, Table 1, section 6.3 and footnote 2; the weight: chosen")
          .param("epsilon", &FctMin::epsilon_, 0.125,
                 "how far U is from linear: the smaller, the closer to shortest flow first, and the more sensitive to "
                 "the price",
                 "NUMFabric section 6.3: 0.125")
          .range(0.05, 0.95)
          .live()
          .done();
  return d;
}
FABRIC_REGISTER(FctMin);

// U' = (1 - epsilon) w / s x^-epsilon.

double FctMin::formulaMarginal(double rate, const UtilityFlow& f) const {
  return (1 - epsilon_) * f.weight / f.bytes * portable::pow(rate, -epsilon_);
}

double FctMin::formulaRate(double price, const UtilityFlow& f) const {
  return portable::pow((1 - epsilon_) * f.weight / f.bytes / price, 1 / epsilon_);
}

double FctMin::formulaCurvature(double rate, const UtilityFlow& f) const {
  return -epsilon_ * formulaMarginal(rate, f) / rate;
}

}  // namespace fabric
