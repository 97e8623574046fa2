// PFC: thresholds, accounting, headroom, pairing, and that nothing is lost.
#include <gtest/gtest.h>

#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;
using test::Rows;

constexpr uint8_t kData = 1;

/// Two senders and a receiver at one switch; the port towards the receiver is held, so what comes in
/// stays until it is let go.
struct Held : Chain {
  explicit Held(const Config& c) : Chain(c, 2, 1) {
    start();
    lastHop().onPause(kData, true);
  }
  void arrive(int port, uint32_t bytes, int count = 1, uint8_t cls = kData) {
    for (int i = 0; i < count; ++i) {
      Packet* p = network.packets().fresh();
      p->kind = PacketKind::Control;
      p->flow = &dummy;
      p->cls = cls;
      p->dst = receiver().id();
      p->wireBytes = bytes;
      sw().receive(sw().port(static_cast<uint16_t>(port)), p);
    }
  }
  /// Lets packets leave until `n` of them have.
  void leave(uint32_t n) {
    const uint32_t left = lastHop().queuePackets(kData) - n;
    lastHop().onPause(kData, false);
    while (lastHop().queuePackets(kData) > left) engine.run(engine.now() + Time::Ns(1));
    lastHop().onPause(kData, true);
  }
  Switch& sw() { return *switches[0]; }
  bool pausing(int port, uint8_t cls = kData) {
    return sw().buffer().pausing(sw().port(static_cast<uint16_t>(port)), cls);
  }
  int64_t counted(int port) { return sw().buffer().counted(sw().port(static_cast<uint16_t>(port)), kData); }
  uint64_t xoff() const { return network.total().xoffSent; }
  uint64_t xon() const { return network.total().xonSent; }

  Flow dummy;
};

Config pfc(int64_t xoff, int64_t offset = 3000) {
  return Config().set("port.pfc_xoff", xoff).set("port.pfc_xon_offset", offset);
}

TEST(Pfc, StaticThresholdPausesAboveAndResumesBelow) {
  Held net(pfc(20000));
  net.arrive(0, 1000, 20);
  EXPECT_EQ(net.counted(0), 20000);
  EXPECT_FALSE(net.pausing(0));  // at the threshold, not above
  net.arrive(0, 1000);
  EXPECT_TRUE(net.pausing(0));
  EXPECT_EQ(net.xoff(), 1u);
  net.arrive(0, 1000, 5);
  EXPECT_EQ(net.xoff(), 1u);  // told once
  EXPECT_EQ(net.counted(0), 26000);
  net.leave(8);  // 18000, resume is at 17000
  EXPECT_TRUE(net.pausing(0));
  EXPECT_EQ(net.xon(), 0u);
  net.leave(1);
  EXPECT_FALSE(net.pausing(0));
  EXPECT_EQ(net.xon(), 1u);
  net.arrive(0, 1000, 4);
  EXPECT_EQ(net.xoff(), 2u);
}

TEST(Pfc, IngressCountersAreApartByPortAndClass) {
  Held net(pfc(20000));
  net.arrive(0, 1000, 20);
  net.arrive(1, 1000, 20);
  net.lastHop().onPause(0, true);
  net.arrive(0, 1000, 20, 0);
  EXPECT_EQ(net.xoff(), 0u);  // 60 KB wait, no counter is above 20 KB
  net.arrive(1, 1000);
  EXPECT_TRUE(net.pausing(1));
  EXPECT_FALSE(net.pausing(0));
  EXPECT_FALSE(net.pausing(1, 0));
  net.arrive(0, 1000, 1, 0);
  EXPECT_TRUE(net.pausing(0, 0));
  EXPECT_FALSE(net.pausing(0));
}

TEST(Pfc, HeadroomTakesWhatArrivesAfterXoffAndNoMore) {
  Held net(pfc(20000).set("port.headroom", int64_t{5000}));
  net.arrive(0, 1000, 25);
  EXPECT_EQ(net.network.total().drops, 0u);
  net.arrive(0, 1000);
  EXPECT_EQ(net.network.total().drops, 1u);
  EXPECT_EQ(net.counted(0), 25000);
  net.arrive(1, 1000, 25);  // the other port has its own
  EXPECT_EQ(net.network.total().drops, 1u);
  net.network.finish();
  EXPECT_FALSE(net.check("lossless"));
  EXPECT_FALSE(net.network.warnings().empty());
}

