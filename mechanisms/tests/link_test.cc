// Links that fail and come back: what is lost, what is forgotten, and where packets go.
#include <gtest/gtest.h>

#include "mechanisms/rocc/rocc_pi.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;
using test::Rows;

constexpr uint8_t kData = 1;

/// Senders - s1 - s2 - receiver; the link between the switches fails.
struct Broken : Chain {
  explicit Broken(const Config& c, int senders = 1) : Chain(c, senders, 2), rows(8) {
    network.trace().enable(kDrops, {});
    network.trace().addSink(kDrops, &rows);
  }
  Port& out() { return *switches[0]->ports().back(); }
  void down(Time from, Time to) {
    network.addLinkEvent(from, out(), false);
    network.addLinkEvent(to, out(), true);
  }
  size_t lostData() const {
    size_t n = 0;
    for (const auto& r : rows.rows) {
      EXPECT_EQ(r[7], static_cast<int64_t>(DropReason::LinkDown));
      n += r[5] == static_cast<int64_t>(PacketKind::Data);
    }
    return n;
  }
  Rows rows;
};

// Three frames of 1518 B are on the link from 1621.44 ns on, one behind the other, and arrive after
// 3242.88, 3364.32 and 3485.76 ns. It is down from 3300 to 3400 ns: the second arrives meanwhile, the
// third was on the link when it went down.
TEST(Link, WhatIsOnItIsLost) {
  Broken net(Config{});
  net.down(Time::Ns(3300), Time::Ns(3400));
  net.flow(0, net.sender(0), net.receiver(), 3 * 1456);
  net.run(Time::Ns(3490));
  EXPECT_EQ(net.lostData(), 2u);
  EXPECT_EQ(net.network.total().linkDrops, 2u);
  EXPECT_FALSE(net.out().down());
  net.finish(Time::Ms(50));
  EXPECT_EQ(net.network.total().linkDrops, 2u) << "what is sent again arrives";
  EXPECT_EQ(net.delivered(0), 3 * 1456);
  EXPECT_EQ(net.retransmitted(0), 2 * 1456);
}

TEST(Link, AnArrivalAtTheTimeItFailsIsLost) {
  Broken net(Config{});
  net.down(Time{3242880}, Time::Ns(3300));
  net.flow(0, net.sender(0), net.receiver(), 1456);
  net.run(Time::Ns(3290));
  EXPECT_EQ(net.lostData(), 1u);
}

// What begins to be sent as the link comes back arrives.
TEST(Link, WhatIsSentAsItComesBackArrives) {
  Broken net(Config{});
  net.down(Time::Ns(1000), Time{1621440});
  net.flow(0, net.sender(0), net.receiver(), 1456);
  net.finish(Time::Us(20));
  EXPECT_EQ(net.network.total().drops, 0u);
  EXPECT_EQ(net.delivered(0), 1456);
}

// Two senders fill the queue before the link and are paused. When it fails the queue is lost, the buffer
// is empty and the senders may go on, into the link that is down.
TEST(Link, WhatWaitsForItIsLost) {
  Broken net(Config().set("port.pfc_xoff", int64_t{50000}), 2);
  net.down(Time::Us(50), Time::Us(60));
  net.flow(0, net.sender(0), net.receiver(), 2000000);
  net.flow(1, net.sender(1), net.receiver(), 2000000);
  net.run(Time::Us(50) - Time::Ns(1));
  const uint32_t waiting = net.out().queuePackets(kData);
  ASSERT_GT(waiting, 30u);
  ASSERT_GT(net.network.total().xoffSent, 0u);
  net.run(Time::Us(50));
  EXPECT_EQ(net.out().queuePackets(kData), 0u);
  EXPECT_EQ(net.out().dataQueueBytes(), 0);
  EXPECT_EQ(net.switches[0]->buffer().used(), 0);
  EXPECT_GE(net.lostData(), waiting);
  net.run(Time::Us(60) - Time::Ns(1));
  EXPECT_EQ(net.out().queuePackets(kData), 0u) << "nothing joins a queue whose link is down";
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.delivered(0), 2000000);
  EXPECT_EQ(net.delivered(1), 2000000);
}

