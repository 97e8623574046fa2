// Links that change their rate during the run: what is on the wire, what comes after, headroom, and what mechanisms
// keep of the rate.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "mechanisms/dre/dre.h"
#include "mechanisms/expresspass/credit_queue.h"
#include "mechanisms/queue/red.h"
#include "mechanisms/rocc/rocc_pi.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;

/// Senders - s1 - s2 - receiver; the link between the switches changes its rate.
struct Changing : Chain {
  explicit Changing(const Config& c, int senders = 1) : Chain(c, senders, 2) {}
  Port& out() { return *switches[0]->ports().back(); }
  void change(Time at, Rate rate) { network.addRateChange(at, out(), rate); }
};

// Three frames of 1518 B take 121.44 ns each at 100 Gb/s, from 1621.44, 1742.88 and 1864.32 ns on. At 1800 ns the link
// falls to 10 Gb/s: the second one keeps its time, the third takes 1214.4 ns.
TEST(RateChange, AFrameOnTheWireKeepsItsTime) {
  Changing net(Config{});
  net.change(Time::Ns(1800), Rate::Gbps(10));
  net.flow(0, net.sender(0), net.receiver(), 3 * 1456);
  const Port& last = net.lastHop();
  net.run(Time{3242880 + 121440 - 1});
  EXPECT_EQ(last.sentWireBytes(), 1518u);
  net.run(Time{3364320});
  EXPECT_EQ(last.sentWireBytes(), 2 * 1518u) << "the second one";
  net.run(Time{1864320 + 1214400 + 1500000 - 1});
  EXPECT_EQ(last.sentWireBytes(), 2 * 1518u);
  net.run(Time{1864320 + 1214400 + 1500000});
  EXPECT_EQ(last.sentWireBytes(), 3 * 1518u) << "the third one";
  EXPECT_EQ(net.out().rate(), Rate::Gbps(10));
  EXPECT_EQ(net.out().peer().rate(), Rate::Gbps(10)) << "both directions";
  net.finish(Time::Us(50));
  EXPECT_EQ(net.delivered(0), 3 * 1456);
}

// A frame that takes 1214.4 ns at 10 Gb/s is on the wire when the link goes down; the link comes back, and has 100
// Gb/s. At that rate the frame would have begun after the link came back.
TEST(RateChange, WhatWasOnTheLinkWhenItFailedIsLost) {
  for (const bool faster : {false, true}) {
    Changing net(Config{});
    net.change(Time::Ns(1), Rate::Gbps(10));
    net.network.addLinkEvent(Time::Ns(1700), net.out(), false);
    net.network.addLinkEvent(Time::Ns(1750), net.out(), true);
    if (faster) net.change(Time::Ns(1760), Rate::Gbps(100));
    net.flow(0, net.sender(0), net.receiver(), 1456);
    net.run(Time::Us(10));
    EXPECT_EQ(net.network.total().linkDrops, 1u) << faster;
  }
  // And one that begins as the link comes back arrives.
  Changing net(Config{});
  net.network.addLinkEvent(Time::Ns(1000), net.out(), false);
  net.network.addLinkEvent(Time{1621440}, net.out(), true);
  net.change(Time::Ns(1622), Rate::Gbps(10));
  net.flow(0, net.sender(0), net.receiver(), 1456);
  net.finish(Time::Us(20));
  EXPECT_EQ(net.network.total().drops, 0u);
}

// 2 * 40 Gb/s * 1.5 us = 15000 B. At 10 Gb/s a frame and the pause frame of 64 B take as long as four times as much at
// 40 Gb/s.
TEST(RateChange, HeadroomIsForTheWorstOfAllRates) {
  Changing net(Config().set("switch.buffer", int64_t{10000000}));
  net.change(Time::Us(1), Rate::Gbps(40));
  net.change(Time::Us(9), Rate::Gbps(10));
  net.start();
  EXPECT_EQ(net.out().headroom(), 37500 + 2 * 1518 + 10 * (1518 + 64)) << "100 Gb/s count, too";
  EXPECT_EQ(net.lastHop().headroom(), 37500 + 3 * 1518 + 64) << "a link that stays";
}

