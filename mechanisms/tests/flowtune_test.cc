// Flowtune's allocator: the equations, the optimum, the normalisers, blocks and threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "mechanisms/flowtune/allocator.h"
#include "mechanisms/flowtune/reciprocal.h"
#include "mechanisms/tests/count_new.h"
#include "mechanisms/tests/flowtune_networks.h"
#include "mechanisms/tests/instructions.h"

namespace fabric {

using flowtune::Algorithm;
using flowtune::Allocator;
using flowtune::Handle;
using flowtune::Links;
using flowtune::Normaliser;
using flowtune::Settings;
using test::Clos;
using test::NumProblem;
using test::randomProblem;

namespace {

Settings with(Algorithm algorithm, double gamma, Normaliser normaliser = Normaliser::None) {
  Settings s;
  s.algorithm = algorithm;
  s.gamma = gamma;
  s.normaliser = normaliser;
  return s;
}

std::unique_ptr<Allocator> make(const NumProblem& p, const Settings& settings, std::vector<Handle>* handles = nullptr) {
  uint32_t longest = 1;
  for (const auto& f : p.flows) longest = std::max(longest, static_cast<uint32_t>(f.path.size()));
  auto a = Allocator::make(Links::flat(p.capacities, longest), settings);
  for (const auto& f : p.flows) {
    const Handle h = a->add(f.path, f.weight);
    if (handles != nullptr) handles->push_back(h);
  }
  return a;
}

/// The optimal rates by another way: the dual function is minimised along one price after the other, by bisection.
std::vector<double> optimum(const NumProblem& p) {
  std::vector<std::vector<uint32_t>> on(p.capacities.size());
  for (uint32_t f = 0; f < p.flows.size(); ++f) {
    for (const uint32_t l : p.flows[f].path) on[l].push_back(f);
  }
  std::vector<double> price(p.capacities.size(), 1), total(p.flows.size(), 0);
  for (uint32_t f = 0; f < p.flows.size(); ++f) total[f] = static_cast<double>(p.flows[f].path.size());
  double moved = 1;
  for (int sweep = 0; sweep < 100000 && moved > 1e-12; ++sweep) {
    moved = 0;
    for (uint32_t l = 0; l < price.size(); ++l) {
      if (on[l].empty()) continue;
      const auto excess = [&](double at) {
        double load = 0;
        for (const uint32_t f : on[l]) load += p.flows[f].weight / (total[f] - price[l] + at);
        return load - p.capacities[l];
      };
      double low = 0, high = 0;
      for (const uint32_t f : on[l]) high += p.flows[f].weight / p.capacities[l];  // enough if it were alone
      const double least = std::numeric_limits<double>::min();
      for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
        const double middle = (low + high) / 2;
        (excess(std::max(middle, least)) > 0 ? low : high) = middle;
      }
      const double next = high < 1e-13 ? 0 : high;
      moved = std::max(moved, std::abs(next - price[l]) / (next + 1e-3));
      for (const uint32_t f : on[l]) total[f] += next - price[l];
      price[l] = next;
    }
    for (uint32_t f = 0; f < p.flows.size(); ++f) {  // no rounding carried from sweep to sweep
      total[f] = 0;
      for (const uint32_t l : p.flows[f].path) total[f] += price[l];
    }
  }
  EXPECT_LE(moved, 1e-12) << "the independent solver did not settle";
  std::vector<double> rates;
  for (uint32_t f = 0; f < p.flows.size(); ++f) rates.push_back(p.flows[f].weight / total[f]);
  return rates;
}

std::vector<double> loads(const NumProblem& p, const std::vector<double>& rates) {
  std::vector<double> sum(p.capacities.size(), 0);
  for (size_t f = 0; f < rates.size(); ++f) {
    for (const uint32_t l : p.flows[f].path) sum[l] += rates[f];
  }
  return sum;
}

uint64_t bitsOf(double x) {
  uint64_t b;
  std::memcpy(&b, &x, sizeof b);
  return b;
}

constexpr Algorithm kAlgorithms[] = {Algorithm::Ned, Algorithm::Gradient, Algorithm::Fgm, Algorithm::NewtonLike};

}  // namespace