// The second switch pauses the first; the link fails and comes back while it still does. The first
// switch's port forgets the pause at once and has it again from the moment the link is back, so that the
// headroom holds what arrives.
TEST(Link, PausesAreForgottenAndCarriedOver) {
  Broken net(Config().set("port.pfc_xoff", int64_t{20000}));
  net.down(Time::Us(50), Time::Us(60));
  net.flow(0, net.sender(0), net.receiver(), 4000000);
  net.run(Time::Ns(1));
  net.lastHop().onPause(kData, true);  // the receiver, until it is let go
  net.run(Time::Us(50) - Time::Ns(1));
  ASSERT_TRUE(net.out().paused(kData));
  net.run(Time::Us(50));
  EXPECT_FALSE(net.out().paused(kData));
  EXPECT_EQ(net.network.total().xoffForgotten, 1);
  net.run(Time::Us(60));
  EXPECT_TRUE(net.out().paused(kData));
  EXPECT_EQ(net.network.total().xoffForgotten, 0);
  net.run(Time::Us(100));
  EXPECT_TRUE(net.check("lossless"));
  net.lastHop().onPause(kData, false);
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.delivered(0), 4000000);
  EXPECT_FALSE(net.out().paused(kData));
}

/// Host - leaf - two spines - leaf - host.
struct TwoSpines : Net {
  TwoSpines() : Net(Config{}) {
    host();
    host();
    for (int i = 0; i < 4; ++i) sw();
    link(*hosts[0], *switches[0]);
    link(*hosts[1], *switches[1]);
    for (int leaf = 0; leaf < 2; ++leaf) {
      for (int spine = 2; spine < 4; ++spine) link(*switches[leaf], *switches[spine]);
    }
  }
  /// The first leaf's port towards a spine that has sent data.
  Port& used() {
    Port& first = switches[0]->port(1);
    return first.sentDataBytes() > 0 ? first : switches[0]->port(2);
  }
};

// Until the routes follow, packets go to the link that is down; then all go over the other spine.
TEST(Link, RoutesFollow) {
  TwoSpines probe;
  probe.flow(0, *probe.hosts[0], *probe.hosts[1], 0, Time{}, Time::Us(100));
  probe.run(Time::Us(10));
  const uint16_t taken = probe.used().index(), other = taken == 1 ? 2 : 1;

  TwoSpines net;
  Port& port = net.switches[0]->port(taken);
  net.network.addLinkEvent(Time::Us(20), port, false);
  std::vector<Network::RouteEntry> routes;
  for (uint32_t dst = 0; dst < 2; ++dst) {
    for (uint32_t leaf = 0; leaf < 2; ++leaf) {
      routes.push_back({2 + leaf, dst, {dst == leaf ? uint16_t{0} : other}});
      routes.push_back({4 + (other - 1u), dst, {static_cast<uint16_t>(dst)}});
    }
  }
  net.network.addRouteChange(Time::Us(30), routes);
  net.flow(0, *net.hosts[0], *net.hosts[1], 0, Time{}, Time::Us(100));
  net.run(Time::Us(30));
  const uint64_t lost = net.network.total().linkDrops;
  EXPECT_GT(lost, 70u);  // 82 frames in 10 us, and those on the link
  const uint64_t sent = port.sentDataBytes();
  net.run(Time::Us(40));
  EXPECT_EQ(port.sentDataBytes(), sent);
  EXPECT_GT(net.switches[0]->port(other).sentDataBytes(), 0u);
  EXPECT_EQ(net.network.total().linkDrops, lost);
  net.finish(Time::Ms(50));
}

TEST(Link, RoccForgetsTheFlowsOfALostQueue) {
  Broken net(Config::rocc(), 2);
  net.down(Time::Us(50), Time::Us(60));
  net.flow(0, net.sender(0), net.receiver(), 2000000);
  net.flow(1, net.sender(1), net.receiver(), 2000000);
  net.run(Time::Us(50) - Time::Ns(1));
  const auto& agent = *net.out().agent<RoccPi>();
  ASSERT_EQ(agent.flows(), 2u);
  net.run(Time::Us(50));
  EXPECT_EQ(agent.flows(), 0u);
}

TEST(Link, OnlySwitchesHaveRoutes) {
  Broken net(Config{});
  EXPECT_THROW(net.network.addRouteChange(Time::Us(1), {{net.sender(0).id(), 0, {0}}}), std::invalid_argument);
}

}  // namespace fabric
