// Flowtune in the network: what messages carry, what endpoints and the allocator do, and what happens when things go
// wrong.
#include <gtest/gtest.h>

#include <cstring>

#include "mechanisms/ecmp/ecmp.h"
#include "mechanisms/flowtune/flowtune_allocator.h"
#include "mechanisms/flowtune/flowtune_endpoint.h"
#include "mechanisms/flowtune/flowtune_tcp.h"
#include "mechanisms/flowtune/rate_ledger.h"
#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using flowtune::decode;
using flowtune::encode;
using flowtune::Notice;
using flowtune::RateLedger;
using test::Config;
using test::Net;
using test::Rows;

namespace {

const test::Control kFlowtuneTcp(test::lossyTcp("flowtune_tcp"));

/// Loses a share of the frames from or to a host.
class Lossy final : public Queue {
 public:
  static const Description& describe() {
    static const Description d = Describe<Lossy>("lossy", Kind::Queue, "lossy")
                                     .help("For tests.")
                                     .source("test")
                                     .param("loss", &Lossy::loss_, 0.0, "share of frames", "test")
                                     .param("host", &Lossy::host_, 0, "whose", "test")
                                     .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool enqueue(Packet* p, int64_t) override {
    if (loss_ > 0 && (p->src == host_ || p->dst == host_) && random_.uniform() < loss_) return false;
    return list_.push(p), true;
  }
  Packet* dequeue() override { return list_.empty() ? nullptr : list_.pop(); }

 private:
  void onStart(Network& network) override {
    random_ = RandomStream(network.seed(), "lossy", port_->node().id() * 1000 + port_->index());
  }
  PacketList list_;
  RandomStream random_;
  double loss_ = 0;
  int64_t host_ = 0;
};
FABRIC_REGISTER(Lossy);

constexpr int kServers = 8;

Config tcpOnly() {
  Config c;
  c.transport = "tcp";
  c.cc = "newreno";
  c.queues = {"lossy"};
  c.set("host.classes", int64_t{1}).set("host.header_bytes", int64_t{70}).set("host.ack_bytes", int64_t{70});
  c.set("port.pfc", false).set("lossy.host", int64_t{kServers});
  c.set("tcp.min_rto", Time::Us(200).ps).set("tcp.initial_rto", Time::Us(200).ps);
  return c.set("tcp.message_min_rto", Time::Us(20).ps).set("tcp.message_max_rto", Time::Us(30).ps);
}

Config servers() {
  Config c = tcpOnly();
  c.cc = "flowtune_tcp";
  c.applications = {"flowtune_endpoint"};
  return c;
}

/// Two leaves of four servers, two spines, and the allocator's host with a link to both: the delays of the paper.
struct Fabric : Net {
  explicit Fabric(const Config& c = servers()) : Net(c) {
    for (int i = 0; i < kServers; ++i) host();
    if (!c.applications.empty()) setup.applications = {"flowtune_allocator"};
    host();
    for (int i = 0; i < 2; ++i) sw(0);
    for (int i = 0; i < 2; ++i) sw(1);
    for (int i = 0; i < kServers; ++i) link(*hosts[i], *switches[i / 4], Rate::Gbps(10), Time::Ns(3500));
    for (int leaf = 0; leaf < 2; ++leaf) {
      for (int spine = 2; spine < 4; ++spine) {
        link(*switches[leaf], *switches[spine], Rate::Gbps(40), Time::Us(2));
      }
    }
    for (int spine = 2; spine < 4; ++spine) {
      link(*hosts[kServers], *switches[spine], Rate::Gbps(40), Time::Ns(3500));
    }
  }
  void send(uint32_t id, int src, int dst, uint64_t size, Time start = {}) { flow(spec(id, src, dst, size, start)); }
  FlowSpec spec(uint32_t id, int src, int dst, uint64_t size, Time start) {
    FlowSpec f;
    f.id = id;
    f.src = hosts[src]->id();
    f.dst = hosts[dst]->id();
    f.size = size;
    f.start = start;
    f.srcPort = static_cast<uint16_t>(1000 + id);
    f.dstPort = 80;
    f.cls = 0;
    return f;
  }
  /// A message on the one connection between these servers.
  void message(uint32_t id, int src, int dst, uint64_t size, Time start = {}) {
    FlowSpec f = spec(id, src, dst, size, start);
    f.srcPort = 1000;
    f.persistent = true;
    flow(f);
  }
  Host& allocatorHost() { return *hosts[kServers]; }
  FlowtuneAllocator& allocator() { return *allocatorHost().application<FlowtuneAllocator>(); }
  FlowtuneEndpoint& endpoint(int server) { return *hosts[server]->application<FlowtuneEndpoint>(); }
  double gbps(int server, uint32_t id) { return static_cast<double>(endpoint(server).rate(id).bps) * 1e-9; }
  RateLedger::Findings findings() { return allocator().ledger().findings(engine.now()); }
};

}  // namespace

// ---------------------------------------------------------------- messages

TEST(FlowtuneMessages, NoticesComeBackAsTheyWere) {
  std::vector<uint64_t> words;
  const Notice start{7, Notice::weightOf(2.5), 0xfffffe, 50000, 80}, end{0xffffffff, 0, 0, 0, 0};
  start.write(words);
  end.write(words);
  start.write(words);
  EXPECT_EQ(start.bytes() + end.bytes(), 20u);
  size_t at = 0;
  for (const Notice& n : {start, end, start}) {
    const Notice got = Notice::read(words, at);
    EXPECT_EQ(got.flowlet, n.flowlet);
    EXPECT_EQ(got.weight, n.weight);
    EXPECT_EQ(got.dst, n.dst);
    EXPECT_EQ(got.srcPort, n.srcPort);
    EXPECT_EQ(got.dstPort, n.dstPort);
  }
  EXPECT_EQ(at, words.size());
  EXPECT_EQ(start.factor(), 2.5);
}

TEST(FlowtuneMessages, RatesAreRoundedDownByLessThanAThousandth) {
  for (int64_t bps = 1000; bps < 400000000000; bps += bps / 7 + 1) {
    const int64_t got = decode(encode(Rate{bps})).bps;
    EXPECT_LE(got, bps);
    EXPECT_GT(got, bps - std::max<int64_t>(1000, bps / 1000)) << bps;
  }
  EXPECT_EQ(decode(encode(Rate{1})).bps, 1000) << "a rate is never 0";
}

// ---------------------------------------------------------------- rates

TEST(FlowtuneNet, FlowsThroughOneLinkAreAtEqualSharesWithinTensOfMicroseconds) {
  Fabric net;
  for (uint32_t i = 0; i < 3; ++i) net.send(i, static_cast<int>(i), 4, 100000000);
  net.run(Time::Us(25));
  EXPECT_GT(net.gbps(0, 0), 0) << "a notice takes 9 us, the next iteration is at 10 us, a rate takes 9 us";
  net.run(Time::Us(400));
  for (uint32_t i = 0; i < 3; ++i) EXPECT_NEAR(net.gbps(static_cast<int>(i), i), 3.3, 0.07) << "a third of 99 %";
  EXPECT_EQ(net.allocator().flowlets(), 3u);
}

TEST(FlowtuneNet, AFlowIsPacedAtItsRateAndItsWindowStandsOpen) {
  Fabric net;
  net.send(0, 0, 4, 10000000);
  net.send(1, 1, 4, 10000000);
  net.run(Time::Us(300));
  const uint64_t before = net.active(*net.hosts[0], 0).sentWireBytes;
  EXPECT_EQ(net.active(*net.hosts[0], 0).window, -1);
  net.run(Time::Us(1300));
  const double gbps = static_cast<double>(net.active(*net.hosts[0], 0).sentWireBytes - before) * 8e-6;
  EXPECT_NEAR(gbps, 4.95, 0.06);
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.delivered(0), 10000000);
  EXPECT_EQ(net.network.total().drops, 0u);
  EXPECT_EQ(net.allocator().flowlets(), 0u);
}

