// Node by node against the order of time.
#include "mechanisms/core/node_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "mechanisms/core/trace.h"
#include "mechanisms/tests/test_engine.h"

namespace fabric {
namespace {

struct Entry {
  int64_t at;
  uint64_t key;
  static inline std::vector<uint32_t> fetched, fetchedMore;
  void fetch() const { fetched.push_back(node()); }
  void fetchMore() const { fetchedMore.push_back(node()); }
  uint32_t node() const { return static_cast<uint32_t>(key >> 40); }
  bool before(const Entry& e) const { return at < e.at || (at == e.at && key < e.key); }
};
bool operator<(const Entry& a, const Entry& b) { return a.before(b); }
bool operator==(const Entry& a, const Entry& b) { return a.at == b.at && a.key == b.key; }

/// Windows of one length, as many as wanted.
struct Steady final : Windows {
  Time nextWindow() override { return opened++ < most ? length : Time{0}; }
  void fetch(uint32_t node) const override { fetched.push_back(node); }
  Time length = Time{1000};
  int opened = 0, most = 1 << 30;
  mutable std::vector<uint32_t> fetched;
};

class NodeByNode : public ::testing::Test {
 protected:
  NodeByNode() { events_.setWindows(windows_); }
  void insert(uint32_t node, int64_t at) { events_.insert({at, eventKey(node, EventKind::NodeTimer, number_++)}); }
  /// Everything that comes, in the order in which it comes.
  std::vector<Entry> drain() {
    std::vector<Entry> all;
    while (!events_.empty() && events_.turn()) all.push_back(events_.takeFirst());
    return all;
  }
  static std::vector<uint32_t> nodes(const std::vector<Entry>& entries) {
    std::vector<uint32_t> list;
    for (const Entry& e : entries) list.push_back(e.node());
    return list;
  }

