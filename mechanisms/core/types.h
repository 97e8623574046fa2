// Strong types for time, rate and size. All arithmetic that reaches a result is integer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

/// For a function that is called from where every packet comes by, and rarely: its code stays out of the caller's.
#define FABRIC_RARE [[gnu::noinline, gnu::cold]]

namespace fabric {

/// Holds the product of a rate and a time. __int128 is no standard C++, and builds in ns-3 warn of it without this name.
__extension__ typedef __int128 int128;

/// A point in simulated time or a duration, in picoseconds: 64 B at 400 Gb/s last 1.28 ns, so
/// nanoseconds are too coarse.
struct Time {
  int64_t ps = 0;

  static constexpr Time Ps(int64_t v) { return Time{v}; }
  static constexpr Time Ns(int64_t v) { return Time{v * 1000}; }
  static constexpr Time Us(int64_t v) { return Time{v * 1000000}; }
  static constexpr Time Ms(int64_t v) { return Time{v * 1000000000}; }
  static constexpr Time Max() { return Time{std::numeric_limits<int64_t>::max()}; }

  constexpr Time operator+(Time o) const { return Time{ps + o.ps}; }
  constexpr Time operator-(Time o) const { return Time{ps - o.ps}; }
  constexpr Time& operator+=(Time o) {
    ps += o.ps;
    return *this;
  }
  constexpr bool operator==(Time o) const { return ps == o.ps; }
  constexpr bool operator!=(Time o) const { return ps != o.ps; }
  constexpr bool operator<(Time o) const { return ps < o.ps; }
  constexpr bool operator<=(Time o) const { return ps <= o.ps; }
  constexpr bool operator>(Time o) const { return ps > o.ps; }
  constexpr bool operator>=(Time o) const { return ps >= o.ps; }
};

/// Times beyond 100 days are refused, so that sums of two times never overflow.
inline constexpr Time kLongestTime = Time{int64_t{100} * 24 * 3600 * 1000000000000};
/// In bit/s.
inline constexpr int64_t kFastestLink = 100000000000000;

/// A data rate in bit/s.
struct Rate {
  int64_t bps = 0;

  static constexpr Rate Mbps(int64_t v) { return Rate{v * 1000000}; }
  static constexpr Rate Gbps(int64_t v) { return Rate{v * 1000000000}; }

  constexpr bool operator==(Rate o) const { return bps == o.bps; }
  constexpr bool operator!=(Rate o) const { return bps != o.bps; }
  constexpr bool operator<(Rate o) const { return bps < o.bps; }
  constexpr bool operator<=(Rate o) const { return bps <= o.bps; }
  constexpr bool operator>(Rate o) const { return bps > o.bps; }
  constexpr bool operator>=(Rate o) const { return bps >= o.bps; }
};

/// A size in bytes.
struct Bytes {
  int64_t n = 0;

  constexpr bool operator==(Bytes o) const { return n == o.n; }
  constexpr bool operator<(Bytes o) const { return n < o.n; }
};

/// Memory whose objects begin at a line of the cache.
struct alignas(64) CacheLine {
  std::byte bytes[64];
};

/// Is told of memory: where it begins, and how many bytes it has; null is nothing.
using MemoryList = std::function<void(const void*, size_t)>;

/// Serialisation time of `bytes` at `rate`, rounded to the nearest picosecond, ties up. `rate` > 0.
inline Time transmissionTime(int64_t bytes, Rate rate) {
  constexpr int64_t kPsBits = 8 * int64_t{1000000000000};
  if (bytes <= 1000000) {  // bytes * 8e12 fits 63 bits
    return Time{(bytes * kPsBits + rate.bps / 2) / rate.bps};
  }
  const int128 bits = static_cast<int128>(bytes) * kPsBits + rate.bps / 2;
  return Time{static_cast<int64_t>(bits / rate.bps)};
}

}  // namespace fabric