/// What a check takes for the longest queue is what one gets to when every sender goes on until it is paused.
TEST(Pfc, TheLongestQueueIsKnownBefore) {
  for (const char* accounting : {"ingress", "egress"}) {
    for (const char* mode : {"static", "dynamic"}) {
      Config c = pfc(200000).set("switch.pfc_accounting", std::string(accounting));
      Held net(c.set("port.pfc_mode", std::string(mode)).set("switch.buffer", int64_t{2000000}));
      const int64_t most = net.sw().mostUnderPfc(net.lastHop(), kData, kData + 1, 1518);
      const int64_t after = net.sw().port(0).arrivesAfterPause(1518);
      for (const int port : {0, 1}) {  // one after the other, each until it is paused and what was under way is there
        while (!net.pausing(port)) net.arrive(port, 1500);
        net.arrive(port, 1500, static_cast<int>(after / 1500) - 2);
      }
      EXPECT_EQ(net.network.total().drops, 0u) << accounting << mode;
      EXPECT_LE(net.lastHop().queueBytes(kData), most) << accounting << mode;
      EXPECT_GE(net.lastHop().queueBytes(kData), most - most / 10) << accounting << mode;
    }
  }
}

TEST(Pfc, DefaultHeadroomFollowsRateAndDelay) {
  // 2 * 100 Gb/s * 1.5 us = 37500 B; three frames of an MTU, a pause frame.
  Held net(pfc(20000));
  EXPECT_EQ(net.sw().port(0).headroom(), 37500 + 3 * 1518 + 64);
}

TEST(Pfc, DefaultHeadroomHasRoomForWhatMechanismsAddToFrames) {
  // HPCC's telemetry: 2 B and 8 B for each of at most eight hops.
  Config c = pfc(20000);
  c.cc = "hpcc";
  c.agents = {"hpcc_int"};
  c.receivers = {"hpcc_echo"};
  Held net(c.set("host.base_rtt", int64_t{12900000}));
  EXPECT_EQ(net.sw().port(0).headroom(), 37500 + 3 * (1518 + 66) + 64);
}

TEST(Pfc, WithoutPfcTheSharedBufferIsTheLimit) {
  Held net(Config().set("port.pfc", false).set("switch.buffer", int64_t{30000}));
  net.arrive(0, 1000, 18);
  net.arrive(1, 1000, 12);
  EXPECT_EQ(net.network.total().drops, 0u);
  net.arrive(1, 1000);
  EXPECT_EQ(net.network.total().drops, 1u);
  EXPECT_EQ(net.xoff(), 0u);
  net.leave(1);
  net.arrive(1, 1000);
  EXPECT_EQ(net.network.total().drops, 1u);
}

TEST(Pfc, ReserveComesBeforeTheSharedPool) {
  // 3 ports * 2 classes * 4000 B of reserve leave 76000 B to share; XOFF counts the shared part.
  Held net(pfc(20000)
               .set("switch.buffer", int64_t{100000 + 6 * 1000})
               .set("switch.reserve", int64_t{4000})
               .set("port.headroom", int64_t{1000}));
  net.arrive(0, 1000, 24);
  EXPECT_FALSE(net.pausing(0));
  net.arrive(0, 1000);
  EXPECT_TRUE(net.pausing(0));
}

TEST(Pfc, DynamicThresholdFollowsTheFreeBuffer) {
  // Pool 60000 B, alpha 1/2. One port alone: pauses at b > (60000 - b) / 2, that is above 20000.
  const Config c = Config()
                       .set("port.pfc_mode", std::string("dynamic"))
                       .set("port.pfc_alpha", 0.5)
                       .set("port.pfc_xon_offset", int64_t{3000})
                       .set("port.headroom", int64_t{10000})
                       .set("switch.buffer", int64_t{60000 + 6 * 10000});
  Held net(c);
  EXPECT_EQ(net.sw().buffer().threshold(net.sw().port(0)), 30000);
  net.arrive(0, 1000, 20);
  EXPECT_EQ(net.sw().buffer().threshold(net.sw().port(0)), 20000);
  EXPECT_FALSE(net.pausing(0));
  net.arrive(0, 1000);
  EXPECT_TRUE(net.pausing(0));
  // The second port finds less: above b > (60000 - counted of both) / 2. The first counts 21000 of which
  // one packet is at most in its headroom; 20000 of the pool are its.
  int n = 0;
  while (!net.pausing(1)) {
    net.arrive(1, 1000);
    ++n;
  }
  // 13 packets: threshold (60000 - 20000 - 13000) / 2 = 13500 (with the first's last packet in the pool 13000).
  EXPECT_EQ(n, 14);
  // As the buffer empties the threshold rises again and both resume.
  net.leave(net.lastHop().queuePackets(kData));
  EXPECT_FALSE(net.pausing(0));
  EXPECT_FALSE(net.pausing(1));
  EXPECT_EQ(net.xon(), 2u);
}