TEST(FlowtuneNet, WeightsShareALinkInTheirProportion) {
  Fabric net;
  FlowSpec f = net.spec(0, 0, 4, 100000000, {});
  f.weight = 3;
  net.flow(f);
  net.send(1, 1, 4, 100000000);
  net.run(Time::Ms(1));
  EXPECT_NEAR(net.gbps(0, 0) / net.gbps(1, 1), 3, 0.06);
}

TEST(FlowtuneNet, ChangesBelowTheThresholdAreNotSentAndRatesStayWithinCapacity) {
  Fabric net(servers().set("flowtune_allocator.threshold", 0.05));
  for (uint32_t i = 0; i < 4; ++i) net.send(i, static_cast<int>(i), 4, 100000000, Time::Us(100 * i));
  net.run(Time::Ms(2));
  double sum = 0;
  for (uint32_t i = 0; i < 4; ++i) sum += net.gbps(static_cast<int>(i), i);
  EXPECT_LE(sum, 10.0);
  EXPECT_GT(sum, 0.95 * 0.94 * 10) << "each at most 5 % below 95 % of the link";
  net.network.finish();
  EXPECT_LE(net.findings().fullest, 1.0);
  EXPECT_TRUE(net.check("rates_within_capacity"));
}

TEST(FlowtuneNet, WhatIsReservedIsNotAllocated) {
  Fabric net(servers().set("flowtune_allocator.reserve", 0.1));
  for (uint32_t i = 0; i < 2; ++i) net.send(i, static_cast<int>(i), 4, 100000000);
  net.run(Time::Ms(1));
  for (uint32_t i = 0; i < 2; ++i) EXPECT_NEAR(net.gbps(static_cast<int>(i), i), 0.99 * 0.9 * 5, 0.05);
}

