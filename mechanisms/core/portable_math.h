// exp, log, pow and the cube root, the same bytes on every machine. A C library chooses its variants by
// the processor, so libm's may differ in the last bit; these use + - * / and the bits of a double only.
#pragma once

namespace fabric {
namespace portable {

// No result is ever NaN: an argument that is NaN, and a negative one of log and pow, is refused by
// std::domain_error. What a double cannot hold is infinite or 0, as in IEEE 754. The errors below hold for
// denormal arguments and results too; tests measure them against long double.

/// e^x, within 0.8 units in the last place.
double exp(double x);
/// The natural logarithm of x >= 0, within 0.51 units in the last place; of 0 it is -infinity.
double log(double x);
/// x^y of x >= 0, within 0.8 units in the last place. As in C: 0^0 and 1^infinity are 1, 0 to a negative
/// power is infinite.
double pow(double x, double y);
/// The cube root of a finite x >= 0, within a relative 1e-14.
double cubeRoot(double x);

}  // namespace portable
}  // namespace fabric
