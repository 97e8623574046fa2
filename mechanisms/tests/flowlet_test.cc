// The flowlet table: time stamps against the sweep of the hardware, and what gaps end a flowlet.
#include <gtest/gtest.h>

#include "mechanisms/core/random.h"
#include "mechanisms/path/flowlet_table.h"

namespace fabric {

namespace {

/// The table as the paper has it: valid and age bits, and a sweep.
class Swept {
 public:
  Swept(size_t entries, Time timeout) : bits_(entries), timeout_(timeout), next_(timeout) {}
  bool alive(size_t i, Time now) {
    for (; next_ <= now; next_ += timeout_) {
      for (Bits& b : bits_) {
        if (b.age) b.valid = false;
        b.age = true;
      }
    }
    return bits_[i].valid;
  }
  void touch(size_t i) { bits_[i] = {true, false}; }

 private:
  struct Bits {
    bool valid = false, age = false;
  };
  std::vector<Bits> bits_;
  Time timeout_, next_;
};

}  // namespace

TEST(FlowletTable, SameAnswersAsTheSweep) {
  const Time timeout = Time::Us(500);
  FlowletTable lazy;
  lazy.configure(16, timeout);
  Swept swept(16, timeout);
  RandomStream random(1, "flowlets");
  Time now;
  int alive = 0, dead = 0;
  for (int i = 0; i < 200000; ++i) {
    // An entry comes up every 16th step: gaps around one and two timeouts, and packets at sweeps.
    int64_t gap = random.below(100000000);
    if (random.below(1000) == 0) gap = int64_t{random.below(20)} * timeout.ps;
    now = now + Time{gap};
    if (random.below(10) == 0) now = Time{(now.ps / timeout.ps + 1) * timeout.ps};
    const size_t at = lazy.index(random.next());
    ASSERT_LT(at, 16u);
    const bool a = lazy.alive(lazy[at], now);
    ASSERT_EQ(a, swept.alive(at, now)) << "step " << i << ", " << now.ps << " ps";
    ++(a ? alive : dead);
    lazy[at].last = now;
    swept.touch(at);
  }
  EXPECT_GT(alive, 20000);
  EXPECT_GT(dead, 20000);
}

TEST(FlowletTable, AGapBetweenOneAndTwoTimeoutsEndsAFlowlet) {
  const Time timeout = Time::Us(500);
  // By where between two sweeps the last packet came: the shortest gap that ends the flowlet.
  for (const int64_t offset : {0, 1, 100, 250, 499}) {
    const Time last = Time::Ms(10) + Time::Us(offset);
    const Time ends = Time::Us(1000 - offset);
    for (const int64_t gap : {int64_t{0}, timeout.ps, ends.ps - 1, ends.ps, 2 * timeout.ps}) {
      FlowletTable t;
      t.configure(4, timeout);
      t[1].last = last;
      EXPECT_EQ(t.alive(t[1], last + Time{gap}), gap < ends.ps) << offset << " us, gap " << gap;
    }
    EXPECT_GT(ends, timeout);
    EXPECT_LE(ends, timeout + timeout);
  }
}

TEST(FlowletTable, ExactGaps) {
  const Time timeout = Time::Us(500);
  for (const int64_t offset : {0, 1, 100, 250, 499}) {
    const Time last = Time::Ms(10) + Time::Us(offset);
    for (const int64_t gap : {int64_t{0}, timeout.ps - 1, timeout.ps, timeout.ps + 1, 2 * timeout.ps}) {
      FlowletTable t;
      t.configure(4, timeout, true);
      EXPECT_FALSE(t.alive(t[1], last));
      t[1].last = last;
      EXPECT_EQ(t.alive(t[1], last + Time{gap}), gap <= timeout.ps) << offset << " us, gap " << gap;
    }
  }
}

TEST(FlowletTable, NothingIsAliveInTheBeginning) {
  FlowletTable t;
  t.configure(65536, Time::Us(500));
  EXPECT_FALSE(t.alive(t[0], {}));
  EXPECT_FALSE(t.alive(t[65535], Time::Us(499)));
  EXPECT_EQ(t.index(~uint64_t{0}), 65535u);
  EXPECT_EQ(t.index(0), 0u);
}

}  // namespace fabric
