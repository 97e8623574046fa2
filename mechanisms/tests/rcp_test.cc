// RCP: the router's equation by hand, and flows that share.
#include "mechanisms/rcp/rcp.h"

#include <gtest/gtest.h>

#include "mechanisms/core/port.h"
#include "mechanisms/rcp/rcp_rate.h"
#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;

Config rcp() {
  Config c;
  c.cc = "rcp";
  c.agents = {"rcp_rate"};
  return c;
}

const test::Control kRcp(rcp());

/// The router of a port of 10 Gb/s, whose packets are made by hand.
struct RcpRateTest : testing::Test {
  explicit RcpRateTest(Config c = rcp()) : net(std::move(c), 1, 1, Rate::Gbps(10)) {
    net.start();
    router = net.lastHop().agent<RcpRate>();
    header = net.network.packets().reserve<RcpHeader>(RcpHeader::kName);
  }
  /// A packet that comes and goes; what it says is the rate when it leaves.
  double packet(uint32_t bytes, double rttUs, double asks = 10e9, PacketKind kind = PacketKind::Data) {
    Packet* p = net.network.packets().fresh();
    p->kind = kind;
    p->flowId = 7;
    p->wireBytes = bytes;
    header.claim(*p) = {asks, Time::Ps(static_cast<int64_t>(rttUs * 1e6))};
    router->onEnqueue(*p);
    router->onDequeue(*p);
    const double rate = header(*p).rate;
    net.network.packets().put(p);
    return rate;
  }
  Chain net;
  RcpRate* router;
  PacketExtension<RcpHeader> header;
};

TEST_F(RcpRateTest, PacketsTakeTheLeastRate) {
  EXPECT_DOUBLE_EQ(router->rate(), 0.5e9);
  EXPECT_DOUBLE_EQ(packet(1500, 0), 0.5e9);
  EXPECT_DOUBLE_EQ(packet(1500, 0, 0.1e9), 0.1e9);               // less than here already
  EXPECT_DOUBLE_EQ(packet(66, 0, 10e9, PacketKind::Ack), 10e9);  // an ACK brings back what the data got
}

TEST_F(RcpRateTest, TheRateFollowsWhatIsLeft) {
  packet(1187, 0);
  packet(1188, 0);  // 1.9 Gb/s over 10 us: 7.6 of 9.5 Gb/s are left
  net.run(Time::Us(9));
  EXPECT_DOUBLE_EQ(router->rate(), 0.5e9);
  net.run(Time::Us(10));
  EXPECT_DOUBLE_EQ(router->rate(), 0.5e9 * (1 + 0.4 * 7.6 / 9.5));
  net.run(Time::Us(20));  // nothing has come
  EXPECT_DOUBLE_EQ(router->rate(), 0.5e9 * 1.32 * 1.4);
  net.run(Time::Us(200));
  EXPECT_DOUBLE_EQ(router->rate(), 9.5e9);
  EXPECT_EQ(net.engine.pending(), 0u);  // an idle port has no timer
}

TEST_F(RcpRateTest, AQueueAndTooMuchTrafficLowerIt) {
  net.lastHop().onPause(1, true);
  Packet* waits = net.network.packets().fresh();
  waits->cls = 1;
  waits->wireBytes = 2375;
  waits->dst = net.receiver().id();
  net.lastHop().enqueue(waits);  // tells the router, too
  for (int i = 0; i < 9; ++i) packet(1500, 0);
  net.run(Time::Us(10));
  // y = (2375 + 13500) B / 10 us = 12.7 Gb/s, q / d = 1.9 Gb/s
  EXPECT_DOUBLE_EQ(router->rate(), 0.5e9 * (1 + (0.4 * (9.5 - 12.7) - 0.4 * 1.9) / 9.5));
}

TEST_F(RcpRateTest, LongerRoundTripsCountAtOnceShorterOnesByTheRate) {
  packet(1000, 30);
  packet(3000, 50);  // mean by bytes: 45 us; T / d = 1
  net.run(Time::Us(10));
  EXPECT_NEAR(router->meanRtt(), 45e-6, 1e-18);
  const double rate = 0.5e9 * (1 + 0.4 * (9.5 - 3.2) / 9.5);
  // The rate was renewed with d = 45 us: T / d = 10 / 45.
  EXPECT_DOUBLE_EQ(router->rate(), 0.5e9 * (1 + 10.0 / 45 * 0.4 * (9.5 - 3.2) / 9.5));
  EXPECT_LT(router->rate(), rate);
  const double share = router->rate() / 10e9;
  packet(1000, 9);
  net.run(Time::Us(20));
  EXPECT_NEAR(router->meanRtt(), (45 + 10.0 / 45 * share * 9 / 45 * (9 - 45)) * 1e-6, 1e-15);
}

TEST(Rcp, AFlowBeginsWithAPacketAndThenPacesAtItsRate) {
  Chain net(rcp(), 1, 1, Rate::Gbps(10));
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run(Time::Us(5));
  Flow& f = net.active(net.sender(0), 0);
  EXPECT_EQ(f.packets, 1u);
  net.run(Time::Us(12));
  EXPECT_EQ(f.window, -1);
  EXPECT_EQ(f.rate, Rate::Mbps(500));
  net.run(Time::Ms(1));
  EXPECT_NEAR(static_cast<double>(f.rate.bps), 9.5e9, 0.05 * 9.5e9);  // an interval has 7 packets or 8
}

TEST(Rcp, TheSecondFlowIsHeardOfWithinTensOfRoundTrips) {
  Chain net(rcp(), 2, 1, Rate::Gbps(10), Time::Us(1));
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.flow(1, net.sender(1), net.receiver(), 0, Time::Ms(1));
  // The router does not know how many flows there are: at first it gives both too much, then too little.
  const Time rtt = Time::Us(6);
  Time apart;
  for (Time t = Time::Ms(1) + rtt; t < Time::Ms(2); t += rtt) {
    net.run(t);
    for (int i = 0; i < 2; ++i) {
      const auto rate = static_cast<double>(net.active(net.sender(i), i).rate.bps);
      if (rate < 0.85 * 4.75e9 || rate > 1.15 * 4.75e9) apart = t - Time::Ms(1);
    }
  }
  EXPECT_GT(apart, Time{5 * rtt.ps});
  EXPECT_LT(apart, Time{100 * rtt.ps});
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(static_cast<double>(net.active(net.sender(i), i).rate.bps), 4.75e9, 0.1 * 4.75e9);
  }
  EXPECT_LT(net.lastHop().dataQueueBytes(), 5 * 1518);
}

TEST(Rcp, NothingOfAFlowIsLeftWhenItEnds) {
  Chain net(rcp(), 4, 2);
  for (int i = 0; i < 60; ++i) net.flow(i, net.sender(i % 4), net.receiver(), 1 + 3000 * i, Time::Us(3 * i));
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.network.total().flowsFinished, 60u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST(Rcp, ASenderAloneIsRefused) {
  Config c = rcp();
  c.agents.clear();
  Chain net(c, 1, 1);
  EXPECT_ANY_THROW(net.start());
}

}  // namespace fabric
