// FIFO and RED.
#include <gtest/gtest.h>

#include "mechanisms/queue/fifo.h"
#include "mechanisms/queue/red.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;

struct RedTest : testing::Test {
  static Config config() {
    Config c;
    c.queues = {"fifo", "red"};
    return c;
  }
  explicit RedTest(Config c = config()) : net(std::move(c), 1, 1) { net.start(); }
  Red& red() { return static_cast<Red&>(*net.lastHop().queues()[1]); }
  /// Whether a packet that finds `backlog` is marked.
  bool marks(int64_t backlog, bool ect = true) {
    Packet* p = net.network.packets().fresh();
    p->ect = ect;
    p->wireBytes = 1000;
    EXPECT_TRUE(red().enqueue(p, backlog));
    EXPECT_EQ(red().dequeue(), p);
    const bool marked = p->marked;
    net.network.packets().put(p);
    return marked;
  }
  int marksOf(int n, int64_t backlog) {
    int marked = 0;
    for (int i = 0; i < n; ++i) marked += marks(backlog);
    return marked;
  }
  Chain net;
};

TEST_F(RedTest, ProbabilityIsLinearBetweenKminAndKmax) {
  // Kmin 5 KB, Kmax 200 KB, Pmax 1 %
  EXPECT_EQ(red().markProbability(0), 0);
  EXPECT_EQ(red().markProbability(5000), 0);
  EXPECT_DOUBLE_EQ(red().markProbability(5001), 0.01 / 195000);
  EXPECT_DOUBLE_EQ(red().markProbability(102500), 0.005);
  EXPECT_DOUBLE_EQ(red().markProbability(53750), 0.0025);
  EXPECT_DOUBLE_EQ(red().markProbability(200000), 0.01);
  EXPECT_EQ(red().markProbability(200001), 1);
}

TEST_F(RedTest, MarksThatOften) {
  EXPECT_EQ(marksOf(1000, 5000), 0);
  EXPECT_EQ(marksOf(1000, 200001), 1000);
  EXPECT_NEAR(marksOf(100000, 102500), 500, 4 * 22.3);
  EXPECT_NEAR(marksOf(100000, 200000), 1000, 4 * 31.5);
}

TEST_F(RedTest, OnlyEcnCapablePacketsAreMarked) {
  EXPECT_FALSE(marks(1000000, false));
  EXPECT_TRUE(marks(1000000));
}

TEST(Red, LeavingPacketsAreMarkedByWhatStaysBehindThem) {
  Config c = Config::dcqcn();
  c.set("red.mark_leaving", true).set("red.kmin", int64_t{1000000}).set("red.kmax", int64_t{1000000});
  c.set("dcqcn.min_rate", Rate::Gbps(100).bps);
  Chain net(c, 2, 1);
  const auto payload = static_cast<uint64_t>(net.sender(0).payloadPerPacket());
  for (int i = 0; i < 2; ++i) net.flow(i, net.sender(i), net.receiver(), 100 * payload);  // packets of 1518 B
  net.run(Time::Us(15));  // all are sent, half of them wait
  EXPECT_EQ(net.network.total().marks, 0u);
  const int64_t waiting = net.lastHop().queueBytes(1) / 1518;
  ASSERT_GT(waiting, 50);
  Queue& red = *net.lastHop().queues()[1];
  red.set("kmin", int64_t{3036});
  red.set("kmax", int64_t{3036});  // a step at two packets
  net.finish(Time::Ms(1));
  // The first of n leaves n - 1 behind it, and so on; those with three or more behind them are marked.
  EXPECT_EQ(net.network.total().marks, static_cast<uint64_t>(waiting - 3));
}

TEST_F(RedTest, LiveChangesTakeEffect) {
  red().set("pmax", 1.0);
  EXPECT_DOUBLE_EQ(red().markProbability(102500), 0.5);
  red().set("kmax", int64_t{5000});  // a step at Kmin
  EXPECT_EQ(red().markProbability(5000), 0);
  EXPECT_EQ(red().markProbability(5001), 1);
}

TEST(Red, ThresholdsScaleWithTheRate) {
  // HPCC's setting: 100 and 400 KB per 25 Gb/s, here at 100 Gb/s.
  Config c = RedTest::config();
  c.set("red.kmin", int64_t{100000}).set("red.kmax", int64_t{400000}).set("red.pmax", 0.2);
  c.set("red.per_rate", Rate::Gbps(25).bps);
  Chain net(c, 1, 1);
  net.start();
  const auto& red = static_cast<Red&>(*net.lastHop().queues()[1]);
  EXPECT_EQ(red.markProbability(400000), 0);
  EXPECT_DOUBLE_EQ(red.markProbability(1000000), 0.1);
  EXPECT_DOUBLE_EQ(red.markProbability(1600000), 0.2);
  EXPECT_EQ(red.markProbability(1600001), 1);
}

