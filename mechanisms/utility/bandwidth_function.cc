#include "mechanisms/utility/bandwidth_function.h"

#include <algorithm>

#include "mechanisms/core/portable_math.h"

namespace fabric {

namespace {

constexpr double kBitsPerMegabit = 1e6;
// Within these the powers of a fair share up to the largest alpha are finite.
constexpr double kLeastShare = 1e-15, kMostShare = 1e15;

}  // namespace

const Description& BandwidthFunction::describe() {
  static const Description d =
      Describe<BandwidthFunction>("bandwidth_function", Kind::Utility, "Utility that follows a bandwidth function")
          .help(
              "U = integral of F(t)^-alpha dt from 0 to x. F, the inverse of the curve, is the fair share that goes "
              "with a rate: the flows on a link get rates of the same fair share. The curve begins at 0, 0, whether "
              "or not that is its first point, and goes on behind its last point as before it. A flow of weight w "
              "has w times the curve's bandwidth.")
          .source(
              "BwE, SIGCOMM 2015; NUMFabric, SIGCOMM 2016, equation 2 and Table 1; both ends and the weight: chosen")
          .param("curve", &BandwidthFunction::curve_, {{0, 0}, {1, 1e10}}, "bandwidth over fair share",
                 "chosen: 10 Gb/s at a fair share of 1")
          .axis("fair share", ParamType::Float, 0, 1e6)
          .increasing()
          .axis("bandwidth", ParamType::Rate, 0, 1e15)
          .increasing()
          .entries(2, 1000)
          .live()
          .param("alpha", &BandwidthFunction::alpha_, 5,
                 "how close rates in a network are to the same fair share; on one link they always are",
                 "NUMFabric section 2: about 5")
          .range(0.1, 16)
          .live()
          .done();
  return d;
}
FABRIC_REGISTER(BandwidthFunction);

/// The piece that holds the value of one coordinate, the upper one at a point between two.
template <double Point::*along>
BandwidthFunction::Piece BandwidthFunction::pieceAt(double value) const {
  const auto above = std::find_if(curve_.begin(), curve_.end(), [&](const Point& p) { return p.*along > value; });
  if (above == curve_.begin()) return {{0, 0}, *above};
  if (above == curve_.end()) return {*(above - 2), *(above - 1)};
  return {*(above - 1), *above};
}

double BandwidthFunction::fairShare(double rate, const UtilityFlow& f) const {
  const double bandwidth = rate * kBitsPerMegabit / f.weight;
  const auto [a, b] = pieceAt<&Point::y>(bandwidth);
  return std::clamp(a.x + (bandwidth - a.y) * ((b.x - a.x) / (b.y - a.y)), kLeastShare, kMostShare);
}

double BandwidthFunction::formulaMarginal(double rate, const UtilityFlow& f) const {
  return portable::pow(fairShare(rate, f), -alpha_);
}

double BandwidthFunction::formulaRate(double price, const UtilityFlow& f) const {
  const double share = std::min(portable::pow(price, -1 / alpha_), kMostShare);
  const auto [a, b] = pieceAt<&Point::x>(share);
  return (a.y + (share - a.x) * ((b.y - a.y) / (b.x - a.x))) / kBitsPerMegabit * f.weight;
}

/// U'' = -alpha F^(-alpha - 1) F'.
double BandwidthFunction::formulaCurvature(double rate, const UtilityFlow& f) const {
  const auto [a, b] = pieceAt<&Point::y>(rate * kBitsPerMegabit / f.weight);
  const double perMegabit = (b.x - a.x) / (b.y - a.y) * kBitsPerMegabit / f.weight;
  return -alpha_ * portable::pow(fairShare(rate, f), -alpha_ - 1) * perMegabit;
}

}  // namespace fabric