TEST(Flowtune, OneStepOfEachByHand) {
  // Two flows with weights 1 and 3 over a link of 10 at price 1: x = w / p, G = 4 - 10, -H = 1 + 3.
  const auto step = [](const Settings& s) {
    auto a = Allocator::make(Links::flat({10}, 1), s);
    const Handle one = a->add({0}, 1), three = a->add({0}, 3);
    a->iterate();
    EXPECT_EQ(a->rate(one), 1);
    EXPECT_EQ(a->rate(three), 3);
    EXPECT_EQ(a->load(0), 4);
    return a->price(0);
  };
  EXPECT_DOUBLE_EQ(step(with(Algorithm::Ned, 0.25)), 1 - 0.25 * 6 / 4);
  EXPECT_DOUBLE_EQ(step(with(Algorithm::Gradient, 0.125)), 1 - 0.125 * 6);
  EXPECT_DOUBLE_EQ(step(with(Algorithm::Ned, 1)), 0) << "prices are at least 0";
  // FGM: the bound of the slope is one link · 10 · 10 / w; no momentum in the first step.
  EXPECT_DOUBLE_EQ(step(with(Algorithm::Fgm, 1)), 1 - 6 / (100.0 + 100.0 / 3));
  // Newton-like knows nothing yet but that all flows pay at least this price.
  EXPECT_DOUBLE_EQ(step(with(Algorithm::NewtonLike, 0.25)), 1 - 0.25 * 6 / 4);
}

TEST(Flowtune, TwoLinksByHand) {
  // A flow over both links and one over the second. H of a link sums w / P² over its own flows.
  auto a = Allocator::make(Links::flat({10, 4}, 2), with(Algorithm::Ned, 0.1));
  const Handle both = a->add({0, 1}, 2), one = a->add({1}, 1);
  a->iterate();
  EXPECT_DOUBLE_EQ(a->rate(both), 1);
  EXPECT_DOUBLE_EQ(a->rate(one), 1);
  EXPECT_DOUBLE_EQ(a->price(0), 0) << "1 - 0.1 · 9 / 0.5 is below 0";
  EXPECT_DOUBLE_EQ(a->price(1), 1 - 0.1 * 2 / 1.5);
}

TEST(Flowtune, RatesMayBeBoundedAtMoreThanACapacity) {
  const auto first = [](double bound, double price) {
    Settings s = with(Algorithm::Ned, 0.4);
    s.rateBound = bound;
    s.initialPrice = price;
    auto a = Allocator::make(Links::flat({10, 4}, 2), s);
    const Handle flow = a->add({0, 1}, 1);
    a->iterate();
    return a->rate(flow);
  };
  EXPECT_DOUBLE_EQ(first(1, 0.01), 4) << "the path's smallest capacity";
  EXPECT_DOUBLE_EQ(first(5, 0.01), 20);
  EXPECT_DOUBLE_EQ(first(100, 0.01), 50) << "w / (p + p)";
  EXPECT_DOUBLE_EQ(first(1e6, 0), 4e6);
  EXPECT_THROW(first(0.5, 1), std::invalid_argument);
}

TEST(Flowtune, CapacitiesMayChange) {
  auto a = Allocator::make(Links::flat({10, 10}, 2), with(Algorithm::Ned, 0.4));
  const Handle one = a->add({0, 1}, 1), two = a->add({1}, 1);
  a->iterate(200);
  EXPECT_NEAR(a->allocated(one), 5, 1e-6);
  a->setCapacity(0, 2);
  a->iterate(200);
  EXPECT_NEAR(a->allocated(one), 2, 1e-6);
  EXPECT_NEAR(a->allocated(two), 8, 1e-6);
  EXPECT_THROW(a->setCapacity(2, 1), std::invalid_argument);
  EXPECT_THROW(a->setCapacity(0, 0), std::invalid_argument);
}