/// The allocator knows the path that ECMP gives each flow: the links that carry its packets are those whose capacity
/// it divides. Two flows of a server each to servers of the other leaf meet in their own links only.
TEST(FlowtuneNet, RatesAreThoseOfTheLinksThatPacketsTake) {
  Fabric net;
  for (uint32_t i = 0; i < 4; ++i) {
    net.send(i, static_cast<int>(i), 4 + static_cast<int>(i), 100000000);
    net.send(4 + i, static_cast<int>(i), 4 + static_cast<int>((i + 1) % 4), 100000000);
  }
  net.run(Time::Us(500));
  int64_t onSpine[2] = {}, paced[2] = {};
  for (uint32_t id = 0; id < 8; ++id) {
    Flow& f = net.active(*net.hosts[id % 4], id);
    const Switch& leaf = *net.switches[0];
    const uint16_t port =
        static_cast<const Ecmp&>(leaf.pathSelector()).port(f.hash, f.symmetricHash, leaf.nextHops(f.spec.dst));
    paced[port - 4] += net.endpoint(static_cast<int>(id % 4)).rate(id).bps;
  }
  uint64_t before[2];
  for (int s = 0; s < 2; ++s) before[s] = net.switches[0]->port(static_cast<uint16_t>(4 + s)).sentWireBytes();
  net.run(Time::Us(1500));
  for (int s = 0; s < 2; ++s) {
    onSpine[s] = static_cast<int64_t>(net.switches[0]->port(static_cast<uint16_t>(4 + s)).sentWireBytes() - before[s]);
    EXPECT_NEAR(static_cast<double>(onSpine[s]) * 8e-6, static_cast<double>(paced[s]) * 1e-9, 0.8) << s;
  }
}

// ---------------------------------------------------------------- flowlets at the edge

TEST(FlowtuneNet, OverlappingFlowletsOfAPairOnTwoConnectionsShareAsTwo) {
  Fabric net;
  net.send(0, 0, 4, 100000000);
  net.send(1, 0, 4, 100000000);
  net.send(2, 1, 4, 100000000);
  net.run(Time::Ms(1));
  for (const auto& [server, id] : {std::pair{0, 0u}, {0, 1u}, {1, 2u}}) EXPECT_NEAR(net.gbps(server, id), 3.3, 0.07);
}

TEST(FlowtuneNet, OverlappingFlowletsOnOneConnectionAreOne) {
  Fabric net;
  net.message(10, 0, 4, 1000000);
  net.message(11, 0, 4, 1000000, Time::Us(100));
  net.send(2, 1, 4, 100000000);
  net.run(Time::Us(600));
  EXPECT_EQ(net.endpoint(0).flowlets(), 1u);
  EXPECT_EQ(net.allocator().flowlets(), 2u);
  EXPECT_NEAR(net.gbps(0, 10), 4.95, 0.1) << "half, as the one flowlet that it is";
  net.run(Time::Ms(10));
  EXPECT_EQ(net.endpoint(0).flowlets(), 0u);
  EXPECT_EQ(net.allocator().flowlets(), 1u);
  EXPECT_EQ(net.row(10)[10], 1000000);
  EXPECT_EQ(net.row(11)[10], 1000000);
  // Both at half a link, one behind the other, and not each at a third.
  EXPECT_NEAR(static_cast<double>(net.end(11)), 2000000 * 8.0 * (1518 / 1448.0) / 4.95e9 * 1e12, 0.1e9);
}

TEST(FlowtuneNet, AFlowletEndsWithItsLastByteSent) {
  Fabric net;
  net.send(0, 0, 4, 100 * 1448);
  net.run(Time::Us(100));
  while (net.endpoint(0).flowlets() > 0) net.run(net.engine.now() + Time::Ns(100));
  const Flow& f = net.active(*net.hosts[0], 0);
  EXPECT_EQ(f.sndNxt, f.end);
  EXPECT_LT(f.sndUna, f.end);
  EXPECT_EQ(f.limit, Flow::kNoLimit);
  EXPECT_GT(f.window, 0) << "what is lost goes again as TCP";
  net.finish(Time::Ms(5));
  EXPECT_EQ(net.delivered(0), 100 * 1448);
}

