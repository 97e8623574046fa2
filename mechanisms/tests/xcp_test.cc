// XCP: the controllers' equations packet by packet, and what they lead to.
#include "mechanisms/xcp/xcp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"
#include "mechanisms/xcp/xcp_router.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;

namespace {

Config xcp() {
  Config c;
  c.transport = "tcp";
  c.cc = "xcp";
  c.queues = c.nicQueues = {"fifo"};
  c.agents = c.nicAgents = {"xcp_router"};
  c.set("host.classes", int64_t{1}).set("host.header_bytes", int64_t{82}).set("host.ack_bytes", int64_t{82});
  c.set("port.pfc", false).set("round_robin.backlog", int64_t{1} << 30);
  return c.set("tcp.min_rto", Time::Ms(1).ps).set("tcp.initial_rto", Time::Ms(1).ps);
}

FlowSpec endless(uint32_t id, const Host& from, const Host& to, Time start = {}) {
  FlowSpec f;
  f.id = id;
  f.src = from.id();
  f.dst = to.id();
  f.start = start;
  f.srcPort = static_cast<uint16_t>(1000 + id);
  f.cls = 0;
  return f;
}

/// The routers keep the windows after the first one in bounds.
Config xcpOverLosses() {
  Config c = test::lossyTcp("xcp");
  c.agents = {"xcp_router"};
  return c.set("xcp.initial_window", int64_t{30});
}
const test::Control kXcp(xcpOverLosses());

/// Rates of payload between two times, as shares of 10 Gb/s of wire.
template <class N>
std::vector<double> shares(N& net, const std::vector<Host*>& senders, Time from, Time until) {
  net.run(from);
  std::vector<double> list;
  for (size_t i = 0; i < senders.size(); ++i) list.push_back(net.active(*senders[i], static_cast<uint32_t>(i)).sndUna);
  net.run(until);
  for (size_t i = 0; i < senders.size(); ++i) {
    const double bytes = static_cast<double>(net.active(*senders[i], static_cast<uint32_t>(i)).sndUna) - list[i];
    list[i] = bytes * 8 / (static_cast<double>((until - from).ps) * 1e-12) / 10e9 * 1518 / 1436;
  }
  return list;
}

}  // namespace

/// The router of a port of 10 Gb/s, packets put before it by hand. Round trips of 100 us, as its first interval.
struct XcpRouterTest : testing::Test {
  XcpRouterTest() : net(xcp(), 1, 1, Rate::Gbps(10), Time::Us(10)) {
    net.start();
    header = *net.network.packets().find<XcpHeader>(XcpHeader::kName);
    packet = net.network.packets().fresh();
    packet->wireBytes = 1500;
  }
  ~XcpRouterTest() override { net.network.packets().put(packet); }
  XcpRouter& router() { return *net.lastHop().agent<XcpRouter>(); }
  void come(Time at, double cwnd, Time rtt = Time::Us(100)) {
    net.engine.run(at);
    header.claim(*packet) = {cwnd, rtt, 0};
    router().onEnqueue(*packet);
  }
  double leave(double cwnd, double asked, Time rtt = Time::Us(100)) {
    header.claim(*packet) = {cwnd, rtt, asked};
    router().onDequeue(*packet);
    return header(*packet).feedback;
  }
  Chain net;
  PacketExtension<XcpHeader> header;
  Packet* packet = nullptr;
};

TEST_F(XcpRouterTest, SpareBandwidthIsGivenInEqualParts) {
  // Two flows, 10 packets of 15 KB and 5 of 7.5 KB windows in 100 us: 225 MB/s of 1.25 GB/s.
  for (int i = 0; i < 10; ++i) come(Time::Us(10 * i), 15000);
  for (int i = 0; i < 5; ++i) come(Time::Us(91 + i), 7500);
  net.engine.run(Time::Us(101));
  EXPECT_NEAR(router().meanRtt(), 100e-6, 1e-12);
  const double phi = 0.4 * 100e-6 * (1.25e9 - 225e6);
  EXPECT_NEAR(router().aggregate(), phi, 1e-6);
  // gamma y d = 2250 B is less than phi: nothing is shuffled. Each flow is to have half of it in its packets.
  EXPECT_NEAR(leave(15000, 1e9), phi / 2 / 10, 1e-6);
  EXPECT_NEAR(leave(7500, 1e9), phi / 2 / 5, 1e-6);
  EXPECT_EQ(leave(15000, 5), 5) << "one that asks for less gets that";
  EXPECT_EQ(leave(15000, -5), -5);
}

