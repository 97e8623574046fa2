// FNCC: what the ACK collects, last-hop speed-up, and N.
#include "mechanisms/fncc/fncc.h"

#include <gtest/gtest.h>

#include "mechanisms/fncc/fncc_int.h"
#include "mechanisms/fncc/fncc_receiver.h"
#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"
#include "mechanisms/tests/two_controls.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;

const test::Control kFncc(Config::fncc());

/// Keeps what the ACKs of a host say; sends at a rate of the test's.
class Reader final : public CongestionControl {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<Reader>("reader", Kind::CongestionControl, "reader").help("For tests.").source("test").done();
    return d;
  }
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override { flow.rate = rate; }
  void onSend(Flow&, Packet& packet) override { n_.fill(packet); }
  void onAck(Flow& flow, const Packet& ack) override {
    acks.push_back({flow.spec.id, ack.seq, ack.wireBytes, stack_(ack), n_(ack).n});
  }
  struct Seen {
    uint32_t flow;
    uint64_t seq;
    uint32_t bytes;
    IntStack stack;
    uint16_t n;
  };
  std::vector<Seen> acks;
  Rate rate = Rate::Gbps(10);

 private:
  void onStart(Network& network) override {
    stack_ = network.packets().reserve<IntStack>(IntStack::kName);
    n_ = network.packets().reserve<FnccCount>(FnccCount::kName);
  }
  PacketExtension<IntStack> stack_;
  PacketExtension<FnccCount> n_;
};
FABRIC_REGISTER(Reader);

Config reader() {
  Config c = Config::fncc();
  c.cc = "reader";
  return c;
}
Reader& readerOf(const Host& h) { return static_cast<Reader&>(h.congestionControl()); }
FnccReceiver& receiverOf(const Host& h) { return static_cast<FnccReceiver&>(*h.receiverAgents()[0]); }

TEST(FnccInt, RecordZeroIsTheLastHopOfTheData) {
  // Links of different rates say which port wrote a record: that of the data direction.
  Net net(reader());
  Host& a = net.host();
  Host& b = net.host();
  Switch& s0 = net.sw();
  Switch& s1 = net.sw();
  Switch& s2 = net.sw();
  net.link(a, s0, Rate::Gbps(100));
  net.link(s0, s1, Rate::Gbps(200));
  net.link(s1, s2, Rate::Gbps(400));
  net.link(s2, b, Rate::Gbps(50));
  net.engine.recordSends = true;
  readerOf(a).rate = Rate::Gbps(100);
  net.flow(0, a, b, 0);
  net.run(Time::Us(30));
  const auto& acks = readerOf(a).acks;
  ASSERT_GT(acks.size(), 5u);
  const auto& last = acks.back();
  ASSERT_EQ(last.stack.count, 3);
  EXPECT_EQ(last.stack.hops[0].rate, Rate::Gbps(50));
  EXPECT_EQ(last.stack.hops[1].rate, Rate::Gbps(400));
  EXPECT_EQ(last.stack.hops[2].rate, Rate::Gbps(200));
  EXPECT_LT(last.stack.hops[0].ts, last.stack.hops[1].ts);
  EXPECT_LT(last.stack.hops[1].ts, last.stack.hops[2].ts);
  // The last hop is the bottleneck, its data queue is what the record says; the others are empty.
  EXPECT_GT(last.stack.hops[0].qlen, 50000);
  EXPECT_EQ(last.stack.hops[1].qlen, 0);
  EXPECT_EQ(last.stack.hops[2].qlen, 0);
  // 66 B, 4 B of header, 8 B more per switch; data carries nothing.
  std::vector<uint32_t> sizes;
  for (const auto& s : net.engine.sends) {
    if (s.kind == PacketKind::Data) {
      ASSERT_EQ(s.bytes, 1518u);
    }
    if (s.kind == PacketKind::Ack && sizes.size() < 4 && s.from == &b.nic()) sizes.push_back(s.bytes);
  }
  EXPECT_EQ(sizes[0], 70u);
  EXPECT_EQ(last.bytes, 94u);
}

/// HPCC's telemetry and FNCC's on one network: each packet has that of its own sender.
TEST(FnccInt, GoesBesideHpcc) {
  Config c = Config::fncc();
  c.agents = {"fncc_int", "hpcc_int"};
  c.receivers = {"fncc_receiver", "hpcc_echo"};
  const test::TwoControls net(c, "hpcc");
  EXPECT_EQ(*net.data[0].rbegin(), 1518u);
  EXPECT_EQ(net.acks[0], std::set<uint32_t>{66 + 4 + 2 * 8});
  EXPECT_EQ(*net.data[1].rbegin(), 1518u + 2 + 2 * 8);
  EXPECT_EQ(net.acks[1], std::set<uint32_t>{66 + 2 + 2 * 8});
}