TEST(Flowtune, FgmCarriesPricesOn) {
  // Beck et al.: y(k+1) = p(k) + (t(k) - 1) / t(k+1) · (p(k) - p(k-1)), t from 1 by t' = (1 + √(1 + 4t²)) / 2.
  auto a = Allocator::make(Links::flat({1}, 1), with(Algorithm::Fgm, 1));
  const Handle f = a->add({0}, 2);
  double y = 1, before = 1, t = 1;
  for (int k = 0; k < 20; ++k) {
    a->iterate();
    const double x = std::min(1.0, 2 / y);
    EXPECT_DOUBLE_EQ(a->rate(f), x);
    const double now = std::max(0.0, y + (x - 1) / (1 * 1 / 2.0));
    const double next = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    y = now + (t - 1) / next * (now - before);
    before = now;
    t = next;
    EXPECT_DOUBLE_EQ(a->price(0), y);
  }
}

TEST(Flowtune, NewtonLikeMeasuresTheSlope) {
  // One link: the secant through the last two points.
  auto a = Allocator::make(Links::flat({10}, 1), with(Algorithm::NewtonLike, 0.2));
  a->add({0}, 4);
  a->iterate();
  const double first = 1 - 0.2 * 6 / 4;
  ASSERT_DOUBLE_EQ(a->price(0), first);
  a->iterate();
  const double load = 4 / first, slope = (4 - load) / (first - 1);
  EXPECT_DOUBLE_EQ(a->price(0), first + 0.2 * (load - 10) / std::min(slope, load / first));

  // Measured over three iterations, prices stand still between.
  Settings s = with(Algorithm::NewtonLike, 0.2);
  s.measuredIterations = 3;
  auto b = Allocator::make(Links::flat({10}, 1), s);
  b->add({0}, 4);
  b->iterate(2);
  EXPECT_EQ(b->price(0), 1);
  b->iterate();
  EXPECT_DOUBLE_EQ(b->price(0), first);
}

/// Iterates until the residual is small, in steps of `step`, at most `most` times.
void settle(Allocator& a, uint64_t step, uint64_t most) {
  for (uint64_t n = 0; n < most && !(a.residual() < 1e-7); n += step) a.iterate(step);
}

TEST(Flowtune, NedMeetsTheOptimum) {
  RandomStream draw(17, "flowtune");
  for (const uint32_t flows : {10u, 20u, 50u, 100u, 200u, 500u, 1000u}) {
    for (int repetition = 0; repetition < 4; ++repetition) {
      const NumProblem p = randomProblem(draw, flows, 4);
      std::vector<Handle> handles;
      auto a = make(p, with(Algorithm::Ned, 0.4), &handles);
      settle(*a, 100, 50000);
      ASSERT_LT(a->residual(), 1e-6) << flows << " flows, repetition " << repetition;
      const auto best = optimum(p);
      for (uint32_t f = 0; f < flows; ++f) {
        ASSERT_NEAR(a->rate(handles[f]) / best[f], 1, 1e-6) << flows << " flows, flow " << f;
      }
    }
  }
}

TEST(Flowtune, TheOthersMeetTheOptimumToo) {
  RandomStream draw(19, "flowtune");
  for (const Algorithm algorithm : {Algorithm::Gradient, Algorithm::Fgm, Algorithm::NewtonLike}) {
    for (int repetition = 0; repetition < 5; ++repetition) {
      const NumProblem p = randomProblem(draw, 20, 2);
      const double gamma = algorithm == Algorithm::Gradient ? 1e-5 : algorithm == Algorithm::Fgm ? 1 : 0.2;
      std::vector<Handle> handles;
      auto a = make(p, with(algorithm, gamma), &handles);
      settle(*a, 10000, 5000000);
      EXPECT_LT(a->residual(), 1e-6) << static_cast<int>(algorithm) << " " << repetition;
      const auto best = optimum(p);
      for (uint32_t f = 0; f < p.flows.size(); ++f) EXPECT_NEAR(a->rate(handles[f]) / best[f], 1, 1e-5);
    }
  }
}

