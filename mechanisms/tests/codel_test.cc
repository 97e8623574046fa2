// CoDel and FQ-CoDel by RFC 8289 and 8290.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mechanisms/codel/codel_law.h"
#include "mechanisms/tests/net.h"
#include "mechanisms/tests/queue_bench.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::QueueBench;

namespace {

/// Packets that are their time of arrival.
struct Line {
  struct Item {
    Time joined;
    int64_t bytes;
  };
  std::vector<Item> items;
  size_t first = 0;
  std::vector<Time> dropped;

  const Item* pop() { return first < items.size() ? &items[first++] : nullptr; }
  int64_t bytes() const {
    int64_t sum = 0;
    for (size_t i = first; i < items.size(); ++i) sum += items[i].bytes;
    return sum;
  }
  Time joined(const Item& i) const { return i.joined; }
  void drop(const Item* i) { dropped.push_back(i->joined); }
};

CoDelLaw::Settings rfc() { return {Time::Ms(5), Time::Ms(100), 1500, false}; }

}  // namespace

/// One packet each millisecond leaves, and the line never gets shorter: all have waited for 50 ms.
TEST(CoDel, DropsComeByTheControlLaw) {
  Line line;
  for (int i = 0; i < 3000; ++i) line.items.push_back({Time::Us(i * 500), 1500});
  CoDelLaw law;
  std::vector<int64_t> at;  // ms
  for (int ms = 50; ms < 1000; ++ms) {
    const size_t before = line.dropped.size();
    // The head is always 50 ms old.
    while (line.items[line.first].joined < Time::Ms(ms - 50)) ++line.first;
    ASSERT_NE(law.next(line, rfc(), Time::Ms(ms)), nullptr);
    for (size_t i = before; i < line.dropped.size(); ++i) at.push_back(ms);
  }
  // RFC 8289 section 5: the first an interval after the delay went above the target, then interval / sqrt(count).
  std::vector<int64_t> expected{150};
  double next = 150;
  for (int count = 1; next + 100 / std::sqrt(count) < 999; ++count) {
    next += 100 / std::sqrt(count);
    expected.push_back(static_cast<int64_t>(std::ceil(next - 1e-9)));
  }
  ASSERT_GT(expected.size(), 15u);
  EXPECT_EQ(at, expected);
  EXPECT_EQ(at[1], 250);
  EXPECT_EQ(at[2], 321);  // 70.7 ms
  EXPECT_EQ(at[3], 379);  // 57.7 ms
}

TEST(CoDel, ShortDelaysAndShortQueuesAreLeftAlone) {
  CoDelLaw law;
  Line line;
  for (int ms = 0; ms < 1000; ++ms) line.items.push_back({Time::Ms(ms), 1500});
  for (int ms = 0; ms < 1000; ++ms) law.next(line, rfc(), Time::Ms(ms) + Time::Us(4999));
  EXPECT_EQ(line.dropped.size(), 0u) << "below 5 ms";

  CoDelLaw one;
  Line single;
  for (int i = 0; i < 1000; ++i) {
    single.items.push_back({Time::Ms(i), 1500});
    one.next(single, rfc(), Time::Ms(i + 50));
  }
  EXPECT_EQ(single.dropped.size(), 0u) << "no more than one packet behind it";
}

TEST(CoDel, OneShortDelayEndsTheInterval) {
  CoDelLaw law;
  Line line;
  for (int ms = 0; ms < 140; ++ms) {
    const bool good = ms == 99;  // just before the interval is over
    line.items = {{Time::Ms(ms) - Time::Ms(good ? 1 : 50), 1500}, {Time::Ms(ms), 1500}, {Time::Ms(ms), 1500}};
    line.first = 0;
    law.next(line, rfc(), Time::Ms(ms));
  }
  EXPECT_EQ(line.dropped.size(), 0u);
  EXPECT_FALSE(law.dropping());
}

TEST(CoDel, BackSoonItGoesOnWithTheRateThatItHad) {
  CoDelLaw law;
  const auto at = [&law](int ms, int old) {
    Line line;
    for (int i = 0; i < 10; ++i) line.items.push_back({Time::Ms(ms - old), 1500});
    law.next(line, rfc(), Time::Ms(ms));
    return line.dropped.size();
  };
  int ms = 0;
  for (; law.count() < 10; ++ms) at(ms, 50);
  at(ms, 1);
  EXPECT_FALSE(law.dropping());
  size_t drops = 0;
  for (int end = ms + 200; ms < end && drops == 0; ++ms) drops += at(ms, 50);
  EXPECT_TRUE(law.dropping());
  EXPECT_EQ(law.count(), 9u) << "10 drops, of which it began with 1";
  // After 16 intervals without any it begins anew.
  for (int end = ms + 1700; ms < end; ++ms) at(ms, 1);
  for (int end = ms + 101; ms < end; ++ms) at(ms, 50);
  EXPECT_TRUE(law.dropping());
  EXPECT_EQ(law.count(), 1u);
}

TEST(CoDel, LinuxTakesOneNewtonStepForEachCount) {
  CoDelLaw::Settings s = rfc();
  s.linux = true;
  CoDelLaw law;
  std::vector<double> at;  // ms
  for (int us = 0; us < 900000; us += 10) {
    Line line;
    for (int i = 0; i < 9; ++i) line.items.push_back({Time::Us(us) - Time::Ms(50), 1500});
    law.next(line, s, Time::Us(us));
    if (!line.dropped.empty()) at.push_back(us / 1000.0);
  }
  ASSERT_GT(at.size(), 10u);
  EXPECT_NEAR(at[1] - at[0], 100, 0.02);
  EXPECT_NEAR(at[2] - at[1], 50, 0.02) << "x (3 - 2 x^2) / 2 of x = 1";
  EXPECT_NEAR(at[3] - at[2], 56.25, 0.02);
  EXPECT_NEAR(at[10] - at[9], 100 / std::sqrt(10), 0.3);
}

