// TIMELY: Algorithm 1 with numbers computed by hand.
#include "mechanisms/timely/timely.h"

#include <gtest/gtest.h>

#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;

Config timely() {
  Config c;
  c.cc = "timely";
  return c;
}

const test::Control kTimely(timely());

/// One flow at 100 Gb/s whose ACKs are made by hand, each of a round trip of its own.
struct TimelyTest : testing::Test {
  explicit TimelyTest(Config c = timely()) : net(std::move(c), 1, 1) {
    net.flow(0, net.sender(0), net.receiver(), 0);
    net.run({});
    flow = &net.active(net.sender(0), 0);
    cc = static_cast<Timely*>(&net.sender(0).congestionControl());
    net.engine.setNow(Time::Ms(10));  // long after the start; what the network would do meanwhile does not matter
  }
  void ack(double us) {
    Packet p;
    p.kind = PacketKind::Ack;
    p.seq = ++seq;
    p.sentAt = net.engine.now() - Time::Ps(static_cast<int64_t>(us * 1e6));
    flow->sndNxt = seq;
    cc->onAck(*flow, p);
  }
  Timely::State& state() { return cc->state(*flow); }
  void setRate(double gbps) { state().rate = gbps * 1e9; }
  double gbps() { return state().rate / 1e9; }

  Chain net;
  Flow* flow;
  Timely* cc;
  uint64_t seq = 0;
};

TEST_F(TimelyTest, StartsAtLineRateAndTheFirstSampleOnlyCounts) {
  EXPECT_EQ(flow->rate, Rate::Gbps(100));
  EXPECT_EQ(flow->window, -1);
  setRate(50);
  ack(1000);  // above t_high, but there is nothing to compare it with
  EXPECT_DOUBLE_EQ(gbps(), 50);
  EXPECT_EQ(state().rtt, Time::Us(1000));
}

TEST_F(TimelyTest, GrowsBelowTheLowerThresholdWhateverTheGradient) {
  setRate(50);
  ack(20);
  ack(49.9);
  EXPECT_DOUBLE_EQ(gbps(), 50.01);
  EXPECT_EQ(flow->rate.bps, 50010000000);
  ack(30);
  EXPECT_DOUBLE_EQ(gbps(), 50.02);
  for (int i = 0; i < 20; ++i) ack(30);
  EXPECT_DOUBLE_EQ(gbps(), 50.22);  // never hyperactive
}

TEST_F(TimelyTest, IsCutAboveTheUpperThresholdWhateverTheGradient) {
  setRate(50);
  ack(2000);
  ack(1000);  // 1 - 0.8 (1 - 500 / 1000) = 0.6
  EXPECT_DOUBLE_EQ(gbps(), 30);
  ack(625);  // 1 - 0.8 (1 - 500 / 625) = 0.84
  EXPECT_DOUBLE_EQ(gbps(), 25.2);
}

TEST_F(TimelyTest, IsCutInProportionToThePositiveGradient) {
  setRate(50);
  ack(100);
  ack(110);  // diff = 0.875 * 10 us, gradient = 8.75 / 20 = 0.4375, cut to 1 - 0.8 * 0.4375 = 0.65
  EXPECT_DOUBLE_EQ(gbps(), 32.5);
  ack(110);  // diff = 0.125 * 8.75 us = 1.09375, gradient = 0.0546875
  EXPECT_DOUBLE_EQ(gbps(), 32.5 * (1 - 0.8 * 0.0546875));
  const double before = gbps();
  ack(100);  // diff = 0.125 * 1.09375 - 0.875 * 10 < 0
  EXPECT_DOUBLE_EQ(gbps(), before + 0.01);
}

TEST_F(TimelyTest, AGradientBeyondOneOverBetaLeavesTheSmallestRate) {
  setRate(50);
  ack(100);
  ack(400);  // gradient = 0.875 * 300 / 20 = 13
  EXPECT_EQ(flow->rate, Rate::Mbps(10));
}

TEST_F(TimelyTest, ThresholdsThemselvesAreBetween) {
  setRate(50);
  ack(60);
  ack(50);
  EXPECT_DOUBLE_EQ(gbps(), 50.01);
  EXPECT_EQ(state().increases, 1);  // by its gradient
  ack(500);                         // not above: by the gradient, which is far too large
  EXPECT_EQ(flow->rate, Rate::Mbps(10));
}

TEST_F(TimelyTest, HyperactiveAfterFiveIncreasesInARow) {
  setRate(50);
  ack(100);
  for (int i = 1; i <= 5; ++i) {
    ack(100);
    EXPECT_DOUBLE_EQ(gbps(), 50 + 0.01 * i);
  }
  ack(100);
  EXPECT_DOUBLE_EQ(gbps(), 50.10);
  ack(40);  // below t_low: one delta, and the row goes on
  EXPECT_DOUBLE_EQ(gbps(), 50.11);
  ack(60);  // up: cut, and the row ends
  EXPECT_LT(gbps(), 50);
  EXPECT_EQ(state().increases, 0);
  const double cut = gbps();
  ack(55);
  EXPECT_DOUBLE_EQ(gbps(), cut + 0.01);
}