TEST(Flowtune, ResidualIsNoneOnlyAtTheOptimum) {
  // Two flows over a link of 10: the optimal price is 2 / 10.
  const auto residualAt = [](double price) {
    Settings s = with(Algorithm::Ned, 0.4);
    s.initialPrice = price;
    auto a = Allocator::make(Links::flat({10, 7}, 1), s);
    a->add({0}, 1);
    a->add({0}, 1);
    return a->residual();
  };
  EXPECT_NEAR(residualAt(0.2), 0, 1e-15);
  EXPECT_DOUBLE_EQ(residualAt(0.125), 0.6) << "16 over a link of 10";
  EXPECT_DOUBLE_EQ(residualAt(0.25), 0.2) << "8, and the price could fall";
  EXPECT_DOUBLE_EQ(residualAt(0), 1) << "each at the full capacity";
}

TEST(Flowtune, SinglePrecisionComesClose) {
  RandomStream draw(20, "flowtune");
  for (const uint32_t flows : {10u, 100u, 1000u}) {
    const NumProblem p = randomProblem(draw, flows, 4);
    Settings s = with(Algorithm::Ned, 0.4);
    std::vector<Handle> exact, rt;
    auto a = make(p, s, &exact);
    s.rt = true;
    auto b = make(p, s, &rt);
    a->iterate(5000);
    b->iterate(5000);
    for (uint32_t f = 0; f < flows; ++f) EXPECT_NEAR(b->rate(rt[f]) / a->rate(exact[f]), 1, 2e-3) << flows;
  }
}

TEST(Flowtune, ReciprocalOfSingles) {
  RandomStream draw(21, "flowtune");
  float worst = 0;
  for (int i = 0; i < 1000000; ++i) {
    const float x = std::ldexp(1 + static_cast<float>(draw.uniform()), static_cast<int>(draw.below(240)) - 120);
    worst = std::max(worst, std::abs(flowtune::reciprocal(x) * x - 1));
  }
  EXPECT_LT(worst, 2e-5f);
  EXPECT_GT(worst, 1e-6f) << "it is an approximation";
}

// The normalisers, on networks and at iterations as they come: prices anywhere between start and optimum.
TEST(Flowtune, NormalisersFillAndNeverOverfill) {
  RandomStream draw(22, "flowtune");
  const double unit = std::numeric_limits<double>::epsilon() / 2;
  for (int network = 0; network < 5000; ++network) {
    const NumProblem p = randomProblem(draw, 1 + draw.below(60), 1 + draw.below(6));
    Settings s = with(kAlgorithms[network % 4], 0);
    s.gamma = flowtune::defaultGamma(s.algorithm);
    s.rt = network % 5 == 0;
    const uint64_t iterations = 1 + draw.below(30);
    for (const bool oneSided : {false, true}) {
      s.oneSided = oneSided;
      for (const Normaliser n : {Normaliser::FNorm, Normaliser::UNorm}) {
        s.normaliser = n;
        std::vector<Handle> handles;
        auto a = make(p, s, &handles);
        a->iterate(iterations);
        std::vector<double> before, after;
        for (const Handle h : handles) {
          before.push_back(a->rate(h));
          after.push_back(a->allocated(h));
        }
        const auto offered = loads(p, before), sums = loads(p, after);
        // What rounding can do: each addition and the three operations of a flow.
        const double rounding = (s.rt ? std::numeric_limits<float>::epsilon() / 2 : unit) * (p.flows.size() + 4.0);
        double most = 0, fullest = 0;
        for (size_t l = 0; l < sums.size(); ++l) {
          ASSERT_LE(sums[l], p.capacities[l] * (1 + rounding)) << "network " << network << ", link " << l;
          most = std::max(most, offered[l] / p.capacities[l]);
          fullest = std::max(fullest, sums[l] / p.capacities[l]);
        }
        if (n == Normaliser::UNorm && (!oneSided || most > 1)) {
          ASSERT_NEAR(fullest, 1, rounding) << "network " << network;
        }
        for (size_t f = 0; f < after.size(); ++f) {
          ASSERT_TRUE(std::isfinite(before[f]) && before[f] > 0 && std::isfinite(after[f]));
          if (oneSided) {
            ASSERT_LE(after[f], before[f]);
          }
          double worst = 0;
          for (const uint32_t l : p.flows[f].path) worst = std::max(worst, offered[l] / p.capacities[l]);
          if (n == Normaliser::UNorm) worst = most;
          if (oneSided) worst = std::max(worst, 1.0);
          ASSERT_NEAR(after[f] * worst / before[f], 1, 2 * rounding) << "Eqs. 5 and 6, network " << network;
        }
      }
    }
  }
}

