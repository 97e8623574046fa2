// ExpressPass: the feedback control with numbers computed by hand, the queue of credits, and flows from end to end.
#include "mechanisms/expresspass/expresspass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "mechanisms/expresspass/credit_feedback.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;
using test::refusalOf;

// ---------------------------------------------------------------- feedback

CreditFeedback::Settings settings(CreditFeedback::Law law) {
  CreditFeedback::Settings s;
  s.law = law;
  s.targetLoss = law == CreditFeedback::Law::Paper ? 0.1 : 0.125;
  s.wMin = 0.01;
  s.wMax = 0.5;
  s.creditBytes = 84;
  s.most = 64e6;
  return s;
}

TEST(CreditFeedback, PaperGrowsTowardsTheLineAndALittleBeyond) {
  const auto s = settings(CreditFeedback::Law::Paper);
  CreditFeedback f;
  f.rate = 4e6;
  f.w = 1.0 / 16;
  f.update(s, 100, 10, 1e-4, 1e-4);  // a loss of 10 % is meant to be
  EXPECT_DOUBLE_EQ(f.rate, 4e6 * 15 / 16 + 64e6 * 1.1 / 16);
  EXPECT_DOUBLE_EQ(f.w, 1.0 / 16);
  f.update(s, 100, 0, 1e-4, 1e-4);  // the second in a row: w = (1/16 + 1/2) / 2 = 9/32
  EXPECT_DOUBLE_EQ(f.w, 9.0 / 32);
  EXPECT_DOUBLE_EQ(f.rate, (4e6 * 15 / 16 + 64e6 * 1.1 / 16) * 23 / 32 + 64e6 * 1.1 * 9 / 32);
  for (int i = 0; i < 100; ++i) f.update(s, 100, 0, 1e-4, 1e-4);
  EXPECT_NEAR(f.rate, 70.4e6, 1);
  EXPECT_NEAR(f.w, 0.5, 1e-9);
}

TEST(CreditFeedback, PaperCutsToWhatArrivesAndATenthMore) {
  const auto s = settings(CreditFeedback::Law::Paper);
  CreditFeedback f;
  f.rate = 40e6;
  f.w = 0.5;
  f.update(s, 100, 50, 1e-4, 1e-4);
  EXPECT_DOUBLE_EQ(f.rate, 40e6 * 0.5 * 1.1);
  EXPECT_DOUBLE_EQ(f.w, 0.25);
  f.update(s, 100, 0, 1e-4, 1e-4);  // the first increase does not change w
  EXPECT_DOUBLE_EQ(f.w, 0.25);
  for (int i = 0; i < 20; ++i) f.update(s, 100, 100, 1e-4, 1e-4);
  EXPECT_DOUBLE_EQ(f.rate, 84 / 1e-4);  // a credit in a round trip
  EXPECT_DOUBLE_EQ(f.w, 0.01);
}

TEST(CreditFeedback, PublicMeansLessLossTheFasterItIs) {
  const auto s = settings(CreditFeedback::Law::Public);
  CreditFeedback f;
  f.rate = 32e6;  // half: 6.25 % are meant to be lost
  f.w = 0.0625;
  f.update(s, 1000, 62, 1e-4, 1e-4);
  EXPECT_DOUBLE_EQ(f.rate, 0.0625 * 64e6 + 0.9375 * 32e6);
  EXPECT_DOUBLE_EQ(f.w, 0.0625);
  f.update(s, 1000, 0, 1e-4, 1e-4);
  EXPECT_DOUBLE_EQ(f.w, 0.1125);
  EXPECT_DOUBLE_EQ(f.rate, 0.1125 * 64e6 + 0.8875 * 34e6);
  for (int i = 0; i < 200; ++i) f.update(s, 1000, 0, 1e-4, 1e-4);
  EXPECT_NEAR(f.rate, 64e6, 1);
  EXPECT_LE(f.rate, 64e6);
  EXPECT_DOUBLE_EQ(f.w, 0.5);
}

TEST(CreditFeedback, PublicCutsToTheRateAtWhichCreditsCame) {
  const auto s = settings(CreditFeedback::Law::Public);
  CreditFeedback f;
  f.rate = 32e6;
  f.w = 0.0625;
  // 20 of 40 came within 100 us: 16.8 MB/s, and 6.25 % more
  f.update(s, 40, 20, 1e-4, 1e-4);
  EXPECT_DOUBLE_EQ(f.rate, 84 * 20 / 1e-4 * 1.0625);
  EXPECT_DOUBLE_EQ(f.w, 0.03125);
  // A cut is never a rise: 30 of 40 came at 25.2 MB/s.
  const double before = f.rate;
  f.update(s, 40, 10, 1e-4, 1e-4);
  EXPECT_DOUBLE_EQ(f.rate, before);
  f.update(s, 40, 40, 1e-4, 1e-4);
  EXPECT_DOUBLE_EQ(f.rate, 840000);
}

