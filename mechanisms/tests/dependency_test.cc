// Flows that wait for others, and tasks.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "mechanisms/runner/scenario.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Config;
using test::Net;

namespace {

constexpr uint64_t kSize = 100000;
constexpr int64_t kUs = 1000000;  // ps

/// Three hosts on a switch.
struct Star : Net {
  explicit Star(const Config& c = {}) : Net(c) {
    for (int i = 0; i < 3; ++i) host();
    sw();
    for (Host* h : hosts) link(*h, *switches[0]);
  }
  void message(uint32_t id, int src, int dst, Time start = {}) { flow(id, *hosts[src], *hosts[dst], kSize, start); }
  void task(uint32_t id, int at, Time start = {}) {
    FlowSpec f;
    f.id = id;
    f.src = f.dst = hosts[at]->id();
    f.start = start;
    f.measured = false;
    flow(f);
  }
  void wait(uint32_t flow, uint32_t on, Time delay = {}) { feed.wait(flow, on, delay); }
  int64_t startOf(uint32_t id) const { return row(id)[7]; }
};

void expectRefused(const std::string& why, const std::function<void(Star&)>& build) {
  Star net;
  build(net);
  try {
    net.start();
    ADD_FAILURE() << "was not refused: " << why;
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
  }
}

}  // namespace

TEST(Dependencies, AFlowStartsWhenTheOtherHasComeToItsSource) {
  for (const char* transport : {"go_back_n", "tcp"}) {
    Config c;
    c.transport = transport;
    if (c.transport == "tcp") c.cc = "newreno";
    Star net(c);
    net.message(0, 0, 1);
    net.message(1, 1, 2);
    net.wait(1, 0);
    net.finish(Time::Ms(10));
    EXPECT_GT(net.end(0), 0) << transport;
    EXPECT_EQ(net.startOf(1), net.end(0)) << transport;
    EXPECT_EQ(net.delivered(1), static_cast<int64_t>(kSize)) << transport;
  }
}

/// Its sender knows when all is acknowledged, later than the receiver has it.
TEST(Dependencies, AFlowOfTheSameSourceIsOverWhenItIsAcknowledged) {
  Star net;
  net.message(0, 0, 1);
  net.message(1, 0, 2);
  net.wait(1, 0, Time::Us(3));
  net.finish(Time::Ms(10));
  EXPECT_EQ(net.startOf(1), net.senderEnd(0) + 3 * kUs);
  EXPECT_GT(net.senderEnd(0), net.end(0));
}

TEST(Dependencies, TheLatestDecidesEachWithItsDelay) {
  Star net;
  net.message(0, 0, 2);
  net.message(1, 1, 2, Time::Us(30));
  net.message(2, 2, 0);
  net.wait(2, 0, Time::Us(100));
  net.wait(2, 1, Time::Us(1));
  net.finish(Time::Ms(10));
  EXPECT_GT(net.end(1), net.end(0));
  EXPECT_EQ(net.startOf(2), net.end(0) + 100 * kUs);
}

/// A flow that comes later in the list than what it waits for is over starts at its own time.
TEST(Dependencies, TheStartInTheListIsTheEarliest) {
  Star net;
  net.message(0, 0, 1);
  net.message(1, 1, 2, Time::Us(500));
  net.message(2, 1, 0, Time::Us(5));
  net.wait(1, 0);
  net.wait(2, 0);
  net.finish(Time::Ms(10));
  EXPECT_EQ(net.startOf(1), 500 * kUs);
  EXPECT_EQ(net.startOf(2), net.end(0));
}

/// A task is over at once when all that it waits for is, and has no row.
TEST(Dependencies, TasksJoin) {
  Star net;
  net.message(0, 0, 2);
  net.message(1, 1, 2);
  net.task(2, 2);
  net.message(3, 2, 0);
  net.message(4, 2, 1);
  net.wait(2, 0);
  net.wait(2, 1, Time::Us(7));
  net.wait(3, 2);
  net.wait(4, 2, Time::Us(1));
  net.task(5, 0, Time::Us(900));
  net.message(6, 0, 1);
  net.wait(6, 5);
  net.finish(Time::Ms(10));
  const int64_t over = std::max(net.end(0), net.end(1) + 7 * kUs);
  EXPECT_EQ(net.startOf(3), over);
  EXPECT_EQ(net.startOf(4), over + kUs);
  EXPECT_EQ(net.startOf(6), 900 * kUs);
  EXPECT_EQ(net.flowRows.rows.size(), 5u);
}

/// What still waits when the run ends has neither started nor finished, and is not forgotten.
TEST(Dependencies, TheRunMayEndBefore) {
  Star net;
  net.message(0, 0, 1);
  net.message(1, 1, 2, Time::Us(1));
  net.message(2, 2, 0, Time::Us(2));
  net.wait(1, 0);
  net.wait(2, 1);
  net.finish(Time::Us(15));
  EXPECT_GT(net.end(0), 0);
  EXPECT_EQ(net.startOf(1), net.end(0));
  EXPECT_EQ(net.end(1), -1);
  EXPECT_EQ(net.end(2), -1);
  EXPECT_EQ(net.startOf(2), -1);
  EXPECT_EQ(net.network.total().measuredLimited, 3u);
}

/// So has one whose delay runs when the run ends, but not one that is not due by the list.
TEST(Dependencies, TheRunMayEndInADelay) {
  Star net;
  net.message(0, 0, 1);
  net.message(1, 1, 2, Time::Us(1));
  net.message(2, 1, 2, Time::Ms(5));
  net.wait(1, 0, Time::Ms(1));
  net.wait(2, 0, Time::Ms(1));
  net.finish(Time::Us(100));
  ASSERT_EQ(net.flowRows.rows.size(), 2u);
  EXPECT_GT(net.end(0), 0);
  EXPECT_EQ(net.startOf(1), -1);
  EXPECT_EQ(net.end(1), -1);
  EXPECT_EQ(net.network.total().measuredLimited, 2u);
}

TEST(Dependencies, RefusesWhatTheSourceDoesNotSee) {
  expectRefused("flow 1: waits for flow 0, which neither comes to its source nor leaves it", [](Star& net) {
    net.message(0, 0, 1);
    net.message(1, 2, 0);
    net.wait(1, 0);
  });
  expectRefused("flow 0: waits for flow 7, which there is not", [](Star& net) {
    net.message(0, 0, 1);
    net.wait(0, 7);
  });
  expectRefused("flow 1: waits for flow 0, which has no size", [](Star& net) {
    net.flow(0, *net.hosts[0], *net.hosts[1], 0);
    net.message(1, 1, 0);
    net.wait(1, 0);
  });
  expectRefused("flow 1: waits for other flows and has a stop, which may come before it starts", [](Star& net) {
    net.message(0, 0, 1);
    net.flow(1, *net.hosts[1], *net.hosts[2], 1000, Time{0}, Time::Us(5));
    net.wait(1, 0);
  });
  expectRefused("flow 1: is in the flow list twice", [](Star& net) {
    net.message(1, 0, 1);
    net.message(1, 1, 0);
    net.wait(1, 1);
  });
}

}  // namespace fabric