// ---------------------------------------------------------------- FQ-CoDel

TEST(FqCoDel, NewFlowsGoBeforeOldOnesAndTurnsAreByBytes) {
  QueueBench bench("fq_codel", {{"fq_codel.quantum", int64_t{1500}}});
  // The first is an old flow by the time that the others come.
  for (uint32_t i = 0; i < 4; ++i) bench.at(Time{0}, 1, 1500);
  for (uint32_t i = 0; i < 6; ++i) bench.at(Time::Us(13), 2, 500);
  bench.at(Time::Us(13), 3, 1500);
  bench.run(Time::Ms(1));
  // 12 us for 1500 B: at 13 us the second of flow 1 is on the wire. Behind the new flows it is its turn, but it has
  // used up its bytes and goes to the end for the next ones.
  EXPECT_EQ(bench.flowsInOrder(), (std::vector<uint32_t>{1, 1, 2, 2, 2, 3, 2, 2, 2, 1, 1}));
}

TEST(FqCoDel, QuantumZeroGoesPacketByPacket) {
  QueueBench bench("fq_codel", {{"fq_codel.quantum", int64_t{0}}});
  for (uint32_t i = 0; i < 3; ++i) bench.at(Time{0}, 1, 1500);
  for (uint32_t i = 0; i < 3; ++i) bench.at(Time{0}, 2, 100);
  bench.run(Time::Ms(1));
  EXPECT_EQ(bench.flowsInOrder(), (std::vector<uint32_t>{1, 2, 1, 2, 1, 2}));
}

TEST(FqCoDel, OverflowTakesFromTheHeadOfTheLongest) {
  QueueBench bench("fq_codel", {{"fq_codel.limit", int64_t{15000}}, {"fq_codel.drop_batch", int64_t{64}}});
  for (uint32_t i = 0; i < 9; ++i) bench.at(Time{0}, 1, 1500);
  for (uint32_t i = 0; i < 3; ++i) bench.at(Time{0}, 2, 1500);
  bench.run(Time::Ms(1));
  // One is on the wire; the 11th that waits makes it 16500 B, and half of flow 1's 8 go.
  EXPECT_EQ(bench.dropped(), (std::vector<uint64_t>{1, 2, 3, 4}));
  for (const auto& r : bench.drops.rows) EXPECT_EQ(r[7], static_cast<int64_t>(DropReason::QueueFull));
  EXPECT_EQ(bench.flowsInOrder().size(), 8u);
}

TEST(FqCoDel, OneForOneWithABatchOfOne) {
  QueueBench bench("fq_codel", {{"fq_codel.limit", int64_t{15000}}, {"fq_codel.drop_batch", int64_t{1}}});
  for (uint32_t i = 0; i < 14; ++i) bench.at(Time{0}, 1, 1500);
  bench.run(Time::Ms(1));
  EXPECT_EQ(bench.dropped(), (std::vector<uint64_t>{1, 2, 3}));
}

TEST(FqCoDel, SharesALinkBetweenCubicFlowsAndKeepsTheDelayShort) {
  Config c;
  c.transport = "tcp";
  c.cc = "cubic";
  c.queues = {"fq_codel"};
  c.set("host.classes", int64_t{1}).set("host.header_bytes", int64_t{70}).set("host.ack_bytes", int64_t{70});
  c.set("port.pfc", false).set("fq_codel.interval", Time::Us(200).ps).set("fq_codel.target", Time::Us(10).ps);
  c.set("tcp.min_rto", Time::Ms(1).ps).set("tcp.initial_rto", Time::Ms(1).ps);
  Chain net(c, 4, 1, Rate::Gbps(10), Time::Us(5));
  for (uint32_t i = 0; i < 4; ++i) {
    FlowSpec f;
    f.id = i;
    f.src = net.sender(static_cast<int>(i)).id();
    f.dst = net.receiver().id();
    f.srcPort = static_cast<uint16_t>(1000 + i);
    f.cls = 0;
    f.stop = Time::Ms(60);
    net.flow(f);
  }
  net.run(Time::Ms(10));
  std::vector<uint64_t> before;
  for (int i = 0; i < 4; ++i) before.push_back(net.active(net.sender(i), static_cast<uint32_t>(i)).sndUna);
  int64_t longest = 0;
  for (Time t = Time::Ms(10); t < Time::Ms(50); t += Time::Us(10)) {
    net.run(t);
    longest = std::max(longest, net.lastHop().queueBytes(0));
  }
  double sum = 0;
  std::vector<double> rates;
  for (int i = 0; i < 4; ++i) {
    rates.push_back(8e-9 * (net.active(net.sender(i), static_cast<uint32_t>(i)).sndUna - before[i]) / 40e-3);
    sum += rates.back();
  }
  EXPECT_GT(sum, 0.95 * 10 * 1448 / 1518);
  for (const double r : rates) EXPECT_NEAR(r, sum / 4, 0.1 * sum / 4);
  EXPECT_GT(net.network.total().drops, 0u);
  EXPECT_LT(longest, 300000);
  net.finish(Time::Ms(100));
}

}  // namespace fabric
