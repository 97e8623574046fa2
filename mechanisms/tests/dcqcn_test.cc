// DCQCN: reaction point and notification point, with numbers computed by hand.
#include "mechanisms/dcqcn/dcqcn.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/dcqcn/cnp_generator.h"
#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;

const test::Control kDcqcn(Config::dcqcn());

/// One flow with DCQCN; notices are made by hand.
struct DcqcnTest : testing::Test {
  explicit DcqcnTest(Config c = Config::dcqcn()) : net(std::move(c), 1, 1) {
    net.flow(0, net.sender(0), net.receiver(), 0);
    net.run({});
    flow = &net.active(net.sender(0), 0);
    cc = static_cast<Dcqcn*>(&net.sender(0).congestionControl());
  }
  void cnp() {
    Packet* p = net.network.packets().fresh();
    p->kind = PacketKind::Cnp;
    p->flow = flow;
    p->flowId = 0;
    net.sender(0).receive(net.sender(0).nic(), p);
  }
  void at(double us) { net.run(Time::Ps(static_cast<int64_t>(us * 1e6))); }
  const Dcqcn::State& state() const { return cc->state(*flow); }
  double gbps() const { return state().current / 1e9; }

  Chain net;
  Flow* flow;
  Dcqcn* cc;
};

TEST_F(DcqcnTest, StartsAtLineRate) {
  EXPECT_EQ(flow->rate, Rate::Gbps(100));
  EXPECT_EQ(flow->window, -1);
  EXPECT_EQ(state().alpha, 1);
}

TEST_F(DcqcnTest, ANoticeCutsByHalfOfAlpha) {
  cnp();
  EXPECT_DOUBLE_EQ(gbps(), 50);
  EXPECT_DOUBLE_EQ(state().target, 100e9);
  EXPECT_DOUBLE_EQ(state().alpha, 1);  // (1 - g) * 1 + g
  EXPECT_EQ(flow->rate, Rate::Gbps(50));
  at(60);
  const double alpha = 255.0 / 256;  // decayed once, at 55 us
  EXPECT_DOUBLE_EQ(state().alpha, alpha);
  EXPECT_DOUBLE_EQ(gbps(), 75);  // recovered once
  cnp();
  EXPECT_DOUBLE_EQ(gbps(), 75 * (1 - alpha / 2));
  EXPECT_DOUBLE_EQ(state().target, 75e9);
  EXPECT_DOUBLE_EQ(state().alpha, alpha * 255 / 256 + 1.0 / 256);
}

TEST_F(DcqcnTest, FastRecoveryThenAdditiveIncrease) {
  cnp();
  cnp();  // R_C 25, R_T 50
  EXPECT_DOUBLE_EQ(gbps(), 25);
  at(54.999999);
  EXPECT_DOUBLE_EQ(gbps(), 25);
  at(55);
  EXPECT_DOUBLE_EQ(gbps(), 37.5);  // T = 1
  at(110);
  EXPECT_DOUBLE_EQ(gbps(), 43.75);
  at(165);
  EXPECT_DOUBLE_EQ(gbps(), 46.875);
  at(220);
  EXPECT_DOUBLE_EQ(gbps(), 48.4375);  // T = 4
  EXPECT_DOUBLE_EQ(state().target, 50e9);
  at(275);  // T = 5 = F: additive, R_T = 50.04
  EXPECT_DOUBLE_EQ(state().target, 50.04e9);
  EXPECT_DOUBLE_EQ(gbps(), (50.04 + 48.4375) / 2);
  at(330);
  EXPECT_DOUBLE_EQ(state().target, 50.08e9);
  EXPECT_EQ(state().timerStage, 6);
  EXPECT_EQ(state().byteStage, 0);
}

TEST_F(DcqcnTest, HyperIncreaseWhenBothCountersArePastF) {
  cnp();
  cnp();
  auto& s = cc->state(*flow);
  s.timerStage = 5;
  s.byteStage = 6;
  at(55);  // T = 6: min = 6 > 5, i = 2
  EXPECT_DOUBLE_EQ(s.target, 50e9 + 2 * 200e6);
  EXPECT_DOUBLE_EQ(gbps(), (50.4 + 25) / 2);
  s.byteStage = 9;
  at(110);  // T = 7: i = 3
  EXPECT_DOUBLE_EQ(s.target, 50.4e9 + 3 * 200e6);
  s.byteStage = 5;
  at(165);  // T = 8, BC = 5: not above F, additive
  EXPECT_DOUBLE_EQ(s.target, 51e9 + 40e6);
}

