// Utilities: the paper's numbers, inverse and derivative against each other, and what no rate may break.
#include "mechanisms/core/utility.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "mechanisms/utility/alpha_fair.h"
#include "mechanisms/utility/bandwidth_function.h"
#include "mechanisms/utility/fct_min.h"

namespace fabric {

namespace {

constexpr double kGbps = 1000;  // in Mb/s

/// Figure 2 of NUMFabric, as the authors' simulator has it: fair share and Gb/s; the half steps keep the curves
/// strictly increasing.
NumberList figure2(int flow) {
  NumberList rows = flow == 1 ? NumberList{{0, 0}, {1, 10}, {2, 10.5}, {3, 20}, {5, 20.5}}
                              : NumberList{{0, 0}, {2, 0.5}, {2.5, 10}, {3.5, 15}, {5, 15.5}};
  for (auto& row : rows) row[1] *= 1e9;
  return rows;
}

std::unique_ptr<BandwidthFunction> bandwidthFunction(const NumberList& curve) {
  auto u = make<BandwidthFunction>();
  u->set("curve", curve);
  return u;
}

struct Rates {
  double first, second;
};

/// The rates of two flows on a link: those at the price at which they fill it, found by bisection of its logarithm.
Rates onOneLink(const Utility& u1, const UtilityFlow& f1, const Utility& u2, const UtilityFlow& f2, double capacity) {
  double low = -500, high = 500;
  for (int i = 0; i < 200; ++i) {
    const double price = std::exp((low + high) / 2);
    (u1.rateAt(price, f1) + u2.rateAt(price, f2) > capacity ? low : high) = (low + high) / 2;
  }
  const double price = std::exp(high);
  return {u1.rateAt(price, f1), u2.rateAt(price, f2)};
}

/// Every utility at the ends and in the middle of its parameters.
std::vector<std::unique_ptr<Utility>> everyUtility() {
  std::vector<std::unique_ptr<Utility>> all;
  for (const double alpha : {0.1, 0.125, 0.5, 1.0, 2.0, 8.0, 16.0}) {
    all.push_back(make<AlphaFair>());
    all.back()->set("alpha", alpha);
    for (const NumberList& curve : {figure2(1), figure2(2), NumberList{{0, 1e9}, {1, 2e9}},
                                    NumberList{{1, 0}, {2, 1e10}}, NumberList{{0, 0}, {1e-300, 1}, {1e6, 1e15}}}) {
      all.push_back(bandwidthFunction(curve));
      all.back()->set("alpha", alpha);
    }
  }
  for (const double epsilon : {0.05, 0.125, 0.5, 0.95}) {
    all.push_back(make<FctMin>());
    all.back()->set("epsilon", epsilon);
  }
  return all;
}

}  // namespace

/// NUMFabric, Figure 9: link and expected rates in Gb/s. The paper reads its rates from the figure without the half
/// steps, which move them by up to half a Gb/s.
TEST(Utility, BandwidthFunctionsShareALinkAsInFigure9) {
  const auto u1 = bandwidthFunction(figure2(1)), u2 = bandwidthFunction(figure2(2));
  const double rows[7][3] = {{5, 5, 0},    {10, 10, 0},      {15, 11.7, 3.3}, {20, 13.3, 6.7},
                             {25, 15, 10}, {30, 18.3, 11.7}, {35, 20, 15}};
  for (const auto& [link, first, second] : rows) {
    const Rates r = onOneLink(*u1, {}, *u2, {}, link * kGbps);
    EXPECT_NEAR(r.first, first * kGbps, 0.5 * kGbps) << link;
    EXPECT_NEAR(r.second, second * kGbps, 0.5 * kGbps) << link;
    EXPECT_NEAR(r.first + r.second, link * kGbps, 1e-6) << link;
  }
  // By hand, from the curves with their half steps: at a fair share of 2.5 they are 15.25 and 10 Gb/s.
  const Rates r = onOneLink(*u1, {}, *u2, {}, 25.25 * kGbps);
  EXPECT_NEAR(r.first, 15.25 * kGbps, 1e-6);
  EXPECT_NEAR(r.second, 10 * kGbps, 1e-6);
}

/// NUMFabric, Figure 10: a flow's sub-flows are pooled by their sum. At X = 5 Gb/s the middle link is flow 1's alone,
/// at 17 Gb/s both pay its price.
TEST(Utility, PooledBandwidthFunctionsAsInFigure10) {
  const auto u1 = bandwidthFunction(figure2(1)), u2 = bandwidthFunction(figure2(2));
  EXPECT_GT(u1->marginal((5 + 5) * kGbps, {}), u2->marginal((3 + 0) * kGbps, {}));
  const double price = u1->marginal((5 + 10.25) * kGbps, {});
  EXPECT_NEAR(u2->marginal((3 + 7) * kGbps, {}) / price, 1, 1e-9);
}

TEST(Utility, AlphaFairSharesByWeight) {
  for (const double alpha : {0.125, 0.5, 1.0, 2.0, 8.0}) {
    const auto u = make<AlphaFair>();
    u->set("alpha", alpha);
    const Rates r = onOneLink(*u, {1, 1}, *u, {3, 1}, 40 * kGbps);
    EXPECT_NEAR(r.first, 10 * kGbps, 1e-6) << alpha;
    EXPECT_NEAR(r.second, 30 * kGbps, 1e-6) << alpha;
    EXPECT_NEAR(u->marginal(2, {3, 1}), std::pow(1.5, alpha), 1e-13 * std::pow(1.5, alpha)) << alpha;
  }
}

/// Flowtune's NED: x = w / p and dx/dp = -w / p^2.
TEST(Utility, ProportionalFairnessHasItsClosedForm) {
  const auto u = make<AlphaFair>();
  EXPECT_EQ(u->rateAt(0.25, {3, 1}), 12);
  EXPECT_EQ(u->marginal(12, {3, 1}), 0.25);
  EXPECT_DOUBLE_EQ(u->slopeAt(0.25, {3, 1}), -3 / (0.25 * 0.25));
}

/// Close to shortest flow first: twice the size leaves 2^-8 of the rate.
TEST(Utility, FctMinPrefersTheSmallerFlow) {
  const auto u = make<FctMin>();
  const Rates r = onOneLink(*u, {1, 100e3}, *u, {1, 200e3}, 10 * kGbps);
  EXPECT_NEAR(r.first / r.second, 256, 1e-6);
  EXPECT_NEAR(r.first + r.second, 10 * kGbps, 1e-6);
  EXPECT_DOUBLE_EQ(u->marginal(1, {2, 1460}), 0.875 * 2 / 1460);
}

TEST(Utility, FlowsOfFlowLists) {
  FlowSpec spec;
  spec.size = 1460;
  spec.weight = 2;
  EXPECT_EQ(UtilityFlow::of(spec).bytes, 1460);
  EXPECT_EQ(UtilityFlow::of(spec).weight, 2);
  spec.size = 0;  // unlimited
  EXPECT_EQ(UtilityFlow::of(spec).bytes, Utility::kMostBytes);
}

TEST(Utility, RateIsTheInverseOfMarginal) {
  for (const double alpha : {0.125, 0.5, 1.0, 2.0, 8.0}) {
    const auto a = make<AlphaFair>();
    a->set("alpha", alpha);
    const auto b = bandwidthFunction(figure2(1));
    b->set("alpha", alpha);
    const auto f = make<FctMin>();
    for (const Utility* u : {static_cast<const Utility*>(a.get()), static_cast<const Utility*>(b.get()),
                             static_cast<const Utility*>(f.get())}) {
      for (double x = 1e-5; x < 1e8; x *= 3.7) {
        for (const UtilityFlow& flow : {UtilityFlow{1, 1}, UtilityFlow{0.01, 1e12}, UtilityFlow{100, 1e4}}) {
          EXPECT_NEAR(u->rateAt(u->marginal(x, flow), flow) / x, 1, 1e-12)
              << u->description().name << " alpha " << alpha << " rate " << x;
        }
      }
    }
  }
}

TEST(Utility, CurvatureIsTheDerivativeOfMarginal) {
  std::vector<std::unique_ptr<Utility>> all;
  for (const double alpha : {0.125, 0.5, 1.0, 2.0, 8.0}) {
    all.push_back(make<AlphaFair>());
    all.back()->set("alpha", alpha);
    all.push_back(bandwidthFunction(figure2(2)));
    all.back()->set("alpha", alpha);
  }
  all.push_back(make<FctMin>());
  for (const auto& u : all) {
    for (double x = 0.9; x < 1e6; x *= 3.7) {  // meets no point of the curve, where U'' jumps
      const double h = x * 1e-5;
      for (const UtilityFlow& flow : {UtilityFlow{1, 1e4}, UtilityFlow{5, 1e6}}) {
        const double measured = (u->marginal(x + h, flow) - u->marginal(x - h, flow)) / (2 * h);
        EXPECT_NEAR(u->curvature(x, flow) / measured, 1, 1e-7) << u->description().name << " rate " << x;
        const double price = u->marginal(x, flow);
        const double slope =
            (u->rateAt(price * (1 + 1e-7), flow) - u->rateAt(price * (1 - 1e-7), flow)) / (2e-7 * price);
        EXPECT_NEAR(u->slopeAt(price, flow) / slope, 1, 1e-5) << u->description().name << " rate " << x;
      }
    }
  }
}

/// At a point of the curve the piece above counts.
TEST(Utility, CurvatureAtAPointOfTheCurve) {
  const auto u = bandwidthFunction({{0, 0}, {1, 1e9}, {2, 4e9}});
  EXPECT_DOUBLE_EQ(u->curvature(1 * kGbps, {}), -5.0 / 3000);
  EXPECT_DOUBLE_EQ(u->curvature(std::nextafter(1 * kGbps, 0), {}), -5.0 / 1000);
}

TEST(Utility, EndsOfABandwidthFunction) {
  // Behind the last point the curve goes on.
  auto u = bandwidthFunction({{0, 0}, {1, 1e9}, {2, 4e9}});
  EXPECT_DOUBLE_EQ(u->marginal(10 * kGbps, {}), std::pow(4, -5));
  EXPECT_NEAR(u->rateAt(std::pow(4, -5), {}), 10 * kGbps, 1e-8);
  // Before the first point it comes from 0, 0: a share below 1 has no bandwidth ...
  u = bandwidthFunction({{1, 0}, {2, 1e9}});
  EXPECT_EQ(u->rateAt(1, {}), Utility::kLeastRate);
  EXPECT_EQ(u->rateAt(1e10, {}), Utility::kLeastRate);
  EXPECT_NEAR(u->marginal(0, {}), 1, 1e-8);
  // ... and 1 Gb/s at a share of 0 is had at any price.
  u = bandwidthFunction({{0, 1e9}, {1, 2e9}});
  EXPECT_NEAR(u->rateAt(1e60, {}), 1 * kGbps, 1e-6);
  EXPECT_GT(u->marginal(0.99 * kGbps, {}), 1e70);
}

TEST(Utility, NothingOverflows) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const double extremes[] = {kNan,   -kInf,  -1,   -0.0, 0,   std::numeric_limits<double>::denorm_min(),
                             1e-308, 1e-100, 1e-6, 1,    1e4, 1e9,
                             1e100,  1e308,  kInf};
  for (const auto& u : everyUtility()) {
    for (const double weight : extremes) {
      for (const double bytes : {kNan, 0.0, 1.0, 1e15, kInf}) {
        const UtilityFlow f{weight, bytes};
        for (const double x : extremes) {
          SCOPED_TRACE(testing::Message()
                       << u->description().name << " weight " << weight << " bytes " << bytes << " at " << x);
          const double marginal = u->marginal(x, f), rate = u->rateAt(x, f);
          ASSERT_TRUE(marginal >= Utility::kLeastPrice && marginal <= Utility::kMostPrice) << marginal;
          ASSERT_TRUE(rate >= Utility::kLeastRate && rate <= Utility::kMostRate) << rate;
          ASSERT_TRUE(u->curvature(x, f) < 0 && std::isfinite(u->curvature(x, f))) << u->curvature(x, f);
          ASSERT_TRUE(u->slopeAt(x, f) < 0 && std::isfinite(u->slopeAt(x, f))) << u->slopeAt(x, f);
        }
      }
    }
    EXPECT_EQ(u->rateAt(0, {}), Utility::kMostRate);
    EXPECT_EQ(u->marginal(0, {}), u->marginal(Utility::kLeastRate, {}));
  }
}