/// Two hosts at a switch whose ports have FNCC's table.
struct FnccPort : testing::Test {
  explicit FnccPort(Config c = Config::fncc()) : net(std::move(c), 2, 1) {
    net.start();
    stack = net.network.packets().reserve<IntStack>(IntStack::kName);
    n = net.network.packets().reserve<FnccCount>(FnccCount::kName);
  }
  FnccInt& agent(int port) { return *net.switches[0]->port(static_cast<uint16_t>(port)).agent<FnccInt>(); }
  /// A packet that came in by port `ingress` leaves by port `egress`.
  Packet* leave(PacketKind kind, int ingress, int egress) {
    Packet* p = net.network.packets().fresh();
    p->kind = kind;
    p->ingress = static_cast<uint16_t>(ingress);
    p->wireBytes = 70;
    n.fill(*p);
    stack.claim(*p).count = 0;
    agent(egress).onDequeue(*p);
    return p;
  }
  Chain net;
  PacketExtension<IntStack> stack;
  PacketExtension<FnccCount> n;
};

TEST_F(FnccPort, AnAckGetsTheQueueOfThePortItCameInBy) {
  // Port 2 leads to the receiver; data waits there.
  Port& data = net.switches[0]->port(2);
  data.onPause(1, true);
  Packet* waiting = net.network.packets().fresh();
  waiting->kind = PacketKind::Data;
  waiting->cls = 1;
  waiting->wireBytes = 1518;
  waiting->dst = net.receiver().id();
  net.switches[0]->receive(net.switches[0]->port(0), waiting);
  Packet* waitingControl = net.network.packets().fresh();  // control does not count
  waitingControl->kind = PacketKind::Control;
  waitingControl->wireBytes = 99;
  waitingControl->dst = net.receiver().id();
  data.onPause(0, true);
  net.switches[0]->receive(net.switches[0]->port(0), waitingControl);

  const Packet* ack = leave(PacketKind::Ack, 2, 0);
  ASSERT_EQ(stack(*ack).count, 1);
  EXPECT_EQ(stack(*ack).hops[0].qlen, 1518);
  EXPECT_EQ(ack->wireBytes, 78u);
  const Packet* other = leave(PacketKind::Ack, 1, 0);  // came in by another port
  EXPECT_EQ(stack(*other).hops[0].qlen, 0);
}

TEST_F(FnccPort, OnlyAcksCollect) {
  for (const PacketKind k : {PacketKind::Data, PacketKind::Nack, PacketKind::Cnp, PacketKind::Control}) {
    const Packet* p = leave(k, 2, 0);
    EXPECT_EQ(stack(*p).count, 0);
    EXPECT_EQ(p->wireBytes, 70u);
  }
}

TEST_F(FnccPort, TheTableMayBeRefreshedPeriodically) {
  EXPECT_EQ(agent(2).entry().ts, Time{});
  net.run(Time::Us(3));
  EXPECT_EQ(agent(2).entry().ts, Time::Us(3));  // always current
  agent(2).set("refresh", Time::Us(10).ps);
  net.run(Time::Us(12));
  EXPECT_EQ(agent(2).entry().ts, Time::Us(3));
  net.run(Time::Us(25));
  EXPECT_EQ(agent(2).entry().ts, Time::Us(23));
  EXPECT_EQ(stack(*leave(PacketKind::Ack, 2, 0)).hops[0].ts, Time::Us(23));
  EXPECT_EQ(stack(*leave(PacketKind::Ack, 1, 0)).hops[0].ts, Time::Us(25));  // its own parameter
  agent(2).set("refresh", int64_t{0});
  net.run(Time::Us(50));
  EXPECT_EQ(agent(2).entry().ts, Time::Us(50));
  EXPECT_EQ(net.engine.pending(), 0u);  // the timer is not armed any more
}

TEST(Fncc, ASlowlyRefreshedTableStillControls) {
  // ACKs between two refreshes bring no news; the queue is controlled nevertheless.
  Config c = Config::fncc();
  Chain net(c.set("fncc_int.refresh", Time::Us(2).ps), 2, 3);
  for (int i = 0; i < 2; ++i) net.flow(i, net.sender(i), net.receiver(), 0);
  net.run(Time::Ms(2));
  Port& first = *net.switches[0]->ports().back();
  first.takeMaxBytes(1);
  net.run(Time::Ms(3));
  EXPECT_LT(first.takeMaxBytes(1), 60000);
  EXPECT_GT(net.active(net.sender(0), 0).rate.bps, 30000000000);
}

