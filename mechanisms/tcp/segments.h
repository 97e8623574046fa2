// Sets of segments, and numbers by segment, over a window that moves up: the sender's scoreboard, the
// receiver's out-of-order data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace fabric {

/// Memory for the two below: blocks of 2^n words, kept for the next one that asks.
class WordPool {
 public:
  uint64_t* get(unsigned log2Words);
  void put(uint64_t* words, unsigned log2Words);

 private:
  std::vector<std::unique_ptr<uint64_t[]>> blocks_;
  std::vector<std::vector<uint64_t*>> free_;
};

/// One bit per segment in a ring, which takes memory when the first segment is added and then as much
/// as the window needs. Whoever moves the window's base up erases what falls out, from below. A plain
/// struct: its owner gives the memory back with release().
class SegmentSet {
 public:
  bool contains(uint32_t segment) const { return segment < end_ && (word(segment) >> (segment & 63) & 1) != 0; }
  /// False if it was there. `base` is the lowest segment of the window.
  bool add(uint32_t segment, uint32_t base, WordPool& pool) {
    if (segment - base >= capacity_) grow(segment, base, pool);
    const uint64_t bit = uint64_t{1} << (segment & 63);
    uint64_t& w = word(segment);
    if ((w & bit) != 0) return false;
    w |= bit;
    end_ = std::max(end_, segment + 1);
    return true;
  }
  void erase(uint32_t segment) {
    if (segment < end_) word(segment) &= ~(uint64_t{1} << (segment & 63));
  }
  /// The first segment of [from, to) that is not in the set; `to` if there is none. Like all that is
  /// asked for, the range begins in the window.
  uint32_t firstMissing(uint32_t from, uint32_t to) const {
    const uint32_t known = std::min(to, end_);
    for (uint32_t s = from; s < known; s = (s | 63) + 1) {
      const uint64_t missing = ~word(s) & (~uint64_t{0} << (s & 63));
      if (missing != 0) return std::min((s & ~63u) + static_cast<uint32_t>(__builtin_ctzll(missing)), known);
    }
    return std::max(from, known);
  }
  /// The last segment of [from, to) that is not in the set; `to` if there is none.
  uint32_t lastMissing(uint32_t from, uint32_t to) const {
    for (uint32_t s = to; s-- > from;) {
      if (!contains(s)) return s;
    }
    return to;
  }
  /// The first segment of the run in the set that ends before `segment`, not below `base`.
  uint32_t runBefore(uint32_t segment, uint32_t base) const {
    while (segment > base && contains(segment - 1)) --segment;
    return segment;
  }
  void release(WordPool& pool);

 private:
  uint64_t& word(uint32_t segment) const { return words_[segment >> 6 & mask_]; }
  void grow(uint32_t segment, uint32_t base, WordPool& pool);

  uint64_t* words_ = nullptr;
  uint32_t mask_ = 0;      // number of words - 1
  uint32_t capacity_ = 0;  // segments
  uint32_t end_ = 0;       // behind the highest that was ever added
};

/// A number by segment, of those that were added. Its owner gives the memory back with release(), too.
class SegmentNumbers {
 public:
  uint64_t at(uint32_t segment) const { return numbers_[segment & (capacity_ - 1)]; }
  /// `base` is the lowest segment that will be asked for.
  void add(uint32_t segment, uint64_t number, uint32_t base, WordPool& pool) {
    if (segment - base >= capacity_) grow(segment, base, pool);
    numbers_[segment & (capacity_ - 1)] = number;
  }
  void release(WordPool& pool);

 private:
  void grow(uint32_t segment, uint32_t base, WordPool& pool);

  uint64_t* numbers_ = nullptr;
  uint32_t capacity_ = 0;
};

}  // namespace fabric
