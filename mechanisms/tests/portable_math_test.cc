// exp, log and pow against long double, at the ends of their ranges, and bit by bit.
#include "mechanisms/core/portable_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "mechanisms/core/random.h"

namespace fabric {

static_assert(LDBL_MANT_DIG >= 64, "these tests need a long double that is longer than double");

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();
constexpr double kMost = std::numeric_limits<double>::max();
constexpr int kSamples = 300000;

/// How far `got` is from `want`, in units of the last place of a double of this size.
double ulps(double got, long double want) {
  if (std::isinf(got) && std::isinf(static_cast<double>(want))) return 0;
  int e;
  std::frexp(want, &e);
  return static_cast<double>(std::fabs(got - want) / std::ldexp(1.0L, std::max(e, -1021) - 53));
}

class PortableMath : public testing::Test {
 protected:
  double uniform(double from, double to) { return from + (to - from) * random_.uniform(); }
  /// Any positive, finite double, denormal ones included: every exponent equally often.
  double any() {
    const double x = std::ldexp(1 + random_.uniform(), static_cast<int>(uniform(-1080, 1024)));
    return x > 0 ? x : 1;
  }
  /// Close to 1, where a logarithm is small and a power needs all of its bits.
  double nearOne() { return 1 + std::ldexp(uniform(-1, 1), -static_cast<int>(uniform(0, 50))); }

  RandomStream random_{1, "portable_math"};
};

TEST_F(PortableMath, ExpIsWithin8TenthsOfALastPlace) {
  double worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    for (const double x : {uniform(-745, 709.78), uniform(-1, 1), uniform(-745, -708)}) {
      worst = std::max(worst, ulps(portable::exp(x), std::exp(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 0.8);
}

TEST_F(PortableMath, LogIsWithin51HundredthsOfALastPlace) {
  double worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    for (const double x : {any(), nearOne(), uniform(0.5, 2)}) {
      worst = std::max(worst, ulps(portable::log(x), std::log(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 0.51);
}

TEST_F(PortableMath, PowIsWithin8TenthsOfALastPlace) {
  double worst = 0;
  const auto compare = [&](double x, double y) {
    const long double want = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    if (want <= kMost) worst = std::max(worst, ulps(portable::pow(x, y), want));
  };
  for (int i = 0; i < kSamples; ++i) {
    const double x = any(), close = nearOne();
    compare(x, uniform(-8, 8));
    compare(x, uniform(-1074, 1024) / std::log2(x));  // from the least to the largest result
    if (close != 1) compare(close, uniform(-744, 709) / std::log(close));
  }
  EXPECT_LT(worst, 0.8);
}

TEST_F(PortableMath, ExactPowersAreExact) {
  for (int base = 1; base <= 20; ++base) {
    double product = 1;
    for (int n = 0; n <= 10; ++n, product *= base) EXPECT_EQ(portable::pow(base, n), product) << base << "^" << n;
    EXPECT_EQ(portable::pow(base * base, 0.5), base);
  }
  for (int n = -1074; n < 1024; ++n) EXPECT_EQ(portable::pow(2, n), std::ldexp(1, n)) << n;
  for (int i = 0; i < 1000; ++i) {
    const double x = any();
    EXPECT_EQ(portable::pow(x, 1), x);
  }
}

TEST_F(PortableMath, EndsOfTheRange) {
  using namespace portable;
  EXPECT_EQ(exp(0), 1);
  EXPECT_EQ(exp(kInf), kInf);
  EXPECT_EQ(exp(kMost), kInf);
  EXPECT_EQ(exp(709.79), kInf);
  EXPECT_LT(exp(709.78), kInf);
  EXPECT_EQ(exp(-kInf), 0);
  EXPECT_EQ(exp(-kMost), 0);
  EXPECT_EQ(exp(-745), kLeast);
  EXPECT_EQ(exp(-746), 0);
  EXPECT_EQ(exp(kLeast), 1);

  EXPECT_EQ(log(1), 0);
  EXPECT_EQ(log(0), -kInf);
  EXPECT_EQ(log(-0.0), -kInf);
  EXPECT_EQ(log(kInf), kInf);
  EXPECT_EQ(log(kLeast), -0x1.74385446d71c3p+9);
  EXPECT_EQ(log(kMost), 0x1.62e42fefa39efp+9);

  for (const double x : {0.0, kLeast, 0.5, 1.0, 2.0, kMost, kInf}) EXPECT_EQ(pow(x, 0), 1) << x;
  for (const double y : {-kInf, -kMost, -1.0, kLeast, 1.0, kMost, kInf}) EXPECT_EQ(pow(1, y), 1) << y;
  for (const double y : {kLeast, 0.1, 1.0, kMost, kInf}) {
    EXPECT_EQ(pow(0, y), 0) << y;
    EXPECT_EQ(pow(0, -y), kInf) << y;
    EXPECT_EQ(pow(kInf, y), kInf) << y;
    EXPECT_EQ(pow(kInf, -y), 0) << y;
  }
  for (const double y : {1e18, 1e20, kMost, kInf}) {
    EXPECT_EQ(pow(2, y), kInf) << y;
    EXPECT_EQ(pow(2, -y), 0) << y;
    EXPECT_EQ(pow(0.5, y), 0) << y;
    EXPECT_EQ(pow(0.5, -y), kInf) << y;
  }
  EXPECT_EQ(pow(kLeast, 1), kLeast);
  EXPECT_EQ(pow(kLeast, 0.5), 0x1p-537);
  EXPECT_EQ(pow(kMost, kLeast), 1);
  EXPECT_EQ(pow(2, 1024), kInf);
  EXPECT_EQ(pow(2, -1075), 0);
}

TEST_F(PortableMath, WhatHasNoResultIsRefused) {
  EXPECT_THROW(portable::exp(kNan), std::domain_error);
  for (const double x : {kNan, -1.0, -kLeast, -kInf}) {
    EXPECT_THROW(portable::log(x), std::domain_error) << x;
    EXPECT_THROW(portable::pow(x, 2), std::domain_error) << x;
    EXPECT_THROW(portable::pow(x, 0), std::domain_error) << x;
  }
  EXPECT_THROW(portable::pow(2, kNan), std::domain_error);
}

/// The bits of many results, as they were when this was written: another machine, compiler or level of
/// optimisation must come to the same.
TEST_F(PortableMath, TheBitsStayTheSame) {
  uint64_t digest = 0;
  const auto add = [&](double x) {
    uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    digest = (digest ^ bits) * 0x100000001b3 + (digest >> 32);
  };
  for (int i = 0; i < kSamples; ++i) {
    const double x = static_cast<double>(random_.next() >> 11) * 0x1p-53, y = static_cast<double>(i) / 16;
    add(portable::exp(x * 1400 - 700));
    add(portable::log(x * y));
    add(portable::pow(x * y, x * 16 - 8));
    add(portable::cubeRoot(x * y));
  }
  EXPECT_EQ(digest, 15474069039737699577u);
}

TEST_F(PortableMath, CubeRoot) {
  for (const double x : {1e-12, 0.001, 0.5, 1.0, 2.0, 27.0, 75.0, 1e6, 3.7e17}) {
    EXPECT_NEAR(portable::cubeRoot(x) / std::cbrt(x), 1, 1e-14) << x;
  }
  EXPECT_EQ(portable::cubeRoot(0), 0);
}

}  // namespace fabric