/// As in the preset dctcp: 65 packets at 10 Gb/s, in proportion from 3 to 40 Gb/s.
TEST(Red, ThresholdsScaleWithinBounds) {
  for (const auto& [gbps, k] :
       {std::pair<int64_t, int64_t>{1, 29250}, {3, 29250}, {10, 97500}, {40, 390000}, {100, 390000}, {800, 390000}}) {
    Config c = RedTest::config();
    c.set("red.kmin", int64_t{97500}).set("red.kmax", int64_t{97500}).set("red.per_rate", Rate::Gbps(10).bps);
    c.set("red.scale_from", Rate::Gbps(3).bps).set("red.scale_to", Rate::Gbps(40).bps);
    Chain net(c, 1, 1, Rate::Gbps(gbps));
    net.start();
    const auto& red = static_cast<Red&>(*net.lastHop().queues()[1]);
    EXPECT_EQ(red.markProbability(k), 0) << gbps;
    EXPECT_EQ(red.markProbability(k + 1), 1) << gbps;
  }
}

TEST(Red, KminAboveKmaxIsRefused) {
  Config c = RedTest::config();
  Chain net(c.set("red.kmin", int64_t{300000}), 1, 1);
  EXPECT_THROW(net.start(), ParamError);
}

TEST(Red, PortsDrawTheirOwnNumbersAndTheSameOnesEveryTime) {
  const auto draw = [](uint64_t seed, int port) {
    Config c = RedTest::config();
    c.seed = seed;
    Chain net(c, 2, 1);
    net.start();
    auto& red = *net.switches[0]->port(static_cast<uint16_t>(port)).queues()[1];
    std::vector<bool> marks;
    for (int i = 0; i < 2000; ++i) {
      Packet p;
      p.ect = true;
      red.enqueue(&p, 200000);
      red.dequeue();
      marks.push_back(p.marked);
    }
    return marks;
  };
  EXPECT_EQ(draw(1, 0), draw(1, 0));
  EXPECT_NE(draw(1, 0), draw(1, 1));
  EXPECT_NE(draw(1, 0), draw(2, 0));
}

TEST(Red, MarkedPacketsAreCountedOnceAndEchoed) {
  Config c = Config::dcqcn();
  c.set("red.kmin", int64_t{0}).set("red.kmax", int64_t{0}).set("dcqcn.min_rate", Rate::Gbps(100).bps);
  Chain net(c, 2, 3);
  for (int i = 0; i < 2; ++i) net.flow(i, net.sender(i), net.receiver(), 30000);
  net.finish(Time::Ms(1));
  // 21 packets each. The very first finds its queue empty; all others queue at the first switch, where
  // two links meet in one; nothing waits behind it.
  EXPECT_GT(net.network.total().marks, 30u);
  EXPECT_LE(net.network.total().marks, 42u);
}

TEST(Fifo, DropsWhatExceedsItsLimit) {
  Config c;
  Chain net(c.set("fifo.limit", int64_t{2500}).set("port.pfc", false), 1, 1);
  net.start();
  Queue& q = *net.lastHop().queues()[1];
  Packet a, b, d;
  a.wireBytes = b.wireBytes = d.wireBytes = 1000;
  EXPECT_TRUE(q.enqueue(&a, 0));
  EXPECT_TRUE(q.enqueue(&b, 1000));
  EXPECT_FALSE(q.enqueue(&d, 2000));
  EXPECT_EQ(q.dequeue(), &a);
  EXPECT_EQ(q.dequeue(), &b);
  EXPECT_EQ(q.dequeue(), nullptr);
}

TEST(Fifo, ALimitBelowTheBurstLosesPacketsThatAreCountedAndSentAgain) {
  Config c;
  c.set("fifo.limit", int64_t{20000}).set("port.pfc", false);
  Chain net(c, 3, 1);
  for (int i = 0; i < 3; ++i) net.flow(i, net.sender(i), net.receiver(), 100000);
  net.finish(Time::Ms(100));
  EXPECT_GT(net.network.total().drops, 0u);
  EXPECT_EQ(net.network.total().flowsFinished, 3u);
  EXPECT_EQ(net.network.total().dataBytesDelivered, 300000u);
}

}  // namespace fabric