// ---------------------------------------------------------------- networks

/// As preset expresspass.
Config expresspass() {
  Config c;
  c.transport = "expresspass";
  c.queues = c.nicQueues = {"credit_queue", "fifo"};
  c.set("ecmp.symmetric", true).set("port.pfc", false).set("round_robin.backlog", int64_t{1000000000});
  c.set("host.mtu", int64_t{1538}).set("host.header_bytes", int64_t{78}).set("host.min_frame", int64_t{84});
  return c.set("credit_queue.data_bytes", int64_t{1538}).set("host.classes", int64_t{2});
}

TEST(CreditQueue, LetsOutAsManyCreditsAsThereIsRoomForData) {
  // Eight flows of one sender: the credits of their receivers meet in front of it.
  Config c = expresspass();
  c.set("expresspass.initial_rate", 1.0);
  Net net(c);
  for (int i = 0; i < 9; ++i) net.host();
  Switch& sw = net.sw();
  for (int i = 0; i < 9; ++i) net.link(*net.hosts[i], sw, Rate::Gbps(10), Time::Us(1));
  net.engine.recordSends = true;
  for (int i = 0; i < 8; ++i) net.flow(i, *net.hosts[8], *net.hosts[i], 0);
  net.run(Time::Ms(2));
  Port& toSender = *sw.ports()[8];
  int64_t credits = 0, bytes = 0;
  for (const auto& s : net.engine.sends) {
    if (s.from != &toSender || s.kind != PacketKind::Control || s.at < Time::Ms(1)) continue;
    ++credits;
    bytes += s.bytes;
  }
  // 10 Gb/s * 84 / 1622 for a millisecond, and what the bucket holds; less where a few credits were late
  const double room = 10e9 / 8 * 84 / 1622 * 1e-3;
  EXPECT_LE(static_cast<double>(bytes), room + 2 * 84);
  EXPECT_GT(static_cast<double>(bytes), room * 0.98);
  EXPECT_NEAR(static_cast<double>(credits), static_cast<double>(bytes) / 84, 10);
  EXPECT_GT(net.network.total().drops, 0u);
}