TEST_F(XcpRouterTest, DataOfOthersIsTrafficAndSaysNothing) {
  for (int i = 0; i < 10; ++i) come(Time::Us(10 * i), 15000);
  packet->filled = 0;  // what it has is from when it was another one's
  for (int i = 0; i < 10; ++i) router().onEnqueue(*packet);
  router().onDequeue(*packet);
  EXPECT_EQ(header(*packet).feedback, 0);
  net.engine.run(Time::Us(101));
  EXPECT_NEAR(router().meanRtt(), 100e-6, 1e-12);
  EXPECT_NEAR(router().aggregate(), 0.4 * 100e-6 * (1.25e9 - 300e6), 1e-6);
  EXPECT_NEAR(leave(15000, 1e9), router().aggregate() / 10, 1e-6) << "shared by the ten that have a header";
}

TEST_F(XcpRouterTest, NoMoreIsGivenThanThereIs) {
  for (int i = 0; i < 10; ++i) come(Time::Us(10 * i), 15000);
  net.engine.run(Time::Us(101));
  const double phi = router().aggregate();
  double given = 0;
  for (int i = 0; i < 30; ++i) given += leave(15000, 1e9);
  EXPECT_NEAR(given, phi, 1e-6);
}

TEST_F(XcpRouterTest, AFullLinkIsShuffledFromLargeToSmall) {
  // 125 KB in 100 us, the link's rate: phi = 0. One flow has 80 of 83 packets, another one 3.
  for (int i = 0; i < 80; ++i) come(Time::Ns(1200 * i), 120000);
  for (int i = 0; i < 3; ++i) come(Time::Us(97 + i), 4500);
  net.engine.run(Time::Us(101));
  EXPECT_NEAR(router().aggregate(), 0.4 * 100e-6 * (1.25e9 - 1.245e9), 1e-6);
  const double shuffled = 0.1 * 124500 - router().aggregate();
  const double up = shuffled + router().aggregate();
  const double large = leave(120000, 1e9), small = leave(4500, 1e9);
  EXPECT_NEAR(large, up / 2 / 80 - shuffled / 83, 1e-6);
  EXPECT_NEAR(small, up / 2 / 3 - shuffled / 83, 1e-6);
  EXPECT_LT(large, 0);
  EXPECT_GT(small, 0);
}

TEST_F(XcpRouterTest, AnOverloadIsTakenAwayInProportionToRates) {
  // 250 KB in 100 us: twice the link's rate.
  for (int i = 0; i < 160; ++i) come(Time::Ns(600 * i), 200000);
  net.engine.run(Time::Us(101));
  const double rate = 240000 / 100e-6;
  const double phi = 0.4 * 100e-6 * (1.25e9 - rate);
  EXPECT_NEAR(router().aggregate(), phi, 1e-3);
  EXPECT_NEAR(leave(200000, 1e9), phi / 160, 1e-3) << "per packet, whatever its flow's window";
  EXPECT_NEAR(leave(3000, 1e9), phi / 160, 1e-3);
}

TEST_F(XcpRouterTest, TheFirstPacketOfAFlowChangesNothing) {
  for (int i = 0; i < 10; ++i) come(Time::Us(10 * i), 15000);
  net.engine.run(Time::Us(101));
  EXPECT_EQ(leave(1500, 0, Time{0}), 0);
}

TEST_F(XcpRouterTest, AnIdlePortForgets) {
  come(Time::Us(0), 15000);
  net.engine.run(Time::Us(500));
  EXPECT_EQ(leave(15000, 1e9), 0);
  EXPECT_EQ(router().aggregate(), 0);
}

// ---------------------------------------------------------------- networks

TEST(Xcp, OneFlowTakesTheLinkAndLeavesNoQueue) {
  Chain net(xcp(), 1, 1, Rate::Gbps(10), Time::Us(10));
  net.flow(endless(0, net.sender(0), net.receiver()));
  const auto share = shares(net, {net.hosts[0]}, Time::Ms(5), Time::Ms(15));
  EXPECT_GT(share[0], 0.97);
  EXPECT_LT(net.lastHop().queueBytes(0), 10000);
  EXPECT_EQ(net.network.total().drops, 0u);
}

TEST(Xcp, FlowsShareABottleneckAndANewOneGetsItsPart) {
  Chain net(xcp(), 4, 1, Rate::Gbps(10), Time::Us(20));
  std::vector<Host*> senders;
  for (uint32_t i = 0; i < 4; ++i) {
    senders.push_back(net.hosts[i]);
    net.flow(endless(i, *net.hosts[i], net.receiver(), i == 3 ? Time::Ms(10) : Time{0}));
  }
  int64_t longest = 0;
  for (Time t = Time::Ms(5); t < Time::Ms(10); t += Time::Us(10)) {
    net.run(t);
    longest = std::max(longest, net.lastHop().queueBytes(0));
  }
  EXPECT_LT(longest, 30000) << "a fifth of a bandwidth-delay product";
  double sum = 0;
  for (const double s : shares(net, senders, Time::Ms(30), Time::Ms(60))) {
    EXPECT_NEAR(s, 0.25, 0.0125);
    sum += s;
  }
  EXPECT_GT(sum, 0.97);
  EXPECT_EQ(net.network.total().drops, 0u);
}