/// Nothing more is sent, so the next ACK is what says so.
TEST(FlowtuneNet, AStoppedFlowletEndsWithTheNextAck) {
  Fabric net;
  FlowSpec f = net.spec(0, 0, 4, 0, {});
  f.stop = Time::Us(300);
  net.flow(f);
  net.run(Time::Us(299));
  EXPECT_EQ(net.endpoint(0).flowlets(), 1u);
  net.run(Time::Us(302));
  EXPECT_EQ(net.endpoint(0).flowlets(), 0u);
  EXPECT_LT(net.active(*net.hosts[0], 0).sndUna, net.active(*net.hosts[0], 0).end) << "a round trip is on its way";
  net.run(Time::Us(312));
  EXPECT_EQ(net.allocator().flowlets(), 0u);
}

TEST(FlowtuneNet, AMessageAfterTheEndStartsAFlowletAnew) {
  Fabric net;
  net.message(10, 0, 4, 100 * 1448);
  net.message(11, 0, 4, 1000000,
              Time::Us(143));  // the last byte of the one before is sent at 137 us, acknowledged at 160
  net.run(Time::Us(142));
  EXPECT_EQ(net.endpoint(0).flowlets(), 0u);
  EXPECT_EQ(net.active(*net.hosts[0], 10).spec.id, 10u) << "choose another time";
  net.run(Time::Us(300));
  EXPECT_EQ(net.endpoint(0).flowlets(), 1u);
  EXPECT_NEAR(net.gbps(0, 10), 9.9, 0.1);
  net.finish(Time::Ms(5));
  EXPECT_EQ(net.row(11)[10], 1000000);
  EXPECT_EQ(net.allocator().flowlets(), 0u);
}

TEST(FlowtuneNet, AFlowOfOneByteEndsBeforeItsRateComes) {
  Fabric net;
  net.send(0, 0, 1, 1);  // 14 us, and its end is told then; its rate would be there after 18 us
  net.send(1, 2, 5, 100000000);
  net.run(Time::Us(18));
  EXPECT_EQ(net.endpoint(0).flowlets(), 0u);
  net.run(Time::Us(100));
  EXPECT_EQ(net.allocator().flowlets(), 1u);
  EXPECT_EQ(net.endpoint(0).rate(0).bps, 0);
  EXPECT_NEAR(net.gbps(2, 1), 9.9, 0.1) << "nothing is left behind";
  net.network.finish();
  EXPECT_EQ(net.delivered(0), 1);
  EXPECT_TRUE(net.check("rates_within_capacity"));
}

/// An iteration falls between the end and the allocator's hearing of it. It sends every server a rate here, and that of
/// this one is for the flow that has ended.
TEST(FlowtuneNet, ARateThatOvertakesAnEndIsIgnored) {
  Fabric net(servers().set("flowtune_allocator.refresh", Time::Us(1).ps));
  net.send(0, 0, 4, 50 * 1448);
  net.send(1, 1, 4, 100000000);
  net.run(Time::Us(50));
  while (net.endpoint(0).flowlets() > 0) net.run(net.engine.now() + Time::Ns(500));
  const uint64_t iterations = net.allocator().iterations();
  while (net.allocator().flowlets() == 2) net.run(net.engine.now() + Time::Ns(500));
  EXPECT_GT(net.allocator().iterations(), iterations) << "choose another size";
  net.run(net.engine.now() + Time::Us(60));
  EXPECT_EQ(net.allocator().flowlets(), 1u);
  EXPECT_EQ(net.endpoint(0).rate(0).bps, 0);
  EXPECT_NEAR(net.gbps(1, 1), 9.9, 0.1);
  net.network.finish();
  EXPECT_TRUE(net.check("rates_within_capacity"));
}

