// The wheel against a sorted list of the same events.
#include "mechanisms/core/event_wheel.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace fabric {
namespace {

struct Entry {
  int64_t at;
  uint64_t rank;
  bool before(const Entry& e) const { return at < e.at || (at == e.at && rank < e.rank); }
};
bool operator<(const Entry& a, const Entry& b) { return a.before(b); }
bool operator==(const Entry& a, const Entry& b) { return a.at == b.at && a.rank == b.rank; }

class Wheel : public ::testing::Test {
 protected:
  void insert(int64_t at, uint64_t rank) {
    wheel_.insert({at, rank});
    sorted_.insert({at, rank});
  }
  bool remove(const Entry& e) {
    return wheel_.remove(e.at, [&](const Entry& other) { return other == e; });
  }
  /// Takes the first of both out.
  Entry take() {
    EXPECT_EQ(wheel_.size(), sorted_.size());
    EXPECT_EQ(*wheel_.peek(), *sorted_.begin());
    const Entry first = wheel_.takeFirst();
    EXPECT_EQ(first, *sorted_.begin());
    sorted_.erase(sorted_.begin());
    return first;
  }
  void drain() {
    while (!sorted_.empty()) take();
    EXPECT_TRUE(wheel_.empty());
    EXPECT_EQ(wheel_.peek(), nullptr);
  }

  EventWheel<Entry> wheel_;
  std::set<Entry> sorted_;
};

/// As a simulation does it: time goes on, events come near, far and now, and some are taken back.
TEST_F(Wheel, GivesTheEarliestWhateverComesAndGoes) {
  std::mt19937_64 random(1);
  const int64_t reach[] = {1, 1000, 100000, 9000000, 1000000000};  // ps: this slot, the next, the wheel, beyond
  int64_t now = 0;
  uint64_t rank = 0;
  for (int step = 0; step < 200000; ++step) {
    const uint64_t dice = random() % 10;
    if (dice < 4 || sorted_.empty()) {
      insert(now + static_cast<int64_t>(random() % reach[random() % 5]), rank++);
    } else if (dice == 4) {
      auto it = sorted_.lower_bound({now + static_cast<int64_t>(random() % 1000000), 0});
      if (it == sorted_.end()) it = sorted_.begin();
      ASSERT_TRUE(remove(*it));
      ASSERT_FALSE(remove(*it));
      sorted_.erase(it);
    } else if (dice == 5) {
      ASSERT_EQ(wheel_.first(), *sorted_.begin());
    } else {
      now = take().at;
    }
    ASSERT_FALSE(HasFailure());
  }
  drain();
}

/// Who looks at the first turns the wheel to its slot; events before it may still come.
TEST_F(Wheel, AnEventMayComeBeforeTheFirstThatWasSeen) {
  insert(8'000'000, 1);
  wheel_.first();
  insert(5'000'000, 2);
  insert(8'500'000, 3);
  insert(16'000'000, 4);
  EXPECT_EQ(take().rank, 2u);
  drain();
}

/// The wheel has turned to a slot whose only event is then taken back.
TEST_F(Wheel, NeverTurnsBack) {
  insert(8'000'000, 1);
  wheel_.first();
  insert(16'380'000, 2);  // nearly a whole turn ahead
  ASSERT_TRUE(remove({8'000'000, 1}));
  sorted_.erase({8'000'000, 1});
  insert(7'000'000, 3);
  EXPECT_EQ(take().rank, 3u);
  insert(7'990'000, 4);
  insert(9'000'000, 5);
  drain();
}

TEST_F(Wheel, VisitsAll) {
  for (const int64_t at : {0, 5000, 5001, 1'000'000, 500'000'000}) insert(at, static_cast<uint64_t>(at));
  take();
  std::set<Entry> seen;
  wheel_.forEach([&](const Entry& e) { seen.insert(e); });
  EXPECT_EQ(seen, sorted_);
}

TEST_F(Wheel, LooksAhead) {
  const auto known = [&] {
    std::vector<uint64_t> ranks;
    for (size_t i = 0; wheel_.ahead(i) != nullptr; ++i) ranks.push_back(wheel_.ahead(i)->rank);
    return ranks;
  };
  using Ranks = std::vector<uint64_t>;
  EXPECT_EQ(known(), Ranks{});
  for (uint64_t rank = 6; rank-- > 0;) insert(5120 + 300 * static_cast<int64_t>(rank), rank);
  insert(6640, 10);
  insert(1'000'000, 20);  // too far away to look for
  EXPECT_EQ(known(), Ranks{});
  take();
  EXPECT_EQ(known(), (Ranks{1, 2, 3, 4}));
  insert(5500, 7);  // between 1 and 2, which are known
  EXPECT_EQ(known(), (Ranks{1, 7, 2, 3, 4}));
  take(), take();
  EXPECT_EQ(known(), (Ranks{2, 3, 4, 5, 10}));  // 5 and 10 wait in one slot
  take(), take(), take(), take(), take();
  EXPECT_EQ(known(), Ranks{});
  EXPECT_EQ(take().rank, 20u);
}

/// More events come before one that is known than are kept in order.
TEST_F(Wheel, ManyMayComeBeforeTheFirstThatWasSeen) {
  insert(8'000'000, 0);
  wheel_.first();
  for (uint64_t rank = 1; rank <= 2000; ++rank) insert(static_cast<int64_t>(7'000'000 - rank % 7), rank);
  drain();
}

/// Cleared, it takes earlier events than those that it had, and all of it works as before.
TEST_F(Wheel, BeginsAnewAtAnyTime) {
  insert(1000000000000, 1);
  take();
  wheel_.clear();
  EXPECT_TRUE(wheel_.empty());
  for (uint64_t i = 0; i < 3000; ++i) insert(static_cast<int64_t>(5000000 + i * 7919 % 20000000), i);
  drain();
}

}  // namespace
}  // namespace fabric
