// What cannot get on: rings of switches whose PFC pauses close a cycle, dead hosts, classes that starve.
#include <gtest/gtest.h>

#include "mechanisms/core/deadlock.h"
#include "mechanisms/tests/net.h"

namespace fabric {
namespace {

using test::Chain;
using test::Config;
using test::Net;

Config lossless() { return Config().set("port.pfc_xoff", int64_t{50000}).set("host.retransmit_timeout", int64_t{0}); }

/// A host at each switch of a ring; flows go two links clockwise.
struct Ring : Net {
  explicit Ring(const Config& c, int n = 5) : Net(c) {
    for (int i = 0; i < n; ++i) host();
    for (int i = 0; i < n; ++i) sw();
    for (int i = 0; i < n; ++i) link(*hosts[i], *switches[i], Rate::Gbps(100), Time::Us(1));
    for (int i = 0; i < n; ++i) link(*switches[i], *switches[(i + 1) % n], Rate::Gbps(100), Time::Us(1));
  }
  void clockwise(int from, int links, uint64_t size, uint32_t id) {
    flow(id, *hosts[from], *hosts[(from + links) % static_cast<int>(hosts.size())], size);
  }
  bool says(const std::string& text) const {
    for (const std::string& w : network.warnings()) {
      if (w.find(text) != std::string::npos) return true;
    }
    return false;
  }
  std::string warnings() const {
    std::string all;
    for (const std::string& w : network.warnings()) all += w + "\n";
    return all;
  }
};

/// Every flow wants two links of a ring of five, two flows want each link: all buffers fill, each waits for the next.
struct DeadRing : Ring {
  explicit DeadRing(const Config& c) : Ring(c) {
    for (int i = 0; i < 5; ++i) {
      clockwise(i, 2, 5000000, static_cast<uint32_t>(2 * i));
      clockwise(i, 2, 5000000, static_cast<uint32_t>(2 * i + 1));
    }
    network.stopWhenFlowsFinish(true);
    network.stopAt(Time::Ms(10));
  }
};

void expectDeadlock(DeadRing& net) {
  net.finish(Time::Ms(10));
  const Standstill& s = net.network.standstill();
  ASSERT_EQ(s.cycles().size(), 1u);
  std::vector<std::string> names;
  for (const Place& p : s.cycles()[0].places) names.push_back(nameOf(p));
  EXPECT_EQ(names, (std::vector<std::string>{"s5->s6 class 1", "s6->s7 class 1", "s7->s8 class 1", "s8->s9 class 1",
                                             "s9->s5 class 1"}));
  EXPECT_GT(s.cycles()[0].since, Time::Us(5));
  EXPECT_LT(s.cycles()[0].since, Time::Us(200));  // 5 MB take 400 us
  EXPECT_EQ(s.paused().size(), 10u);              // the five hosts as well
  EXPECT_TRUE(s.dead().empty());
  EXPECT_TRUE(s.starving().empty());
  EXPECT_TRUE(net.says("PFC deadlock since")) << net.warnings();
  EXPECT_TRUE(
      net.says("10 of 10 measured flows had not finished when the run ended: 10 held by the deadlock; more "
               "time does not help them"))
      << net.warnings();
  EXPECT_FALSE(net.says("give it more time")) << net.warnings();
}

TEST(Deadlock, RingOfPausedPortsIsNamed) {
  DeadRing net(lossless());
  expectDeadlock(net);
}

TEST(Deadlock, IsFoundWithADynamicThreshold) {
  Config c = lossless();
  c.set("port.pfc_mode", std::string("dynamic")).set("port.pfc_alpha", 0.0625).set("switch.buffer", int64_t{1500000});
  DeadRing net(c);
  expectDeadlock(net);
}

TEST(Deadlock, IsFoundWhereQueuesPauseThosePortsThatFillThem) {
  DeadRing net(lossless().set("switch.pfc_accounting", std::string("egress")));
  net.finish(Time::Ms(10));
  EXPECT_EQ(net.network.standstill().cycles().size(), 1u) << net.warnings();
}

TEST(Deadlock, EndsTheRunWhereThatIsAskedFor) {
  DeadRing net(lossless());
  net.network.stopAtDeadlock(true);
  net.network.stopAt(Time::Ms(10));
  net.finish(Time::Ms(10));
  EXPECT_TRUE(net.engine.stopped());
  EXPECT_EQ(net.engine.now().ps % Time::Us(100).ps, 0);
  EXPECT_LT(net.engine.now(), Time::Us(400));
  EXPECT_EQ(net.network.standstill().cycles().size(), 1u);
}

TEST(Deadlock, DoesNotEndARunThatHasNoEnd) {
  Ring net(lossless());
  net.network.stopAtDeadlock(true);
  try {
    net.start();
    ADD_FAILURE() << "was not refused";
  } catch (const std::logic_error& e) {
    EXPECT_NE(std::string(e.what()).find("set a time for its end, too"), std::string::npos) << e.what();
  }
}

/// Two links of each flow of a ring, but flows of one link only: pauses go around, and all resume.
TEST(Deadlock, PausesThatEndAreNone) {
  Ring net(lossless());
  for (int i = 0; i < 5; ++i) {
    net.clockwise(i, 1, 2000000, static_cast<uint32_t>(2 * i));
    net.clockwise(i, 1, 2000000, static_cast<uint32_t>(2 * i + 1));
  }
  net.flow(20, *net.hosts[0], *net.hosts[2], 2000000);
  net.flow(21, *net.hosts[1], *net.hosts[2], 2000000);
  net.network.stopAtDeadlock(true);
  net.network.stopAt(Time::Ms(10));
  net.finish(Time::Ms(10));
  EXPECT_GT(net.network.total().xoffSent, 0u);
  EXPECT_FALSE(net.network.standstill().any()) << net.warnings();
  for (uint32_t id : {0u, 9u, 20u, 21u}) EXPECT_GE(net.end(id), 0) << id;
}

/// In the middle of an incast nearly all are paused, and nobody for good.
TEST(Deadlock, IncastIsNone) {
  Chain net(lossless(), 8, 3);
  for (int i = 0; i < 8; ++i) net.flow(static_cast<uint32_t>(i), net.sender(i), net.receiver(), 5000000);
  net.finish(Time::Us(500));
  uint32_t paused = 0;
  for (int i = 0; i < 8; ++i) paused += net.sender(i).nic().paused(1);
  EXPECT_GT(paused, 0u);
  EXPECT_FALSE(net.network.standstill().any());
}

TEST(DeadHost, ThatDoesNotComeBackIsNamed) {
  Ring net(Config{});
  net.clockwise(0, 1, 5000000, 0);
  net.clockwise(2, 1, 1000, 1);
  net.network.addHostEvent(Time::Us(50), *net.hosts[1], false);
  net.network.stopWhenFlowsFinish(true);
  net.network.stopAt(Time::Ms(5));
  net.finish(Time::Ms(5));
  const auto& dead = net.network.standstill().dead();
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].host, net.hosts[1]);
  EXPECT_EQ(dead[0].since, Time::Us(50));
  EXPECT_TRUE(net.says("host h1 is dead for good: it has no link since 50us")) << net.warnings();
  EXPECT_TRUE(
      net.says("1 of 2 measured flows had not finished when the run ended: 1 from or to a host that is dead "
               "for good; more time does not help them"))
      << net.warnings();
}