TEST(FlowtuneNet, TenThousandStartsInAMicrosecond) {
  constexpr uint32_t kFlows = 10000;
  Fabric net;
  net.engine.recordSends = true;
  for (uint32_t i = 0; i < kFlows; ++i) {
    FlowSpec f = net.spec(i, static_cast<int>(i) % 4, 4 + static_cast<int>(i / 4) % 4, 1000000, Time::Ps(i * 100));
    f.srcPort = static_cast<uint16_t>(i);
    net.flow(f);
  }
  net.run(Time::Us(1));
  const auto sent = std::count_if(net.engine.sends.begin(), net.engine.sends.end(), [&](const auto& s) {
    return s.at <= Time::Us(1) && s.from->node().id() < kServers && s.bytes < 100;
  });
  EXPECT_LE(sent, 8) << "the first of each server at once, the others in frames that are full but for the last";
  // Notices take turns with 2500 flows at each server, and flows are told frame by frame.
  while (net.allocator().flowlets() < kFlows && net.engine.now() < Time::Ms(200)) {
    net.run(net.engine.now() + Time::Ms(1));
  }
  EXPECT_EQ(net.allocator().flowlets(), kFlows) << "none has ended, of a megabyte each";
  net.run(net.engine.now() + Time::Ms(5));
  double sum[4] = {};
  for (uint32_t i = 0; i < kFlows; ++i) {
    ASSERT_GT(net.endpoint(static_cast<int>(i % 4)).rate(i).bps, 0) << i;
    sum[i % 4] += net.gbps(static_cast<int>(i % 4), i);
  }
  for (const double s : sum) {
    EXPECT_LE(s, 10);
    EXPECT_GT(s, 9);
  }
  net.network.finish();
  EXPECT_TRUE(net.check("rates_within_capacity"));
}

TEST(FlowtuneNet, AcksMayBeCountedOnTheirWayBack) {
  for (const double share : {0.0, 0.1}) {
    Fabric net(servers().set("flowtune_allocator.ack_share", share));
    net.send(0, 0, 4, 100000000);
    net.send(1, 4, 0, 100000000);
    net.send(2, 1, 5, 100000000);  // nothing comes against it but its own ACKs
    net.run(Time::Ms(1));
    const double x = 9.9 / (1 + share);
    EXPECT_NEAR(net.gbps(0, 0), x, 0.1) << share;
    EXPECT_NEAR(net.gbps(4, 1), x, 0.1) << share;
    EXPECT_NEAR(net.gbps(1, 2), 9.9, 0.1) << share;
    net.network.finish();
    EXPECT_TRUE(net.check("rates_within_capacity"));
  }
}

TEST(FlowtuneNet, AnAllocatorSlowerThanItsIntervalIteratesAsFastAsItCan) {
  Fabric net(servers().set("flowtune_allocator.iteration_time", Time::Us(35).ps));
  net.send(0, 0, 4, 100000000);
  net.send(1, 1, 4, 100000000);
  net.run(Time::Us(50));
  EXPECT_EQ(net.gbps(0, 0), 0) << "told at 10 us at the earliest, ready 35 us later, there after 9 us more";
  net.run(Time::Us(56));
  EXPECT_GT(net.gbps(0, 0), 0);
  net.run(Time::Us(1060));
  EXPECT_EQ(net.allocator().iterations(), 31u) << "one every 35 us from 10 us on";
  EXPECT_NEAR(net.gbps(0, 0), 4.95, 0.06);
  net.network.finish();
  EXPECT_TRUE(net.check("rates_within_capacity"));
}

TEST(FlowtuneNet, AnIterationShorterThanTheIntervalOnlyDelaysItsRates) {
  Fabric net(servers().set("flowtune_allocator.iteration_time", Time::Us(4).ps));
  net.send(0, 0, 4, 100000000);
  net.run(Time::Us(1005));
  EXPECT_EQ(net.allocator().iterations(), 100u);
  EXPECT_NEAR(net.gbps(0, 0), 9.9, 0.1);
}

// ---------------------------------------------------------------- what is measured

namespace {

/// The rows of a table, sampled every 100 us.
std::unique_ptr<Rows> sampled(Fabric& net, const char* name) {
  TraceBus& trace = net.network.trace();
  const int table = trace.find(name);
  TraceFilter filter;
  filter.interval = Time::Us(100);
  trace.enable(table, filter);
  auto rows = std::make_unique<Rows>(trace.desc(table).columns.size());
  trace.addSink(table, rows.get());
  return rows;
}

double number(int64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x * 1e-9;
}

}  // namespace

/// Three flows in two links: the long one has a third of the capacity, the others two thirds. U-NORM, by the fullest
/// link, and F-NORM, by each flow's own, are the same at the optimum.
TEST(FlowtuneNet, TheTableSaysWhatTheOptimumIs) {
  Fabric net(servers().set("flowtune_allocator.optimum", true));
  const auto rows = sampled(net, "flowtune_allocator");
  net.send(0, 0, 4, 100000000);
  net.send(1, 0, 5, 100000000);
  net.send(2, 1, 4, 100000000);
  net.run(Time::Ms(5));
  const auto& last = rows->rows.back();
  const double over = number(last[7]), allocated = number(last[8]), uniform = number(last[9]),
               optimum = number(last[10]);
  EXPECT_NEAR(optimum, 9.9 * (1 / 3. + 2 / 3. + 2 / 3.), 1e-3);
  EXPECT_NEAR(allocated, optimum, 1e-3);
  EXPECT_NEAR(uniform, optimum, 1e-3);
  EXPECT_NEAR(over, 0, 1e-3);
  EXPECT_EQ(last[3], 3);
  EXPECT_EQ(last[4], 3);
  // While prices settle, rates are above capacities.
  EXPECT_GT(number(rows->rows[1][7]), 0.01);
}

