#include "mechanisms/core/utility.h"

#include <algorithm>

namespace fabric {

namespace {

/// NaN becomes `low`.
double clamped(double x, double low, double high) { return std::min(std::max(low, x), high); }

UtilityFlow within(const UtilityFlow& f) {
  return {clamped(f.weight, Utility::kLeastWeight, Utility::kMostWeight), clamped(f.bytes, 1, Utility::kMostBytes)};
}

double rateWithin(double rate) { return clamped(rate, Utility::kLeastRate, Utility::kMostRate); }

}  // namespace

UtilityFlow UtilityFlow::of(const FlowSpec& spec) {
  return {spec.weight, spec.size == 0 ? Utility::kMostBytes : static_cast<double>(spec.size)};
}

double Utility::marginal(double rate, const UtilityFlow& flow) const {
  return clamped(formulaMarginal(rateWithin(rate), within(flow)), kLeastPrice, kMostPrice);
}

double Utility::rateAt(double price, const UtilityFlow& flow) const {
  if (!(price > 0)) return kMostRate;
  return rateWithin(formulaRate(clamped(price, kLeastPrice, kMostPrice), within(flow)));
}

double Utility::curvature(double rate, const UtilityFlow& flow) const {
  return clamped(formulaCurvature(rateWithin(rate), within(flow)), -1e290, -1e-290);
}

double Utility::slopeAt(double price, const UtilityFlow& flow) const {
  return 1 / curvature(rateAt(price, flow), flow);
}

double subflowShare(double subflowRate, double flowRate, size_t subflows, double least) {
  if (!(flowRate > 0)) return 1 / static_cast<double>(subflows);
  return clamped(subflowRate / flowRate, least, 1);
}

}  // namespace fabric