TEST(Fncc, EveryPortOfASwitchNeedsTheTable) {
  Net net(Config::fncc());
  Switch& s = net.sw();
  net.link(net.host(), s);
  net.setup.agents.clear();
  net.link(net.host(), s);
  EXPECT_THROW(net.start(), ParamError);
}

// ---------------------------------------------------------------- LHCS

/// One flow with FNCC and ACKs made by hand; record 0 is the last hop.
struct FnccFlow : testing::Test {
  FnccFlow() : net(Config::fncc(), 1, 1) {
    net.flow(0, net.sender(0), net.receiver(), 0);
    net.run(Time::Us(1));
    flow = &net.active(net.sender(0), 0);
    cc = static_cast<Fncc*>(&net.sender(0).congestionControl());
    stack = net.network.packets().reserve<IntStack>(IntStack::kName);
    count = net.network.packets().reserve<FnccCount>(FnccCount::kName);
    ack = net.network.packets().fresh();
    cc->state(*flow).u = 1;
    cc->state(*flow).lastUpdateSeq = 1000000;  // not an update
    onAck(0, 0, 0, 1);
  }
  ~FnccFlow() override { net.network.packets().put(ack); }
  /// An ACK one T after the last; loads in percent of full, by queues over links sending at full rate.
  void onAck(int64_t percentLast, int64_t percentFirst, int64_t ns, uint16_t n) {
    IntStack s;
    const int64_t sent = 161250 * (ns / 12900);
    s.push({Rate::Gbps(100), Time::Ns(ns), sent, percentLast * 1612500 / 1000});
    s.push({Rate::Gbps(100), Time::Ns(ns), sent, percentFirst * 1612500 / 1000});
    ack->seq = 1;
    stack.claim(*ack) = s;
    count(*ack).n = n;
    cc->onAck(*flow, *ack);
  }
  /// Two ACKs, so that the smaller of two queues is the one given.
  void load(int64_t last, int64_t first, uint16_t n) {
    onAck(last, first, 12900, n);
    onAck(last, first, 2 * 12900, n);
  }
  IntControl::State& state() { return cc->state(*flow); }

  static constexpr double kBdp = 161250;
  Chain net;
  Flow* flow;
  Fncc* cc;
  PacketExtension<IntStack> stack;
  PacketExtension<FnccCount> count;
  Packet* ack;
};

TEST_F(FnccFlow, LastHopCongestionSetsTheFairWindow) {
  load(100, 0, 4);  // U = 2 at the last hop
  EXPECT_DOUBLE_EQ(state().wc, kBdp * 0.9 / 4);
  // The window that follows divides by the average U, here that of this ACK as it is one T old.
  EXPECT_NEAR(state().w, kBdp * 0.9 / 4 / (2 / 0.95) + 80, 1e-6);
}

TEST_F(FnccFlow, NotWhenAnotherHopIsMoreLoaded) {
  load(100, 110, 4);
  EXPECT_DOUBLE_EQ(state().wc, kBdp);
}

TEST_F(FnccFlow, NotUpToAlpha) {
  load(5, 0, 4);  // U = 1.05
  EXPECT_DOUBLE_EQ(state().wc, kBdp);
  cc->set("alpha", 1.04);
  onAck(5, 0, 3 * 12900, 4);
  EXPECT_DOUBLE_EQ(state().wc, kBdp * 0.9 / 4);
}

TEST_F(FnccFlow, SwitchableAndBetaIsAParameter) {
  cc->set("lhcs", false);
  load(100, 0, 4);
  EXPECT_DOUBLE_EQ(state().wc, kBdp);
  cc->set("lhcs", true);
  cc->set("beta", 0.5);
  onAck(100, 0, 3 * 12900, 10);
  EXPECT_DOUBLE_EQ(state().wc, kBdp * 0.5 / 10);
}

TEST_F(FnccFlow, OnceARoundTripWhereItIsSaidSo) {
  cc->set("lhcs_every_ack", false);
  load(100, 0, 4);  // no new window begins
  EXPECT_DOUBLE_EQ(state().wc, kBdp);
  state().lastUpdateSeq = 0;
  onAck(100, 0, 3 * 12900, 4);
  // The window that follows is the new reference.
  EXPECT_NEAR(state().wc, kBdp * 0.9 / 4 / (2 / 0.95) + 80, 1e-6);
}