TEST(FlowtuneNet, TheMeterCountsMessagesOnTheLinksThatTheyTake) {
  Config c = servers();
  c.agents = c.nicAgents = {"flowtune_meter"};
  Fabric net(c);
  const auto rows = sampled(net, "flowtune_traffic");
  for (uint32_t i = 0; i < 4; ++i) net.send(i, static_cast<int>(i), 4, 500000, Time::Us(20 * i));
  net.finish(Time::Ms(5));
  uint64_t toAllocator = 0, fromAllocator = 0, fromServers = 0, toServers = 0, acks = 0, other = 0;
  for (const auto& r : rows->rows) {
    if (Time{r[0]} != Time::Ms(5)) continue;
    const auto node = static_cast<uint32_t>(r[1]);
    const Port& p = net.network.nodes()[node]->port(static_cast<uint16_t>(r[2]));
    EXPECT_EQ(static_cast<uint64_t>(r[3] + r[4] + r[5] + r[6]), p.sentWireBytes());
    if (&p.peer().node() == &net.allocatorHost()) {
      toAllocator += static_cast<uint64_t>(r[3]);
      EXPECT_EQ(r[4] + r[6], 0);
      acks += static_cast<uint64_t>(r[5]);
    }
    if (&p.node() == &net.allocatorHost()) fromAllocator += static_cast<uint64_t>(r[4]);
    if (node < kServers) fromServers += static_cast<uint64_t>(r[3]);
    if (p.peer().node().id() < kServers) toServers += static_cast<uint64_t>(r[4]);
    if (node < kServers) other += static_cast<uint64_t>(r[6]);
  }
  EXPECT_EQ(toAllocator, 4 * (86 + 74u)) << "start and end, four times";
  EXPECT_GE(acks, 4 * 70u) << "of a rate, four times";
  EXPECT_EQ(toAllocator, fromServers);
  EXPECT_EQ(fromAllocator, toServers);
  EXPECT_GT(other, 4 * 500000u);
}

// ---------------------------------------------------------------- the ledger

TEST(FlowtuneLedger, AnExcessIsThereWhileALowerRateIsOnItsWay) {
  RateLedger ledger;
  ledger.start({Rate::Gbps(10)});
  ledger.expectLifetime(Time::Us(300));
  ledger.add(1, {0}, Time::Us(5));
  ledger.handOut(1, Rate::Gbps(10), Time::Us(10));
  ledger.settle();
  ledger.apply(1, Rate::Gbps(10), Time::Us(20));
  ledger.add(2, {0}, Time::Us(25));
  ledger.handOut(1, Rate::Gbps(5), Time::Us(30));
  ledger.handOut(2, Rate::Gbps(5), Time::Us(30));
  ledger.settle();
  ledger.apply(2, Rate::Gbps(5), Time::Us(38));
  ledger.apply(1, Rate::Gbps(5), Time::Us(41));
  const auto f = ledger.findings(Time::Us(100));
  EXPECT_DOUBLE_EQ(f.excess, 0.5);
  EXPECT_EQ(f.longestExcess, Time::Us(3));
  EXPECT_EQ(f.longestWay, Time::Us(11));
  EXPECT_DOUBLE_EQ(f.fullest, 1);
  EXPECT_TRUE(f.kept);
}

TEST(FlowtuneLedger, SeesRatesHandedOutAboveACapacity) {
  RateLedger ledger;
  ledger.start({Rate::Gbps(10)});
  ledger.add(1, {0}, Time::Us(5));
  ledger.handOut(1, Rate{10000000001}, Time::Us(10));
  ledger.settle();
  EXPECT_FALSE(ledger.findings(Time::Us(20)).kept);
}