/// A dearer path never asks for more, and a higher rate is never worth more.
TEST(Utility, EverythingFalls) {
  for (const auto& u : everyUtility()) {
    for (const UtilityFlow& f : {UtilityFlow{1, 1}, UtilityFlow{1e-6, 1e15}, UtilityFlow{1e6, 1460}}) {
      for (double x = 1e-60; x < 1e60; x *= 1.9) {
        ASSERT_GE(u->rateAt(x, f), u->rateAt(x * 1.9, f)) << u->description().name << " price " << x;
        ASSERT_GE(u->marginal(x, f), u->marginal(x * 1.9, f)) << u->description().name << " rate " << x;
      }
    }
  }
}

TEST(Utility, SharesOfSubflows) {
  EXPECT_EQ(subflowShare(0, 0, 4, 0.001), 0.25);  // none has a rate yet
  EXPECT_EQ(subflowShare(3, 12, 4, 0.001), 0.25);
  EXPECT_EQ(subflowShare(0, 12, 4, 0.001), 0.001);
  EXPECT_EQ(subflowShare(12, 12, 4, 0.001), 1);
}

TEST(Utility, WhatIsNoUtilityIsRefused) {
  const auto a = make<AlphaFair>();
  EXPECT_THROW(a->set("alpha", 0.0), ParamError);
  EXPECT_THROW(a->set("alpha", -1.0), ParamError);
  EXPECT_THROW(make<FctMin>()->set("epsilon", 1.0), ParamError);
  EXPECT_THROW(bandwidthFunction({{0, 0}, {1, 1e9}, {2, 1e9}}), ParamError);  // not increasing
  EXPECT_THROW(bandwidthFunction({{0, 0}, {1, 1e9}, {1, 2e9}}), ParamError);
  EXPECT_THROW(bandwidthFunction({{0, 0}}), ParamError);
}

}  // namespace fabric
