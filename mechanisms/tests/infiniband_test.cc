// InfiniBand's congestion control: marks at the switch, table and timer at the sender, by hand.
#include <gtest/gtest.h>

#include "mechanisms/core/port.h"
#include "mechanisms/infiniband/fecn_queue.h"
#include "mechanisms/infiniband/ib_cc.h"
#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;

Config infiniband() {
  Config c;
  c.cc = "ib_cc";
  c.queues = {"fifo", "fecn_queue"};
  return c;
}

const test::Control kIbCc(infiniband());

/// One flow at 100 Gb/s; BECNs are made by hand.
struct IbCcTest : testing::Test {
  explicit IbCcTest(Config c = infiniband()) : net(std::move(c), 1, 1) {
    net.flow(0, net.sender(0), net.receiver(), 0);
    net.run({});
    flow = &net.active(net.sender(0), 0);
    cc = static_cast<IbCc*>(&net.sender(0).congestionControl());
  }
  void becn() {
    Packet ack;
    ack.kind = PacketKind::Ack;
    ack.marked = true;
    cc->onAck(*flow, ack);
  }
  void at(double us) { net.run(Time::Ps(static_cast<int64_t>(us * 1e6))); }

  Chain net;
  Flow* flow;
  IbCc* cc;
};

TEST_F(IbCcTest, EachBecnIsAStepUpTheTable) {
  EXPECT_EQ(flow->rate, Rate::Gbps(100));
  becn();
  EXPECT_EQ(cc->index(*flow), 1);
  EXPECT_EQ(flow->rate.bps, static_cast<int64_t>(100e9 / 1.125));
  for (int i = 0; i < 7; ++i) becn();
  EXPECT_EQ(flow->rate, Rate::Gbps(50));  // 8 / 8 of a packet's time between packets
  for (int i = 0; i < 200; ++i) becn();
  EXPECT_EQ(cc->index(*flow), 127);
  EXPECT_EQ(flow->rate.bps, static_cast<int64_t>(100e9 / (1 + 127 / 8.0)));
}

TEST_F(IbCcTest, TheTimerIsAStepDown) {
  Packet clean;
  clean.kind = PacketKind::Ack;
  cc->onAck(*flow, clean);
  EXPECT_EQ(cc->index(*flow), 0);
  for (int i = 0; i < 3; ++i) becn();
  at(100);
  becn();  // does not restart the timer
  at(153.5);
  EXPECT_EQ(cc->index(*flow), 4);
  at(153.6);
  EXPECT_EQ(cc->index(*flow), 3);
  EXPECT_EQ(flow->rate.bps, static_cast<int64_t>(100e9 / 1.375));
  at(461);
  EXPECT_EQ(cc->index(*flow), 1);
  at(615);
  EXPECT_EQ(cc->index(*flow), 0);
  EXPECT_EQ(flow->rate, Rate::Gbps(100));
}

TEST(IbCc, StaysWithinItsLimits) {
  struct T : IbCcTest {
    T() : IbCcTest(infiniband().set("ib_cc.ccti_min", int64_t{8}).set("ib_cc.ccti_increase", int64_t{100})) {}
    void TestBody() override {}
  } t;
  EXPECT_EQ(t.flow->rate, Rate::Gbps(50));
  t.becn();
  EXPECT_EQ(t.cc->index(*t.flow), 108);
  t.becn();
  EXPECT_EQ(t.cc->index(*t.flow), 127);
  t.at(153.6 * 200);
  EXPECT_EQ(t.cc->index(*t.flow), 8);
}

TEST(IbCc, TheTableMayGrowBySquaresInWholePacketTimes) {
  struct T : IbCcTest {
    T()
        : IbCcTest(infiniband()
                       .set("ib_cc.cct_curve", std::string("square"))
                       .set("ib_cc.cct_step", 0.3)
                       .set("ib_cc.cct_shift", int64_t{1})) {}
    void TestBody() override {}
  } t;
  t.becn();  // 0.3: less than half a packet's time is no delay
  EXPECT_EQ(t.flow->rate, Rate::Gbps(100));
  t.becn();  // 1.2, of which 1 is left
  EXPECT_EQ(t.flow->rate, Rate::Gbps(50));
  t.becn();  // 2.7, of which 2.5 are left
  EXPECT_EQ(t.flow->rate.bps, static_cast<int64_t>(100e9 / 3.5));
}

TEST(IbCc, BecnMayComeInAPacketOfItsOwn) {
  struct T : IbCcTest {
    T() : IbCcTest(cnps()) {}
    static Config cnps() {
      Config c = infiniband();
      c.receivers = {"cnp_generator"};
      return c.set("ib_cc.notice", std::string("cnp"));
    }
    void TestBody() override {}
  } t;
  t.becn();
  EXPECT_EQ(t.cc->index(*t.flow), 0);
  t.cc->onCnp(*t.flow, Packet());
  EXPECT_EQ(t.cc->index(*t.flow), 1);
}

TEST(IbCc, AnEntryThatTheTableLacksIsRefused) {
  Chain net(infiniband().set("ib_cc.ccti_min", int64_t{200}), 1, 1);
  EXPECT_THROW(net.start(), ParamError);
}

