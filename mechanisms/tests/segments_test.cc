// The set of segments against std::set, with a window that moves and grows.
#include "mechanisms/tcp/segments.h"

#include <gtest/gtest.h>

#include <set>

#include "mechanisms/core/random.h"

namespace fabric {

TEST(SegmentSet, AgreesWithASet) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    WordPool pool;
    SegmentSet bits;
    std::set<uint32_t> set;
    RandomStream random(seed, "segments");
    uint32_t base = 1000 * static_cast<uint32_t>(seed), width = 40;
    for (int step = 0; step < 20000; ++step) {
      if (step % 4000 == 3999) width *= 3;
      const uint32_t s = base + 1 + random.below(width);
      EXPECT_EQ(bits.add(s, base, pool), set.insert(s).second);
      const uint32_t from = base + random.below(width), to = from + random.below(2 * width);
      uint32_t first = from;
      while (first < to && set.count(first) != 0) ++first;
      ASSERT_EQ(bits.firstMissing(from, to), first) << seed << ' ' << step;
      uint32_t last = to;
      for (uint32_t i = to; i-- > from;) {
        if (set.count(i) == 0) {
          last = i;
          break;
        }
      }
      ASSERT_EQ(bits.lastMissing(from, to), last);
      ASSERT_EQ(bits.contains(from), set.count(from) != 0);
      uint32_t run = s;
      while (run > base && set.count(run - 1) != 0) --run;
      ASSERT_EQ(bits.runBefore(s, base), run);
      // The window moves up by what is there, and now and then over a hole.
      const uint32_t up = step % 3 == 0 ? base + 1 + random.below(3) : bits.firstMissing(base + 1, ~0u);
      for (; base < up; ++base) {
        bits.erase(base);
        set.erase(base);
      }
    }
    bits.release(pool);
  }
}

TEST(SegmentSet, MemoryIsUsedAgain) {
  WordPool pool;
  uint64_t* block = pool.get(3);
  block[7] = 5;
  pool.put(block, 3);
  EXPECT_EQ(pool.get(3), block);
  EXPECT_EQ(block[7], 0u);
  EXPECT_NE(pool.get(3), block);
}

/// Numbers by segment: added one behind the other, asked for from a base on that moves up.
TEST(SegmentNumbers, KeepsWhatTheWindowHas) {
  WordPool pool;
  RandomStream random(1, "numbers");
  for (int round = 0; round < 3; ++round) {  // memory that was given back serves the next
    SegmentNumbers numbers;
    uint32_t base = 0, next = 0;
    for (int step = 0; step < 20000; ++step) {
      if (next - base < 300 && random.below(100) < 51) {
        numbers.add(next, uint64_t{next} * 7 + static_cast<uint64_t>(round), base, pool);
        ++next;
      } else if (base < next) {
        ++base;
      }
      if (base == next) continue;
      const uint32_t s = base + random.below(next - base);
      ASSERT_EQ(numbers.at(s), uint64_t{s} * 7 + static_cast<uint64_t>(round));
      ASSERT_EQ(numbers.at(base), uint64_t{base} * 7 + static_cast<uint64_t>(round));
    }
    numbers.release(pool);
  }
}

}  // namespace fabric
