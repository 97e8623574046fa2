// HPCC, Algorithm 1, with numbers computed by hand.
#include "mechanisms/hpcc/hpcc.h"

#include <gtest/gtest.h>

#include "mechanisms/fncc/fncc.h"
#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"
#include "mechanisms/tests/two_controls.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;

constexpr Time kT = Time::Us(10);

IntStack stack(std::initializer_list<IntRecord> records) {
  IntStack s;
  for (const IntRecord& r : records) s.push(r);
  return s;
}
IntRecord record(int64_t ts, int64_t txBytes, int64_t qlen, Rate rate = Rate::Gbps(100)) {
  return {rate, Time::Ns(ts), txBytes, qlen};
}

const test::Control kHpcc(Config::hpcc());

TEST(HpccMeasure, LoadOfAHopIsQueueAndRate) {
  IntControl::HopLoads loads{};
  // 20000 B in 2 us are 80 Gb/s, 0.8 of the link; the smaller queue, 25000 B, is 0.2 of the 125000 B
  // that the link holds in T.
  const auto m =
      IntControl::measure(stack({record(1000, 5000, 25000)}), stack({record(3000, 25000, 50000)}), kT, loads);
  EXPECT_TRUE(m.valid);
  EXPECT_DOUBLE_EQ(m.max, 1.0);
  EXPECT_EQ(m.hop, 0);
  EXPECT_EQ(m.tau, Time::Us(2));
}

TEST(HpccMeasure, TheMostLoadedHopCountsWithItsOwnTime) {
  IntControl::HopLoads loads{};
  const IntStack last = stack({record(0, 0, 0), record(500, 0, 10000), record(700, 0, 0, Rate::Gbps(400))});
  const IntStack now =
      stack({record(1000, 11875, 9000), record(2500, 25000, 12500), record(1700, 25000, 0, Rate::Gbps(400))});
  const auto m = IntControl::measure(last, now, kT, loads);
  EXPECT_DOUBLE_EQ(loads[0], 0.95);        // 95 Gb/s, no queue at first
  EXPECT_DOUBLE_EQ(loads[1], 1.0 + 0.08);  // 100 Gb/s and 10000 of 125000 B
  EXPECT_DOUBLE_EQ(loads[2], 0.5);         // 200 of 400 Gb/s
  EXPECT_EQ(m.hop, 1);
  EXPECT_DOUBLE_EQ(m.max, 1.08);
  EXPECT_EQ(m.tau, Time::Us(2));
}

TEST(HpccMeasure, NothingToCompareWith) {
  IntControl::HopLoads loads{};
  EXPECT_FALSE(IntControl::measure(IntStack(), stack({record(0, 0, 0)}), kT, loads).valid);
  EXPECT_FALSE(IntControl::measure(IntStack(), IntStack(), kT, loads).valid);
}

TEST(HpccMeasure, AHopWithoutNewsKeepsItsLoadAndAddsNoTime) {
  IntControl::HopLoads loads{};
  const IntStack a = stack({record(0, 0, 0), record(0, 0, 0)});
  const IntStack b = stack({record(1000, 12500, 0), record(1000, 6250, 0)});
  EXPECT_DOUBLE_EQ(IntControl::measure(a, b, kT, loads).max, 1.0);
  // Hop 0 has not refreshed its record; hop 1 has, and is at half its load.
  const IntStack c = stack({record(1000, 12500, 0), record(2000, 12500, 0)});
  const auto m = IntControl::measure(b, c, kT, loads);
  EXPECT_TRUE(m.valid);
  EXPECT_DOUBLE_EQ(m.max, 1.0);
  EXPECT_EQ(m.hop, 0);
  EXPECT_EQ(m.tau, Time{});
  EXPECT_DOUBLE_EQ(IntControl::average(0.7, m, kT), 0.7);
  // Another path: what was known is of no use.
  EXPECT_FALSE(IntControl::measure(c, stack({record(3000, 0, 0)}), kT, loads).valid);
  EXPECT_EQ(loads[0], 0);
}

TEST(HpccMeasure, AverageWeighsByTimeUpToT) {
  IntControl::Measure m{true, 1.0, 0, Time::Us(2)};
  EXPECT_DOUBLE_EQ(IntControl::average(0.5, m, kT), 0.8 * 0.5 + 0.2 * 1.0);
  m.tau = Time::Us(10);
  EXPECT_DOUBLE_EQ(IntControl::average(0.5, m, kT), 1.0);
  m.tau = Time::Us(30);  // no more than T
  EXPECT_DOUBLE_EQ(IntControl::average(0.5, m, kT), 1.0);
}