TEST(IbCc, BecnsInPacketsOfTheirOwnNeedWhoSendsThem) {
  Chain net(infiniband().set("ib_cc.notice", std::string("cnp")), 1, 1);
  try {
    net.start();
    FAIL();
  } catch (const ParamError& e) {
    EXPECT_NE(std::string(e.what()).find("ib_cc.notice: cnp needs the receiver agent cnp_generator"), std::string::npos)
        << e.what();
  }
}

/// The table's entries have a multiplier of 14 bits, up to 16383: 127 * 127 * 1.015 is 16371, 2047 * 8 * 1 is 16376.
TEST(IbCc, AnEntryBeyondItsFormatIsRefused) {
  const auto refusal = [](const char* curve, double step, int64_t limit, int64_t shift) -> std::string {
    Config c = infiniband();
    c.set("ib_cc.cct_curve", std::string(curve)).set("ib_cc.cct_step", step);
    Chain net(c.set("ib_cc.ccti_limit", limit).set("ib_cc.cct_shift", shift), 1, 1);
    try {
      net.start();
    } catch (const ParamError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("linear", 1, 16383, 0), "");
  EXPECT_EQ(refusal("linear", 1, 2047, 3), "");
  EXPECT_EQ(refusal("square", 1.015, 127, 0), "");
  const std::string why = refusal("square", 16383, 65535, 0);
  for (const char* name : {"ib_cc.cct_step", "ib_cc.ccti_limit", "ib_cc.cct_shift", "14 bits"}) {
    EXPECT_NE(why.find(name), std::string::npos) << why;
  }
  EXPECT_NE(refusal("linear", 1, 16384, 0), "");
  EXPECT_NE(refusal("linear", 1, 2048, 3), "");
  EXPECT_NE(refusal("square", 1.016, 127, 0), "");
}

TEST_F(IbCcTest, AStepThatGrowsBeyondTheFormatIsRefusedInARunToo) {
  EXPECT_THROW(cc->set("cct_step", 17.0), ParamError);  // 127 * 8 * 17
  cc->set("cct_step", 16.0);
  becn();
  EXPECT_EQ(flow->rate.bps, static_cast<int64_t>(100e9 / 17));
}

struct FecnQueueTest : testing::Test {
  explicit FecnQueueTest(Config c = infiniband().set("fecn_queue.threshold", int64_t{3000})) : net(std::move(c), 1, 1) {
    net.start();
    queue = net.lastHop().queues()[1];
  }
  bool marks(int64_t backlog, uint32_t bytes = 1518, bool ect = true) {
    Packet* p = net.network.packets().fresh();
    p->wireBytes = bytes;
    p->ect = ect;
    EXPECT_TRUE(queue->enqueue(p, backlog));
    return p->marked;
  }
  Chain net;
  Queue* queue;
};

TEST_F(FecnQueueTest, MarksWhatFindsMoreThanTheThreshold) {
  EXPECT_FALSE(marks(3000));
  EXPECT_TRUE(marks(3001));
  EXPECT_TRUE(marks(3001));
  EXPECT_FALSE(marks(3001, 1518, false));
}

TEST_F(FecnQueueTest, NotTheVictimsOfAnotherPort) {
  net.lastHop().onPause(1, true);
  EXPECT_FALSE(marks(100000));
  queue->set("victim_mask", true);
  EXPECT_TRUE(marks(100000));
}

TEST_F(FecnQueueTest, NotShortPacketsAndNotEveryOne) {
  queue->set("packet_size", int64_t{512});
  queue->set("marking_rate", int64_t{2});
  EXPECT_FALSE(marks(5000, 511));
  EXPECT_TRUE(marks(5000, 512));
  EXPECT_FALSE(marks(5000));
  EXPECT_FALSE(marks(5000, 100));  // is none of the two
  EXPECT_FALSE(marks(5000));
  EXPECT_TRUE(marks(5000));
}

TEST(IbCc, FlowsShareAndTheQueueStaysNearTheThreshold) {
  Chain net(infiniband(), 4, 1);
  for (int i = 0; i < 4; ++i) net.flow(i, net.sender(i), net.receiver(), 0);
  net.run(Time::Ms(20));
  uint64_t before[4];
  for (int i = 0; i < 4; ++i) before[i] = net.active(net.sender(i), i).sndUna;
  net.lastHop().takeMaxBytes(1);
  net.run(Time::Ms(60));
  double sum = 0, squares = 0;
  for (int i = 0; i < 4; ++i) {
    const auto x = static_cast<double>(net.active(net.sender(i), i).sndUna - before[i]);
    sum += x;
    squares += x * x;
  }
  EXPECT_GT(sum * sum / (4 * squares), 0.8);  // Jain's index
  EXPECT_GT(sum * 8 / 40e-3, 0.7 * 100e9);
  EXPECT_LT(net.lastHop().takeMaxBytes(1), 10 * 16384);
}

TEST(IbCc, NothingOfAFlowIsLeftWhenItEnds) {
  Chain net(infiniband().set("fecn_queue.threshold", int64_t{0}), 4, 1);
  for (int i = 0; i < 60; ++i) net.flow(i, net.sender(i % 4), net.receiver(), 1 + 3000 * i, Time::Us(3 * i));
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.network.total().flowsFinished, 60u);
  EXPECT_GT(net.network.total().marks, 10u);
  EXPECT_EQ(net.engine.pending(), 0u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

}  // namespace fabric