TEST(Pfc, EgressAccountingPausesEveryoneWhoAddsToALongQueue) {
  Held net(pfc(20000).set("switch.pfc_accounting", std::string("egress")));
  net.arrive(0, 1000, 15);
  net.arrive(1, 1000, 5);
  EXPECT_EQ(net.xoff(), 0u);
  net.arrive(1, 1000);  // 21000 in the queue
  EXPECT_TRUE(net.pausing(1));
  EXPECT_FALSE(net.pausing(0));  // it has not added anything since
  net.arrive(0, 1000);
  EXPECT_TRUE(net.pausing(0));
  net.arrive(0, 1000, 3);
  EXPECT_EQ(net.xoff(), 2u);
  net.leave(7);  // 25000 -> 18000, resume is at 17000
  EXPECT_EQ(net.xon(), 0u);
  net.leave(1);
  EXPECT_EQ(net.xon(), 2u);
  EXPECT_FALSE(net.pausing(0));
  EXPECT_FALSE(net.pausing(1));
}

TEST(Pfc, EgressAccountingKeepsAPortInItsHeadroomPaused) {
  // The pool (10000 B) is full long before the egress threshold is reached: the ports are paused by
  // their headroom, and stay so until that is empty.
  Held net(pfc(39000)
               .set("switch.pfc_accounting", std::string("egress"))
               .set("port.headroom", int64_t{5000})
               .set("switch.buffer", int64_t{10000 + 6 * 5000}));
  net.arrive(0, 1000, 10);
  EXPECT_EQ(net.xoff(), 0u);
  net.arrive(1, 1000, 3);  // headroom of port 1
  EXPECT_TRUE(net.pausing(1));
  net.leave(10);  // the packets of port 0
  EXPECT_TRUE(net.pausing(1));
  EXPECT_EQ(net.xon(), 0u);
  net.leave(3);
  EXPECT_FALSE(net.pausing(1));
  EXPECT_EQ(net.xoff(), net.xon());
}

TEST(Pfc, ABufferSmallerThanItsHeadroomIsRefused) {
  Chain net(Config().set("switch.buffer", int64_t{100000}), 2, 1);
  try {
    net.start();
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("switch.buffer"), std::string::npos) << e.what();
  }
}

TEST(Pfc, ThresholdMayChangeDuringARun) {
  Held net(pfc(20000));
  net.arrive(0, 1000, 10);
  net.sw().port(0).set("pfc_xoff", int64_t{10000});
  net.arrive(0, 1000);
  EXPECT_TRUE(net.pausing(0));
}

/// Every sender sends `bytes` to the one receiver at the same time.
struct Incast : Chain {
  Incast(const Config& c, int senders, uint64_t bytes, int switches = 1) : Chain(c, senders, switches) {
    for (int i = 0; i < senders; ++i) flow(i, sender(i), receiver(), bytes);
  }
};

struct PfcIncast : testing::TestWithParam<std::tuple<std::string, std::string, std::string>> {
  Config config() const {
    const auto& [cc, mode, accounting] = GetParam();
    Config c = cc == "hpcc"    ? Config::hpcc()
               : cc == "fncc"  ? Config::fncc()
               : cc == "dcqcn" ? Config::dcqcn()
               : cc == "rocc"  ? Config::rocc()
                               : Config();
    return c.set("port.pfc_mode", mode).set("switch.pfc_accounting", accounting);
  }
};

