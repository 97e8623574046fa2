// The NIC: sharing, pacing, windows, acknowledgements, go-back-N, ends of flows.
#include "mechanisms/core/host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;
using test::Rows;

const test::Control kNone{Config()};

/// A congestion control that does what the test says.
class Manual final : public CongestionControl {
 public:
  static const Description& describe() {
    static const Description d = Describe<Manual>("manual", Kind::CongestionControl, "manual")
                                     .help("For tests.")
                                     .source("test")
                                     .param("rate", &Manual::rate, Rate::Gbps(100), "pacing rate", "test")
                                     .range(1, 1e12)
                                     .param("window", &Manual::window, Bytes{0}, "0 = none", "test")
                                     .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& f) override {
    f.rate = rate;
    f.window = window.n == 0 ? -1 : window.n;
  }
  void onAck(Flow&, const Packet& p) override { acks.push_back(p.seq); }
  void onLoss(Flow&) override { ++losses; }

  Rate rate;
  Bytes window;
  std::vector<uint64_t> acks;
  int losses = 0;
};
FABRIC_REGISTER(Manual);

/// Drops the data packets whose numbers, in the order of their coming, are listed.
class Thief final : public Queue {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<Thief>("thief", Kind::Queue, "thief").help("For tests.").source("test").done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool enqueue(Packet* p, int64_t) override {
    if (p->kind == PacketKind::Data || !dataOnly) {
      if (std::find(wanted.begin(), wanted.end(), seen++) != wanted.end()) return false;
    }
    list_.push(p);
    return true;
  }
  Packet* dequeue() override { return list_.empty() ? nullptr : list_.pop(); }

  std::vector<int> wanted;
  bool dataOnly = true;
  int seen = 0;

 private:
  PacketList list_;
};
FABRIC_REGISTER(Thief);

Config manual(Rate rate = Rate::Gbps(100), int64_t window = 0) {
  Config c;
  c.cc = "manual";
  return c.set("manual.rate", rate.bps).set("manual.window", window);
}
Manual& control(const Host& h) { return static_cast<Manual&>(h.congestionControl()); }

/// A lossy chain whose last hop loses the data packets listed.
struct Lossy : Chain {
  Lossy(Config c, std::vector<int> lost) : Chain(configure(std::move(c)), 1, 1) {
    static_cast<Thief*>(lastHop().queues()[1])->wanted = std::move(lost);
  }
  static Config configure(Config c) {
    c.queues = {"fifo", "thief"};
    return c.set("port.pfc", false);
  }
};

constexpr int64_t kPayload = 1518 - 62;