// As printed, half a T old at each hop: U = 1 becomes 1.5 at the last hop, of load 2, then 2 at the first, of 2.5.
TEST_F(FnccFlow, AveragesInTheLoopWhereItIsSaidSo) {
  for (const bool inLoop : {false, true}) {
    cc->set("average_in_loop", inLoop);
    IntControl::State& s = state();
    s.u = 1;
    IntStack last;
    last.push({Rate::Gbps(100), Time{}, 0, 161250});
    last.push({Rate::Gbps(100), Time{}, 0, 241875});
    s.last = last;
    IntStack now;
    now.push({Rate::Gbps(100), Time::Ns(6450), 80625, 161250});
    now.push({Rate::Gbps(100), Time::Ns(6450), 80625, 241875});
    stack.claim(*ack) = now;
    cc->onAck(*flow, *ack);
    EXPECT_DOUBLE_EQ(s.u, inLoop ? 2 : 1.75);
  }
}

TEST_F(FnccFlow, AWindowBelowTheSmallestIsRaised) {
  load(100, 0, 0xffff);
  EXPECT_DOUBLE_EQ(state().wc, 161.25);
  EXPECT_EQ(flow->rate, Rate::Mbps(100));
}

// ---------------------------------------------------------------- N

TEST(FnccReceiver, CountsFlowsFromTheirFirstPacketToTheirLast) {
  Chain net(reader(), 3, 1);
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.flow(1, net.sender(1), net.receiver(), 0, Time::Us(20));
  net.flow(2, net.sender(2), net.receiver(), 14560, Time::Us(40));
  FnccReceiver& n = receiverOf(net.receiver());
  net.run(Time::Us(3));
  EXPECT_EQ(n.concurrent(), 1);  // never below one
  net.run(Time::Us(20));
  EXPECT_EQ(n.concurrent(), 1);
  net.run(Time::Us(25));
  EXPECT_EQ(n.concurrent(), 2);
  net.run(Time::Us(44));
  EXPECT_EQ(n.concurrent(), 3);
  EXPECT_EQ(readerOf(net.sender(0)).acks.back().n, 2);
  net.run(Time::Us(80));
  EXPECT_EQ(n.concurrent(), 2);
  const auto& acks = readerOf(net.sender(2)).acks;
  ASSERT_EQ(acks.size(), 10u);
  EXPECT_EQ(acks.back().n, 3);  // its last ACK still counts itself
}

TEST(FnccReceiver, ASilentFlowCountsUntilTheIdleTimeout) {
  Chain net(reader(), 2, 1);
  for (int i = 0; i < 2; ++i) net.flow(i, net.sender(i), net.receiver(), 0);
  net.run(Time::Us(20));
  FnccReceiver& n = receiverOf(net.receiver());
  EXPECT_EQ(n.concurrent(), 2);
  Flow& f = net.active(net.sender(1), 1);
  f.window = 0;  // it may send no more
  net.sender(1).rateChanged(f);
  net.run(Time::Us(100));
  EXPECT_EQ(n.concurrent(), 2);
  net.run(Time::Us(130));
  EXPECT_EQ(n.concurrent(), 1);
  EXPECT_EQ(readerOf(net.sender(0)).acks.back().n, 1);
  f.window = -1;  // and again
  net.sender(1).rateChanged(f);
  net.run(Time::Us(140));
  EXPECT_EQ(n.concurrent(), 2);
  n.set("idle_timeout", int64_t{0});
  f.window = 0;
  net.sender(1).rateChanged(f);
  net.run(Time::Ms(2));
  EXPECT_EQ(n.concurrent(), 2);
}

TEST(FnccReceiver, StoppedAndManyShortFlowsLeaveNothingBehind) {
  Chain net(reader().set("fncc_receiver.idle_timeout", int64_t{0}), 4, 1);
  for (int i = 0; i < 40; ++i) net.flow(i, net.sender(i % 4), net.receiver(), 1456 * (1 + i % 5), Time::Us(i));
  for (int i = 40; i < 43; ++i) net.flow(i, net.sender(0), net.receiver(), 0, {}, Time::Us(60));  // no last packet
  net.finish(Time::Ms(2));
  EXPECT_EQ(net.network.total().flowsEnded, 43u);
  EXPECT_EQ(receiverOf(net.receiver()).concurrent(), 1);
}

TEST(Fncc, LastHopCongestionIsSharedAtOnce) {
  // One switch is first and last hop. Soon after the others start, everyone is below the fair rate.
  Chain net(Config::fncc(), 4, 1);
  for (int i = 0; i < 4; ++i) net.flow(i, net.sender(i), net.receiver(), 0, Time::Us(i == 0 ? 0 : 100));
  net.run(Time::Us(115));
  for (int i = 0; i < 4; ++i) EXPECT_LT(net.active(net.sender(i), i).rate.bps, 25000000000) << i;
  net.run(Time::Ms(2));
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(static_cast<double>(net.active(net.sender(i), i).rate.bps), 25e9, 4e9) << i;
}

}  // namespace fabric