TEST(HpccWindow, MultiplicativeAtTheTarget) {
  const auto cc = make<Hpcc>();
  IntControl::State s;
  s.wc = 100000;
  s.incStage = 3;
  EXPECT_DOUBLE_EQ(cc->computeWindow(s, 1.9, false), 50080);  // 100000 / (1.9 / 0.95) + 80
  EXPECT_DOUBLE_EQ(s.wc, 100000);
  EXPECT_EQ(s.incStage, 3);
  EXPECT_DOUBLE_EQ(cc->computeWindow(s, 1.9, true), 50080);
  EXPECT_DOUBLE_EQ(s.wc, 50080);
  EXPECT_EQ(s.incStage, 0);
  EXPECT_DOUBLE_EQ(cc->computeWindow(s, 0.95, false), 50160);  // at eta already, not only above
}

TEST(HpccWindow, AdditiveBelowTheTargetUntilMaxStage) {
  const auto cc = make<Hpcc>();
  IntControl::State s;
  s.wc = 10000;
  EXPECT_DOUBLE_EQ(cc->computeWindow(s, 0.5, false), 10080);
  EXPECT_DOUBLE_EQ(s.wc, 10000);
  EXPECT_EQ(s.incStage, 0);
  for (int i = 1; i <= 5; ++i) {
    EXPECT_DOUBLE_EQ(cc->computeWindow(s, 0.5, true), 10000 + 80 * i);
    EXPECT_EQ(s.incStage, i);
  }
  // Five additive steps: now multiplicatively, up as well.
  EXPECT_DOUBLE_EQ(cc->computeWindow(s, 0.5, true), 10400 * 1.9 + 80);
  EXPECT_EQ(s.incStage, 0);
}

TEST(HpccWindow, WithoutStagesEveryStepIsMultiplicative) {
  const auto cc = make<Hpcc>();
  cc->set("max_stage", int64_t{0});
  IntControl::State s;
  s.wc = 10000;
  EXPECT_DOUBLE_EQ(cc->computeWindow(s, 0.5, true), 10000 * 1.9 + 80);
  EXPECT_DOUBLE_EQ(cc->computeWindow(s, 0.5, true), 19080 * 1.9 + 80);
  EXPECT_EQ(s.incStage, 0);
  const auto fncc = make<Fncc>();  // the parameter is its own, the law is the same
  fncc->set("max_stage", int64_t{0});
  s.wc = 10000;
  EXPECT_DOUBLE_EQ(fncc->computeWindow(s, 0.5, true), 10000 * 1.9 + 80);
}

/// One flow at a host with HPCC, and ACKs made by hand.
struct HpccFlow : testing::Test {
  explicit HpccFlow(const Config& c = Config::hpcc()) : net(c, 1, 1) {
    net.flow(0, net.sender(0), net.receiver(), 0);
    net.run(Time::Us(1));
    flow = &net.active(net.sender(0), 0);
    cc = static_cast<Hpcc*>(&net.sender(0).congestionControl());
    offset = net.network.packets().reserve<IntStack>(IntStack::kName);
    ack = net.network.packets().fresh();
    ack->kind = PacketKind::Ack;
    cc->state(*flow).u = 1;
  }
  ~HpccFlow() override { net.network.packets().put(ack); }
  void onAck(uint64_t seq, const IntStack& records) {
    ack->seq = seq;
    offset.claim(*ack) = records;
    cc->onAck(*flow, *ack);
  }
  IntControl::State& state() { return cc->state(*flow); }

  static constexpr double kBdp = 161250;  // 100 Gb/s * 12.9 us
  Chain net;
  Flow* flow;
  Hpcc* cc;
  PacketExtension<IntStack> offset;
  Packet* ack;
};

TEST_F(HpccFlow, StartsAtLineRateWithOneBandwidthDelayProduct) {
  EXPECT_EQ(flow->window, 161250);
  EXPECT_EQ(flow->rate, Rate::Gbps(100));
}

TEST_F(HpccFlow, FourAcks) {
  // Only remembered; the reference window stays until what is sent from now on is acknowledged.
  onAck(1456, stack({record(0, 0, 161250)}));
  EXPECT_EQ(flow->window, 161250);
  EXPECT_EQ(state().lastUpdateSeq, flow->sndNxt);

  // u' = 1 + 1 (a queue of one B * T), tau = T / 10: U = 0.9 * 1 + 0.1 * 2 = 1.1
  onAck(2912, stack({record(1290, 16125, 161250)}));
  EXPECT_DOUBLE_EQ(state().u, 1.1);
  const double first = kBdp * 0.95 / 1.1 + 80;
  EXPECT_NEAR(state().w, first, 1e-6);
  EXPECT_EQ(flow->window, 139341);
  EXPECT_NEAR(static_cast<double>(flow->rate.bps), first * 8 / 12.9e-6, 1);
  EXPECT_DOUBLE_EQ(state().wc, kBdp);

  // Not yet a round trip later: the window follows, the reference window does not.
  onAck(4368, stack({record(2580, 32250, 161250)}));
  EXPECT_DOUBLE_EQ(state().u, 0.9 * 1.1 + 0.1 * 2);
  EXPECT_NEAR(state().w, kBdp * 0.95 / 1.19 + 80, 1e-6);
  EXPECT_DOUBLE_EQ(state().wc, kBdp);

  // The first packet sent after the first ACK is acknowledged.
  onAck(flow->sndNxt + 1, stack({record(3870, 48375, 161250)}));
  const double u = 0.9 * 1.19 + 0.1 * 2;
  EXPECT_NEAR(state().wc, kBdp * 0.95 / u + 80, 1e-6);
  EXPECT_NEAR(state().w, state().wc, 1e-9);
  EXPECT_EQ(state().lastUpdateSeq, flow->sndNxt);
}

