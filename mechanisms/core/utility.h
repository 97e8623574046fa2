// What a rate is worth to a flow: the marginal utility U'(x), its inverse and its derivative. Mechanisms that
// maximise the sum of utilities (NUMFabric, DGD, Flowtune) need no more of U (docs/mechanisms/utility.md).
#pragma once

#include "mechanisms/core/component.h"
#include "mechanisms/core/flow.h"

namespace fabric {

/// What a utility knows of a flow.
struct UtilityFlow {
  double weight = 1;
  double bytes = 1;  // its size, or what is left of it: the caller decides

  static UtilityFlow of(const FlowSpec& spec);
};

/// Rates are in Mb/s and prices in utility per Mb/s. U' is positive and falls with the rate, so each price has one
/// rate. Arguments and results are cut to the limits below, so that nothing is ever infinite or NaN: U' of rate 0 is
/// that of kLeastRate, and price 0 asks for kMostRate. Sub-flows with pooled rates count as one flow with the sum of
/// the rates.
class Utility : public Component {
 public:
  static constexpr double kLeastRate = 1e-6, kMostRate = 1e9;  // 1 bit/s and 1 Pb/s
  static constexpr double kLeastPrice = 1e-250, kMostPrice = 1e250;
  static constexpr double kLeastWeight = 1e-6, kMostWeight = 1e6;
  static constexpr double kMostBytes = 1e15;  // also those of an unlimited flow

  /// U'(x).
  double marginal(double rate, const UtilityFlow& flow) const;
  /// The inverse of U': the rate at which U' is `price`.
  double rateAt(double price, const UtilityFlow& flow) const;
  /// U''(x), below 0.
  double curvature(double rate, const UtilityFlow& flow) const;
  /// dx/dp = 1 / U''(x), below 0: how much of its rate the flow gives up for a higher price.
  double slopeAt(double price, const UtilityFlow& flow) const;

 protected:
  // The formulas, for arguments within the limits; results outside of them, infinite ones too, are cut.
  virtual double formulaMarginal(double rate, const UtilityFlow& flow) const = 0;
  virtual double formulaRate(double price, const UtilityFlow& flow) const = 0;
  virtual double formulaCurvature(double rate, const UtilityFlow& flow) const = 0;
};

/// The part of its flow's weight that a sub-flow has: its part of the flow's rate (NUMFabric, section 6.3). It is
/// at least `least`, because a sub-flow without weight would never again have a rate. While the flow has none, all
/// sub-flows are equal.
double subflowShare(double subflowRate, double flowRate, size_t subflows, double least);

}  // namespace fabric