TEST(Flowtune, NothingIsDividedByZero) {
  for (const Algorithm algorithm : kAlgorithms) {
    for (const bool rt : {false, true}) {
      Settings s = with(algorithm, flowtune::defaultGamma(algorithm), Normaliser::FNorm);
      s.initialPrice = 0;
      s.rt = rt;
      auto a = Allocator::make(Links::flat({10, 40, 5}, 3), s);
      a->iterate(3);  // without flows
      EXPECT_EQ(a->price(0), 0);
      const Handle f = a->add({0, 1}, 1);  // all prices 0: no more than the smallest capacity
      a->iterate();
      EXPECT_NEAR(a->rate(f), 10, 1e-3);
      EXPECT_NEAR(a->allocated(f), 10, 1e-3);
      std::vector<Handle> many;
      for (int i = 0; i < 50; ++i) many.push_back(a->add({0, 1, 2}, 1));
      for (int i = 0; i < 200; ++i) {
        a->iterate();
        ASSERT_TRUE(std::isfinite(a->rate(many[7])) && std::isfinite(a->allocated(f)) && std::isfinite(a->price(2)));
        ASSERT_GT(a->rate(many[7]), 0);
      }
      for (const Handle h : many) a->remove(h);
      a->remove(f);
      a->iterate(5);
      for (int l = 0; l < 3; ++l) EXPECT_TRUE(std::isfinite(a->price(l)));
      EXPECT_EQ(a->flows(), 0u);
      EXPECT_EQ(a->load(2), 0);
    }
  }
}

TEST(Flowtune, PricesOfLinksWithoutFlowsStay) {
  for (const Algorithm algorithm : {Algorithm::Ned, Algorithm::Fgm, Algorithm::NewtonLike}) {
    auto a = Allocator::make(Links::flat({10, 10}, 1), with(algorithm, flowtune::defaultGamma(algorithm)));
    a->add({0}, 1);
    a->iterate(10);
    EXPECT_EQ(a->price(1), 1) << "as all prices at the start, section 2";
  }
  auto a = Allocator::make(Links::flat({10, 10}, 1), with(Algorithm::Gradient, 0.004));
  a->iterate();
  EXPECT_DOUBLE_EQ(a->price(1), 1 - 0.04) << "nothing to divide by: the equation as it is";
}

TEST(Flowtune, FlowsComeAndGo) {
  // Handles stay valid, and the allocator forgets nothing and nobody: it ends where a new one ends.
  RandomStream draw(23, "flowtune");
  const Clos clos{4, 6, 3};
  for (const uint32_t blocks : {1u, 2u, 4u}) {
    auto a = Allocator::make(clos.links(blocks), with(Algorithm::Ned, 0.4, Normaliser::FNorm));
    std::map<Handle, test::NumFlow> there;
    for (int event = 0; event < 3000; ++event) {
      if (there.empty() || draw.below(100) < 52) {
        const test::NumFlow f{clos.path(draw), 0.5 + draw.uniform()};
        const Handle h = a->add(f.path, f.weight);
        ASSERT_EQ(there.count(h), 0u) << "the handle of another flow";
        there[h] = f;
      } else {
        const auto gone = std::next(there.begin(), draw.below(static_cast<uint32_t>(there.size())));
        a->remove(gone->first);
        there.erase(gone);
      }
      ASSERT_EQ(a->flows(), there.size());
      if (event % 3 == 0) a->iterate();
    }
    a->iterate(5000);
    ASSERT_LT(a->residual(), 1e-6);
    auto b = Allocator::make(clos.links(blocks), with(Algorithm::Ned, 0.4, Normaliser::FNorm));
    std::map<Handle, Handle> other;
    for (const auto& [h, f] : there) other[h] = b->add(f.path, f.weight);
    b->iterate(5000);
    for (const auto& [h, f] : there) {
      EXPECT_NEAR(a->rate(h) / b->rate(other[h]), 1, 1e-6);
      EXPECT_NEAR(a->allocated(h) / b->allocated(other[h]), 1, 1e-6);
    }
  }
}