TEST_F(HpccFlow, AckOfExactlyTheLastUpdateIsNoUpdate) {
  onAck(1, stack({record(0, 0, 0)}));
  state().lastUpdateSeq = 5000;
  onAck(5000, stack({record(1290, 16125, 0)}));
  EXPECT_EQ(state().lastUpdateSeq, 5000u);
  onAck(5001, stack({record(2580, 32250, 0)}));
  EXPECT_EQ(state().lastUpdateSeq, flow->sndNxt);
}

TEST_F(HpccFlow, WindowAndRateAreCapped) {
  onAck(1, stack({record(0, 0, 0)}));
  onAck(flow->sndNxt + 1, stack({record(12900, 1, 0)}));  // nearly idle: up
  EXPECT_EQ(flow->window, 161250);
  EXPECT_EQ(flow->rate, Rate::Gbps(100));
  EXPECT_LE(state().wc, kBdp);
  onAck(flow->sndNxt + 1, stack({record(25800, 161251, 0)}));
  // A queue of 10000 B * T: W falls to the smallest, 100 Mb/s * T.
  onAck(flow->sndNxt + 1, stack({record(38700, 322501, 1612500000)}));
  onAck(flow->sndNxt + 1, stack({record(51600, 483751, 1612500000)}));
  EXPECT_DOUBLE_EQ(state().w, 161.25);
  EXPECT_EQ(flow->window, 161);
  EXPECT_EQ(flow->rate, Rate::Mbps(100));
}

struct PacedFlow : HpccFlow {
  PacedFlow() : HpccFlow(Config::hpcc().set("hpcc.window", false)) {}
};

/// The rate alone follows acknowledgements: more than the window may be in flight.
TEST_F(PacedFlow, IsBoundByItsRateAlone) {
  onAck(1, stack({record(0, 0, 161250)}));
  onAck(2, stack({record(12900, 161250, 161250)}));  // u' = 2 for a whole T
  const double w = kBdp * 0.95 / 2 + 80;
  EXPECT_NEAR(state().w, w, 1e-6);
  EXPECT_EQ(flow->window, -1);
  EXPECT_NEAR(static_cast<double>(flow->rate.bps), w * 8 / 12.9e-6, 1);
  flow->sndNxt = flow->sndUna + 200000;
  EXPECT_TRUE(flow->maySend(1));
}

TEST_F(HpccFlow, LiveParametersTakeEffect) {
  cc->set("eta", 0.5);
  cc->set("w_ai", int64_t{0});
  onAck(1, stack({record(0, 0, 0)}));
  onAck(2, stack({record(12900, 161250, 0)}));
  EXPECT_NEAR(state().w, kBdp / 2, 1e-6);
}

TEST(Hpcc, NeedsTheBaseRtt) {
  Config c = Config::hpcc();
  Chain net(c.set("host.base_rtt", int64_t{0}), 1, 1);
  EXPECT_THROW(net.start(), ParamError);
}

// ---------------------------------------------------------------- telemetry

TEST(HpccInt, RecordsAreInTheOrderOfThePathAndCostBytes) {
  Net net(Config::hpcc());
  Host& a = net.host();
  Host& b = net.host();
  Switch& s0 = net.sw();
  Switch& s1 = net.sw();
  net.link(a, s0, Rate::Gbps(100));
  net.link(s0, s1, Rate::Gbps(200));
  net.link(s1, b, Rate::Gbps(400));
  net.engine.recordSends = true;
  net.flow(0, a, b, 1456);
  net.flow(1, a, b, 0, Time::Us(50));
  net.run(Time::Us(80));
  std::vector<uint32_t> bytes;
  for (size_t i = 0; i < 6; ++i) bytes.push_back(net.engine.sends[i].bytes);
  // The data packet has 2 B of header and grows by 8 B as it leaves a switch; the ACK carries 2 + 16 B.
  EXPECT_EQ(bytes, (std::vector<uint32_t>{1520, 1528, 1536, 84, 84, 84}));
  const auto& cc = static_cast<Hpcc&>(a.congestionControl());
  const IntStack& last = cc.state(net.active(a, 1)).last;
  ASSERT_EQ(last.count, 2);
  EXPECT_EQ(last.hops[0].rate, Rate::Gbps(200));
  EXPECT_EQ(last.hops[1].rate, Rate::Gbps(400));
  EXPECT_LT(last.hops[0].ts, last.hops[1].ts);
}

