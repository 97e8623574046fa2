// NUMFabric at its edges: flows that stop while their packets wait, links that fail, large virtual times, sub-flows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "mechanisms/numfabric/numfabric.h"
#include "mechanisms/numfabric/stfq.h"
#include "mechanisms/numfabric/xwi.h"
#include "mechanisms/tests/net.h"

namespace fabric {
namespace {

using test::Chain;
using test::Config;
using test::Net;
using test::Rows;

// ---------------------------------------------------------------- flows that stop

/// Flow 1 shares its NIC with flow 2 and the link to the receiver with flow 0, and stops. With windows for 100 us some
/// 40 frames of each flow wait.
struct Stopped : Chain {
  static constexpr int64_t kSize = 2000 * 1410;
  static constexpr Time kStop = Time::Ms(1);
  explicit Stopped(const Config& c) : Chain(c, 2, 1, Rate::Gbps(10), Time::Us(2)), drops(8) {
    network.trace().enable(kDrops, {});
    network.trace().addSink(kDrops, &drops);
    flow(0, sender(0), receiver(), kSize);
    flow(1, sender(1), receiver(), 0, Time{}, kStop);
    flow(2, sender(1), sender(0), kSize);
  }
  static Config config(const char* atStop, bool pfc) {
    Config c = Config::numfabric();
    c.set("go_back_n.at_stop", std::string(atStop)).set("numfabric.weights", std::string("flow"));
    return c.set("numfabric.slack", Time::Us(100).ps).set("port.pfc", pfc);
  }
  /// DGD without prices: flows send at line rate, and windows of 40 frames wait.
  static Config dgd(const char* queue) {
    Config c = Config::dgd();
    c.queues = c.nicQueues = {"fifo", queue};
    c.set("go_back_n.at_stop", std::string("end")).set("round_robin.backlog", int64_t{1000000});
    return c.set("dgd.window", int64_t{40}).set("dgd_price.max_price", 0.0);
  }
  /// Data of a flow in the network.
  int alive(uint32_t flow) const {
    int n = 0;
    network.packets().forEachLive([&](const Packet& p) { n += p.kind == PacketKind::Data && p.flowId == flow; });
    return n;
  }
  Rows drops;
};

TEST(StoppedFlow, ItsPacketsLeaveEveryQueue) {
  for (const Config& c : {Stopped::config("end", false), Stopped::config("end", true), Stopped::dgd("num_fifo")}) {
    Stopped net(c);
    net.run(Stopped::kStop - Time{1});
    ASSERT_GT(net.alive(1), 20);
    // A frame takes 1.2 us, and what was on the link to the switch is there after 3.2 us.
    net.run(Stopped::kStop + Time::Ns(4500));
    EXPECT_EQ(net.alive(1), 0);
    EXPECT_EQ(net.senderEnd(1), Stopped::kStop.ps);
    net.finish(Time::Ms(50));  // with every check, lossless too
    if (std::get<bool>(c.params.at("port.pfc"))) {
      EXPECT_TRUE(net.check("lossless"));
    }
    EXPECT_EQ(net.retransmitted(1), 0);
    for (const uint32_t other : {0, 2}) EXPECT_EQ(net.delivered(other), Stopped::kSize);
    std::map<int64_t, int> at;
    for (const auto& r : net.drops.rows) ++at[r[1]];
    EXPECT_EQ(at.size(), 2u);
    EXPECT_GT(at[net.sender(1).id()], 0) << "some of them waited at the host";
    EXPECT_GT(at[net.switches[0]->id()], 0) << "and some at the switch";
    EXPECT_EQ(net.drops.rows.size(), net.network.total().drops);
    EXPECT_EQ(net.network.total().stoppedDrops, net.network.total().drops);
    for (const auto& r : net.drops.rows) {
      EXPECT_EQ(r[4], 1) << "the others lose nothing";
      EXPECT_EQ(r[7], static_cast<int64_t>(DropReason::FlowStopped));
      EXPECT_GE(r[0], Stopped::kStop.ps);
    }
  }
}

/// Without it the stopped flow's packets still take their turns, and the others end later by them.
TEST(StoppedFlow, LeavesItsShareToTheOthers) {
  Stopped drain(Stopped::config("drain", false)), end(Stopped::config("end", false));
  drain.finish(Time::Ms(50));
  end.finish(Time::Ms(50));
  EXPECT_EQ(drain.network.total().drops, 0u);
  EXPECT_GT(drain.senderEnd(1), Stopped::kStop.ps);
  const int64_t frame = transmissionTime(1500, Rate::Gbps(10)).ps;
  const int64_t late = (drain.delivered(1) - end.delivered(1)) / 1410;
  EXPECT_GT(late, 20);
  EXPECT_NEAR(static_cast<double>(drain.end(0) - end.end(0)) / static_cast<double>(frame), static_cast<double>(late),
              5);
}

/// Of DGD's queues num_fifo lets a stopped flow's packets go; with fifo they take their turns.
TEST(StoppedFlow, WaitsInPlainQueues) {
  Stopped fifo(Stopped::dgd("fifo")), purged(Stopped::dgd("num_fifo"));
  for (Stopped* net : {&fifo, &purged}) net->run(Stopped::kStop + Time::Ns(4500));
  EXPECT_GT(fifo.alive(1), 20);
  EXPECT_EQ(purged.alive(1), 0);
  for (Stopped* net : {&fifo, &purged}) net->finish(Time::Ms(50));
  EXPECT_EQ(fifo.network.total().drops, 0u);
  EXPECT_LT(purged.end(0), fifo.end(0)) << "the others have the room";
}

/// The packets of all sub-flows leave, wherever they wait, also where the receiver holds one back for a later ACK.
TEST(StoppedFlow, AllItsSubflowsEnd) {
  for (const char* queue : {"stfq", "num_fifo", "fifo"}) {
    Config c = std::string(queue) == "stfq" ? Stopped::config("drain", false) : Stopped::dgd(queue);
    c.transport = "mptcp";
    c.set("mptcp.at_stop", std::string("end")).set("mptcp.subflows", int64_t{3});
    c.set("host.ack_every", int64_t{2}).set("mptcp.ack_delay", Time::Us(10).ps);
    Stopped net(c);
    net.run(Stopped::kStop - Time{1});
    EXPECT_GT(net.alive(1), 20) << queue;
    net.run(Stopped::kStop + Time::Ns(4500));
    EXPECT_EQ(net.senderEnd(1), Stopped::kStop.ps);
    if (std::string(queue) == "fifo") {
      EXPECT_GT(net.alive(1), 10) << "of no use to anybody, but they take their turns";
    } else {
      EXPECT_EQ(net.alive(1), 0) << queue;
      EXPECT_GT(net.network.total().stoppedDrops, 10u);
    }
    net.finish(Time::Ms(50));
    EXPECT_EQ(net.network.total().stoppedDrops, net.network.total().drops);
    EXPECT_EQ(net.retransmitted(1), 0);
    for (const uint32_t other : {0, 2}) EXPECT_EQ(net.delivered(other), Stopped::kSize) << queue;
    EXPECT_EQ(net.network.packets().live(), 0u) << queue;
  }
}

TEST(StoppedFlow, EqualTimesInAnyOrderMakeNoDifference) {
  const auto rows = [](uint64_t shuffle) {
    Config c = Stopped::config("end", false);
    c.engine.shuffle = shuffle;
    Chain net(c, 4, 2, Rate::Gbps(10), Time::Us(2));
    Rows drops(8);
    net.network.trace().enable(kDrops, {});
    net.network.trace().addSink(kDrops, &drops);
    for (uint32_t i = 0; i < 12; ++i) {
      const Time stop = i % 3 == 0 ? Time{-1} : Time::Us(240 + 120 * (i / 4));
      net.flow(i, net.sender(static_cast<int>(i % 4)), net.receiver(), i % 3 == 0 ? 1410000 : 0, {}, stop);
    }
    net.finish(Time::Ms(20));
    EXPECT_GT(drops.rows.size(), 50u);
    auto all = net.flowRows.rows;
    all.insert(all.end(), drops.rows.begin(), drops.rows.end());
    return all;
  };
  const auto first = rows(0);
  EXPECT_EQ(first, rows(1));
  EXPECT_EQ(first, rows(2));
}

/// A flow may stop while its handshake is on the way, or before its first packet.
TEST(StoppedFlow, BeforeItsFirstByte) {
  for (const Time stop : {Time::Us(10), Time::Us(11), Time::Us(17)}) {
    Config c = Stopped::config("end", false);
    Chain net(c.set("go_back_n.handshake", true), 1, 1, Rate::Gbps(10), Time::Us(2));
    net.flow(0, net.sender(0), net.receiver(), 0, Time::Us(10), stop);
    net.finish(Time::Ms(5));
    EXPECT_EQ(net.senderEnd(0), stop.ps);
    EXPECT_EQ(net.delivered(0), 0);
  }
}

// ---------------------------------------------------------------- virtual time

/// A port with STFQ whose packets the test makes.
struct StfqTest : testing::Test {
  StfqTest() : net(Config::numfabric(), 1, 1, Rate::Gbps(10), Time::Us(2)) {
    net.start();
    header = *net.network.packets().find<NumHeader>(NumHeader::kName);
    queue = dynamic_cast<Stfq*>(net.lastHop().queues()[1]);
  }
  void put(uint32_t flow, uint32_t number, double length) {
    Packet* p = net.network.packets().fresh();
    p->kind = PacketKind::Data;
    p->flowId = flow;
    p->hash = 1000003ull * flow;
    p->seq = number;
    p->wireBytes = 1500;
    header.fill(*p).virtualLength = length;
    ASSERT_TRUE(queue->enqueue(p, 0));
  }
  uint32_t take() {
    Packet* p = queue->dequeue();
    const auto number = static_cast<uint32_t>(p->seq);
    net.network.packets().put(p);
    return number;
  }
  Chain net;
  PacketExtension<NumHeader> header;
  Stfq* queue = nullptr;
};

/// Lengths of 1 to 10^12 beside each other, for so long that V is far beyond what a double resolves to 1. The reference
/// has 128 bit and never moves its zero.
TEST_F(StfqTest, VirtualTimeStaysExact) {
  struct Waiting {
    int128 start;
    uint32_t number;
  };
  std::vector<Waiting> waiting;
  std::vector<int128> finish(8, 0);
  int128 now = 0;
  std::mt19937_64 random(1);
  for (uint32_t i = 0; i < 200000; ++i) {
    const auto flow = static_cast<uint32_t>(random() % 8);
    // Flows 0 and 1 have steps of 1 to 3, the others up to 10^12.
    const auto length = static_cast<int64_t>(flow < 2 ? 1 + random() % 3 : random() % 1000000000000);
    put(flow, i, static_cast<double>(length));
    const int128 start = std::max(now, finish[flow]);
    finish[flow] = start + length;
    waiting.push_back({start, i});
    if (waiting.size() < 40) continue;
    const auto first = std::min_element(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) {
      return a.start < b.start || (a.start == b.start && a.number < b.number);
    });
    ASSERT_EQ(take(), first->number) << "packet " << i;
    now = first->start;
    waiting.erase(first);
  }
  EXPECT_GT(static_cast<double>(now), 1e15) << "a thousand times where the zero moves";
  EXPECT_LE(queue->virtualTime(), 1e12);
  EXPECT_LE(queue->flows(), 16u);
}

/// Discarding what waits does not serve it: V is that of the packets that leave.
TEST_F(StfqTest, WhatIsDiscardedDoesNotMoveVirtualTime) {
  const auto wait = [&](uint32_t flow, double length, Time stop) {
    Packet* p = net.network.packets().fresh();
    p->kind = PacketKind::Data;
    p->cls = 1;
    p->flowId = flow;
    p->hash = flow;
    p->wireBytes = 1500;
    p->dst = net.receiver().id();
    p->ingress = kOwnPacket;
    header.fill(*p).virtualLength = length;
    header(*p).stop = stop;
    ASSERT_TRUE(net.lastHop().enqueue(p));
  };
  for (int i = 0; i < 2; ++i) wait(1, 100, Time::Max());
  for (int i = 0; i < 4; ++i) wait(2, 1000, Time::Us(2));
  net.lastHop().kick();
  net.run(Time::Us(2));  // the first of each flow left at 0 and 1.2 us
  EXPECT_EQ(queue->virtualTime(), 0);
  EXPECT_EQ(net.lastHop().queueBytes(1), 4 * 1500);
  net.run(Time::Us(3));
  EXPECT_EQ(net.network.total().stoppedDrops, 3u);
  EXPECT_EQ(net.lastHop().queueBytes(1), 0);
  EXPECT_EQ(queue->virtualTime(), 100) << "of the packet that left at 2.4 us";
}

// ---------------------------------------------------------------- links, sub-flows

std::vector<double> delivered(Net& net, uint32_t flows) {
  std::vector<double> bytes(flows);
  for (Host* h : net.hosts) {
    h->forEachActive([&](const Flow& f) {
      for (const Flow* part = &f; part != nullptr; part = part->nextSubflow) {
        bytes[f.spec.id] += static_cast<double>(part->rcvNxt);
      }
    });
  }
  return bytes;
}

/// Rates on the wire from one time to another, in Mb/s.
std::vector<double> rates(Net& net, uint32_t flows, Time from, Time to) {
  net.run(from);
  const auto before = delivered(net, flows);
  net.run(to);
  auto after = delivered(net, flows);
  for (uint32_t i = 0; i < flows; ++i) {
    after[i] = (after[i] - before[i]) * 1500 / 1410 * 8e6 / static_cast<double>((to - from).ps);
  }
  return after;
}

/// The link fails with packets on it and before it; what was lost goes again, and the flows find back to their shares.
TEST(FailingLink, FlowsFindBackToTheirShares) {
  Config c = Config::numfabric();
  Chain net(c.set("host.retransmit_timeout", Time::Us(300).ps), 3, 2, Rate::Gbps(10), Time::Us(2));
  Port& out = *net.switches[0]->ports().back();
  net.network.addLinkEvent(Time::Ms(2), out, false);
  net.network.addLinkEvent(Time::Us(2500), out, true);
  for (uint32_t i = 0; i < 3; ++i) {
    FlowSpec f;
    f.id = i;
    f.src = net.sender(static_cast<int>(i)).id();
    f.dst = net.receiver().id();
    f.srcPort = static_cast<uint16_t>(1000 + i);
    f.dstPort = 4791;
    f.weight = 1 << i;
    net.flow(f);
  }
  net.run(Time::Us(2400));
  EXPECT_GT(net.network.total().linkDrops, 0u);
  for (const Switch* s : net.switches) {
    for (const Port* p : s->ports()) EXPECT_TRUE(std::isfinite(p->agent<Xwi>()->price()));
  }
  const auto r = rates(net, 3, Time::Ms(5), Time::Ms(15));
  for (uint32_t i = 0; i < 3; ++i) EXPECT_NEAR(r[i], 1e4 / 7 * (1 << i), 0.03 * 1e4 / 7 * (1 << i)) << i;
  EXPECT_EQ(net.network.total().drops, net.network.total().linkDrops);
  net.finish(Time::Ms(16));
}

/// Flow 0 has two paths, of 10 and 5 Gb/s; flow 1 shares the first. The sum of log x is largest where both have 7.5
/// Gb/s: 2.5 and 5 for the sub-flows of flow 0.
TEST(Subflows, PooledTheyHaveTheOptimum) {
  Config c = Config::numfabric();
  c.transport = "mptcp";
  c.queues = c.nicQueues = {"stfq"};
  c.set("host.classes", int64_t{1}).set("mptcp.subflows", int64_t{8}).set("host.ack_every", int64_t{1});
  c.set("host.retransmit_timeout", int64_t{0});
  Net net(c);
  for (int i = 0; i < 4; ++i) net.host();
  for (int i = 0; i < 4; ++i) net.sw(static_cast<uint64_t>(i));
  net.link(*net.hosts[0], *net.switches[0], Rate::Gbps(40), Time::Us(1));
  net.link(*net.hosts[1], *net.switches[1], Rate::Gbps(40), Time::Us(1));
  net.link(*net.hosts[2], *net.switches[3], Rate::Gbps(40), Time::Us(1));
  net.link(*net.hosts[3], *net.switches[3], Rate::Gbps(40), Time::Us(1));
  net.link(*net.switches[0], *net.switches[1], Rate::Gbps(40), Time::Us(1));
  net.link(*net.switches[0], *net.switches[2], Rate::Gbps(40), Time::Us(1));
  net.link(*net.switches[1], *net.switches[3], Rate::Gbps(10), Time::Us(1));
  net.link(*net.switches[2], *net.switches[3], Rate::Gbps(5), Time::Us(1));
  for (uint32_t i = 0; i < 2; ++i) {
    FlowSpec f;
    f.id = i;
    f.src = net.hosts[i]->id();
    f.dst = net.hosts[i + 2]->id();
    f.srcPort = static_cast<uint16_t>(1000 + 100 * i);
    f.dstPort = 80;
    f.cls = 0;
    net.flow(f);
  }
  const auto r = rates(net, 2, Time::Ms(10), Time::Ms(30));
  EXPECT_NEAR(r[0], 7500, 375);
  EXPECT_NEAR(r[1], 7500, 375);
}

}  // namespace
}  // namespace fabric
