// The links up from, or down to, one block of racks: the price update (Eq. 4).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "mechanisms/flowtune/allocator.h"
#include "mechanisms/flowtune/flow_block.h"

namespace fabric::flowtune {

template <class Real>
class LinkBlock {
 public:
  LinkBlock(const Settings& settings, std::vector<Real> capacities)
      : settings_(settings), gamma_(static_cast<Real>(settings.gamma)), capacity_(std::move(capacities)) {
    const auto price = static_cast<Real>(settings.initialPrice);
    if (settings.algorithm == Algorithm::Fgm) before_.assign(size(), price);
    if (settings.algorithm == Algorithm::NewtonLike) measured_.assign(size(), Measured{});
  }

  size_t size() const { return capacity_.size(); }
  Real capacity(size_t link) const { return capacity_[link]; }
  void setCapacity(size_t link, Real capacity) { capacity_[link] = capacity; }
  /// The smallest capacity over load of the last update, of links that have a load.
  Real leastFactor() const { return leastFactor_; }

  /// New prices, and what the normalisers need. All three point at the first link of the block.
  void update(const Sums<Real>* sums, Real* price, Real* factor) {
    switch (settings_.algorithm) {
      case Algorithm::Ned: ned(sums, price); break;
      case Algorithm::Gradient: gradient(sums, price); break;
      case Algorithm::Fgm: fgm(sums, price); break;
      case Algorithm::NewtonLike: newtonLike(sums, price); break;
    }
    const Real most = settings_.oneSided ? 1 : std::numeric_limits<Real>::max();
    Real least = most;
    for (size_t l = 0; l < size(); ++l) {
      // A link without load is on no flow's path, and its factor is not used.
      const Real f = sums[l].rate > 0 ? std::min(most, capacity_[l] / sums[l].rate) : most;
      factor[l] = f;
      least = std::min(least, f);
    }
    leastFactor_ = least;
  }

 private:
  /// What Newton-like saw of a link.
  struct Measured {
    Real load = 0;        // sum since the last price change
    Real lastLoad = 0;    // mean before the last price change
    Real lastChange = 0;  // of the price
    Real slope = 0;       // estimate; 0 = none yet
    uint32_t iterations = 0;
  };

  void ned(const Sums<Real>* sums, Real* price) const {
    for (size_t l = 0; l < size(); ++l) {
      // Without flows there is no slope, and the price stays.
      const bool used = sums[l].slope > 0;
      const Real step = used ? gamma_ * (sums[l].rate - capacity_[l]) / (used ? sums[l].slope : 1) : 0;
      price[l] = std::max(Real{0}, price[l] + step);
    }
  }

  void gradient(const Sums<Real>* sums, Real* price) const {
    for (size_t l = 0; l < size(); ++l) {
      price[l] = std::max(Real{0}, price[l] + gamma_ * (sums[l].rate - capacity_[l]));
    }
  }

  /// Rates use prices extrapolated along the last step; `before_` are the prices without that.
  void fgm(const Sums<Real>* sums, Real* price) {
    const double next = (1 + std::sqrt(1 + 4 * momentum_ * momentum_)) / 2;
    const auto carry = static_cast<Real>((momentum_ - 1) / next);
    momentum_ = next;
    for (size_t l = 0; l < size(); ++l) {
      if (!(sums[l].slope > 0)) continue;
      const Real now = std::max(Real{0}, price[l] + gamma_ * (sums[l].rate - capacity_[l]) / sums[l].slope);
      price[l] = now + carry * (now - before_[l]);
      before_[l] = now;
    }
  }

  /// The slope is what the last price change did to the load.
  void newtonLike(const Sums<Real>* sums, Real* price) {
    for (size_t l = 0; l < size(); ++l) {
      Measured& m = measured_[l];
      m.load += sums[l].rate;
      if (++m.iterations < settings_.measuredIterations) continue;
      const Real load = m.load / static_cast<Real>(m.iterations);
      m.load = 0;
      m.iterations = 0;
      if (!(load > 0)) continue;  // no flows: the price stays
      if (m.lastChange != 0) {
        const Real seen = (m.lastLoad - load) / m.lastChange;
        if (seen > 0) m.slope = seen;  // else other links' prices caused it
      }
      if (price[l] > 0) {
        // No flow pays less than this link's price, so the slope is at most load / price.
        const Real most = load / price[l];
        m.slope = m.slope > 0 ? std::clamp(m.slope, most / kLeastSlope, most) : most;
      }
      const Real old = price[l];
      if (m.slope > 0) price[l] = std::max(Real{0}, old + gamma_ * (load - capacity_[l]) / m.slope);
      m.lastLoad = load;
      m.lastChange = price[l] - old;
    }
  }

  static constexpr Real kLeastSlope = 10;

  Settings settings_;
  Real gamma_;
  Real leastFactor_ = 1;
  std::vector<Real> capacity_;
  std::vector<Real> before_;  // FGM
  double momentum_ = 1;       // FGM
  std::vector<Measured> measured_;
};

}  // namespace fabric::flowtune
