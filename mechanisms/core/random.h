// The project's own random numbers: counter based, so that a stream depends on nothing but the seed
// and its name, and the same in C++ and Go on any machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace fabric {

/// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
/// OOPSLA 2014): a bijection on 64 bits whose every output bit depends on every input bit.
constexpr uint64_t mix64(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  x ^= x >> 31;
  return x;
}

inline constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;

/// An endpoint of a flow for pairHash(): the hash of the host's name, and a port.
constexpr uint64_t endpoint(uint64_t nameHash, uint16_t port) { return nameHash << 16 | port; }

/// Hash of an ordered pair of endpoints; the harness computes the same to know a flow's path.
constexpr uint64_t pairHash(uint64_t a, uint64_t b) {
  return mix64(mix64(a + kGolden) ^ (b * kGolden + 0x632be59bd9b4e019u));
}

/// FNV-1a, for the names of streams, nodes and ports.
constexpr uint64_t hashName(std::string_view name) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : name) {
    h = (h ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  }
  return h;
}

/// A named stream: value n is a function of (seed, name, index, n) alone.
class RandomStream {
 public:
  RandomStream() = default;
  RandomStream(uint64_t seed, std::string_view name, uint64_t index = 0)
      : key_(mix64(mix64(seed + kGolden) ^ (hashName(name) + index * kGolden))) {}

  uint64_t next() { return mix64(key_ + ++count_ * kGolden); }

  /// Uniform in [0, 1), on a grid of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Uniform in 0..n-1 by multiplication; the bias is below n / 2^32.
  uint32_t below(uint32_t n) {
    return static_cast<uint32_t>((uint64_t{static_cast<uint32_t>(next() >> 32)} * n) >> 32);
  }

 private:
  uint64_t key_ = 0;
  uint64_t count_ = 0;
};

}  // namespace fabric
