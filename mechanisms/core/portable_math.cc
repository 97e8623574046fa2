#include "mechanisms/core/portable_math.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

namespace fabric {
namespace portable {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

uint64_t bitsOf(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

double fromBits(uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// The upper 21 bits of the mantissa: a product of two such numbers is exact.
double upper(double x) { return fromBits(bitsOf(x) & ~uint64_t{0xffffffff}); }

/// A number in two parts, `high` with 21 bits: about 74 bits together.
struct Parts {
  double high, low;
};

Parts parts(double high, double low) {
  const double h = upper(high + low);
  return {h, low - (h - high)};
}

/// Of two numbers in parts. What is left out, low times low, is below 2^-42 of the product's lower half.
Parts product(Parts a, Parts b) { return parts(a.high * b.high, a.low * (b.high + b.low) + a.high * b.low); }

// 1 / ln 2 and ln 2.
constexpr Parts kLog2OfE{0x1.71547p+0, 0x1.94ae0bf85ddf4p-22};
constexpr Parts kLn2{0x1.62e42p-1, 0x1.fdf473de6af28p-22};

/// log2(x) of a positive, finite x, in two parts.
///
/// With x = 2^n m and c = 1 or 1.5, whichever is nearer to m, and s = (m - c) / (m + c), at most 0.102:
/// log x = n log 2 + log c + 2 (s + s^3/3 + s^5/5 + ...), here as 2/3 s (3 + s^2 + 3/5 s^4 + 3/7 s^6 + ...).
Parts log2(double x) {
  int n = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    n = -54;
  }
  uint64_t bits = bitsOf(x);
  n += static_cast<int>(bits >> 52) - 1023;
  double m = fromBits((bits & 0xfffffffffffff) | 0x3ff0000000000000);
  double c = 1;
  if (m > 1.7320508) {  // the square root of 3
    m /= 2;
    ++n;
  } else if (m > 1.2247449) {  // the square root of 1.5
    c = 1.5;
  }

  const double above = m - c, below = 1 / (m + c);
  const double s = above * below, sHigh = upper(s);
  const double sumHigh = upper(m + c), sumLow = m - (sumHigh - c);
  const double sLow = below * ((above - sHigh * sumHigh) - sHigh * sumLow);

  const double s2 = s * s;
  double tail = 0;
  for (const double k : {3. / 23, 3. / 21, 3. / 19, 3. / 17, 3. / 15, 3. / 13, 3. / 11, 3. / 9, 3. / 7, 3. / 5}) {
    tail = tail * s2 + k;
  }
  tail = s2 * s2 * tail + sLow * (sHigh + s);  // the second: what s^2 is more than sHigh^2
  const double square = sHigh * sHigh;
  const double factorHigh = upper(3 + square + tail);
  const double factorLow = tail - ((factorHigh - 3) - square);
  const Parts logarithm = parts(sHigh * factorHigh, sLow * factorHigh + factorLow * s);

  constexpr Parts kTwoThirdsLog2OfE{0x1.ec709p-1, 0x1.b87407fae93f8p-22};
  constexpr Parts kLog2Of1_5{0x1.2b803p-1, 0x1.1cfdeb43cfd00p-23};
  const double high = kTwoThirdsLog2OfE.high * logarithm.high;
  double low = kTwoThirdsLog2OfE.low * (logarithm.high + logarithm.low) + kTwoThirdsLog2OfE.high * logarithm.low;
  double whole = n;
  if (c != 1) {
    low += kLog2Of1_5.low;
    const double sum = upper(((high + low) + kLog2Of1_5.high) + whole);
    return {sum, low - (((sum - whole) - kLog2Of1_5.high) - high)};
  }
  const double sum = upper((high + low) + whole);
  return {sum, low - ((sum - whole) - high)};
}

/// 2^y.
double exp2(Parts y) {
  const double about = y.high + y.low;
  if (about >= 1025) return kInfinity;
  if (about < -1080) return 0;
  const int n = static_cast<int>(about < 0 ? about - 0.5 : about + 0.5);
  // 2^y = 2^n e^z, z within 0.35 of 0, in two parts of which the second is small.
  const Parts z = product(parts(y.high - n, y.low), kLn2);
  const double x = z.high + z.low, rest = z.low - (x - z.high);
  double tail = 0;
  for (const double k : {1. / 87178291200, 1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880,
                         1. / 40320, 1. / 5040, 1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2}) {
    tail = tail * x + k;
  }
  const double sum = 1 + x;
  const double result = sum + ((x - (sum - 1)) + (x * x * tail + rest * sum));
  // 2^n in two steps where it or the result is no normal number: the last step rounds, the others do not.
  const auto power = [](int e) { return fromBits(static_cast<uint64_t>(e + 1023) << 52); };
  if (n > 1023) return result * 0x1p1023 * power(n - 1023);
  if (n < -1021) return result * power(n + 1000) * 0x1p-1000;
  return result * power(n);
}

[[noreturn]] void refuse(const char* function, double x) {
  throw std::domain_error(std::string(function) + " of " + std::to_string(x));
}

}  // namespace

double exp(double x) {
  if (x != x) refuse("exp", x);
  if (x > 720) return kInfinity;
  if (x < -750) return 0;
  const double high = upper(x);
  return exp2(product({high, x - high}, kLog2OfE));
}

double log(double x) {
  if (!(x >= 0)) refuse("log", x);
  if (x == 0) return -kInfinity;
  if (x == kInfinity) return x;
  const Parts result = product(log2(x), kLn2);
  return result.high + result.low;
}

double pow(double x, double y) {
  if (!(x >= 0)) refuse("pow", x);
  if (y != y) refuse("pow with exponent", y);
  if (y == 0 || x == 1) return 1;
  if (x == 0 || x == kInfinity) return (x == 0) == (y > 0) ? 0 : kInfinity;
  // Beyond 2^64 the power of any other double is out of range.
  if (y > 0x1p64 || y < -0x1p64) return (x < 1) == (y > 0) ? 0 : kInfinity;
  const double high = upper(y);
  return exp2(product({high, y - high}, log2(x)));
}

double cubeRoot(double x) {
  if (x <= 0) return 0;
  // A third of the exponent is a guess that is a few per cent off; each step of Newton's squares that.
  double y = fromBits(bitsOf(x) / 3 + (uint64_t{682} << 52));  // 2/3 of the exponent's bias, 1023
  for (int i = 0; i < 6; ++i) y = (2 * y + x / (y * y)) / 3;
  return y;
}

}  // namespace portable
}  // namespace fabric