/// The same work among a hundred times as many flows: counted, as time says little on a busy machine.
TEST(Flowtune, FlowsComeAndGoInConstantTime) {
  const Clos clos{8, 16, 4};
  const auto work = [&](uint32_t flows) {
    RandomStream draw(30, "flowtune");
    auto a = Allocator::make(clos.links(2), with(Algorithm::Fgm, 1));  // which has an array more than the others
    a->reserve(flows);
    std::vector<Handle> handles;
    while (handles.size() < flows) handles.push_back(a->add(clos.path(draw), 1));
    constexpr uint32_t kChanges = 10;
    std::vector<std::vector<uint32_t>> paths;
    for (uint32_t i = 0; i < kChanges; ++i) paths.push_back(clos.path(draw));
    return test::instructions([&] {
      for (uint32_t i = 0; i < kChanges; ++i) {
        a->remove(handles[i * (flows / kChanges)]);
        a->add(paths[i], 1);
      }
    });
  };
  const uint64_t few = work(1000), many = work(100000);
  if (few == 0) GTEST_SKIP() << "this machine lets no process follow another one step by step";
  EXPECT_LT(many, 2 * few);
}

TEST(Flowtune, WarmStartBeatsANewStart) {
  // One flow more among 300: what is left to do is little, and a cold start has all of it to do.
  RandomStream draw(24, "flowtune");
  const Clos clos{4, 8, 4};
  auto warm = Allocator::make(clos.links(1), with(Algorithm::Ned, 0.4));
  std::vector<std::vector<uint32_t>> paths;
  for (int f = 0; f < 301; ++f) paths.push_back(clos.path(draw));
  for (int f = 0; f < 300; ++f) warm->add(paths[f], 1);
  warm->iterate(2000);
  ASSERT_LT(warm->residual(), 1e-6);
  warm->add(paths[300], 1);
  auto cold = Allocator::make(clos.links(1), with(Algorithm::Ned, 0.4));
  for (const auto& p : paths) cold->add(p, 1);
  const auto needed = [](Allocator& a) {
    int n = 0;
    for (; n < 2000 && a.residual() > 1e-2; ++n) a.iterate();
    return n;
  };
  EXPECT_LT(needed(*warm), needed(*cold));
}

TEST(Flowtune, TheSameBytesAsThePlainLoop) {
  RandomStream draw(25, "flowtune");
  const Clos clos{4, 16, 4};
  // So many that a near cache holds them, and so many that it does not.
  for (const size_t flows : {1000, 30000}) {
    auto a = Allocator::make(clos.links(1), with(Algorithm::Ned, 0.4, Normaliser::FNorm));
    test::PlainNed plain(clos.links(1), 0.4);
    std::vector<Handle> handles;
    while (handles.size() < flows) {
      const auto path = clos.path(draw);
      if (path.size() < 4) continue;
      const double weight = 0.5 + draw.uniform();
      handles.push_back(a->add(path, weight));
      plain.add(path, weight);
    }
    for (int i = 0; i < 30; ++i) {
      a->iterate();
      plain.iterate(true);
      for (size_t f = 0; f < flows; ++f) {
        ASSERT_EQ(bitsOf(a->rate(handles[f])), bitsOf(plain.flows[f].rate)) << "iteration " << i << ", flow " << f;
        ASSERT_EQ(bitsOf(a->allocated(handles[f])), bitsOf(plain.flows[f].allocated));
      }
      for (uint32_t l = 0; l < plain.price.size(); ++l) ASSERT_EQ(bitsOf(a->price(l)), bitsOf(plain.price[l]));
    }
  }
}