TEST(FlowtuneLedger, ADeadAllocatorsRatesAreOldFromThenOn) {
  RateLedger ledger;
  ledger.start({Rate::Gbps(10)});
  ledger.expectLifetime(Time::Us(300));
  ledger.add(1, {0}, Time::Us(5));
  ledger.handOut(1, Rate::Gbps(10), Time::Us(10));
  ledger.apply(1, Rate::Gbps(10), Time::Us(20));
  ledger.lose(1, Time::Us(100));
  EXPECT_TRUE(ledger.findings(Time::Us(400)).kept);
  EXPECT_FALSE(ledger.findings(Time::Us(401)).kept);
  ledger.apply(1, Rate{}, Time::Us(390));
  ledger.add(1, {0}, Time::Ms(2));
  ledger.apply(1, Rate::Gbps(10), Time::Ms(2) + Time::Us(5));  // of before, from a dead connection
  ledger.handOut(1, Rate::Gbps(9), Time::Ms(2) + Time::Us(10));
  ledger.apply(1, Rate::Gbps(9), Time::Ms(2) + Time::Us(20));
  EXPECT_EQ(ledger.findings(Time::Ms(3)).longestWay, Time::Us(290));
  EXPECT_TRUE(ledger.findings(Time::Ms(3)).kept);
  ledger.end(1, Time::Ms(4));
  ledger.remove(1, Time::Ms(5));
  ledger.add(1, {0}, Time::Ms(6));
  ledger.handOut(1, Rate::Gbps(10), Time::Ms(6));
  ledger.settle();
  EXPECT_DOUBLE_EQ(ledger.findings(Time::Ms(6)).fullest, 1) << "nothing was left behind";
}

TEST(FlowtuneLedger, SeesAnOldRateThatOutlivesItsTime) {
  RateLedger ledger;
  ledger.start({Rate::Gbps(10)});
  ledger.expectLifetime(Time::Us(300));
  ledger.add(1, {0}, Time::Us(5));
  ledger.handOut(1, Rate::Gbps(10), Time::Us(10));
  ledger.apply(1, Rate::Gbps(10), Time::Us(20));
  ledger.handOut(1, Rate::Gbps(5), Time::Us(30));
  EXPECT_TRUE(ledger.findings(Time::Us(329)).kept);
  EXPECT_FALSE(ledger.findings(Time::Us(331)).kept);
  ledger.apply(1, Rate{}, Time::Us(340));
  EXPECT_FALSE(ledger.findings(Time::Us(400)).kept) << "it did, once";
}

/// What the run says at its end, where one of the two things did happen.
TEST(FlowtuneLedger, ARunFailsOverRatesAboveACapacity) {
  Fabric net;
  net.send(0, 0, 4, 100000000);
  net.run(Time::Us(100));
  net.allocator().ledger().handOut(RateLedger::key(net.hosts[0]->id(), 1), Rate::Gbps(11), net.engine.now());
  net.allocator().ledger().settle();
  net.network.finish();
  EXPECT_FALSE(net.check("rates_within_capacity"));
}

TEST(FlowtuneLedger, ARunFailsOverARateThatOutlivesItsTime) {
  Fabric net;
  net.send(0, 0, 4, 100000000);
  net.run(Time::Us(100));
  RateLedger& ledger = net.allocator().ledger();
  const RateLedger::Key key = RateLedger::key(net.hosts[7]->id(), 1);
  ledger.add(key, {7}, net.engine.now());  // of a server that goes on with its first rate
  ledger.handOut(key, Rate::Gbps(9), net.engine.now());
  ledger.apply(key, Rate::Gbps(9), net.engine.now());
  ledger.handOut(key, Rate::Gbps(5), net.engine.now());
  net.run(Time::Ms(1));
  EXPECT_LE(net.findings().fullest, 1) << "what was handed out does fit";
  net.network.finish();
  EXPECT_FALSE(net.check("rates_within_capacity"));
}

// ---------------------------------------------------------------- faults

namespace {

/// Two flows from each of four servers to the other leaf, of 6 MB each: 10 ms and more in all. The completion time of
/// the last one.
struct Load : Fabric {
  explicit Load(const Config& c) : Fabric(c) {
    for (uint32_t i = 0; i < 8; ++i) {
      send(i, static_cast<int>(i % 4), 4 + static_cast<int>((i + i / 4) % 4), 6000000, Time::Us(5 * i));
    }
  }
  int64_t last() {
    finish(Time::Ms(500));
    int64_t end = 0;
    for (uint32_t i = 0; i < 8; ++i) {
      EXPECT_EQ(delivered(i), 6000000) << i;
      end = std::max(end, this->end(i));
    }
    return end;
  }
};

double tcpTime() {
  static const double time = static_cast<double>(Load(tcpOnly()).last());
  return time;
}

}  // namespace

TEST(FlowtuneFaults, WithoutAnyFaultItIsAsFastAsTcp) {
  Load net(servers());
  EXPECT_LT(static_cast<double>(net.last()), 1.1 * tcpTime());
}

