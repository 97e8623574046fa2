// What Flowtune's endpoints and its allocator tell each other (docs/mechanisms/flowtune.md, Messages).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mechanisms/core/host.h"

namespace fabric::flowtune {

/// Messages share queues with data (section 5.3).
inline uint8_t messageClass(const Host& host) { return host.classes() > 1 ? 1 : 0; }

inline constexpr uint64_t kStartBytes = 16, kEndBytes = 4, kRateBytes = 6;  // section 5.3

/// Connections of endpoints to the allocator have this port at both ends. Those of the allocator to endpoints have one
/// of the next kLives: another one each time that the allocator comes back, as a process that starts anew would.
inline constexpr uint16_t kPort = 4788;
inline constexpr uint16_t kLives = 1024;

/// From an endpoint: flowlets that start and end, in their order. A start is two words of the message, an end is one.
struct Notice {
  uint32_t flowlet = 0;  // the server's number of it
  uint32_t weight = 0;   // in units of 2^-16; 0: the flowlet ends, and the rest is not there
  uint32_t dst = 0;
  uint16_t srcPort = 0, dstPort = 0;

  static uint32_t weightOf(double weight) {
    return static_cast<uint32_t>(std::clamp(weight * 65536 + 0.5, 1.0, 4294967295.0));
  }
  double factor() const { return weight / 65536.0; }
  uint64_t bytes() const { return weight != 0 ? kStartBytes : kEndBytes; }
  void write(std::vector<uint64_t>& words) const {
    words.push_back(uint64_t{weight} << 32 | flowlet);
    if (weight != 0) words.push_back(uint64_t{dst} << 32 | uint64_t{srcPort} << 16 | dstPort);
  }
  /// The notice at words[at]; `at` is moved behind it.
  static Notice read(const std::vector<uint64_t>& words, size_t& at) {
    Notice n;
    n.flowlet = static_cast<uint32_t>(words[at]);
    n.weight = static_cast<uint32_t>(words[at++] >> 32);
    if (n.weight == 0) return n;
    n.dst = static_cast<uint32_t>(words[at] >> 32);
    n.srcPort = static_cast<uint16_t>(words[at] >> 16);
    n.dstPort = static_cast<uint16_t>(words[at++]);
    return n;
  }
};

/// A rate in 16 bits, of which 5 are an exponent: 11 bits from 1 kbit/s on, 2^exponent times as coarse. It is rounded
/// down, by less than a thousandth from 1 Mb/s on.
inline uint16_t encode(Rate rate) {
  int64_t mantissa = std::max<int64_t>(rate.bps / 1000, 1);
  uint16_t exponent = 0;
  for (; mantissa >= 2048; mantissa >>= 1) ++exponent;
  return static_cast<uint16_t>(exponent << 11 | mantissa);
}
inline Rate decode(uint16_t code) { return Rate{(int64_t{code & 2047} << (code >> 11)) * 1000}; }

/// From the allocator: when the message was sent, which is not on the wire and only measured, and a word for each rate.
struct RateUpdate {
  uint32_t flowlet = 0;
  uint16_t code = 0;

  uint64_t word() const { return uint64_t{flowlet} << 16 | code; }
  static RateUpdate of(uint64_t word) { return {static_cast<uint32_t>(word >> 16), static_cast<uint16_t>(word)}; }
};

}  // namespace fabric::flowtune