TEST(Flowtune, PathsOfAnyLength) {
  // One flow over all links, and one over each: the long one gets 1 / (n + 1) of the capacity.
  for (uint32_t n : {1u, 2u, 3u, 5u, 6u, 7u, 8u, 9u, 16u, 17u, 40u}) {
    const std::vector<double> capacities(n, 10);
    auto a = Allocator::make(Links::flat(capacities, n), with(Algorithm::Ned, 1.0 / n));
    std::vector<uint32_t> all;
    for (uint32_t l = 0; l < n; ++l) {
      a->add({l}, 1);
      all.push_back(l);
    }
    const Handle longest = a->add(all, 1);
    a->iterate(5000);
    EXPECT_LT(a->residual(), 1e-9) << n;
    EXPECT_NEAR(a->rate(longest), 10.0 / (n + 1), 1e-8) << n;
  }
}

/// A hash of everything an allocator says.
uint64_t digest(const Allocator& a, const std::vector<Handle>& handles, uint32_t links) {
  uint64_t h = 0;
  for (const Handle f : handles) h = mix64(mix64(h ^ bitsOf(a.rate(f))) + bitsOf(a.allocated(f)));
  for (uint32_t l = 0; l < links; ++l) h = mix64(mix64(h ^ bitsOf(a.price(l))) + bitsOf(a.load(l)));
  return h;
}

uint64_t digestOf(const Settings& settings, uint32_t blocks) {
  RandomStream draw(26, "flowtune");
  const Clos clos{8, 6, 3};
  auto a = Allocator::make(clos.links(blocks), settings);
  std::vector<Handle> handles;
  for (int f = 0; f < 700; ++f) handles.push_back(a->add(clos.path(draw), 0.5 + draw.uniform()));
  uint64_t h = 0;
  for (int i = 0; i < 10; ++i) {
    a->iterate(1 + i % 3);
    h = mix64(h ^ digest(*a, handles, 2 * clos.nodes()));
    for (int change = 0; change < 5; ++change) {
      const uint32_t which = draw.below(static_cast<uint32_t>(handles.size()));
      a->remove(handles[which]);
      handles[which] = a->add(clos.path(draw), 1);
    }
  }
  return h;
}

TEST(Flowtune, TheSameBytesForAnyNumberOfThreads) {
  for (const Algorithm algorithm : kAlgorithms) {
    for (const Normaliser normaliser : {Normaliser::None, Normaliser::UNorm, Normaliser::FNorm}) {
      for (const bool rt : {false, true}) {
        Settings s = with(algorithm, flowtune::defaultGamma(algorithm), normaliser);
        s.rt = rt;
        for (const uint32_t blocks : {2u, 8u}) {
          s.threads = 1;
          const uint64_t one = digestOf(s, blocks);
          for (const uint32_t threads : {2u, 3u, 4u}) {
            s.threads = threads;
            ASSERT_EQ(digestOf(s, blocks), one) << blocks << " blocks, " << threads << " threads";
          }
        }
      }
    }
  }
}

TEST(Flowtune, TheSameBytesOnAnyMachine) {
  // Numbers of one machine: another one, or another compiler, has to give the same.
  Settings s = with(Algorithm::Ned, 0.4, Normaliser::FNorm);
  EXPECT_EQ(digestOf(s, 1), 0x2681ab7e66a0a74au);
  EXPECT_EQ(digestOf(s, 4), 0xce7c540deff900efu);
  s.rt = true;
  EXPECT_EQ(digestOf(s, 1), 0x59a069abc0926690u);
  EXPECT_EQ(digestOf(s, 4), 0xe4f7b17621c1611fu);
  s = with(Algorithm::Fgm, 1, Normaliser::UNorm);
  EXPECT_EQ(digestOf(s, 2), 0x83251c2f05371ab5u);
}