TEST_F(DcqcnTest, ANoticeRestartsTimerAndCounters) {
  cnp();
  at(50);
  cnp();
  const double cut = gbps();
  at(104.999999);
  EXPECT_DOUBLE_EQ(gbps(), cut);  // the first timer would have come at 55 us
  at(105);
  EXPECT_GT(gbps(), cut);
  EXPECT_EQ(state().timerStage, 1);
  at(160);
  EXPECT_EQ(state().timerStage, 2);
  cnp();
  EXPECT_EQ(state().timerStage, 0);
  EXPECT_EQ(state().byteStage, 0);
  EXPECT_EQ(state().bytes, 0);
}

TEST_F(DcqcnTest, AlphaDecaysEvery55usWithoutNotice) {
  cnp();
  at(55 * 10);
  double alpha = 1;
  for (int i = 0; i < 10; ++i) alpha *= 255.0 / 256;
  EXPECT_DOUBLE_EQ(state().alpha, alpha);
  cnp();
  at(55 * 10 + 54.9);
  EXPECT_DOUBLE_EQ(state().alpha, alpha * 255 / 256 + 1.0 / 256);
}

TEST_F(DcqcnTest, TheByteCounterCountsItsOwnStages) {
  cc->set("byte_counter", int64_t{15180});
  cc->set("increase_timer", Time::Ms(100).ps);
  cnp();
  cnp();
  const uint64_t packets = flow->packets;
  while (flow->packets < packets + 9) at(net.engine.now().ps * 1e-6 + 0.05);
  EXPECT_EQ(state().byteStage, 0);
  while (flow->packets < packets + 10) at(net.engine.now().ps * 1e-6 + 0.05);
  EXPECT_EQ(state().byteStage, 1);
  EXPECT_DOUBLE_EQ(gbps(), 37.5);
  while (flow->packets < packets + 50) at(net.engine.now().ps * 1e-6 + 0.05);
  EXPECT_EQ(state().byteStage, 5);
  EXPECT_DOUBLE_EQ(state().target, 50.04e9);
}

TEST_F(DcqcnTest, TheRateNeverFallsBelowTheSmallestNorRisesAboveTheLine) {
  for (int i = 0; i < 50; ++i) cnp();
  EXPECT_EQ(flow->rate, Rate::Mbps(100));
  cc->set("rate_ai", Rate::Gbps(50).bps);
  at(3000);
  EXPECT_EQ(flow->rate, Rate::Gbps(100));
  EXPECT_DOUBLE_EQ(state().target, 100e9);
  EXPECT_FALSE(state().increaseTimer.running());  // nothing left to recover
  EXPECT_EQ(net.network.total().boundViolations, 0u);
}

TEST_F(DcqcnTest, WithoutAClampRepeatedCutsKeepTheTarget) {
  cc->set("clamp_target", false);
  cnp();
  cnp();
  EXPECT_DOUBLE_EQ(gbps(), 25);
  EXPECT_DOUBLE_EQ(state().target, 100e9);
  at(55);
  EXPECT_DOUBLE_EQ(gbps(), 62.5);
  cnp();  // an increase lies between
  EXPECT_DOUBLE_EQ(state().target, 62.5e9);
}

TEST_F(DcqcnTest, TimerStagesLeaveBytesOut) {
  cc->set("timer_stages", true);
  cnp();
  cnp();
  auto& s = cc->state(*flow);
  s.timerStage = 5;
  s.byteStage = 6;
  at(55);  // hyper, did bytes count
  EXPECT_DOUBLE_EQ(s.target, 50.04e9);
  s.byteStage = 0;
  at(110);  // additive, did bytes count
  EXPECT_DOUBLE_EQ(s.target, 50.24e9);
}