TEST(Xcp, ParkingLot) {
  // Three links in a row; flow 0 takes them all, each of the others one.
  Net net(xcp());
  for (int i = 0; i < 8; ++i) net.host();
  for (int i = 0; i < 4; ++i) net.sw();
  for (int i = 0; i < 3; ++i) net.link(*net.switches[i], *net.switches[i + 1], Rate::Gbps(10), Time::Us(10));
  const auto at = [&](int host, int sw) {
    net.link(*net.hosts[host], *net.switches[sw], Rate::Gbps(10), Time::Us(10));
  };
  at(0, 0);
  at(1, 3);
  for (int i = 0; i < 3; ++i) {
    at(2 + i, i);
    at(5 + i, i + 1);
  }
  net.flow(endless(0, *net.hosts[0], *net.hosts[1]));
  std::vector<Host*> senders{net.hosts[0]};
  for (uint32_t i = 0; i < 3; ++i) {
    net.flow(endless(1 + i, *net.hosts[2 + i], *net.hosts[5 + i]));
    senders.push_back(net.hosts[2 + i]);
  }
  const auto share = shares(net, senders, Time::Ms(50), Time::Ms(100));
  // Max-min fair: half of every link; the shuffling keeps a little back from the flow of many links.
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_NEAR(share[0] + share[i], 1, 0.02) << i;
    EXPECT_NEAR(share[i], 0.5, 0.02) << i;
  }
  EXPECT_NEAR(share[0], 0.5, 0.02);
}

TEST(Xcp, TheWindowIsWhatTheRoutersSay) {
  Chain net(xcp(), 1, 1, Rate::Gbps(10), Time::Us(10));
  net.flow(endless(0, net.sender(0), net.receiver()));
  net.run(Time::Us(1));
  Flow& f = net.active(net.sender(0), 0);
  auto& cc = static_cast<Xcp&>(net.sender(0).congestionControl());
  const auto header = *net.network.packets().find<XcpHeader>(XcpHeader::kName);
  Packet* p = net.network.packets().fresh();
  const auto ack = [&](double feedback) {
    header(*p).feedback = feedback;
    cc.onAck(f, *p);
    return cc.window(f);
  };
  EXPECT_EQ(cc.window(f), 1518);
  EXPECT_EQ(ack(3036), 4554);
  EXPECT_EQ(f.window, 3 * 1436);
  EXPECT_EQ(ack(-1000), 3554);
  EXPECT_EQ(f.window, 3554 * 1436 / 1518);
  EXPECT_EQ(ack(-1e9), 1518) << "never below a packet";
  ack(9 * 1518);
  cc.onRecovery(f, 0);
  EXPECT_EQ(cc.window(f), 5 * 1518);
  p->wireBytes = 759;
  cc.onSend(f, *p);
  EXPECT_EQ(header(*p).rtt.ps, 0);
  EXPECT_EQ(header(*p).feedback, 0) << "no round trip, nothing to ask for";
  Acked a;
  a.srtt = Time::Us(50);
  cc.onAcked(f, a);
  cc.onSend(f, *p);
  EXPECT_EQ(header(*p).rtt, Time::Us(50));
  EXPECT_EQ(header(*p).cwnd, 5 * 1518);
  EXPECT_NEAR(header(*p).feedback, (62500 - 5 * 1518) * 0.1, 1e-9) << "its part of 10 Gb/s times 50 us";
  cc.onTimeout(f, 0, false);
  EXPECT_EQ(cc.window(f), 1518);
  net.network.packets().put(p);
}

TEST(Xcp, RefusesWhatItCannotWorkWith) {
  Config other = xcp();
  other.transport = "go_back_n";
  EXPECT_THROW(Chain(other, 1, 1).start(), ParamError);
  Config alone = xcp();
  alone.agents = alone.nicAgents = {};
  EXPECT_THROW(Chain(alone, 1, 1).start(), ParamError) << "no router";
  Config late = xcp();
  late.set("host.ack_every", int64_t{2});
  EXPECT_THROW(Chain(late, 1, 1).start(), ParamError);
}

TEST(Xcp, GoesOnAfterLosses) {
  Config c = xcp();
  c.queues = {"fifo"};
  c.set("fifo.limit", int64_t{6000});
  Chain net(c, 6, 1, Rate::Gbps(10), Time::Us(10));
  for (uint32_t i = 0; i < 6; ++i) {
    FlowSpec f = endless(i, *net.hosts[i], net.receiver());
    f.size = 2000000;
    net.flow(f);
  }
  net.finish(Time::Ms(200));
  EXPECT_GT(net.network.total().drops, 0u);
  EXPECT_EQ(net.network.total().flowsFinished, 6u);
}

}  // namespace fabric
