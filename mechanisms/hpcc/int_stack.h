// In-band network telemetry as HPCC and FNCC carry it.
#pragma once

#include <array>
#include <cstdint>

#include "mechanisms/core/types.h"

namespace fabric {

class Port;

/// What one egress port says of itself (HPCC section 4.1: B, TS, txBytes, qLen).
struct IntRecord {
  Rate rate;
  Time ts;
  int64_t txBytes = 0;
  int64_t qlen = 0;

  /// `port` as it is now. Quantised: the resolution of the 64-bit hardware record, ts in ns, txBytes
  /// and qlen in units that grow with the rate. The record's counters wrap; as only differences
  /// between ACKs less than a wrap (16.7 ms) apart are used, wrapping is left out.
  static IntRecord of(const Port& port, Time now, bool quantised);
};

/// The packet extension: records in the order in which they were written.
struct IntStack {
  static constexpr int kMaxHops = 8;
  static constexpr const char* kName = "int_stack";
  static constexpr int64_t kMostWireBytes = 2 + 8 * kMaxHops;  // HPCC section 4.1
  uint8_t count = 0;
  std::array<IntRecord, kMaxHops> hops;

  /// A packet on a longer path keeps its first records; the sender sees the count.
  bool push(const IntRecord& r) {
    if (count == kMaxHops) return false;
    hops[count++] = r;
    return true;
  }
  /// Where the next record will be.
  const IntRecord* end() const { return hops.data() + count; }
};

}  // namespace fabric