TEST_P(PfcIncast, LosesNothingAndPairsItsFrames) {
  for (const int64_t xoff : {30000, 100000}) {
    Config c = config().set("port.pfc_xoff", xoff).set("switch.buffer", int64_t{4000000});
    Incast net(c, 12, 200000, 2);
    Rows pauses(6);
    net.network.trace().enable(kPauses, {});
    net.network.trace().addSink(kPauses, &pauses);
    net.finish(Time::Ms(20));
    EXPECT_EQ(net.network.total().drops, 0u);
    EXPECT_EQ(net.network.total().flowsFinished, 12u);
    EXPECT_EQ(net.network.total().dataBytesDelivered, 12u * 200000u);
    EXPECT_EQ(net.network.total().xoffSent, net.network.total().xonSent);  // nothing waits any more
    if (std::get<0>(GetParam()) == "none") {
      EXPECT_GT(net.network.total().xoffSent, 0u);
    }
    // At each port XOFF and XON alternate, as sent and as received.
    std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, int64_t> state;
    uint64_t sent = 0;
    for (const auto& r : pauses.rows) {
      int64_t& last = state[{r[1], r[2], r[3], r[5]}];
      EXPECT_NE(last, r[4]) << "twice the same";
      last = r[4];
      sent += r[5];
    }
    EXPECT_EQ(sent, net.network.total().xoffSent + net.network.total().xonSent);
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, PfcIncast,
                         testing::Combine(testing::Values("none", "hpcc", "fncc", "dcqcn", "rocc"),
                                          testing::Values("static", "dynamic"), testing::Values("ingress", "egress")));

TEST(Pfc, WithoutPfcAnIncastDropsAndGoBackNStillDeliversEveryByte) {
  for (const char* cc : {"none", "dcqcn", "hpcc"}) {
    Config c = std::string(cc) == "hpcc" ? Config::hpcc() : std::string(cc) == "dcqcn" ? Config::dcqcn() : Config();
    if (std::string(cc) == "dcqcn") c.set("red.kmin", int64_t{20000}).set("red.kmax", int64_t{80000});
    Incast net(c.set("port.pfc", false).set("switch.buffer", int64_t{100000}), 6, 300000);
    net.finish(Time::Ms(400));
    EXPECT_GT(net.network.total().drops, 0u) << cc;
    EXPECT_EQ(net.network.total().flowsFinished, 6u) << cc;
    EXPECT_EQ(net.network.total().dataBytesDelivered, 6u * 300000u) << cc;
    EXPECT_GT(net.network.total().retransmittedBytes, 0u) << cc;
    EXPECT_EQ(net.network.packets().live(), 0u) << cc;
  }
}

TEST(Pfc, APauseLongerThanTheTimeoutIsWarnedOf) {
  for (const Time timeout : {Time::Us(100), Time::Ms(1)}) {
    Net net(pfc(20000).set("host.retransmit_timeout", timeout.ps));
    Host& src = net.host();
    Host& dst = net.host();
    Switch& sw = net.sw();
    net.link(src, sw);
    net.link(dst, sw);
    net.flow(0, src, dst, 100000);
    net.start();
    sw.port(1).onPause(kData, true);
    net.run(Time::Us(300));
    sw.port(1).onPause(kData, false);
    net.finish(Time::Ms(2));
    EXPECT_EQ(net.network.total().flowsFinished, 1u);
    EXPECT_EQ(net.network.total().drops, 0u);
    const std::vector<std::string> warnings = net.network.warnings();
    if (timeout > Time::Us(300)) {
      EXPECT_TRUE(warnings.empty());
      continue;
    }
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("were sent again although nothing was dropped"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("host.retransmit_timeout"), std::string::npos);
  }
}

/// Bytes beyond the threshold as a held queue makes `right` pause `left`, while full frames go the other
/// way. `phase` is when those begin.
void overrun(Config c, Time delay, Time phase) {
  c.set("port.pfc_xoff", int64_t{20000}).set("host.retransmit_timeout", int64_t{0});
  c.set("host.ack_every", int64_t{1 << 20}).set("host.base_rtt", Time::Ms(1).ps);  // no ACKs in between
  Net net(c);
  Host& src = net.host();
  Host& sink = net.host();
  Host& blocked = net.host();
  Host& back = net.host();
  Switch& left = net.sw();
  Switch& right = net.sw();
  net.link(left, right, Rate::Gbps(100), delay);
  net.link(src, left, Rate::Gbps(100), delay);
  net.link(sink, left, Rate::Gbps(100), delay);
  net.link(blocked, right, Rate::Gbps(100), delay);
  net.link(back, right, Rate::Gbps(100), delay);
  net.flow(0, src, blocked, 0);
  net.flow(1, back, sink, 0, phase);
  net.start();
  right.port(1).onPause(kData, true);
  net.run(Time::Us(15));
  ASSERT_EQ(net.network.total().drops, 0u) << "phase " << phase.ps;
  ASSERT_GT(net.network.total().xoffSent, 0u);
}

TEST(Pfc, DefaultHeadroomHoldsInTheWorstCase) {
  // As the first frame above the threshold arrives, at 15 * 121.44 ns + 2 * 1515.5 ns, a full frame has
  // just begun to go back, so the pause frame waits for it; and as that arrives another full frame has
  // just begun. The link's length is chosen such that this one only just counts.
  for (int64_t ps = 57500; ps < 58500; ps += 25) overrun(Config(), Time::Ps(1515500), Time::Ps(ps));
  for (int64_t ps = 0; ps < 122000; ps += 2000) {
    overrun(Config(), Time::Ns(1500), Time::Ps(ps));
    overrun(Config::hpcc(), Time::Ns(1500), Time::Ps(ps));
  }
}

}  // namespace fabric