// With PFC nothing is lost while the link between the switches gets faster and slower under a full queue.
TEST(RateChange, PfcStaysLossless) {
  Changing net(Config().set("port.pfc_xoff", int64_t{20000}).set("switch.buffer", int64_t{2000000}), 4);
  for (int i = 0; i < 40; ++i) net.change(Time::Ns(20000 + 3137 * i), Rate::Gbps(i % 2 == 0 ? 1 : 100));
  for (int i = 0; i < 4; ++i) net.flow(i, net.sender(i), net.receiver(), 500000);
  net.finish(Time::Ms(50));
  EXPECT_GT(net.network.total().xoffSent, 10u);
  EXPECT_EQ(net.network.total().drops, 0u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(net.delivered(i), 500000);
}

TEST(RateChange, IsRefused) {
  const auto refused = [](Chain& net, Port& end, Rate rate, const std::string& why) {
    net.network.addRateChange(Time::Us(1), end, rate);
    try {
      net.start();
      ADD_FAILURE() << why;
    } catch (const ParamError& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  };
  Changing host(Config{}), zero(Config{});
  refused(host, host.lastHop(), Rate::Gbps(10), "the link of a host cannot change its rate");
  refused(zero, zero.out(), Rate{0}, "the new rate of a link must be above 0");
  Config c;
  c.transport = "tcp";
  c.cc = "flowtune_tcp";
  c.applications = {"flowtune_allocator"};
  Changing allocator(c);
  refused(allocator, allocator.out(), Rate::Gbps(10), "flowtune_allocator knows the rates of all links");
}

// A share of the link's metric is one of the rate that it has now.
TEST(RateChange, DreMeasuresAgainstTheNewRate) {
  Config c;
  c.agents = {"dre"};
  Changing net(c);
  net.change(Time::Us(20), Rate::Gbps(25));
  net.flow(0, net.sender(0), net.receiver(), 0, {}, Time::Us(15));
  net.run(Time::Us(20) - Time{1});
  const double load = net.out().agent<Dre>()->load();
  const double tau = 160e-6;
  const auto metric = [&](double bps) { return std::min(7, static_cast<int>(8 * load * 8 / (bps * tau))); };
  ASSERT_NE(metric(100e9), metric(25e9));
  EXPECT_EQ(net.out().agent<Dre>()->metric(), metric(100e9));
  net.run(Time::Us(20));
  EXPECT_EQ(net.out().agent<Dre>()->load(), load);
  EXPECT_EQ(net.out().agent<Dre>()->metric(), metric(25e9));
}

// Thresholds per rate are those of the new rate.
TEST(RateChange, RedMarksByTheNewRate) {
  Config c = Config::dcqcn();
  c.set("red.kmin", int64_t{100000}).set("red.kmax", int64_t{400000}).set("red.per_rate", Rate::Gbps(100).bps);
  Changing net(c);
  net.change(Time::Us(1), Rate::Gbps(25));
  net.start();
  const auto& red = dynamic_cast<const Red&>(*net.out().queues()[1]);
  EXPECT_EQ(red.markProbability(100000), 0);
  net.run(Time::Us(2));
  EXPECT_EQ(red.markProbability(25000), 0);
  EXPECT_GT(red.markProbability(25001), 0);
  EXPECT_EQ(red.markProbability(100001), 1);
}

// Credits come at their share of the new rate; what was in the bucket stays in it.
TEST(RateChange, CreditsFollow) {
  Config c;
  c.queues = {"credit_queue", "fifo"};
  c.set("credit_queue.data_bytes", int64_t{1538}).set("host.mtu", int64_t{1538});
  Changing net(c);
  net.change(Time::Us(100), Rate::Gbps(10));
  net.start();
  auto& q = dynamic_cast<CreditQueue&>(*net.out().queues()[0]);
  const auto credit = [&net] {
    Packet* p = net.network.packets().fresh();
    p->wireBytes = 84;
    return p;
  };
  net.run(Time::Us(100) - Time::Ns(1));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(q.enqueue(credit(), 84 * i));
  for (int i = 0; i < 2; ++i) {
    EXPECT_LE(q.readyAt(), net.engine.now());
    net.network.packets().put(q.dequeue());
  }
  // Empty: 84 B at 84 / 1622 of 100 Gb/s are 129.76 ns. 1 ns later the rate is a tenth: what is left takes ten times as
  // long.
  EXPECT_NEAR(static_cast<double>((q.readyAt() - net.engine.now()).ps), 129760, 2);
  net.run(Time::Us(100));
  EXPECT_NEAR(static_cast<double>((q.readyAt() - net.engine.now()).ps), 1287600, 20);
  net.network.packets().put(q.dequeue());
}

/// What two flows carry between two times, in Gb/s, over a link that changes its rate at some times before.
double carried(const Config& c, const std::vector<std::pair<Time, Rate>>& changes, Time from, Time to) {
  Changing net(c, 2);
  for (const auto& [at, rate] : changes) net.change(at, rate);
  for (uint32_t i = 0; i < 2; ++i) {
    FlowSpec f;
    f.id = i;
    f.src = net.sender(static_cast<int>(i)).id();
    f.dst = net.receiver().id();
    f.srcPort = static_cast<uint16_t>(1000 + i);
    f.dstPort = 4791;
    f.cls = static_cast<uint8_t>(c.queues.size() - 1);
    net.flow(f);
  }
  net.run(from);
  const uint64_t before = net.lastHop().sentWireBytes();
  net.run(to);
  const uint64_t bytes = net.lastHop().sentWireBytes() - before;
  net.finish(to);
  return static_cast<double>(bytes) * 8e3 / static_cast<double>((to - from).ps);
}

/// Some time after a change a link carries as much as one that has had its rate from the start.
void follows(const Config& c, Time after = Time::Ms(2)) {
  for (const auto& [first, then] : {std::make_pair(Rate::Gbps(80), Rate::Gbps(20)), {Rate::Gbps(20), Rate::Gbps(80)}}) {
    const Time from = Time::Ms(2) + after, to = from + Time::Ms(2);
    const double always = carried(c, {{Time{0}, then}}, from, to);
    const double changed = carried(c, {{Time{0}, first}, {Time::Ms(2), then}}, from, to);
    EXPECT_NEAR(changed, always, 0.06 * always) << c.transport << " " << c.cc << " at " << then.bps;
    EXPECT_GT(always, 0.5e-9 * static_cast<double>(then.bps)) << c.transport << " " << c.cc;
  }
}

TEST(RateChange, MechanismsFollow) {
  follows(Config::numfabric());
  follows(Config::dgd());
  follows(Config::rcpStar());
  follows(Config::rocc(), Time::Ms(10));  // its rates grow slowly
  follows(Config::hpcc());
  Config rcp;
  rcp.cc = "rcp";
  rcp.agents = {"rcp_rate"};
  follows(rcp);
  Config xcp;
  xcp.transport = "tcp";
  xcp.cc = "xcp";
  xcp.queues = xcp.nicQueues = {"fifo"};
  xcp.agents = xcp.nicAgents = {"xcp_router"};
  xcp.set("host.classes", int64_t{1}).set("port.pfc", false).set("tcp.min_rto", Time::Ms(1).ps);
  follows(xcp.set("round_robin.backlog", int64_t{1} << 30));
  Config expresspass;
  expresspass.transport = "expresspass";
  expresspass.queues = expresspass.nicQueues = {"credit_queue", "fifo"};
  expresspass.set("port.pfc", false).set("round_robin.backlog", int64_t{1000000000}).set("host.mtu", int64_t{1538});
  expresspass.set("credit_queue.data_bytes", int64_t{1538});
  expresspass.set("host.header_bytes", int64_t{78}).set("host.min_frame", int64_t{84});
  follows(expresspass);
}

}  // namespace fabric