TEST(Host, PacketsAreCutPaddedAndNumbered) {
  Chain net(Config(), 1, 1);
  net.engine.recordSends = true;
  net.flow(0, net.sender(0), net.receiver(), 2 * kPayload + 1);
  net.finish(Time::Us(100));
  std::vector<uint32_t> data;
  for (const auto& s : net.engine.sends) {
    if (s.from == &net.sender(0).nic()) data.push_back(s.bytes);
  }
  EXPECT_EQ(data, (std::vector<uint32_t>{1518, 1518, 64}));  // 1 + 62 B are padded
  EXPECT_EQ(net.delivered(0), 2 * kPayload + 1);
  EXPECT_EQ(net.network.total().flowsFinished, 1u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST(Host, QueuePairsTakeTurns) {
  Chain net(Config(), 1, 1);
  net.network.trace().enable(kPackets, {});
  Rows rows(10);
  net.network.trace().addSink(kPackets, &rows);
  for (int i = 0; i < 3; ++i) net.flow(i, net.sender(0), net.receiver(), 10 * kPayload);
  net.finish(Time::Us(100));
  std::vector<int64_t> order;
  for (const auto& r : rows.rows) {
    if (r[1] == net.sender(0).id() && r[3] == static_cast<int>(PacketEvent::Dequeue)) order.push_back(r[4]);
  }
  ASSERT_EQ(order.size(), 30u);
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<int64_t>(i % 3)) << i;
}

TEST(Host, AFlowThatComesLaterTakesItsTurnToo) {
  Chain net(Config(), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.flow(1, net.sender(0), net.receiver(), 0, Time::Us(10));
  net.run(Time::Us(10));
  const uint64_t before = net.active(net.sender(0), 0).packets;
  net.run(Time::Us(110));
  const uint64_t a = net.active(net.sender(0), 0).packets - before, b = net.active(net.sender(0), 1).packets;
  EXPECT_LE(a > b ? a - b : b - a, 1u);
  EXPECT_NEAR(static_cast<double>(a + b), 100e-6 * 100e9 / 8 / 1518, 2);
}

/// A flow at line rate may send again at once, a paced one only after its gap: that must not give the
/// first more than its turn while all three have something to send.
TEST(Host, AFlowAtLineRateGetsNoMoreThanItsTurn) {
  Chain net(manual(), 1, 1);
  for (int i = 0; i < 3; ++i) net.flow(i, net.sender(0), net.receiver(), 0);
  net.run(Time::Us(1));
  for (int i = 0; i < 2; ++i) net.active(net.sender(0), i).rate = Rate::Gbps(40);
  std::vector<uint64_t> before;
  for (int i = 0; i < 3; ++i) before.push_back(net.active(net.sender(0), i).packets);
  net.run(Time::Us(101));
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(static_cast<double>(net.active(net.sender(0), i).packets - before[i]), 100e-6 * 100e9 / 8 / 1518 / 3, 2)
        << i;
  }
}

TEST(Host, PacingGapsAreThePacketAtTheFlowsRate) {
  Chain net(manual(Rate{30000000000}), 1, 1);
  net.engine.recordSends = true;
  net.flow(0, net.sender(0), net.receiver(), 5 * kPayload);
  net.run(Time::Us(100));
  std::vector<int64_t> at;
  for (const auto& s : net.engine.sends) {
    if (s.from == &net.sender(0).nic()) at.push_back(s.at.ps);
  }
  // 1518 * 8 bit / 30 Gb/s = 404.8 ns
  EXPECT_EQ(at, (std::vector<int64_t>{0, 404800, 809600, 1214400, 1619200}));
}

std::vector<int64_t> gaps(double jitter, uint64_t seed, bool ask = false) {
  Config c = manual(Rate{30000000000}).set("host.jitter", jitter);
  c.seed = seed;
  Chain net(c, 1, 1);
  net.engine.recordSends = true;
  net.flow(0, net.sender(0), net.receiver(), 1000 * kPayload);
  if (ask) {
    for (int us = 1; us < 400; us += 7) {
      net.run(Time::Us(us));
      net.sender(0).rateChanged(net.active(net.sender(0), 0));
    }
  }
  net.run(Time::Ms(1));
  std::vector<int64_t> gaps;
  Time last{-1};
  for (const auto& s : net.engine.sends) {
    if (s.from != &net.sender(0).nic()) continue;
    if (last.ps >= 0) gaps.push_back((s.at - last).ps);
    last = s.at;
  }
  return gaps;
}

// 404.8 ns, and up to a quarter of them more: evenly, so an eighth in the mean.
TEST(Host, JitterSpreadsThePackets) {
  const std::vector<int64_t> all = gaps(0.25, 1);
  ASSERT_EQ(all.size(), 999u);
  double sum = 0, squares = 0;
  for (const int64_t gap : all) {
    EXPECT_GE(gap, 404800);
    EXPECT_LT(gap, 506000);
    const double share = static_cast<double>(gap - 404800) / 101200;
    sum += share;
    squares += share * share;
  }
  EXPECT_NEAR(sum / 999, 0.5, 0.03) << "three standard errors of a uniform number's mean";
  EXPECT_NEAR(squares / 999, 1.0 / 3, 0.03);
  EXPECT_NE(gaps(0.25, 2), all) << "another seed";
}

/// Two hosts that send at the same time, each a flow of its own.
TEST(Host, JitterDiffersBetweenFlows) {
  Chain net(manual(Rate{30000000000}).set("host.jitter", 0.25), 2, 1);
  net.engine.recordSends = true;
  for (int i = 0; i < 2; ++i) net.flow(i, net.sender(i), net.receiver(), 2 * kPayload);
  net.run(Time::Us(1));
  std::vector<int64_t> second;
  for (int i = 0; i < 2; ++i) {
    for (const auto& s : net.engine.sends) {
      if (s.from == &net.sender(i).nic() && s.at.ps > 0) second.push_back(s.at.ps);
    }
  }
  ASSERT_EQ(second.size(), 2u);
  EXPECT_NE(second[0], second[1]);
}

TEST(Host, JitterOfAPacketIsTheSameHoweverOftenItsRateIsSetAnew) { EXPECT_EQ(gaps(0.25, 1, true), gaps(0.25, 1)); }

/// Packets that the NIC sends in 100 us.
size_t sentBy(uint32_t flows) {
  Chain net(manual(Rate::Gbps(100)).set("host.jitter", 0.25), 1, 1);
  net.engine.recordSends = true;
  for (uint32_t i = 0; i < flows; ++i) net.flow(i, net.sender(0), net.receiver(), 0);
  net.run(Time::Us(100));
  return static_cast<size_t>(std::count_if(net.engine.sends.begin(), net.engine.sends.end(),
                                           [&](const auto& s) { return s.from == &net.sender(0).nic(); }));
}

// A packet takes 121.44 ns, and a flow alone leaves an eighth of that free behind it.
TEST(Host, JitterOfAFlowIsTimeForOthers) {
  EXPECT_NEAR(static_cast<double>(sentBy(1)), 100e3 / (121.44 * 1.125), 10);
  EXPECT_NEAR(static_cast<double>(sentBy(2)), 100e3 / 121.44, 2);
}

TEST(Host, ARateChangeMovesTheNextPacket) {
  Chain net(manual(Rate::Gbps(1)), 1, 1);
  net.engine.recordSends = true;
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run(Time::Us(2));
  Flow& f = net.active(net.sender(0), 0);
  f.rate = Rate::Gbps(4);  // 3.036 us instead of 12.144 us
  net.sender(0).rateChanged(f);
  net.run(Time::Ps(3036000));
  EXPECT_EQ(net.network.total().dataPacketsSent, 2u);
  net.run(Time::Us(4));
  f.rate = Rate::Gbps(1);  // and slower again
  net.sender(0).rateChanged(f);
  net.run(Time::Ps(3036000 + 12144000 - 1));
  EXPECT_EQ(net.network.total().dataPacketsSent, 2u);
  net.run(Time::Ps(3036000 + 12144000));
  EXPECT_EQ(net.network.total().dataPacketsSent, 3u);
  f.rate = Rate::Gbps(100);  // due at once
  net.run(Time::Us(17));
  net.sender(0).rateChanged(f);
  EXPECT_EQ(net.network.total().dataPacketsSent, 4u);
}

TEST(Host, APacedFlowThatBecomesFasterOvertakesTheOthers) {
  Chain net(manual(Rate::Gbps(1)), 1, 1);
  for (int i = 0; i < 5; ++i) net.flow(i, net.sender(0), net.receiver(), 0);
  net.run(Time::Us(1));
  Flow& f = net.active(net.sender(0), 4);
  ASSERT_EQ(f.packets, 1u);
  f.rate = Rate::Gbps(4);
  net.sender(0).rateChanged(f);
  net.run(Time::Us(4));
  EXPECT_EQ(f.packets, 2u);
  EXPECT_EQ(net.network.total().dataPacketsSent, 6u);
  Flow& g = net.active(net.sender(0), 0);  // the next in turn, not any more
  g.rate = Rate::Mbps(100);
  net.sender(0).rateChanged(g);
  net.run(Time::Us(13));
  EXPECT_EQ(g.packets, 1u);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(net.active(net.sender(0), i).packets, 2u) << i;
}

TEST(Host, ManyPacedFlowsEachKeepTheirRate) {
  Chain net(manual(Rate::Gbps(1)), 1, 1);
  for (int i = 0; i < 40; ++i) net.flow(i, net.sender(0), net.receiver(), 0, Time::Ns(37 * i));
  net.run(Time::Us(10));
  std::map<int, uint64_t> packets;
  for (int i = 0; i < 40; ++i) {
    Flow& f = net.active(net.sender(0), i);
    f.rate = Rate::Mbps(500 + 50 * i);  // 59 Gb/s together
    net.sender(0).rateChanged(f);
    packets[i] = f.packets;
  }
  net.run(Time::Us(1010));
  for (int i = 0; i < 40; ++i) {
    const double expected = 1e-3 * (500e6 + 50e6 * i) / 8 / 1518;
    const auto sent = static_cast<double>(net.active(net.sender(0), i).packets - packets[i]);
    EXPECT_LE(sent, expected + 1) << i;
    EXPECT_GE(sent, 0.9 * expected) << i;  // the gap counts from the sending, so waiting costs rate
  }
}

TEST(Host, TheWindowBoundsBytesInFlight) {
  Chain net(manual(Rate::Gbps(100), 4 * kPayload), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run(Time::Us(2));  // before the first ACK
  Flow& f = net.active(net.sender(0), 0);
  EXPECT_EQ(f.packets, 4u);
  uint64_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    net.run(net.engine.now() + Time::Ns(50));
    most = std::max(most, f.inFlight());
  }
  EXPECT_EQ(most, 4u * kPayload);
  // Four packets per round trip: 2 * (2 * 1.5 us) + 2 * 121.44 ns + 2 * 5.28 ns.
  EXPECT_NEAR(static_cast<double>(f.packets), 4 * net.engine.now().ps / 6253440.0, 4);
  // The window may be overrun by the rest of a packet: one byte of room is room.
  f.window = 4 * kPayload + 1;
  net.sender(0).rateChanged(f);
  net.run(net.engine.now() + Time::Us(20));
  most = 0;
  for (int i = 0; i < 200; ++i) {
    net.run(net.engine.now() + Time::Ns(50));
    most = std::max(most, f.inFlight());
  }
  EXPECT_EQ(most, 5u * kPayload);
}

TEST(Host, AClosedWindowOpensByAckNotByTime) {
  Chain net(manual(Rate::Gbps(100), 1), 1, 1);
  net.engine.recordSends = true;
  net.flow(0, net.sender(0), net.receiver(), 3 * kPayload);
  net.finish(Time::Us(100));
  std::vector<int64_t> at;
  for (const auto& s : net.engine.sends) {
    if (s.from == &net.sender(0).nic()) at.push_back(s.at.ps);
  }
  EXPECT_EQ(at, (std::vector<int64_t>{0, 6253440, 2 * 6253440}));
}

TEST(Host, OneAckPerPacketOrPerSoMany) {
  for (const int64_t every : {1, 2, 4, 7}) {
    Chain net(manual().set("host.ack_every", every), 1, 1);
    net.flow(0, net.sender(0), net.receiver(), 10 * kPayload);
    net.finish(Time::Us(100));
    EXPECT_EQ(net.network.total().acksSent, static_cast<uint64_t>((10 + every - 1) / every)) << every;
    std::vector<uint64_t> expected;
    for (int64_t n = every; n < 10; n += every) expected.push_back(static_cast<uint64_t>(n * kPayload));
    expected.push_back(10 * kPayload);  // the last packet is always answered
    EXPECT_EQ(control(net.sender(0)).acks, expected);
  }
}

TEST(Host, CumulativeAcksDoNotStallASmallWindow) {
  Chain net(manual(Rate::Gbps(100), 1).set("host.ack_every", int64_t{4}), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 40 * kPayload);
  net.finish(Time::Us(200));
  EXPECT_EQ(net.network.total().flowsFinished, 1u);
  EXPECT_EQ(net.retransmitted(0), 0);
}

TEST(Host, GoBackNRecoversALossAndDeliversEverything) {
  Lossy net(manual(), {3});
  net.flow(0, net.sender(0), net.receiver(), 100 * kPayload);
  net.finish(Time::Us(500));
  EXPECT_EQ(net.network.total().drops, 1u);
  EXPECT_EQ(net.delivered(0), 100 * kPayload);
  EXPECT_EQ(net.network.total().dataBytesDelivered, 100u * kPayload);
  EXPECT_EQ(control(net.sender(0)).losses, 1);  // one NACK for the whole gap
  // By the time the NACK is back, about 6.25 us of packets have followed; all of them are sent again.
  EXPECT_NEAR(static_cast<double>(net.retransmitted(0)) / kPayload, 6253440.0 / 121440, 2);
  EXPECT_LT(net.senderEnd(0), 40000000);
}

TEST(Host, EveryLossIsAskedForAgainWithoutWaitingForTheTimeout) {
  Lossy net(manual(), {3, 200, 300});
  net.flow(0, net.sender(0), net.receiver(), 400 * kPayload);
  net.finish(Time::Us(900));
  EXPECT_EQ(net.network.total().drops, 3u);
  EXPECT_EQ(control(net.sender(0)).losses, 3);
  EXPECT_EQ(net.delivered(0), 400 * kPayload);
}

TEST(Host, ManyLossesInARow) {
  std::vector<int> lost;
  for (int i = 0; i < 400; i += 7) lost.push_back(i);
  Lossy net(manual(Rate::Gbps(100), 20 * kPayload), lost);
  net.flow(0, net.sender(0), net.receiver(), 150 * kPayload + 3);
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.delivered(0), 150 * kPayload + 3);
  EXPECT_EQ(net.network.total().flowsFinished, 1u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST(Host, ALostTailWaitsForTheTimeout) {
  Lossy net(manual(), {9});
  net.flow(0, net.sender(0), net.receiver(), 10 * kPayload);
  net.finish(Time::Ms(5));
  EXPECT_EQ(net.delivered(0), 10 * kPayload);
  EXPECT_EQ(net.retransmitted(0), kPayload);
  // The clock runs from the last progress, the ACK of packet 8 (the ninth), then the packet goes once
  // more: 1 ms + one way.
  const int64_t ackOfNinth = 8 * 121440 + 6253440;
  EXPECT_EQ(net.end(0), ackOfNinth + 1000000000 + 2 * (121440 + 1500000));
}

TEST(Host, ASinglePacketLostTwice) {
  Lossy net(manual(), {0, 1});
  net.flow(0, net.sender(0), net.receiver(), 1);
  net.finish(Time::Ms(5));
  EXPECT_EQ(net.end(0), 2 * 1000000000 + 2 * (64 * 80 + 1500000));
}

TEST(Host, WithoutTimeoutALostTailStaysLost) {
  Lossy net(manual().set("host.retransmit_timeout", int64_t{0}), {9});
  net.flow(0, net.sender(0), net.receiver(), 10 * kPayload);
  net.finish(Time::Ms(5));
  EXPECT_EQ(net.end(0), -1);
  EXPECT_EQ(net.delivered(0), 9 * kPayload);
  EXPECT_EQ(net.senderEnd(0), -1);
  EXPECT_FALSE(net.network.warnings().empty());
}

TEST(Host, LostAcksAreMadeGoodByLaterOnesAndTheTimeout) {
  Config c = manual();
  c.queues = {"thief", "fifo"};
  c.set("port.pfc", false);
  Chain net(c, 1, 1);
  auto& thief = *static_cast<Thief*>(net.switches[0]->port(0).queues()[0]);
  thief.dataOnly = false;
  thief.wanted = {0, 1, 4, 9};  // the last one too
  net.flow(0, net.sender(0), net.receiver(), 10 * kPayload);
  net.finish(Time::Ms(5));
  EXPECT_EQ(net.end(0), 9 * 121440 + 2 * (121440 + 1500000));
  EXPECT_GT(net.senderEnd(0), 1000000000);
  EXPECT_EQ(net.delivered(0), 10 * kPayload);
  EXPECT_EQ(net.network.total().dataBytesDelivered, 10u * kPayload);  // a duplicate is no delivery
  EXPECT_GT(net.network.total().dataBytesReceived, 10u * kPayload);
}

/// Hands the sender an ACK or NACK that never was on a wire.
void answer(Chain& net, PacketKind kind, Flow& f, uint64_t seq) {
  Packet* p = net.network.packets().fresh();
  p->kind = kind;
  p->flow = &f;
  p->flowId = f.spec.id;
  p->seq = seq;
  net.sender(0).receive(net.sender(0).nic(), p);
}

TEST(Host, AStaleNackDoesNotSendBackBehindWhatIsAcknowledged) {
  Chain net(manual(), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run(Time::Us(20));
  Flow& f = net.active(net.sender(0), 0);
  const uint64_t acked = f.sndUna, next = f.sndNxt;
  ASSERT_GT(acked, 0u);
  answer(net, PacketKind::Nack, f, 0);
  EXPECT_EQ(f.sndUna, acked);
  EXPECT_GE(f.sndNxt, next);
}

TEST(Host, ANackFromBeforeATimeoutOpensTheWindow) {
  // The sender went back by itself and filled its window; then a NACK says that more had arrived.
  Chain net(manual(Rate::Gbps(100), 2 * kPayload), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run(Time::Us(2));
  Flow& f = net.active(net.sender(0), 0);
  ASSERT_EQ(f.packets, 2u);
  answer(net, PacketKind::Nack, f, 2 * kPayload);
  net.run(Time::Us(2) + Time::Ns(300));
  EXPECT_EQ(f.packets, 4u);
}

TEST(Host, AStoppedFlowSendsNoMoreAndEndsWithItsLastAck) {
  Chain net(manual(Rate::Gbps(100), 8 * kPayload), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 0, Time::Us(1), Time::Us(50));
  net.finish(Time::Us(200));
  const auto& r = net.row(0);
  EXPECT_EQ(r[8], -1);  // without a size there is no last byte
  EXPECT_EQ(r[14], 0);
  EXPECT_EQ(r[10], r[11]);  // all that was sent was delivered
  EXPECT_GT(r[9], Time::Us(50).ps);
  EXPECT_LT(r[9], Time::Us(57).ps);
  EXPECT_EQ(net.network.total().flowsEnded, 1u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST(Host, AFlowStoppedBeforeItsSizeIsUnfinished) {
  Chain net(manual(Rate::Gbps(10)), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 1000000, {}, Time::Us(20));
  net.finish(Time::Us(200));
  EXPECT_EQ(net.end(0), -1);
  EXPECT_GT(net.senderEnd(0), 0);
  EXPECT_NEAR(static_cast<double>(net.delivered(0)), 20e-6 * 10e9 / 8 * kPayload / 1518, 2 * kPayload);
}

TEST(Host, AFlowMayFinishBeforeItsStop) {
  Chain net(manual(), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), kPayload, {}, Time::Us(50));
  net.flow(1, net.sender(0), net.receiver(), kPayload, Time::Us(20));  // takes the memory of flow 0
  net.finish(Time::Us(200));
  EXPECT_EQ(net.end(0), 2 * (121440 + 1500000));
  EXPECT_EQ(net.end(1), 20000000 + 2 * (121440 + 1500000));
}

TEST(Host, AFlowStoppedAfterALossStillDeliversWhatItSent) {
  Lossy net(manual(Rate::Gbps(10)), {5});
  // The stop comes while the NACK is on its way.
  net.flow(0, net.sender(0), net.receiver(), 0, {}, Time::Us(9));
  net.finish(Time::Ms(3));
  EXPECT_EQ(net.network.total().drops, 1u);
  EXPECT_GT(net.senderEnd(0), 0);
  EXPECT_EQ(net.row(0)[11] - net.retransmitted(0), net.delivered(0));
}

TEST(Host, PacketsOfAnEndedFlowDoNotReachTheNextOne) {
  // Flow 0 loses an ACK, resends after the timeout and is done while duplicates are still on their
  // way; flow 1 gets its memory. Nothing of flow 0 may count for flow 1.
  Config c = manual();
  c.queues = {"thief", "fifo"};
  c.set("port.pfc", false).set("host.retransmit_timeout", Time::Us(7).ps);
  Chain net(c, 1, 1);
  auto& thief = *static_cast<Thief*>(net.switches[0]->port(0).queues()[0]);
  thief.dataOnly = false;
  for (int i = 0; i < 30; ++i) thief.wanted.push_back(i);
  net.flow(0, net.sender(0), net.receiver(), 40 * kPayload);
  for (int i = 1; i < 60; ++i) net.flow(i, net.sender(0), net.receiver(), 3 * kPayload, Time::Ns(300 * i));
  net.finish(Time::Ms(20));
  EXPECT_EQ(net.network.total().flowsFinished, 60u);
  EXPECT_EQ(net.delivered(0), 40 * kPayload);
  for (int i = 1; i < 60; ++i) EXPECT_EQ(net.delivered(i), 3 * kPayload);
  EXPECT_GT(net.network.total().retransmittedBytes, 0u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST(Host, RunEndsWhenTheLastFlowHasFinished) {
  Chain net(manual(), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), kPayload);
  net.flow(1, net.sender(0), net.receiver(), kPayload, Time::Us(30));
  net.network.stopWhenFlowsFinish(true);
  net.finish(Time::Ms(1));
  EXPECT_TRUE(net.engine.stopped());
  EXPECT_EQ(net.engine.now().ps, 30000000 + 6253440);
}

TEST(Host, RunEndsWithTheLastMeasuredFlow) {
  Chain net(manual(), 1, 1);
  const auto flow = [&](uint32_t id, uint64_t size, Time start, bool measured) {
    FlowSpec f;
    f.id = id;
    f.src = net.sender(0).id();
    f.dst = net.receiver().id();
    f.size = size;
    f.start = start;
    f.measured = measured;
    net.feed.add(f);
  };
  flow(0, kPayload, Time{0}, false);
  flow(1, kPayload, Time::Us(30), true);
  flow(2, kPayload, Time::Us(60), true);
  flow(3, 0, Time::Us(60), false);
  flow(4, kPayload, Time::Us(900), false);
  net.network.stopWhenFlowsFinish(true);
  net.finish(Time::Ms(1));
  EXPECT_TRUE(net.engine.stopped());
  EXPECT_GT(net.engine.now(), Time::Us(66));
  EXPECT_LT(net.engine.now(), Time::Us(67));
  EXPECT_EQ(net.network.total().measuredFinished, 2u);
  EXPECT_TRUE(net.network.warnings().empty());
}

TEST(Host, MeasuredFlowsThatDidNotFinishAreSaid) {
  Chain net(manual(), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), kPayload);
  net.flow(1, net.sender(0), net.receiver(), 1 << 30);
  net.network.stopWhenFlowsFinish(true);
  net.finish(Time::Us(50));
  ASSERT_EQ(net.network.warnings().size(), 1u);
  EXPECT_EQ(net.network.warnings()[0],
            "1 of 2 measured flows had not finished when the run ended: give it more time to drain");
}

TEST(Host, FlowsStartedByHandMayEndTheRunToo) {
  Chain net(manual(), 1, 1);
  net.network.stopWhenFlowsFinish(true);
  net.network.start();
  net.switches[0]->setRoute(net.receiver().id(), {1});
  net.switches[0]->setRoute(net.sender(0).id(), {0});
  FlowSpec f;
  f.src = net.sender(0).id();
  f.dst = net.receiver().id();
  f.size = 1;
  net.sender(0).startFlow(f, net.receiver());
  net.engine.run(Time::Ms(1));
  EXPECT_TRUE(net.engine.stopped());
}

TEST(Host, UnfinishedFlowsHaveARowAtTheEnd) {
  Chain net(manual(Rate::Gbps(10)), 1, 1);
  net.flow(5, net.sender(0), net.receiver(), 0);
  net.flow(2, net.sender(0), net.receiver(), 1 << 30);
  net.finish(Time::Us(50));
  ASSERT_EQ(net.flowRows.rows.size(), 2u);
  EXPECT_EQ(net.flowRows.rows[0][0], 2);  // by number
  EXPECT_EQ(net.end(2), -1);
  EXPECT_GT(net.delivered(2), 0);
}

/// Ten packets of the other direction come to the switch at 100 Gb/s and leave at 10 Gb/s, one in 1214.4 ns from
/// 1621.44 ns on. The ACK comes at 4561.6 ns, in the third of them, and takes 1552.8 ns from the switch.
TEST(Host, ClassOneAcksWaitBehindData) {
  for (const int64_t cls : {0, 1}) {
    Net net(Config().set("host.ack_class", cls));
    Host &here = net.host(), &there = net.host();
    Switch& between = net.sw();
    net.link(here, between, Rate::Gbps(10));
    net.link(there, between, Rate::Gbps(100));
    net.flow(0, here, there, 1);
    net.flow(1, there, here, 10 * kPayload);
    net.finish(Time::Us(100));
    EXPECT_EQ(net.end(0), 3056320) << "of two frames of 64 B";
    EXPECT_EQ(net.senderEnd(0), cls == 0 ? 1621440 + 3 * 1214400 + 1552800 : 1621440 + 10 * 1214400 + 1552800);
    EXPECT_EQ(net.end(1), 1621440 + 10 * 1214400 + 1500000 + (cls == 0 ? 52800 : 0)) << "the ACK went between";
  }
}

/// The round trip of two frames of 64 B over two links.
Time emptyRoundTrip() { return {4 * (transmissionTime(64, Rate::Gbps(100)).ps + Time::Ns(1500).ps)}; }

Config withHandshake() { return Config().set("go_back_n.handshake", true).set("host.ack_bytes", int64_t{64}); }

TEST(Handshake, DataGoesWhenTheAnswerIsHere) {
  for (const uint64_t size : {uint64_t{1}, uint64_t{20 * kPayload}}) {
    Chain with(withHandshake(), 1, 1), without(withHandshake().set("go_back_n.handshake", false), 1, 1);
    for (Chain* net : {&with, &without}) {
      net->flow(0, net->sender(0), net->receiver(), size);
      net->finish(Time::Us(100));
    }
    EXPECT_EQ(with.end(0) - without.end(0), emptyRoundTrip().ps) << size;
    EXPECT_EQ(with.delivered(0), static_cast<int64_t>(size));
    EXPECT_EQ(with.retransmitted(0), 0);
    EXPECT_EQ(with.network.total().dataPacketsSent, without.network.total().dataPacketsSent + 1);
    EXPECT_EQ(with.network.packets().live(), 0u);
  }
}

TEST(Handshake, ALostRequestGoesAgainAfterTheTimeout) {
  Lossy net(withHandshake().set("host.retransmit_timeout", Time::Us(50).ps), {0, 1});
  net.flow(0, net.sender(0), net.receiver(), 3 * kPayload);
  net.finish(Time::Ms(1));
  Chain smooth(withHandshake(), 1, 1);
  smooth.flow(0, smooth.sender(0), smooth.receiver(), 3 * kPayload);
  smooth.finish(Time::Ms(1));
  EXPECT_EQ(net.end(0), smooth.end(0) + 2 * Time::Us(50).ps);
  EXPECT_EQ(net.delivered(0), 3 * kPayload);
  EXPECT_EQ(net.retransmitted(0), 0) << "a request has no payload";
}

TEST(Handshake, AFlowThatIsStoppedBeforeTheAnswerEnds) {
  Chain net(withHandshake(), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 0, Time{}, Time::Us(1));
  net.flow(1, net.sender(0), net.receiver(), kPayload, Time::Us(2));
  net.finish(Time::Us(100));
  EXPECT_EQ(net.delivered(0), 0);
  EXPECT_EQ(net.delivered(1), kPayload);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

}  // namespace fabric