TEST(ExpressPass, AFlowAloneFillsTheLineAndLosesNoData) {
  Chain net(expresspass(), 1, 2, Rate::Gbps(10), Time::Us(4));
  net.flow(0, net.sender(0), net.receiver(), 10000000);
  net.finish(Time::Ms(20));
  // 6850 packets of 1538B and as many credits' room at 10 Gb/s
  const double least = 10000000.0 / 1460 * (1538 + 84) * 8 / 10e9;
  EXPECT_GT(static_cast<double>(net.end(0)) * 1e-12, least * 0.999);
  EXPECT_LT(static_cast<double>(net.end(0)) * 1e-12, least * 1.1);
  EXPECT_EQ(net.retransmitted(0), 0);
  EXPECT_EQ(net.engine.pending(), 0u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST(ExpressPass, TheFirstPacketWaitsForACredit) {
  Chain net(expresspass(), 1, 1, Rate::Gbps(10), Time::Us(10));
  net.engine.recordSends = true;
  net.flow(0, net.sender(0), net.receiver(), 1000);
  net.finish(Time::Ms(5));
  const auto first = std::find_if(net.engine.sends.begin(), net.engine.sends.end(),
                                  [](const auto& s) { return s.kind == PacketKind::Data; });
  ASSERT_NE(first, net.engine.sends.end());
  EXPECT_GT(first->at, Time::Us(40));  // the request there, the credit back
  EXPECT_LT(first->at, Time::Us(41));
  EXPECT_GE(net.end(0), Time::Us(60).ps);
}

TEST(ExpressPass, SendersOfAnIncastShareWithoutQueueOrLoss) {
  Chain net(expresspass(), 16, 1, Rate::Gbps(10), Time::Us(2));
  for (int i = 0; i < 16; ++i) net.flow(i, net.sender(i), net.receiver(), 2000000);
  net.run(Time::Ms(5));
  net.lastHop().takeMaxBytes(1);
  uint64_t before[16];
  double sum = 0, squares = 0;
  for (int i = 0; i < 16; ++i) before[i] = net.active(net.sender(i), i).rcvNxt;
  net.run(Time::Ms(20));
  for (int i = 0; i < 16; ++i) {
    const auto x = static_cast<double>(net.active(net.sender(i), i).rcvNxt - before[i]);
    sum += x;
    squares += x * x;
  }
  EXPECT_GT(sum * sum / (16 * squares), 0.9);                    // Jain's index
  EXPECT_GT(sum * 8 / 15e-3, 0.93 * 10e9 * 1460 / (1538 + 84));  // nearly all that credits leave
  EXPECT_LT(net.lastHop().takeMaxBytes(1), 20 * 1538);
  net.finish(Time::Ms(60));
  EXPECT_EQ(net.network.total().flowsFinished, 16u);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(net.retransmitted(i), 0);
  EXPECT_EQ(net.engine.pending(), 0u);
}

TEST(ExpressPass, WhatIsLostIsSentAgain) {
  Config c = expresspass();
  Chain net(c, 8, 1, Rate::Gbps(10), Time::Us(2));
  // A queue for data in which one packet has room, so that packets of several senders collide.
  for (Queue* q : net.lastHop().queues()) {
    if (q->description().name == "fifo") q->set("limit", int64_t{1600});
  }
  for (int i = 0; i < 8; ++i) net.flow(i, net.sender(i), net.receiver(), 1000000);
  net.finish(Time::Ms(200));
  EXPECT_EQ(net.network.total().flowsFinished, 8u);
  int64_t again = 0;
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(net.delivered(i), 1000000);
    again += net.retransmitted(i);
  }
  EXPECT_GT(again, 0);
  EXPECT_EQ(net.engine.pending(), 0u);
}

TEST(ExpressPass, ManyFlowsOfAllSizesEnd) {
  Chain net(expresspass(), 4, 3, Rate::Gbps(10), Time::Us(2));
  for (int i = 0; i < 80; ++i) net.flow(i, net.sender(i % 4), net.receiver(), 1 + 997 * i * (i % 7), Time::Us(7 * i));
  net.finish(Time::Ms(200));
  EXPECT_EQ(net.network.total().flowsFinished, 80u);
  EXPECT_EQ(net.engine.pending(), 0u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST(ExpressPass, AStoppedFlowEnds) {
  Chain net(expresspass(), 2, 1, Rate::Gbps(10), Time::Us(2));
  net.flow(0, net.sender(0), net.receiver(), 0, {}, Time::Us(500));
  net.flow(1, net.sender(1), net.receiver(), 0, {}, Time::Us(1));  // before its first credit
  net.finish(Time::Ms(5));
  EXPECT_GT(net.delivered(0), 0);
  EXPECT_EQ(net.delivered(1), 0);
  EXPECT_EQ(net.engine.pending(), 0u);
}

namespace {

/// When credits left a host for its link.
std::vector<Time> creditTimes(Net& net, const Host& host) {
  std::vector<Time> times;
  for (const auto& s : net.engine.sends) {
    if (s.from == host.ports().front() && s.kind == PacketKind::Control) times.push_back(s.at);
  }
  return times;
}

/// The times between the first credits of a flow, in shares of what they are on average. A round trip takes 400 us, so
/// the rate is the first one: 84 B at 1/16 of 10 Gb/s * 84 / 1622 are 20.765 us.
std::vector<double> gaps(double jitter) {
  Config c = expresspass();
  Chain net(c.set("expresspass.jitter", jitter), 1, 1, Rate::Gbps(10), Time::Us(100));
  net.engine.recordSends = true;
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run(Time::Us(590));
  const std::vector<Time> times = creditTimes(net, net.receiver());
  std::vector<double> gaps;
  for (size_t i = 1; i < times.size(); ++i) {
    gaps.push_back(static_cast<double>((times[i] - times[i - 1]).ps) / (84 * 16 / (10e9 / 8 * 84 / 1622) * 1e12));
  }
  return gaps;
}

}  // namespace

TEST(ExpressPass, CreditsAreEvenWithoutJitterAndSpreadWithIt) {
  for (const double jitter : {0.0, 0.1, 0.8}) {
    const std::vector<double> all = gaps(jitter);
    ASSERT_GT(all.size(), 15u);
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    EXPECT_GE(*least, 1 - jitter - 1e-6);
    EXPECT_LE(*most, 1 + jitter + 1e-6);
    EXPECT_LE(*least, 1 - 0.5 * jitter + 1e-6) << jitter;
    EXPECT_GE(*most, 1 + 0.5 * jitter - 1e-6) << jitter;
  }
}

TEST(ExpressPass, AShortFlowMayBeginWithLess) {
  const auto first = [](int64_t fullAbove, uint64_t packets) {
    Config c = expresspass();
    Chain net(c.set("expresspass.full_above", fullAbove), 1, 1, Rate::Gbps(10), Time::Us(10));
    net.flow(0, net.sender(0), net.receiver(), packets * 1460);
    net.run(Time::Us(25));  // the request is there, no data is
    Flow& f = net.active(net.sender(0), 0);
    auto& transport = static_cast<ExpressPass&>(net.receiver().transport());
    EXPECT_TRUE(transport.sendsCredits(f));
    return transport.feedback(f).rate / (10e9 / 8 * 84 / 1622 / 16);
  };
  EXPECT_DOUBLE_EQ(first(0, 1), 1);
  EXPECT_DOUBLE_EQ(first(40, 1), 1.0 / 40);
  EXPECT_DOUBLE_EQ(first(40, 30), 0.75);
  EXPECT_DOUBLE_EQ(first(40, 40), 1);
  EXPECT_DOUBLE_EQ(first(40, 1000), 1);
}

/// Credits that are on their way when the sender has nothing left are wasted: a round trip's, if it stops only then.
/// How many fewer an early stop wastes depends on when it looks: half of them on average.
TEST(ExpressPass, AnEarlyStopWastesFewerCredits) {
  const auto wasted = [](bool early) {
    double all = 0;
    for (uint64_t packets = 1000; packets < 1060; packets += 4) {
      Config c = expresspass();
      Chain net(c.set("expresspass.early_stop", early), 1, 1, Rate::Gbps(10), Time::Us(20));
      net.flow(0, net.sender(0), net.receiver(), packets * 1460);
      net.run({});
      Flow& f = net.active(net.sender(0), 0);
      uint64_t credits = 0;
      while (!f.senderDone) {
        credits = static_cast<ExpressPass&>(net.sender(0).transport()).wasted(f);
        net.run(net.engine.now() + Time::Us(1));
      }
      net.finish(Time::Ms(40));
      EXPECT_EQ(net.delivered(0), static_cast<int64_t>(packets * 1460));
      EXPECT_EQ(net.retransmitted(0), 0);
      all += static_cast<double>(credits);
    }
    return all / 15;
  };
  // A round trip of 80 us has 62 credits at the rate that the line has room for.
  EXPECT_NEAR(wasted(false), 62, 5);
  EXPECT_NEAR(wasted(true), 31, 8);
}

/// A flow that has lost packets near its end asks again. What came of the credits before its stop, most of which found
/// no data, is no loss of the new ones.
TEST(ExpressPass, ARequestAfterAStopBeginsAnew) {
  Config c = expresspass();
  Chain net(c.set("expresspass.early_stop", false), 1, 1, Rate::Gbps(10), Time::Us(50));
  net.flow(0, net.sender(0), net.receiver(), 1000 * 1460);
  net.run({});
  Flow& f = net.active(net.sender(0), 0);
  auto& transport = static_cast<ExpressPass&>(net.receiver().transport());
  const auto step = [&] { net.run(net.engine.now() + Time::Us(1)); };
  while (f.sndNxt < f.end) step();
  Queue& data = *net.lastHop().queues()[1];
  data.set("limit", int64_t{1});  // no room for what arrives at the switch now
  net.run(net.engine.now() + Time::Us(20));
  data.set("limit", int64_t{1000000});
  ASSERT_TRUE(transport.sendsCredits(f));
  while (transport.sendsCredits(f)) step();
  while (!transport.sendsCredits(f)) step();
  ASSERT_FALSE(f.senderDone);
  ASSERT_GT(transport.wasted(f), 100u);
  const double first = transport.feedback(f).rate;
  EXPECT_DOUBLE_EQ(first, 10e9 / 8 * 84 / 1622 / 16);
  EXPECT_FALSE(transport.feedback(f).grew);
  while (transport.feedback(f).rate == first && transport.sendsCredits(f)) step();
  EXPECT_GT(transport.feedback(f).rate, first) << "no credit was lost";
  net.finish(Time::Ms(40));
  EXPECT_GT(net.retransmitted(0), 0);
}

TEST(ExpressPass, WhatDoesNotFitIsRefused) {
  Config withCc = expresspass();
  withCc.cc = "timely";
  Chain a(withCc, 1, 1);
  EXPECT_THROW(a.start(), ParamError);
  Config sizes = expresspass();
  sizes.set("expresspass.credit_least", int64_t{100});
  Chain b(sizes, 1, 1);
  EXPECT_THROW(b.start(), ParamError);
  EXPECT_EQ(refusalOf(expresspass()), "");
  EXPECT_NE(refusalOf(expresspass().set("host.mtu", int64_t{9038}))
                .find("credit_queue.data_bytes is 1538B, and host.mtu is 9038B"),
            std::string::npos);
  EXPECT_NE(refusalOf(expresspass().set("expresspass.credit_most", int64_t{169}))
                .find("expresspass.credit_most is 169B, above credit_queue.burst, which is 168B"),
            std::string::npos);
  EXPECT_EQ(refusalOf(expresspass().set("expresspass.credit_most", int64_t{168})), "");
  Chain d(expresspass(), 1, 1);
  FlowSpec f;
  f.src = d.sender(0).id();
  f.dst = d.receiver().id();
  f.cls = 0;
  d.flow(f);
  EXPECT_THROW(d.run(Time::Us(1)), std::invalid_argument);
}

}  // namespace fabric
