#include "mechanisms/codel/codel_law.h"

#include <cmath>

namespace fabric {

/// x (3 - count x^2) / 2, from the value for the count before. With count 2 it is 0.5 instead of 0.71; later ones are
/// better.
void CoDelLaw::step() {
  const uint64_t x = uint64_t{inverse_} << 16;  // of 32 bits behind the point
  const uint64_t square = x * x >> 32;
  const uint64_t factor = ((uint64_t{3} << 32) - count_ * square) >> 2;  // two bits of room for the product
  inverse_ = static_cast<uint16_t>(factor * x >> 31 >> 16);
}

int64_t CoDelLaw::law(int64_t from, const Settings& s) const {
  const int64_t interval = units(s.interval, s);
  if (s.linux) return from + static_cast<int64_t>(static_cast<uint64_t>(interval) * (uint64_t{inverse_} << 16) >> 32);
  return from + static_cast<int64_t>(static_cast<double>(interval) / std::sqrt(static_cast<double>(count_)) + 0.5);
}

}  // namespace fabric
