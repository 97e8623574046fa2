// RoCC: the controller of the switch, its flow table, and the host.
#include "mechanisms/rocc/rocc.h"

#include <gtest/gtest.h>

#include "mechanisms/rocc/rocc_pi.h"
#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;

/// 100 Gb/s: queues in 600 B, rates in 10 Mb/s.
RoccPi::Controller controller(double f, double qOld) { return {500, 1000, 1100, 10, 10000, 0.45, 2.25, f, qOld}; }

double updated(double f, double qOld, double q) {
  auto c = controller(f, qOld);
  c.update(q);
  EXPECT_EQ(c.qOld, q);
  return c.f;
}

const test::Control kRocc(Config::rocc());

TEST(RoccController, AQueueAboveQmaxSetsTheSmallestRate) {
  EXPECT_DOUBLE_EQ(updated(10000, 1000, 1100), 10);
  EXPECT_DOUBLE_EQ(updated(1250.1, 1000, 1100), 10);
}

TEST(RoccController, NotWhenTheRateIsLowAlready) {
  // F = 1000 <= Fmax / 8: level 16, gains through 8
  EXPECT_DOUBLE_EQ(updated(1000, 1000, 1100), 1000 - 0.45 / 8 * 600 - 2.25 / 8 * 100);
  // F = Fmax / 8 = 1250 is not above it; not below Fmax / 8 either, so the level stays 8.
  EXPECT_DOUBLE_EQ(updated(1250, 1000, 1100), 1250 - 0.45 / 4 * 600 - 2.25 / 4 * 100);
}

TEST(RoccController, AFastGrowingQueueHalvesTheRate) {
  EXPECT_DOUBLE_EQ(updated(8000, 50, 1050), 4000);
  EXPECT_DOUBLE_EQ(updated(8000, 50.5, 1050), 8000 - 0.45 * 550 - 2.25 * 999.5);
  EXPECT_DOUBLE_EQ(updated(1200, 0, 1000), std::max(10.0, 1200 - 0.45 / 8 * 500 - 2.25 / 8 * 1000));
}

TEST(RoccController, GainsFallWithTheRate) {
  EXPECT_DOUBLE_EQ(updated(8000, 500, 600), 8000 - 0.45 * 100 - 2.25 * 100);
  EXPECT_DOUBLE_EQ(updated(5000, 500, 600), 5000 - 0.45 * 100 - 2.25 * 100);  // level 2 at Fmax / 2
  EXPECT_DOUBLE_EQ(updated(4999, 500, 600), 4999 - 0.45 / 2 * 100 - 2.25 / 2 * 100);
  EXPECT_DOUBLE_EQ(updated(2000, 500, 600), 2000 - 0.45 / 4 * 100 - 2.25 / 4 * 100);
  EXPECT_DOUBLE_EQ(updated(400, 500, 600), 400 - 0.45 / 16 * 100 - 2.25 / 16 * 100);
  EXPECT_DOUBLE_EQ(updated(200, 500, 600), 200 - 0.45 / 32 * 100 - 2.25 / 32 * 100);
  EXPECT_DOUBLE_EQ(updated(20, 500, 480), 20 + 0.45 / 32 * 20 + 2.25 / 32 * 20);  // level 64 is the last
}

TEST(RoccController, StaysWithinItsBounds) {
  EXPECT_DOUBLE_EQ(updated(10000, 500, 100), 10000);
  EXPECT_DOUBLE_EQ(updated(15, 500, 1050), 10);
}

TEST(RoccPi, ThresholdsScaleWithThePortUnlessToldNotTo) {
  for (const bool scale : {true, false}) {
    Config c = Config::rocc();
    Chain net(c.set("rocc_pi.scale", scale), 3, 1, Rate::Gbps(400));
    net.start();
    const auto& pi = net.lastHop().agent<RoccPi>()->controller();
    EXPECT_DOUBLE_EQ(pi.qRef, scale ? 2000 : 500);
    EXPECT_DOUBLE_EQ(pi.qMid, scale ? 4000 : 1000);
    EXPECT_DOUBLE_EQ(pi.qMax, scale ? 4400 : 1100);
    EXPECT_DOUBLE_EQ(pi.fMin, 10);
    EXPECT_DOUBLE_EQ(pi.fMax, 40000);
    EXPECT_DOUBLE_EQ(pi.f, 40000);
  }
  Config c = Config::rocc();
  Chain net(c.set("rocc_pi.scale_to", Rate::Gbps(200).bps), 3, 1, Rate::Gbps(400));
  net.start();
  EXPECT_DOUBLE_EQ(net.lastHop().agent<RoccPi>()->controller().qRef, 1000);
}