TEST(DeadHost, ThatComesBackLaterIsNotDeadForGood) {
  Ring net(Config{});
  net.clockwise(0, 1, 5000000, 0);
  net.network.addHostEvent(Time::Us(50), *net.hosts[1], false);
  net.network.addHostEvent(Time::Ms(6), *net.hosts[1], true);
  net.network.stopWhenFlowsFinish(true);
  net.network.stopAt(Time::Ms(5));
  net.finish(Time::Ms(5));
  EXPECT_FALSE(net.network.standstill().any());
  EXPECT_TRUE(net.says("1 of 1 measured flows had not finished when the run ended: give it more time to drain"));
}

TEST(DeadHost, FlowsThatNeverEndDoNotWaitForIt) {
  Ring net(Config{});
  net.clockwise(0, 1, 0, 0);
  net.network.addHostEvent(Time::Us(50), *net.hosts[1], false);
  net.network.stopAt(Time::Ms(1));
  net.finish(Time::Ms(1));
  EXPECT_FALSE(net.network.standstill().any()) << net.warnings();
}

TEST(DeadHost, WithoutFlowsIsNobodysTrouble) {
  Ring net(Config{});
  net.clockwise(0, 1, 50000000, 0);
  net.network.addHostEvent(Time::Us(50), *net.hosts[3], false);
  net.network.stopAt(Time::Ms(1));
  net.finish(Time::Ms(1));
  EXPECT_FALSE(net.network.standstill().any());
}