TEST_F(DcqcnTest, CutsMayBeSpaced) {
  cc->set("decrease_interval", Time::Us(4).ps);
  at(10);
  cnp();
  EXPECT_DOUBLE_EQ(gbps(), 50);
  at(13.999);
  cnp();
  EXPECT_DOUBLE_EQ(gbps(), 50);
  at(14);
  cnp();
  EXPECT_DOUBLE_EQ(gbps(), 25);
}

TEST(Dcqcn, TheFirstNoticeMayOnlySetAlpha) {
  struct First : DcqcnTest {
    First() : DcqcnTest(Config::dcqcn().set("dcqcn.first_cut", false)) {}
    void TestBody() override {}
  } t;
  t.cnp();
  EXPECT_DOUBLE_EQ(t.gbps(), 100);
  EXPECT_DOUBLE_EQ(t.state().alpha, 1);
  t.cnp();
  EXPECT_DOUBLE_EQ(t.gbps(), 50);
}

TEST(Dcqcn, AMarkedAckMayBeTheNotice) {
  struct ByAck : DcqcnTest {
    ByAck() : DcqcnTest(Config::dcqcn().set("dcqcn.notice", std::string("ack"))) {}
    void TestBody() override {}
  } t;
  t.cnp();
  EXPECT_DOUBLE_EQ(t.gbps(), 100);
  Packet* ack = t.net.network.packets().fresh();
  ack->kind = PacketKind::Ack;
  ack->flow = t.flow;
  ack->flowId = 0;
  t.cc->onAck(*t.flow, *ack);
  EXPECT_DOUBLE_EQ(t.gbps(), 100);
  ack->marked = true;
  t.cc->onAck(*t.flow, *ack);
  EXPECT_DOUBLE_EQ(t.gbps(), 50);
}

TEST(Dcqcn, NoticesByCnpNeedWhoSendsThem) {
  Config c = Config::dcqcn();
  c.receivers.clear();
  EXPECT_THROW(Chain(c, 1, 1).start(), ParamError);
  c.set("dcqcn.notice", std::string("ack"));
  EXPECT_NO_THROW(Chain(c, 1, 1).start());
}

TEST(Dcqcn, NothingOfAFlowIsLeftWhenItEnds) {
  Config c = Config::dcqcn();
  c.set("red.kmin", int64_t{0}).set("red.kmax", int64_t{0});  // marks everything that waits
  Chain net(c, 4, 1);
  for (int i = 0; i < 60; ++i) net.flow(i, net.sender(i % 4), net.receiver(), 1 + 3000 * i, Time::Us(3 * i));
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.network.total().flowsFinished, 60u);
  EXPECT_GT(net.network.total().cnpsSent, 10u);
  EXPECT_EQ(net.engine.pending(), 0u);  // no timer of an ended flow
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST(Dcqcn, ARunMayEndWithTimersRunning) {
  Config c = Config::dcqcn();
  c.set("red.kmin", int64_t{0}).set("red.kmax", int64_t{0});
  Chain net(c, 2, 1);
  for (int i = 0; i < 2; ++i) net.flow(i, net.sender(i), net.receiver(), 0);
  net.finish(Time::Us(300));
  EXPECT_GT(net.network.total().cnpsSent, 0u);
  EXPECT_GT(net.engine.pending(), 0u);
}

TEST(CnpGenerator, AtMostOnePerFlowAndInterval) {
  Chain net(Config::dcqcn(), 2, 1);
  for (int i = 0; i < 2; ++i) net.flow(i, net.sender(i), net.receiver(), 0, {}, Time::Us(1));
  net.run(Time::Us(4));
  Flow& f = net.active(net.sender(0), 0);
  Flow& g = net.active(net.sender(1), 1);
  auto& np = static_cast<CnpGenerator&>(*net.receiver().receiverAgents()[0]);
  Packet p;
  const auto sent = [&] { return net.network.total().cnpsSent; };
  np.onData(f, p);
  EXPECT_EQ(sent(), 0u);  // not marked
  p.marked = true;
  np.onData(f, p);
  EXPECT_EQ(sent(), 1u);
  np.onData(f, p);
  EXPECT_EQ(sent(), 1u);
  np.onData(g, p);
  EXPECT_EQ(sent(), 2u);  // another flow's
  net.engine.setNow(Time::Us(54) - Time::Ps(1));
  np.onData(f, p);
  EXPECT_EQ(sent(), 2u);
  net.engine.setNow(Time::Us(54));
  np.onData(f, p);
  EXPECT_EQ(sent(), 3u);
  np.set("interval", Time::Us(1).ps);
  net.engine.setNow(Time::Us(55));
  np.onData(f, p);
  EXPECT_EQ(sent(), 4u);
}

