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

/// A message of an open loop is under way on the same connection: it goes first, but the clock goes on.
TEST(ClosedLoop, OpenMessagesOnTheConnectionAreNotWaitedFor) {
  Sessions net;
  net.message(0, 1000 * kMss);
  net.session(1, kMss, Time::Us(10));
  net.finish(Time::Ms(10));
  EXPECT_EQ(net.startOf(1), 10 * kUs);
  EXPECT_GT(net.end(1), net.end(0));
}

/// What waits when the run ends has neither started nor finished, and is not forgotten; what is due later is of no run.
TEST(ClosedLoop, TheRunMayEndBefore) {
  Sessions net;
  net.network.stopWhenFlowsFinish(true);
  net.session(0, 100 * kMss, Time::Us(1));
  net.session(1, kMss, Time::Us(2));
  net.session(2, kMss, Time::Us(3));
  net.session(3, kMss, Time::Ms(1));
  net.finish(Time::Us(50));
  ASSERT_EQ(net.flowRows.rows.size(), 3u);
  EXPECT_GT(net.delivered(0), 0);
  EXPECT_EQ(net.startOf(2), -1);
  EXPECT_EQ(net.end(2), -1);
  EXPECT_EQ(net.delivered(2), 0);
  EXPECT_EQ(net.network.total().flowsStarted, 1u);
  const auto warnings = net.network.warnings();
  EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(),
                          [](const std::string& w) { return w.find("3 of 3 measured flows had not finished") == 0; }));
}

/// The next one is scheduled, behind the end of the run: it has not started.
TEST(ClosedLoop, WhatWasScheduledHasNotBegun) {
  Sessions net;
  net.session(0, kMss, Time::Us(1));
  net.session(1, kMss, Time::Us(100));
  net.finish(Time::Us(120));
  EXPECT_GT(net.senderEnd(0), 21 * kUs);  // so the second one is due behind the end
  EXPECT_EQ(net.startOf(1), -1);
  EXPECT_EQ(net.delivered(1), 0);
}

/// With time enough the run ends with the last message, though nothing is under way while it is waited for.
TEST(ClosedLoop, TheRunEndsWithTheLastMessage) {
  Sessions net;
  net.network.stopWhenFlowsFinish(true);
  net.session(0, 100 * kMss, Time::Us(1));
  net.session(1, kMss, Time::Us(200));
  net.finish(Time::Ms(50));
  EXPECT_EQ(net.engine.now().ps, net.senderEnd(1));
  EXPECT_EQ(net.network.total().measuredFinished, 2u);
}

TEST(ClosedLoop, OnlyMessagesWithAnEndWait) {
  for (int wrong = 0; wrong < 3; ++wrong) {
    Sessions net;
    FlowSpec f = net.spec(0, wrong == 0 ? 0 : 1000, Time{});
    f.closedLoop = true;
    f.persistent = wrong != 1;
    if (wrong == 2) f.stop = Time::Ms(1);
    net.flow(f);
    EXPECT_THROW(net.run(Time::Ms(1)), std::invalid_argument) << wrong;
  }
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