TEST(RoccPi, TheFlowTableHoldsTheFlowsThatWait) {
  Chain net(Config::rocc(), 3, 1);
  net.engine.recordSends = true;
  for (int i = 0; i < 3; ++i) net.flow(i, net.sender(i), net.receiver(), 14560);
  net.start();
  auto& pi = *net.lastHop().agent<RoccPi>();
  net.lastHop().onPause(1, true);
  net.run(Time::Us(10));
  EXPECT_EQ(pi.flows(), 3u);
  EXPECT_EQ(net.network.total().cnpsSent, 0u);
  net.run(Time::Us(40));  // the first update: one CNP for each
  EXPECT_EQ(net.network.total().cnpsSent, 3u);
  net.run(Time::Us(80));
  EXPECT_EQ(net.network.total().cnpsSent, 6u);
  net.lastHop().onPause(1, false);
  net.run(Time::Us(100));
  EXPECT_EQ(pi.flows(), 0u);
  net.run(Time::Us(400));
  EXPECT_EQ(net.network.total().cnpsSent, 6u);  // nobody waits any more
  for (const auto& s : net.engine.sends) {
    if (s.kind == PacketKind::Cnp) {
      EXPECT_EQ(s.bytes, 78u);
    }
  }
}

TEST(RoccPi, TheTimerRestsWhenThereIsNothingToControl) {
  Chain net(Config::rocc(), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 14560);
  net.finish(Time::Ms(20));
  EXPECT_EQ(net.engine.pending(), 0u);
}

/// One flow with RoCC; CNPs are made by hand.
struct RoccFlow : testing::Test {
  RoccFlow() : net(Config::rocc(), 1, 1) {
    net.flow(0, net.sender(0), net.receiver(), 0);
    net.run({});
    flow = &net.active(net.sender(0), 0);
    offset = net.network.packets().reserve<RoccFeedback>(RoccFeedback::kName);
  }
  void cnp(Rate rate, uint64_t point) {
    Packet* p = net.network.packets().fresh();
    p->kind = PacketKind::Cnp;
    p->flow = flow;
    p->flowId = 0;
    offset(*p) = {rate, point};
    net.sender(0).receive(net.sender(0).nic(), p);
  }
  Chain net;
  Flow* flow;
  PacketExtension<RoccFeedback> offset;
};

TEST_F(RoccFlow, TakesTheSmallestRateAndFollowsThePointThatSetIt) {
  EXPECT_EQ(flow->rate, Rate::Gbps(100));
  cnp(Rate::Gbps(60), 1);
  EXPECT_EQ(flow->rate, Rate::Gbps(60));
  cnp(Rate::Gbps(70), 2);  // another point, more: ignored
  EXPECT_EQ(flow->rate, Rate::Gbps(60));
  cnp(Rate::Gbps(65), 1);  // the same point may raise it
  EXPECT_EQ(flow->rate, Rate::Gbps(65));
  cnp(Rate::Gbps(40), 2);  // another point, less: now that one counts
  EXPECT_EQ(flow->rate, Rate::Gbps(40));
  cnp(Rate::Gbps(50), 1);
  EXPECT_EQ(flow->rate, Rate::Gbps(40));
  cnp(Rate::Gbps(50), 2);
  EXPECT_EQ(flow->rate, Rate::Gbps(50));
}

TEST_F(RoccFlow, WithoutNewsTheRateDoublesUntilTheLimiterGoes) {
  cnp(Rate::Gbps(20), 1);
  net.run(Time::Us(99));
  EXPECT_EQ(flow->rate, Rate::Gbps(20));
  cnp(Rate::Gbps(20), 1);  // the clock starts again
  net.run(Time::Us(198));
  EXPECT_EQ(flow->rate, Rate::Gbps(20));
  net.run(Time::Us(199));
  EXPECT_EQ(flow->rate, Rate::Gbps(40));
  net.run(Time::Us(299));
  EXPECT_EQ(flow->rate, Rate::Gbps(80));
  net.run(Time::Us(399));
  EXPECT_EQ(flow->rate, Rate::Gbps(100));
  net.run(Time::Ms(1));
  EXPECT_EQ(flow->rate, Rate::Gbps(100));
  cnp(Rate::Gbps(90), 7);  // whoever says so first
  EXPECT_EQ(flow->rate, Rate::Gbps(90));
}

TEST(Rocc, TheQueueSettlesAtItsReferenceAndTheFlowsShare) {
  Chain net(Config::rocc().set("port.pfc_xoff", int64_t{800000}), 4, 1);
  for (int i = 0; i < 4; ++i) net.flow(i, net.sender(i), net.receiver(), 0);
  net.run(Time::Ms(8));
  double queue = 0;
  for (int i = 0; i < 100; ++i) {
    net.run(net.engine.now() + Time::Us(10));
    queue += static_cast<double>(net.lastHop().queueBytes(1)) / 100;
  }
  EXPECT_NEAR(queue, 300000, 60000);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(static_cast<double>(net.active(net.sender(i), i).rate.bps), 25e9, 2e9);
}

TEST(Rocc, NothingOfAFlowIsLeftWhenItEnds) {
  Chain net(Config::rocc(), 4, 2);
  for (int i = 0; i < 60; ++i) net.flow(i, net.sender(i % 4), net.receiver(), 1 + 20000 * i, Time::Us(3 * i));
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.network.total().flowsFinished, 60u);
  EXPECT_GT(net.network.total().cnpsSent, 10u);
  EXPECT_EQ(net.engine.pending(), 0u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

}  // namespace fabric