Config threeClasses() {
  Config c = lossless();
  c.queues = {"fifo", "fifo", "fifo"};
  return c.set("host.classes", int64_t{3});
}

FlowSpec ofClass(uint32_t id, const Host& src, const Host& dst, uint8_t cls, Time start) {
  FlowSpec f;
  f.id = id;
  f.src = src.id();
  f.dst = dst.id();
  f.cls = cls;
  f.size = id == 9 ? 100000 : 1000000000;
  f.start = start;
  f.srcPort = static_cast<uint16_t>(1000 + id);
  f.dstPort = 4791;
  return f;
}

/// Class 1 of one host takes the link to the receiver, class 2 of another one gets nothing of it.
TEST(Starvation, AtASwitchIsNoDeadlock) {
  Chain net(threeClasses(), 2, 1);
  net.flow(ofClass(1, net.sender(0), net.receiver(), 1, Time{0}));
  net.flow(ofClass(9, net.sender(1), net.receiver(), 2, Time::Us(20)));
  net.network.stopWhenFlowsFinish(true);
  net.network.stopAt(Time::Ms(4));
  net.finish(Time::Ms(4));
  const Standstill& s = net.network.standstill();
  EXPECT_TRUE(s.cycles().empty());
  EXPECT_TRUE(s.paused().empty());
  ASSERT_EQ(s.starving().size(), 1u);
  EXPECT_EQ(nameOf(s.starving()[0].place), "s3->h2 class 2");
  EXPECT_EQ(s.starving()[0].since, Time::Ms(2));
  const std::vector<std::string> warnings = net.network.warnings();
  EXPECT_EQ(warnings[0],
            "s3->h2 class 2 starves: nothing of it has left since 2ms, for 2ms, while "
            "classes above it took the link");
}

/// Two flows of one host: the flow of class 2 never sends.
TEST(Starvation, AtANic) {
  Chain net(threeClasses(), 1, 1);
  net.flow(ofClass(1, net.sender(0), net.receiver(), 1, Time{0}));
  net.flow(ofClass(9, net.sender(0), net.receiver(), 2, Time::Us(20)));
  net.network.stopAt(Time::Ms(4));
  net.finish(Time::Ms(4));
  ASSERT_EQ(net.network.standstill().starving().size(), 1u);
  EXPECT_EQ(nameOf(net.network.standstill().starving()[0].place), "h0->s2 class 2");
}

/// A run that ends soon after its middle has not shown that anything starves.
TEST(Starvation, TakesAWhile) {
  Chain net(threeClasses(), 2, 1);
  net.flow(ofClass(1, net.sender(0), net.receiver(), 1, Time{0}));
  net.flow(ofClass(9, net.sender(1), net.receiver(), 2, Time::Us(20)));
  net.network.stopAt(Time::Ms(4));
  net.finish(Time::Us(2900));
  EXPECT_FALSE(net.network.standstill().any());
}

/// A flow that has not sent anything yet does not take the link from others.
TEST(Starvation, IsByWhatHasSent) {
  Chain net(threeClasses(), 1, 1);
  net.flow(ofClass(1, net.sender(0), net.receiver(), 1, Time{0}));
  net.flow(ofClass(9, net.sender(0), net.receiver(), 2, Time::Us(20)));
  net.flow(ofClass(2, net.sender(0), net.receiver(), 2, Time::Ms(3)));
  net.network.stopAt(Time::Ms(4));
  net.finish(Time::Ms(4));
  ASSERT_EQ(net.network.standstill().starving().size(), 1u);
  EXPECT_EQ(nameOf(net.network.standstill().starving()[0].place), "h0->s2 class 2");
}

/// Two flows that share a class wait for long, and both go on; a class that is paused is not starved of its turn.
TEST(Starvation, AQueueThatIsLongDoesNotStarve) {
  Chain net(threeClasses(), 2, 1);
  net.flow(ofClass(1, net.sender(0), net.receiver(), 1, Time{0}));
  net.flow(ofClass(2, net.sender(1), net.receiver(), 1, Time::Us(20)));
  net.network.stopAt(Time::Ms(4));
  net.finish(Time::Ms(4));
  EXPECT_FALSE(net.network.standstill().any());
}

}  // namespace
}  // namespace fabric