TEST(Timely, IncreasesBelowTheLowerThresholdMayCount) {
  struct T : TimelyTest {
    T() : TimelyTest(timely().set("timely.hai_below_low", true)) {}
    void TestBody() override {}
  } t;
  t.setRate(50);
  t.ack(20);
  for (int i = 0; i < 5; ++i) t.ack(20);
  EXPECT_DOUBLE_EQ(t.gbps(), 50.05);
  t.ack(20);
  EXPECT_DOUBLE_EQ(t.gbps(), 50.10);
}

TEST_F(TimelyTest, OncePerRoundTrip) {
  setRate(50);
  ack(20);
  flow->sndNxt = 100;
  Packet p;
  p.kind = PacketKind::Ack;
  p.sentAt = net.engine.now() - Time::Us(20);
  p.seq = 2;
  cc->onAck(*flow, p);
  EXPECT_DOUBLE_EQ(gbps(), 50.01);
  p.seq = 100;
  cc->onAck(*flow, p);  // sent before the update
  EXPECT_DOUBLE_EQ(gbps(), 50.01);
  p.seq = 101;
  cc->onAck(*flow, p);
  EXPECT_DOUBLE_EQ(gbps(), 50.02);
}

TEST(Timely, OrWithEveryAck) {
  struct T : TimelyTest {
    T() : TimelyTest(timely().set("timely.update", std::string("ack"))) {}
    void TestBody() override {}
  } t;
  t.setRate(50);
  t.ack(20);
  Packet p;
  p.kind = PacketKind::Ack;
  p.sentAt = t.net.engine.now() - Time::Us(20);
  t.flow->sndNxt = 100;
  for (p.seq = 2; p.seq < 12; ++p.seq) t.cc->onAck(*t.flow, p);
  EXPECT_DOUBLE_EQ(t.gbps(), 50.10);
}

TEST(Timely, TheWindowIsTheRateTimesTheRoundTrip) {
  struct T : TimelyTest {
    T() : TimelyTest(timely().set("timely.form", std::string("window")).set("host.base_rtt", Time::Us(12).ps)) {}
    void TestBody() override {}
  } t;
  const double payload = 1456.0 / 1518;
  EXPECT_EQ(t.flow->window, static_cast<int64_t>(150000 * payload));  // 100 Gb/s * 12 us
  t.setRate(8);
  t.ack(40);
  EXPECT_EQ(t.flow->window, static_cast<int64_t>(40000 * payload));
  EXPECT_EQ(t.flow->rate, Rate::Gbps(100));
  t.ack(25);  // 8.01 Gb/s * 25 us = 25031.25 B
  EXPECT_EQ(t.flow->window, static_cast<int64_t>(25031.25 * payload));
}

TEST(Timely, ThresholdsInTheWrongOrderAreRefused) {
  Chain net(timely().set("timely.t_low", Time::Us(600).ps), 1, 1);
  EXPECT_THROW(net.start(), ParamError);
}

class TimelyShares : public testing::TestWithParam<const char*> {};

TEST_P(TimelyShares, FourFlowsKeepTheLinkBusyAndTheQueueInItsBounds) {
  Config c = timely();
  c.set("timely.form", std::string(GetParam())).set("host.base_rtt", Time::Us(7).ps);
  Chain net(std::move(c), 4, 1, Rate::Gbps(10));
  for (int i = 0; i < 4; ++i) net.flow(i, net.sender(i), net.receiver(), 0);
  net.run(Time::Ms(20));
  uint64_t before = 0, after = 0;
  for (int i = 0; i < 4; ++i) before += net.active(net.sender(i), i).sndUna;
  net.lastHop().takeMaxBytes(1);
  net.run(Time::Ms(60));
  for (int i = 0; i < 4; ++i) after += net.active(net.sender(i), i).sndUna;
  EXPECT_GT(static_cast<double>(after - before) * 8 / 40e-3, 0.85 * 10e9 * 1456 / 1518);
  EXPECT_LT(net.lastHop().takeMaxBytes(1), 625000);  // t_high at 10 Gb/s
  EXPECT_EQ(net.network.total().boundViolations, 0u);
}
INSTANTIATE_TEST_SUITE_P(Forms, TimelyShares, testing::Values("rate", "window"));

TEST(Timely, NothingOfAFlowIsLeftWhenItEnds) {
  Chain net(timely(), 4, 1);
  for (int i = 0; i < 60; ++i) net.flow(i, net.sender(i % 4), net.receiver(), 1 + 3000 * i, Time::Us(3 * i));
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.network.total().flowsFinished, 60u);
  EXPECT_EQ(net.engine.pending(), 0u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

}  // namespace fabric