  Steady windows_;
  NodeEvents<Entry> events_;
  uint32_t number_ = 0;
};

TEST_F(NodeByNode, FetchesNodesAheadInTwoSteps) {
  Entry::fetched.clear();
  Entry::fetchedMore.clear();
  for (const uint32_t node : {5, 2, 9, 3}) insert(node, 10);
  EXPECT_EQ(nodes(drain()), (std::vector<uint32_t>{2, 3, 5, 9}));
  EXPECT_EQ(Entry::fetchedMore, (std::vector<uint32_t>{3, 5, 9}));
  EXPECT_EQ(Entry::fetched, (std::vector<uint32_t>{5, 9}));
  EXPECT_EQ(windows_.fetched, (std::vector<uint32_t>{3, 5, 9}));
}

TEST_F(NodeByNode, WhatComesNextIsKnownAcrossNodes) {
  insert(1, 10);
  insert(1, 20);
  insert(2, 15);
  ASSERT_TRUE(events_.turn());
  EXPECT_EQ(events_.ahead()->at, 10);
  events_.takeFirst();
  EXPECT_EQ(events_.ahead()->at, 20);
  insert(1, 17);
  EXPECT_EQ(events_.ahead()->at, 17);
  for (const int64_t at : {17, 20}) {
    ASSERT_TRUE(events_.turn());
    EXPECT_EQ(events_.takeFirst().at, at);
  }
  EXPECT_EQ(events_.ahead()->at, 15);
  ASSERT_TRUE(events_.turn());
  events_.takeFirst();
  EXPECT_EQ(events_.ahead(), nullptr);
}

/// Whatever is far away when it is scheduled, or near, comes in the order of time, and can be taken out.
TEST_F(NodeByNode, NearAndFarEventsAreOne) {
  insert(1, 0);
  ASSERT_TRUE(events_.turn());
  EXPECT_EQ(events_.takeFirst().at, 0);
  const std::vector<int64_t> times{400000, 1500, 4999, 5000, 5001, 30, 2000, 90000, 1000, 999, 31};
  for (const int64_t at : times) insert(1, at);
  const Entry* first = events_.peek();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->at, 30);
  for (const int64_t gone : {90000, 2000, 31}) {
    Entry found{};
    events_.forEach([&](const Entry& e) { found = e.at == gone ? e : found; });
    ASSERT_EQ(found.at, gone);
    EXPECT_TRUE(events_.remove(found, [&](const Entry& e) { return e == found; }));
    EXPECT_FALSE(events_.remove(found, [&](const Entry& e) { return e == found; }));
  }
  std::vector<int64_t> seen;
  for (const Entry& e : drain()) seen.push_back(e.at);
  EXPECT_EQ(seen, (std::vector<int64_t>{30, 999, 1000, 1500, 4999, 5000, 5001, 400000}));
}

/// Of timers that are stopped the far ones do not stay, and the next one is known.
TEST_F(NodeByNode, OnlyFarEventsAreTakenOutAsFar) {
  insert(1, 0);
  ASSERT_TRUE(events_.turn());
  events_.takeFirst();
  for (const int64_t at : {500, 4999, 5000, 7000}) insert(1, at);
  const auto taken = [&](int64_t at) {
    Entry found{};
    events_.forEach([&](const Entry& e) { found = e.at == at ? e : found; });
    return found.at == at && events_.removeFar(found, [&](const Entry& e) { return e == found; });
  };
  EXPECT_FALSE(taken(500));   // in the window
  EXPECT_FALSE(taken(4999));  // near
  EXPECT_TRUE(taken(5000));
  EXPECT_FALSE(taken(5000));
  EXPECT_EQ(events_.size(), 3U);
  std::vector<int64_t> seen;
  for (const Entry& e : drain()) seen.push_back(e.at);
  EXPECT_EQ(seen, (std::vector<int64_t>{500, 4999, 7000}));
}

TEST_F(NodeByNode, ANodeRunsAllOfItsWindowBeforeTheNext) {
  for (const int64_t at : {0, 400, 999, 1000, 1500}) {
    insert(2, at);
    insert(1, at);
  }
  EXPECT_EQ(nodes(drain()), (std::vector<uint32_t>{1, 1, 1, 2, 2, 2, 1, 1, 2, 2}));
  EXPECT_EQ(windows_.opened, 2);
}

/// Who asks more() in place of turn() gets all of a node's events in the window, and no other's.
TEST_F(NodeByNode, ANodeHasMoreUntilItsTurnIsOver) {
  insert(1, 0);
  insert(1, 999);
  insert(1, 1000);
  insert(2, 1);
  ASSERT_TRUE(events_.turn());
  EXPECT_EQ(events_.takeFirst().at, 0);
  insert(1, 500);  // comes into the place of the one before
  for (const int64_t at : {500, 999}) {
    ASSERT_TRUE(events_.more());
    EXPECT_EQ(events_.takeFirst().at, at);
  }
  insert(1, 998);
  ASSERT_TRUE(events_.more());
  EXPECT_EQ(events_.takeFirst().at, 998);
  EXPECT_FALSE(events_.more()) << "node 2 comes, then the next window";
  EXPECT_EQ(nodes(drain()), (std::vector<uint32_t>{2, 1}));
}

/// More events than are put in order one by one, and one of those still to come is taken out.
TEST_F(NodeByNode, ManyEventsInAWindow) {
  for (int64_t i = 0; i < 100; ++i) insert(1, 10 * (i * 37 % 100));
  for (int64_t at = 0; at < 300; at += 10) {
    ASSERT_TRUE(events_.turn());
    ASSERT_EQ(events_.takeFirst().at, at);
  }
  Entry gone{};
  events_.forEach([&](const Entry& e) { gone = e.at == 500 ? e : gone; });
  EXPECT_TRUE(events_.remove(gone, [&](const Entry& e) { return e == gone; }));
  EXPECT_EQ(events_.ahead()->at, 300);
  std::vector<int64_t> expected, seen;
  for (int64_t at = 300; at < 1000; at += 10) {
    if (at != 500) expected.push_back(at);
  }
  for (const Entry& e : drain()) seen.push_back(e.at);
  EXPECT_EQ(seen, expected);
}

TEST_F(NodeByNode, AWindowBeginsWithTheNextEvent) {
  insert(1, 5000);
  insert(2, 5999);
  insert(1, 5998);
  insert(1, 6000);
  EXPECT_EQ(nodes(drain()), (std::vector<uint32_t>{1, 1, 2, 1}));
}

TEST_F(NodeByNode, NobodysEventsSeeWhatWasBeforeThemAndNothingElse) {
  insert(kFirstNode, 500);  // before what happens at that time
  insert(kLastNode, 700);   // behind it
  for (const uint32_t node : {1, 2}) {
    for (const int64_t at : {499, 500, 700, 701}) insert(node, at);
  }
  EXPECT_EQ(nodes(drain()), (std::vector<uint32_t>{1, 2, kFirstNode, 1, 1, 2, 2, kLastNode, 1, 2}));
}

TEST_F(NodeByNode, EndsWhereTheOrderOfTimeMatters) {
  windows_.most = 1;
  insert(1, 10);
  insert(2, 5);
  insert(1, 2000);
  EXPECT_EQ(nodes(drain()), (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(events_.size(), 1U);
  size_t left = 0;
  events_.forEach([&](const Entry& e) { left += e.at == 2000; });
  EXPECT_EQ(left, 1U);
}

TEST_F(NodeByNode, WhatComesFromAnotherNodeTooSoonIsAnError) {
  insert(1, 100);
  insert(2, 200);
  ASSERT_TRUE(events_.turn());
  EXPECT_EQ(events_.takeFirst().at, 100);
  insert(1, 300);   // its own
  insert(2, 1000);  // in the next window
  EXPECT_THROW(insert(2, 999), std::logic_error);
}

/// As a simulation does it: every event schedules others, at its own node soon, elsewhere a window later.
/// Each node sees its events in the order of time, nobody's see those before them, none is lost.
TEST_F(NodeByNode, EveryNodesEventsComeInTheOrderOfTime) {
  constexpr uint32_t kNodes = 7;
  std::mt19937_64 random(1);
  std::vector<Entry> expected, seen;
  int64_t now = 0;
  const auto add = [&](uint32_t node, int64_t at) {
    const Entry e{at, eventKey(node, EventKind::NodeTimer, number_++)};
    events_.insert(e);
    expected.push_back(e);
  };
  for (uint32_t node = 1; node <= kNodes; ++node) add(node, static_cast<int64_t>(random() % 3000));
  add(kLastNode, 1);
  while (!events_.empty()) {
    ASSERT_TRUE(events_.turn());
    const Entry e = events_.takeFirst();
    seen.push_back(e);
    now = e.at;
    if (seen.size() > 50000) continue;
    const bool nobody = e.node() == kFirstNode || e.node() == kLastNode;
    if (nobody) add(random() % 2 == 0 ? kFirstNode : kLastNode, now + 1 + static_cast<int64_t>(random() % 2500));
    for (uint64_t more = random() % 20 == 0 ? 2 : 1; more > 0; --more) {
      const auto other = static_cast<uint32_t>(1 + random() % kNodes);
      const bool own = !nobody && random() % 2 == 0;
      add(own ? e.node() : other, now + (own ? 0 : 1000) + static_cast<int64_t>(random() % 1700));
    }
    if (random() % 50 != 0) continue;
    const auto later = std::find_if(expected.rbegin(), expected.rend(), [&](const Entry& x) { return x.at > now; });
    if (later == expected.rend()) continue;
    const Entry gone = *later;
    const auto is = [&](const Entry& x) { return x == gone; };
    const bool pending = random() % 2 == 0 ? events_.remove(gone, is) : events_.removeFar(gone, is);
    if (pending) expected.erase(std::next(later).base());
  }
  EXPECT_GT(seen.size(), 1000U);
  int64_t reached = 0;  // by events of nobody
  std::vector<Entry> last(kNodes + 1, {-1, 0});
  for (const Entry& e : seen) {
    ASSERT_GE(e.at, reached);
    if (e.node() == kFirstNode || e.node() == kLastNode) {
      for (const Entry& before : last) ASSERT_TRUE(before.at < 0 || before.before(e));
      reached = e.at;
      continue;
    }
    ASSERT_TRUE(last[e.node()].before(e));
    last[e.node()] = e;
  }
  std::sort(expected.begin(), expected.end());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, expected);
}

TEST(HeldRows, ComeOutInTheOrderOfTime) {
  struct Sink final : RowSink {
    void row(int, const Cell* cells) override { rows.push_back(cells[0].i64()); }
    std::vector<int64_t> rows;
  } sink;
  test::TestEngine engine;
  const Table<int64_t> numbers{"numbers", "numbers", Scope::Node, false, {"number", "1", "a number"}};
  TraceBus bus;
  bus.add(numbers);
  const auto table = bus.find(numbers);
  bus.addSink(table, &sink);
  const auto emit = [&](int64_t at, int64_t value) {
    engine.setNow(Time{at});
    bus.emit(table, value);
  };
  bus.hold(engine);
  emit(10, 1);
  emit(30, 4);
  emit(10, 2);
  emit(20, 3);
  EXPECT_TRUE(sink.rows.empty());
  bus.release();
  EXPECT_EQ(sink.rows, (std::vector<int64_t>{1, 2, 3, 4}));
  emit(40, 5);
  bus.stopHolding();
  emit(41, 6);
  EXPECT_EQ(sink.rows, (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace fabric