TEST(Dcqcn, MarksAreCountedWhereTheyAreMadeAndWhereTheyCome) {
  Config c = Config::dcqcn();
  c.set("red.kmin", int64_t{0}).set("red.kmax", int64_t{0});  // marks everything that waits
  Chain net(c, 2, 1);
  TraceBus& trace = net.network.trace();
  const int marks = trace.find("marks"), flows = trace.find("marked_flows");
  test::Rows made(5), came(5);
  TraceFilter every;
  every.interval = Time::Us(100);
  trace.enable(marks, every);
  trace.addSink(marks, &made);
  trace.enable(flows, {});
  trace.addSink(flows, &came);
  for (int i = 0; i < 2; ++i) net.flow(i, net.sender(i), net.receiver(), 1456 * 20);
  net.finish(Time::Us(100));
  int64_t sum = 0;
  for (const auto& row : made.rows) sum += row[4];
  EXPECT_EQ(sum, static_cast<int64_t>(net.network.total().marks));
  EXPECT_GT(sum, 0);
  ASSERT_EQ(came.rows.size(), 2u);
  for (const auto& row : came.rows) {
    EXPECT_EQ(row[2], 1456 * 20);
    EXPECT_EQ(row[3], 20);
    sum -= row[4];
  }
  EXPECT_EQ(sum, 0) << "what was marked has come";
}

TEST(Dcqcn, MarksAreCountedOfFlowsWithWhichTheRunEnds) {
  Chain net(Config::dcqcn(), 3, 1);
  TraceBus& trace = net.network.trace();
  const int flows = trace.find("marked_flows");
  test::Rows came(5);
  trace.enable(flows, {});
  trace.addSink(flows, &came);
  net.network.stopWhenFlowsFinish(true);
  net.flow(0, net.sender(0), net.receiver(), 1456);
  net.flow(1, net.sender(1), net.receiver(), 1456 * 20);  // the run ends as its sender hears of the last byte
  net.finish(Time::Us(100));
  ASSERT_EQ(came.rows.size(), 2u);
  EXPECT_EQ(came.rows[0][1], 0);
  EXPECT_EQ(came.rows[1][1], 1);
  EXPECT_EQ(came.rows[1][3], 20);
}

TEST(Dcqcn, MarksAreCountedOfFlowsThatTheRunCutsOff) {
  Chain net(Config::dcqcn(), 3, 1);
  TraceBus& trace = net.network.trace();
  const int flows = trace.find("marked_flows");
  test::Rows came(5);
  trace.enable(flows, {});
  trace.addSink(flows, &came);
  for (int i = 0; i < 3; ++i) net.flow(i, net.sender(i), net.receiver(), i == 1 ? 1456 : 0);
  net.finish(Time::Us(100));
  ASSERT_EQ(came.rows.size(), 3u);
  EXPECT_EQ(came.rows[0][1], 1) << "it ended; the others by number";
  EXPECT_EQ(came.rows[1][1], 0);
  EXPECT_EQ(came.rows[2][1], 2);
  EXPECT_GT(came.rows[2][3], 100);
}

TEST(Dcqcn, CongestionIsNoticedAndTheFlowsShare) {
  Chain net(Config::dcqcn(), 4, 1);
  for (int i = 0; i < 4; ++i) net.flow(i, net.sender(i), net.receiver(), 0);
  net.run(Time::Ms(5));
  EXPECT_GT(net.network.total().marks, 0u);
  uint64_t before[4];
  for (int i = 0; i < 4; ++i) before[i] = net.active(net.sender(i), i).sndUna;
  net.run(Time::Ms(20));
  double sum = 0, squares = 0;
  for (int i = 0; i < 4; ++i) {
    const auto x = static_cast<double>(net.active(net.sender(i), i).sndUna - before[i]);
    sum += x;
    squares += x * x;
  }
  EXPECT_GT(sum * sum / (4 * squares), 0.9);  // Jain's index
  EXPECT_GT(sum * 8 / 15e-3, 0.4 * 100e9);    // alpha starts at 1 and decays slowly
}

