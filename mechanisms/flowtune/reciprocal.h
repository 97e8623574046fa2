// 1/x for the flows of a block: exact, or good enough.
#pragma once

#include <cstdint>
#include <cstring>

namespace fabric::flowtune {

inline double reciprocal(double x) { return 1 / x; }

/// Within 2e-5 of 1/x for any normal x below 2^126: a guess from the exponent, and two Newton steps. Only + - * of
/// single floats, so the same bytes on any machine, which the processor's own approximation (rcpps) is not.
inline float reciprocal(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = 0x7ef311c7u - bits;
  float y;
  std::memcpy(&y, &bits, sizeof y);
  y = y * (2.0f - x * y);
  return y * (2.0f - x * y);
}

}  // namespace fabric::flowtune