/// Hosts with another congestion control have no telemetry, whatever their packets were before.
TEST(HpccInt, PacketsOfOthersStayAsTheyAre) {
  const test::TwoControls net(Config::hpcc(), "none");
  EXPECT_EQ(*net.data[0].rbegin(), 1518u + 2 + 2 * 8);
  EXPECT_EQ(net.acks[0], std::set<uint32_t>{66 + 2 + 2 * 8});
  EXPECT_EQ(*net.data[1].rbegin(), 1518u);
  EXPECT_EQ(net.acks[1], std::set<uint32_t>{66});
}

TEST(HpccInt, ARecordSaysWhatThePortHasSentBeforeAndWhatStillWaits) {
  Chain net(Config::hpcc(), 1, 1);
  net.start();
  const auto offset = net.network.packets().reserve<IntStack>(IntStack::kName);
  Port& port = net.lastHop();
  Flow dummy;
  port.onPause(1, true);
  std::vector<Packet*> packets;
  for (int i = 0; i < 3; ++i) {
    Packet* p = net.network.packets().fresh();
    p->flow = &dummy;
    p->flowId = 7;
    p->dst = net.receiver().id();
    p->cls = 1;
    p->wireBytes = 1000;
    offset.claim(*p).count = 0;
    net.switches[0]->receive(net.switches[0]->port(0), p);
    packets.push_back(p);
  }
  port.onPause(1, false);
  net.run(Time::Ns(200));  // 1008 B take 80.64 ns
  const auto first = offset(*packets[0]), second = offset(*packets[1]);
  EXPECT_EQ(first.hops[0].txBytes, 0);
  EXPECT_EQ(first.hops[0].qlen, 2000);
  EXPECT_EQ(first.hops[0].ts, Time{});
  EXPECT_EQ(second.hops[0].txBytes, 1008);
  EXPECT_EQ(second.hops[0].qlen, 1000);
  EXPECT_EQ(second.hops[0].ts, Time::Ps(80640));
}

TEST(HpccInt, QuantisedRecordsAreRoundedDown) {
  Chain net(Config::hpcc(), 1, 1);
  net.start();
  Port& port = net.lastHop();
  port.onPause(1, true);
  Packet* p = net.network.packets().fresh();
  p->dst = net.receiver().id();
  p->cls = 1;
  p->wireBytes = 1000;
  net.switches[0]->receive(net.switches[0]->port(0), p);
  // At 100 Gb/s: queue in 320 B, bytes in 512 B, time in ns.
  const IntRecord exact = IntRecord::of(port, Time::Ps(12345678), false);
  const IntRecord coarse = IntRecord::of(port, Time::Ps(12345678), true);
  EXPECT_EQ(exact.qlen, 1000);
  EXPECT_EQ(coarse.qlen, 960);
  EXPECT_EQ(coarse.ts, Time::Ps(12345000));
}

TEST(HpccInt, AStackKeepsItsFirstRecords) {
  IntStack s;
  for (int i = 0; i < IntStack::kMaxHops; ++i) EXPECT_TRUE(s.push(record(i, 0, 0)));
  EXPECT_FALSE(s.push(record(99, 0, 0)));
  EXPECT_EQ(s.count, IntStack::kMaxHops);
  EXPECT_EQ(s.hops[7].ts, Time::Ns(7));
}

TEST(Hpcc, TwoFlowsShareALinkBelowFullLoad) {
  Chain net(Config::hpcc(), 2, 3);
  for (int i = 0; i < 2; ++i) net.flow(i, net.sender(i), net.receiver(), 0, Time::Us(300 * i));
  net.run(Time::Ms(3));
  const uint64_t before = net.lastHop().sentWireBytes();
  const int64_t queue = net.lastHop().queueBytes(1);
  net.run(Time::Ms(4));
  const double use = static_cast<double>(net.lastHop().sentWireBytes() - before) * 8 / 1e-3 / 100e9;
  EXPECT_GT(use, 0.90);
  EXPECT_LT(use, 0.99);
  EXPECT_LT(queue, 20000);
  const auto rate = [&](int i) { return static_cast<double>(net.active(net.sender(i), i).rate.bps); };
  EXPECT_NEAR(rate(0) / rate(1), 1, 0.25);
}

}  // namespace fabric