TEST(Flowtune, BlocksChangeNothingButRounding) {
  RandomStream draw(27, "flowtune");
  const Clos clos{8, 6, 3};
  for (const uint32_t blocks : {2u, 4u, 8u}) {
    auto flat = Allocator::make(clos.links(1), with(Algorithm::Ned, 0.4, Normaliser::FNorm));
    auto grid = Allocator::make(clos.links(blocks), with(Algorithm::Ned, 0.4, Normaliser::FNorm));
    std::vector<Handle> one, two;
    for (int f = 0; f < 700; ++f) {
      const auto path = clos.path(draw);
      one.push_back(flat->add(path, 1));
      two.push_back(grid->add(path, 1));
    }
    for (int i = 0; i < 20; ++i) {
      flat->iterate();
      grid->iterate();
      for (int f = 0; f < 700; ++f) {
        ASSERT_NEAR(grid->rate(two[f]) / flat->rate(one[f]), 1, 1e-9);
        ASSERT_NEAR(grid->allocated(two[f]) / flat->allocated(one[f]), 1, 1e-9);
      }
      for (uint32_t l = 0; l < clos.nodes() * 2; ++l) ASSERT_NEAR(grid->load(l), flat->load(l), 1e-9);
    }
  }
}

TEST(Flowtune, BlocksOfUnequalSize) {
  // Three racks in two blocks: one has twice the links of the other.
  RandomStream draw(28, "flowtune");
  const Clos clos{3, 5, 2};
  auto flat = Allocator::make(clos.links(1), with(Algorithm::Ned, 0.4));
  auto grid = Allocator::make(clos.links(2), with(Algorithm::Ned, 0.4));
  for (int f = 0; f < 100; ++f) {
    const auto path = clos.path(draw);
    flat->add(path, 1);
    grid->add(path, 1);
  }
  for (int i = 0; i < 20; ++i) {
    flat->iterate();
    grid->iterate();
    for (uint32_t l = 0; l < 2 * clos.nodes() + 2 * 3 * 2; ++l) ASSERT_NEAR(grid->load(l), flat->load(l), 1e-9);
  }
}

TEST(Flowtune, AllocatesNothingInSteadyState) {
  RandomStream draw(29, "flowtune");
  const Clos clos{4, 6, 3};
  auto a = Allocator::make(clos.links(2), with(Algorithm::Ned, 0.4, Normaliser::FNorm));
  a->reserve(400);
  std::vector<std::vector<uint32_t>> paths;
  for (int f = 0; f < 300; ++f) paths.push_back(clos.path(draw));
  std::vector<Handle> handles;
  handles.reserve(300);
  const uint64_t before = test::allocations;
  for (const auto& p : paths) handles.push_back(a->add(p, 1));
  a->iterate(10);
  for (const Handle h : handles) a->remove(h);
  for (const auto& p : paths) a->add(p, 1);
  a->iterate(10);
  EXPECT_EQ(test::allocations, before);
}

TEST(Flowtune, RefusesWhatMakesNoSense) {
  const auto refused = [](const Links& links, const Settings& settings, const std::string& why) {
    try {
      Allocator::make(links, settings);
      ADD_FAILURE() << "not refused: " << why;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  };
  Links links = Links::flat({10, 10}, 2);
  Settings s;
  s.threads = 2;
  refused(links, s, "1 to 1 threads");
  s = {};
  s.gamma = 0;
  refused(links, s, "gamma");
  s = {};
  s.measuredIterations = 0;
  refused(links, s, "Newton-like");
  s = {};
  links.blocks = 3;
  refused(links, s, "power of two");
  links.blocks = 2;
  links.links[1].block = 2;
  refused(links, s, "link 1 is in block 2");
  links.links[1] = {0, 1, true};
  refused(links, s, "capacity of link 1");

  links.links[1] = {10, 1, true};
  auto a = Allocator::make(links, s);
  EXPECT_THROW(a->add({}, 1), std::invalid_argument);
  EXPECT_THROW(a->add({2}, 1), std::invalid_argument);
  EXPECT_THROW(a->add({0, 1}, 1), std::invalid_argument) << "upward links of two blocks";
  EXPECT_THROW(a->add({0, 0, 0}, 1), std::invalid_argument) << "longer than announced";
  EXPECT_THROW(a->add({0}, 0), std::invalid_argument);
  EXPECT_THROW(a->remove(0), std::invalid_argument);
  const Handle h = a->add({0}, 1);
  a->remove(h);
  EXPECT_THROW(a->remove(h), std::invalid_argument);
  EXPECT_THROW(a->rate(h), std::invalid_argument);
  EXPECT_EQ(a->flows(), 0u);
}

}  // namespace fabric