TEST(FlowtuneFaults, TheAllocatorDiesAndComesBack) {
  Load net(servers());
  net.network.addHostEvent(Time::Ms(2), net.allocatorHost(), false);
  net.network.addHostEvent(Time::Ms(5), net.allocatorHost(), true);
  net.run(Time::Us(1999));
  for (uint32_t i = 0; i < 8; ++i) EXPECT_GT(net.gbps(static_cast<int>(i % 4), i), 0) << i;
  net.run(Time::Us(2350));
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(net.gbps(static_cast<int>(i % 4), i), 0) << "the rate has expired";
    EXPECT_GT(net.active(*net.hosts[i % 4], i).window, 0) << "TCP goes on";
    EXPECT_EQ(net.active(*net.hosts[i % 4], i).limit, Flow::kNoLimit);
  }
  net.run(Time::Us(5200));
  EXPECT_EQ(net.allocator().flowlets(), 8u) << "told anew";
  for (uint32_t i = 0; i < 8; ++i) EXPECT_GT(net.gbps(static_cast<int>(i % 4), i), 0) << i;
  EXPECT_LT(static_cast<double>(net.last()), 1.1 * tcpTime());
}

/// So short that no rate expires: the new life of the allocator is known by its messages, or by its silence.
TEST(FlowtuneFaults, TheAllocatorIsAwayForAMoment) {
  Load net(servers());
  net.network.addHostEvent(Time::Ms(2), net.allocatorHost(), false);
  net.network.addHostEvent(Time::Us(2040), net.allocatorHost(), true);
  net.send(100, 0, 6, 30000, Time::Us(2050));
  net.run(Time::Us(2600));
  EXPECT_EQ(net.allocator().flowlets(), 8u) << "the new one has ended, the others were told anew";
  EXPECT_LT(static_cast<double>(net.last()), 1.1 * tcpTime());
}

TEST(FlowtuneFaults, TheAllocatorDiesForGood) {
  Load net(servers());
  net.network.addHostEvent(Time::Ms(2), net.allocatorHost(), false);
  EXPECT_LT(static_cast<double>(net.last()), 1.1 * tcpTime());
}

TEST(FlowtuneFaults, ALinkOfTheAllocatorFails) {
  Load net(servers());
  net.network.addLinkEvent(Time::Ms(2), net.allocatorHost().port(0), false);
  std::vector<Network::RouteEntry> routes;  // without the spine that has lost it
  for (uint32_t sw = 0; sw < 4; ++sw) {
    const Switch& s = *net.switches[sw];
    for (uint32_t dst = 0; dst < kServers; ++dst) {
      const bool own = sw < 2 && dst / 4 == sw;
      if (own) routes.push_back({s.id(), dst, {static_cast<uint16_t>(dst % 4)}});
      if (!own && sw < 2) routes.push_back({s.id(), dst, {4, 5}});
      if (sw >= 2) routes.push_back({s.id(), dst, {static_cast<uint16_t>(dst / 4)}});
    }
    if (sw < 2) routes.push_back({s.id(), kServers, {5}});
    if (sw == 3) routes.push_back({s.id(), kServers, {2}});
  }
  net.network.addRouteChange(Time::Us(2100), routes);
  net.run(Time::Ms(3));
  for (uint32_t i = 0; i < 8; ++i) EXPECT_GT(net.gbps(static_cast<int>(i % 4), i), 0) << "rates come by the other link";
  EXPECT_LT(static_cast<double>(net.last()), 1.1 * tcpTime());
}

TEST(FlowtuneFaults, OnePerCentOfTheFramesOfTheAllocatorIsLost) {
  Load net(servers().set("lossy.loss", 0.01));
  EXPECT_LT(static_cast<double>(net.last()), 1.1 * tcpTime());
  EXPECT_GT(net.network.total().drops, 0u);
}

// ---------------------------------------------------------------- what is refused

TEST(FlowtuneNet, RefusesWhatCannotWork) {
  Config noTcp = servers();
  noTcp.cc = "newreno";
  EXPECT_THROW(Fabric(noTcp).start(), ParamError);
  Config spray = servers();
  spray.selector = "spray";
  EXPECT_THROW(Fabric(spray).start(), ParamError);
  Config subflows = servers();
  subflows.transport = "mptcp";
  subflows.set("mptcp.subflows", int64_t{2});
  Fabric net(subflows);
  net.send(0, 0, 4, 1000);
  EXPECT_THROW(net.run(Time::Us(1)), std::invalid_argument);
}

}  // namespace fabric