/// HPCC's public simulator: alpha each 1 us, the rate each 4 us from 1 ns later on, whatever the number of notices.
struct DcqcnPolledTest : DcqcnTest {
  static Config config() {
    Config c = Config::dcqcn();
    c.set("dcqcn.polled", true).set("dcqcn.clamp_target", false).set("dcqcn.timer_stages", true);
    c.set("dcqcn.alpha_timer", Time::Us(1).ps).set("dcqcn.decrease_interval", Time::Us(4).ps);
    c.set("dcqcn.increase_timer", Time::Us(300).ps).set("dcqcn.byte_counter", int64_t{0});
    c.set("dcqcn.fast_recovery", int64_t{1});
    return c;
  }
  DcqcnPolledTest() : DcqcnTest(config()) {}
  static double decayed(int periods) { return std::pow(255.0 / 256, periods); }
};

TEST_F(DcqcnPolledTest, TheFirstNoticeCutsAtTheFirstLook) {
  at(10);
  cnp();
  at(14.0009);
  EXPECT_DOUBLE_EQ(gbps(), 100);
  at(14.001);
  EXPECT_NEAR(state().alpha, decayed(4), 1e-12);
  EXPECT_NEAR(gbps(), 100 * (1 - decayed(4) / 2), 1e-9);
}

TEST_F(DcqcnPolledTest, ALookCutsOnceForAnyNumberOfNotices) {
  at(10);
  cnp();
  at(14.5);
  const double before = gbps();
  cnp();
  cnp();
  at(16.5);
  cnp();
  at(18.0009);
  EXPECT_DOUBLE_EQ(gbps(), before);
  at(18.001);
  // Periods 5 and 7 had notices, 6 and 8 had none.
  const double g = 1.0 / 256;
  double alpha = decayed(4);
  for (const bool noticed : {true, false, true, false}) alpha = (1 - g) * alpha + (noticed ? g : 0);
  EXPECT_NEAR(state().alpha, alpha, 1e-12);
  EXPECT_NEAR(gbps(), before * (1 - alpha / 2), 1e-9);
  at(100);
  EXPECT_NEAR(gbps(), before * (1 - alpha / 2), 1e-9) << "no notice, no cut";
}

TEST_F(DcqcnPolledTest, RepeatedCutsKeepTheTarget) {
  cnp();
  at(5);
  cnp();
  at(9);
  EXPECT_DOUBLE_EQ(state().target, 100e9);
  at(8.001 + 300 + 0.1);  // one increase lies before the next cut
  const double rate = state().current;
  cnp();
  at(320);
  EXPECT_DOUBLE_EQ(state().target, rate);
}

TEST_F(DcqcnPolledTest, StagesGoByTheTimerAlone) {
  cnp();
  at(5);
  cnp();
  at(9);
  const double cut = gbps();
  auto& s = cc->state(*flow);
  s.target = 50e9;
  at(308.1);  // fast recovery
  EXPECT_DOUBLE_EQ(s.target, 50e9);
  EXPECT_DOUBLE_EQ(gbps(), (50 + cut) / 2);
  at(608.1);  // one additive increase
  EXPECT_DOUBLE_EQ(s.target, 50.04e9);
  at(908.1);  // hyper
  EXPECT_DOUBLE_EQ(s.target, 50.24e9);
  at(1208.1);
  EXPECT_DOUBLE_EQ(s.target, 50.44e9);
}

TEST(DcqcnPolled, NeedsAnInterval) {
  Config c = Config::dcqcn();
  c.set("dcqcn.polled", true);
  Chain net(std::move(c), 1, 1);
  EXPECT_THROW(net.start(), ParamError);
}

}  // namespace fabric
