// Sessions that wait for one message before they think of the next.
#include <gtest/gtest.h>

#include <algorithm>

#include "mechanisms/tests/tcp_path.h"

namespace fabric {

using test::kMss;
using test::Path;

namespace {

struct Sessions : Path {
  void session(uint32_t id, uint64_t size, Time start, uint16_t port = 1000) {
    FlowSpec f = spec(id, size, start);
    f.srcPort = port;
    f.persistent = f.closedLoop = true;
    flow(f);
  }
  int64_t startOf(uint32_t id) const { return row(id)[7]; }
  bool begun(uint32_t id) const {
    return std::any_of(flowRows.rows.begin(), flowRows.rows.end(), [&](const auto& r) { return r[0] == id; });
  }
};

constexpr int64_t kUs = 1000000;  // ps

}  // namespace

/// What lies between two starts in the flow list lies between an end and a start; here each message takes
/// longer than that.
TEST(ClosedLoop, TheTimeBetweenStartsCountsFromTheEnd) {
  Sessions net;
  for (uint32_t i = 0; i < 4; ++i) net.session(i, 100 * kMss, Time::Us(5 + 50 * i));
  net.finish(Time::Ms(10));
  EXPECT_EQ(net.startOf(0), 5 * kUs);
  for (uint32_t i = 1; i < 4; ++i) {
    EXPECT_EQ(net.startOf(i), net.senderEnd(i - 1) + 50 * kUs) << i;
    EXPECT_GT(net.end(i) - net.startOf(i), 100 * kUs) << i;
    EXPECT_EQ(net.delivered(i), 100 * kMss);
  }
}

/// Messages so far apart that none is under way when the next one is due in the list: they are late all the
/// same, by what those before them took.
TEST(ClosedLoop, AnIdleConnectionIsBehindToo) {
  Sessions net;
  net.session(0, kMss, Time::Us(1));
  net.session(1, 100 * kMss, Time::Ms(1));
  net.session(2, kMss, Time::Ms(2));
  net.finish(Time::Ms(10));
  EXPECT_EQ(net.startOf(1), net.senderEnd(0) + 999 * kUs);
  EXPECT_EQ(net.startOf(2), net.senderEnd(1) + 1000 * kUs);
}

/// Two messages of one start follow each other at once; another connection has a clock of its own.
TEST(ClosedLoop, EveryConnectionHasItsOwnClock) {
  Sessions net;
  net.session(0, 100 * kMss, Time::Us(1));
  net.session(1, 100 * kMss, Time::Us(1));
  net.session(2, kMss, Time::Us(60), 1001);
  net.message(3, kMss, Time::Us(60), Time{-1}, 1002);
  net.finish(Time::Ms(10));
  EXPECT_EQ(net.startOf(1), net.senderEnd(0));
  EXPECT_EQ(net.startOf(2), 60 * kUs);
  EXPECT_EQ(net.startOf(3), 60 * kUs);
}

/// A message of an open loop on the same connection goes first if it was there first, and holds nobody back
/// otherwise.
TEST(ClosedLoop, OpenMessagesOnTheConnectionAreNotWaitedFor) {
  Sessions net;
  net.message(0, 1000 * kMss);
  net.session(1, kMss, Time::Us(10));
  net.finish(Time::Ms(10));
  EXPECT_EQ(net.startOf(1), 10 * kUs);
  EXPECT_GT(net.end(1), net.end(0));
}

/// What has not begun when the run ends has no row, and no check minds.
TEST(ClosedLoop, TheRunMayEndBefore) {
  Sessions net;
  net.session(0, 100 * kMss, Time::Us(1));
  net.session(1, kMss, Time::Us(2));
  net.finish(Time::Us(50));
  EXPECT_TRUE(net.begun(0));
  EXPECT_FALSE(net.begun(1));
}

TEST(ClosedLoop, MessagesBehindALossWaitForIt) {
  Sessions net;
  net.data().drops[4] = 1;
  net.session(0, 5 * kMss, Time::Us(1));
  net.session(1, kMss, Time::Us(2));
  net.finish(Time::Ms(500));
  EXPECT_EQ(net.timeouts(0), 1);
  EXPECT_EQ(net.startOf(1), net.senderEnd(0) + kUs);
}

}  // namespace fabric
