// Which segments of a flow have arrived beyond the first that is missing.
#pragma once

#include <array>
#include <cstdint>

namespace fabric {

/// A bit for each of kSegments segments from the first missing one on.
class SegmentRing {
 public:
  static constexpr uint32_t kSegments = 1024;

  bool has(uint32_t segment) const { return (word(segment) >> segment % 64 & 1u) != 0; }
  void add(uint32_t segment) { words_[at(segment)] |= bit(segment); }
  /// The segment lies behind now; its bit is that of a later one.
  void pass(uint32_t segment) { words_[at(segment)] &= ~bit(segment); }

 private:
  static uint32_t at(uint32_t segment) { return segment % kSegments / 64; }
  static uint64_t bit(uint32_t segment) { return uint64_t{1} << segment % 64; }
  uint64_t word(uint32_t segment) const { return words_[at(segment)]; }

  std::array<uint64_t, kSegments / 64> words_{};
};

}  // namespace fabric
