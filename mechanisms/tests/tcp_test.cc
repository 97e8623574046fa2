// TCP on hand-made loss patterns: what is sent, in which order and when.
#include "mechanisms/tcp/tcp.h"

#include <gtest/gtest.h>

#include <map>

#include "mechanisms/tests/tcp_path.h"

namespace fabric {

using test::Config;
using test::kMss;
using test::Net;
using test::Path;
using test::Rows;
using test::tcp;

namespace {

std::vector<int64_t> count(int64_t from, int64_t to) {
  std::vector<int64_t> list;
  for (int64_t i = from; i <= to; ++i) list.push_back(i);
  return list;
}
std::vector<int64_t> these(std::initializer_list<int64_t> list) { return list; }
std::vector<int64_t> operator+(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

// ---------------------------------------------------------------- loss recovery

/// Window 10, 13 after three ACKs, so 3 to 15 are in flight. SACKs of 4 and 5 let 16 and 17 out (limited
/// transmit), that of 6 makes 3 lost: half of the 13 that are not limited transmit's is 6.5, and 3 goes.
/// pipe is 15 - 3 - 1 + 1 = 12 and must fall to 5 before 18 may go, with the SACK of 13; 14 to 17 let 19
/// to 22 out. 3 was sent behind 17, so its ACK ends the recovery then.
TEST(Tcp, FastRetransmitOfASingleLoss) {
  Path net;
  net.data().drops[3] = 1;
  net.stream(0, 40 * kMss);
  // The ACK of 6, the sixth segment through the slow link, has a block and 82 B.
  const int64_t there = transmissionTime(1518, Rate::Gbps(100)).ps + 6 * transmissionTime(1518, Rate::Gbps(10)).ps;
  const int64_t back = transmissionTime(82, Rate::Gbps(10)).ps + transmissionTime(82, Rate::Gbps(100)).ps;
  const Time certain{there + back + 4 * Time::Us(10).ps};
  net.run(certain);
  EXPECT_EQ(net.active(net.sender(), 0).window, 13 * kMss / 2);
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.sent()[18].at, certain);
  const std::vector<int64_t> order = net.order();
  ASSERT_GE(order.size(), 24u);
  EXPECT_EQ(std::vector<int64_t>(order.begin(), order.begin() + 24), count(0, 17) + these({3}) + count(18, 22));
  EXPECT_EQ(order.size(), 41u);
  EXPECT_EQ(net.retransmitted(0), kMss);
  EXPECT_EQ(net.timeouts(0), 0);
  EXPECT_EQ(net.delivered(0), 40 * kMss);
  EXPECT_EQ(net.reordered(0), 14);  // 4 to 17
}

/// Segments are as long as the sender makes them, whatever the receiver's own are.
TEST(Tcp, AReceiverOfShorterSegmentsCountsWhatComes) {
  constexpr int64_t kLong = 4000;
  Net net(tcp().set("host.mtu", kLong + 70));
  Host& sender = net.host();
  net.setup.set("host.mtu", int64_t{1518});
  Host& receiver = net.host();
  Switch& between = net.sw();
  net.link(sender, between, Rate::Gbps(100), Time::Us(10));
  net.link(receiver, between, Rate::Gbps(10), Time::Us(10));
  auto& data = *static_cast<test::Bandit*>(between.port(1).queues()[0]);
  for (const int segment : {3, 6}) data.drops[segment * kLong / kMss] = 1;
  FlowSpec f;
  f.src = sender.id();
  f.dst = receiver.id();
  f.size = 39 * kLong + 5;
  f.cls = 0;
  net.flow(f);
  net.finish(Time::Ms(900));
  EXPECT_EQ(net.retransmitted(0), 2 * kLong);
  EXPECT_EQ(net.delivered(0), 39 * kLong + 5);
}

TEST(Tcp, WithoutLimitedTransmitDuplicatesLetNothingOut) {
  Path net(tcp().set("tcp.limited_transmit", false));
  net.data().drops[3] = 1;
  net.stream(0, 40 * kMss);
  net.finish(Time::Ms(100));
  const std::vector<int64_t> order = net.order();
  EXPECT_EQ(std::vector<int64_t>(order.begin(), order.begin() + 18), count(0, 15) + these({3, 16}));
}

/// 3, 4 and 5 are lost of 0 to 15. With the SACKs of 6, 7 and 8 all three are known to be lost; two new
/// segments went by limited transmit, so the window is 6.5. pipe is 15 - 3 - 3 + 1 = 10 with the first
/// retransmission and must fall to 5: 4 goes with the SACK of 13, 5 with that of 14, new ones follow.
TEST(Tcp, ABurstOfLossesIsFilledByTheScoreboard) {
  Path net;
  for (const int s : {3, 4, 5}) net.data().drops[s] = 1;
  net.stream(0, 40 * kMss);
  net.finish(Time::Ms(100));
  const std::vector<int64_t> order = net.order();
  ASSERT_GE(order.size(), 24u);
  EXPECT_EQ(std::vector<int64_t>(order.begin(), order.begin() + 24), count(0, 17) + these({3, 4, 5}) + count(18, 20));
  EXPECT_EQ(net.retransmitted(0), 3 * kMss);
  EXPECT_EQ(net.timeouts(0), 0);
}

/// Nothing comes behind the last segment that could tell of its loss: the timer does.
TEST(Tcp, ALostTailWaitsForTheTimeout) {
  Path net;
  net.data().drops[9] = 1;
  net.stream(0, 10 * kMss);
  net.finish(Time::Ms(1000));
  const auto sent = net.sent();
  ASSERT_EQ(net.order(), count(0, 9) + these({9}));
  EXPECT_EQ(net.timeouts(0), 1);
  // The ACK of 8 restarted the timer: nine segments through the slow link, 10 us twice, and back.
  const Time data = transmissionTime(1518, Rate::Gbps(100)), slow = transmissionTime(1518, Rate::Gbps(10));
  const Time ack = transmissionTime(70, Rate::Gbps(100)), slowAck = transmissionTime(70, Rate::Gbps(10));
  const int64_t arrived = data.ps + 9 * slow.ps + slowAck.ps + ack.ps + 4 * Time::Us(10).ps;
  EXPECT_EQ(sent.back().at.ps, arrived + Time::Ms(200).ps);
  EXPECT_EQ(net.reordered(0), 0);
}

/// 5 and the last one, 11, are lost. With the ACK of 5's retransmission only 11 is outstanding and there
/// is nothing new to send: rule 4 of NextSeg() sends it without waiting for the timer.
TEST(Tcp, ARescueRetransmissionSavesTheTail) {
  Path net(tcp().set("newreno.initial_window", int64_t{12}));
  net.data().drops[5] = net.data().drops[11] = 1;
  net.stream(0, 12 * kMss);
  net.finish(Time::Ms(1000));
  EXPECT_EQ(net.order(), count(0, 11) + these({5, 11}));
  EXPECT_EQ(net.timeouts(0), 0);
}

/// The scoreboard of RFC 6675 does not see that a retransmission is lost: the timer does, and what was
/// SACKed is not sent again.
TEST(Tcp, ALostRetransmissionTakesATimeout) {
  Path net;
  net.data().drops[3] = 2;
  net.stream(0, 20 * kMss);
  net.finish(Time::Ms(1000));
  EXPECT_EQ(net.timeouts(0), 1);
  EXPECT_EQ(net.retransmitted(0), 2 * kMss);
  EXPECT_EQ(net.delivered(0), 20 * kMss);
}

/// 3 is lost and lost again. The first three new segments behind its retransmission tell, at the third of
/// their SACKs; 5, which was sent again with it and arrived, is not sent a third time.
TEST(Tcp, NewSegmentsTellOfALostRetransmission) {
  Path net(tcp().set("tcp.lost_retransmissions", true));
  net.data().drops[3] = 2;
  net.data().drops[5] = 1;
  net.stream(0, 60 * kMss);
  net.finish(Time::Ms(150));  // before any timeout
  EXPECT_EQ(net.timeouts(0), 0);
  EXPECT_EQ(net.retransmitted(0), 3 * kMss);
  EXPECT_EQ(net.delivered(0), 60 * kMss);
  const std::vector<int64_t> order = net.order();
  std::vector<size_t> three;
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] == 3) three.push_back(i);
  }
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(order[three[1] + 1], 5);
  EXPECT_GE(three[2] - three[1], 1 + 1 + 3u) << "5, and three new segments or more";
}

/// A mark cuts the window once (RFC 3168 section 6.1.2). The ACKs of the segments that were under way before CWR repeat
/// it, that of the last one too.
TEST(Tcp, AMarkCutsOnce) {
  Path net(tcp().set("newreno.ecn", true));
  net.data().marks = {0};
  net.stream(0, 200 * kMss);
  net.run(Time::Us(70));  // a round trip takes 43 us, the window another 12
  const Flow& f = net.active(net.sender(), 0);
  EXPECT_GE(f.sndUna, 10 * kMss);
  EXPECT_GE(f.window, 4 * kMss);
  EXPECT_LT(f.window, 6 * kMss);
}

/// So does a loss with a mark in the same window: what is repeated of the mark when recovery ends is not new.
TEST(Tcp, ALossAndAMarkCutOnce) {
  Path net(tcp().set("newreno.ecn", true));
  net.data().drops[0] = 1;
  net.data().marks = {5};
  net.stream(0, 200 * kMss);
  net.run(Time::Us(150));
  const Flow& f = net.active(net.sender(), 0);
  EXPECT_GE(f.sndUna, 10 * kMss);
  EXPECT_GE(f.window, 5 * kMss);
}

/// RFC 3168 section 6.1.5: what was not ECN-capable can only be dropped. With DCTCP Linux keeps it ECN-capable.
TEST(Tcp, RetransmissionsAreNotEcnCapable) {
  for (const std::string cc : {"newreno", "dctcp"}) {
    Config c = tcp(cc);
    Path net(cc == "newreno" ? c.set("newreno.ecn", true) : c);
    std::vector<bool> capable;
    net.data().steals = [&](const Packet& p) {
      if (p.kind != PacketKind::Data || p.seq != 3 * kMss) return false;
      capable.push_back(p.ect);
      return capable.size() == 1;
    };
    net.stream(0, 60 * kMss);
    net.finish(Time::Ms(100));
    EXPECT_EQ(capable, (std::vector<bool>{true, cc == "dctcp"})) << cc;
  }
}

/// 15 is lost as well, and goes again when the new segment that tells of 3 is under way: it goes once.
TEST(Tcp, LaterRetransmissionsAreNotDoubtedWithALostOne) {
  Path net(tcp().set("tcp.lost_retransmissions", true));
  net.data().drops[3] = 2;
  net.data().drops[15] = 1;
  net.stream(0, 60 * kMss);
  net.finish(Time::Ms(150));
  EXPECT_EQ(net.timeouts(0), 0);
  EXPECT_EQ(net.retransmitted(0), 3 * kMss);
  EXPECT_EQ(net.delivered(0), 60 * kMss);
}

/// Where no retransmission is lost, it makes no difference.
TEST(Tcp, RetransmissionsThatArriveAreNotDoubted) {
  std::vector<int64_t> orders[2];
  for (const bool doubt : {false, true}) {
    Path net(tcp().set("tcp.lost_retransmissions", doubt));
    for (int s : {12, 14, 15, 19, 20, 25}) net.data().drops[s] = 1;
    net.stream(0, 80 * kMss);
    net.finish(Time::Ms(1000));
    EXPECT_EQ(net.timeouts(0), 0);
    EXPECT_EQ(net.retransmitted(0), 6 * kMss);
    orders[doubt] = net.order();
  }
  EXPECT_EQ(orders[0], orders[1]);
}

/// All ten of the first window are lost but 4 and 7. After the timeout the window is one segment and
/// doubles; the two that were SACKed are passed over.
TEST(Tcp, AfterATimeoutHolesAreFilledInSlowStart) {
  Path net;
  for (int s = 0; s < 10; ++s) {
    if (s != 4 && s != 7) net.data().drops[s] = 1;
  }
  net.stream(0, 10 * kMss);
  net.finish(Time::Ms(3000));
  EXPECT_EQ(net.order(), count(0, 9) + these({0, 1, 2, 3, 5, 6, 8, 9}));
  EXPECT_EQ(net.timeouts(0), 1);
}

// ---------------------------------------------------------------- tails

namespace {

/// When the ACK of the n-th of the segments that were sent at once is at the sender.
Time ackOf(int64_t n) {
  return Time{transmissionTime(1518, Rate::Gbps(100)).ps + n * transmissionTime(1518, Rate::Gbps(10)).ps +
              transmissionTime(70, Rate::Gbps(10)).ps + transmissionTime(70, Rate::Gbps(100)).ps + 4 * Time::Us(10).ps};
}

}  // namespace

/// 8 and 9 of ten are lost. 10 ms after the ACK of 7 the last one goes once more; its SACK tells that 8 is
/// lost. The two in flight leave the smallest window there is.
TEST(Tcp, AProbeTellsOfALostTail) {
  Path net(tcp().set("tcp.tail_loss_probe", true));
  net.data().drops[8] = net.data().drops[9] = 1;
  net.stream(0, 10 * kMss);
  net.run(ackOf(8) + Time::Ms(10) + Time::Us(60));
  EXPECT_EQ(net.order(), count(0, 9) + these({9, 8}));
  EXPECT_EQ(net.active(net.sender(), 0).window, 2 * kMss);
  net.finish(Time::Ms(1000));
  EXPECT_EQ(net.order(), count(0, 9) + these({9, 8}));
  EXPECT_EQ(net.sent()[10].at, ackOf(8) + Time::Ms(10));
  EXPECT_EQ(net.timeouts(0), 0);
  EXPECT_EQ(net.retransmitted(0), 2 * kMss);
}

/// A short probe_min. Before there is a sample it is all that counts: the first probe, of a new segment,
/// goes that long after the first window. Then two round trips are longer, of more than 40 us each.
TEST(Tcp, AProbeWaitsForTwoRoundTrips) {
  Path net(tcp().set("tcp.tail_loss_probe", true).set("tcp.probe_min", Time::Us(1).ps));
  net.data().drops[18] = net.data().drops[19] = 1;
  net.stream(0, 20 * kMss);
  net.finish(Time::Ms(1000));
  const auto sent = net.sent();
  ASSERT_EQ(net.order(), count(0, 19) + these({19, 18}));
  EXPECT_EQ(sent[10].at, sent[9].at + Time::Us(1));
  // 17 went when the ACK of 7 was there, and its own came 50 us later.
  EXPECT_GT(sent[20].at, sent[17].at + Time::Us(50 + 80));
  EXPECT_LT(sent[20].at, sent[17].at + Time::Us(50 + 120));
  EXPECT_EQ(net.timeouts(0), 0);
}

/// All of the first window is lost. The probe is a new segment, and its SACK tells that the ten are lost.
TEST(Tcp, AProbeIsANewSegmentIfThereIsOne) {
  Path net(tcp().set("tcp.tail_loss_probe", true));
  for (int s = 0; s < 10; ++s) net.data().drops[s] = 1;
  net.stream(0, 20 * kMss);
  net.finish(Time::Ms(1000));
  const std::vector<int64_t> order = net.order();
  ASSERT_GE(order.size(), 30u);
  EXPECT_EQ(std::vector<int64_t>(order.begin(), order.begin() + 12), count(0, 10) + these({0}));
  EXPECT_EQ(order.size(), 30u);
  EXPECT_EQ(net.sent()[10].at, net.sent()[9].at + Time::Ms(10));
  EXPECT_EQ(net.timeouts(0), 0);
}

/// The probe is lost too: there is no second one, also not when it was early and ACKs came after it. The
/// timeout counts from the last thing that was heard or done.
TEST(Tcp, ALostProbeTakesATimeout) {
  for (const bool early : {false, true}) {
    Path net(tcp().set("tcp.tail_loss_probe", true).set("tcp.probe_min", (early ? Time::Us(1) : Time::Ms(10)).ps));
    net.data().drops[8] = 1;
    net.data().drops[9] = 2;
    net.stream(0, 10 * kMss);
    net.finish(Time::Ms(1000));
    EXPECT_EQ(net.order(), count(0, 9) + these({9, 8, 9}));
    EXPECT_EQ(net.sent()[11].at, ackOf(8) + (early ? Time{} : Time::Ms(10)) + Time::Ms(200));
    EXPECT_EQ(net.timeouts(0), 1);
  }
}

/// The ACK of a single segment may be held back, and where the timer is shorter than two round trips and
/// probe_min it comes first: no probe, nothing is different.
TEST(Tcp, WithoutTimeForAProbeTheTimerComesFirst) {
  for (const int64_t rto : {Time::Ms(200).ps, Time::Ms(1).ps}) {
    std::vector<int64_t> times[2];
    for (const bool probe : {false, true}) {
      Path net(tcp().set("tcp.tail_loss_probe", probe).set("tcp.min_rto", rto));
      net.data().drops[9] = 1;
      if (rto < Time::Ms(10).ps) net.data().drops[8] = net.data().drops[7] = 1;
      net.stream(0, 10 * kMss);
      net.finish(Time::Ms(1000));
      EXPECT_EQ(net.timeouts(0), 1);
      for (const auto& s : net.sent()) times[probe].push_back(s.at.ps);
    }
    EXPECT_EQ(times[0], times[1]);
  }
}

/// The last segment alone is lost, its probe repairs that, and the window hears of the loss: with one
/// segment in flight two are left for the next message. A probe that was not needed, since the ACK
/// was only on its way, costs nothing but itself.
TEST(Tcp, AProbeThatRepairsCutsTheWindow) {
  for (const bool lost : {false, true}) {
    Config c = tcp().set("tcp.tail_loss_probe", true).set("tcp.probe_ack_delay", int64_t{0});
    Path net(lost ? c : c.set("tcp.probe_min", Time::Us(1).ps));
    if (lost) net.data().drops[9] = 1;
    net.message(0, 10 * kMss);
    net.message(1, 30 * kMss, Time::Ms(50));
    net.finish(Time::Ms(1000));
    EXPECT_EQ(net.timeouts(0), 0);
    EXPECT_EQ(net.retransmitted(0), kMss);
    const auto sent = net.sent();
    EXPECT_EQ(sent[10].segment, 9);
    int64_t burst = 0;
    for (const auto& s : sent) burst += Time::Ms(50) <= s.at && s.at < Time::Ms(50) + Time::Us(1);
    const int64_t inOneUs = 1000000 / transmissionTime(1518, Rate::Gbps(100)).ps + 1;
    EXPECT_EQ(burst, lost ? 2 : inOneUs);
  }
}

/// 2 or 3 of five is lost: when all behind it is SACKed, one segment or two, it goes again at once.
TEST(Tcp, EarlyRetransmit) {
  for (const bool early : {false, true}) {
    for (const int lost : {2, 3}) {
      Path net(tcp().set("tcp.early_retransmit", early));
      net.data().drops[lost] = 1;
      net.stream(0, 5 * kMss);
      net.finish(Time::Ms(1000));
      EXPECT_EQ(net.order(), count(0, 4) + these({lost}));
      EXPECT_EQ(net.timeouts(0), early ? 0 : 1);
      // The ACK of 4 has a block: 12 B more, on both links.
      const int64_t block = transmissionTime(82, Rate::Gbps(10)).ps - transmissionTime(70, Rate::Gbps(10)).ps +
                            transmissionTime(82, Rate::Gbps(100)).ps - transmissionTime(70, Rate::Gbps(100)).ps;
      if (early) {
        EXPECT_EQ(net.sent()[5].at.ps, ackOf(4).ps + block);
      }
    }
  }
}

/// Of three outstanding two are missing: the second may be on its way. Nor with something new to send,
/// which will tell.
TEST(Tcp, EarlyRetransmitWantsAllOthers) {
  Path two(tcp().set("tcp.early_retransmit", true));
  two.data().drops[2] = two.data().drops[3] = 1;
  two.stream(0, 5 * kMss);
  two.finish(Time::Ms(1000));
  EXPECT_EQ(two.timeouts(0), 1);

  Path more(tcp().set("tcp.early_retransmit", true).set("newreno.initial_window", int64_t{2}));
  more.data().drops[0] = 1;
  more.stream(0, 5 * kMss);
  more.finish(Time::Ms(2000));
  EXPECT_EQ(more.order(), these({0, 1, 2, 3, 0, 4}));  // three SACKs
}

// ---------------------------------------------------------------- timer

/// Samples of 100, 120 and 80 ms, by hand from RFC 6298 section 2.
TEST(Tcp, RttEstimate) {
  RttEstimate e;
  e.sample(Time::Ms(100));
  EXPECT_EQ(e.timeout(), Time::Ms(300));  // 100 + 4 * 50
  e.sample(Time::Ms(120));
  EXPECT_EQ(e.variation, Time::Us(42500));  // 3/4 * 50 + 1/4 * 20
  EXPECT_EQ(e.smoothed, Time::Us(102500));
  e.sample(Time::Ms(80));
  EXPECT_EQ(e.variation, Time::Us(37500));  // 3/4 * 42.5 + 1/4 * 22.5
  EXPECT_EQ(e.smoothed.ps, Time::Ns(99687500).ps);
  EXPECT_EQ(e.timeout().ps, Time::Ns(99687500).ps + Time::Ms(150).ps);
}

/// 1 s before any sample, then twice as long each time, up to the longest; the first sample ends it.
TEST(Tcp, TheTimeoutBacksOffAndRecovers) {
  Path net(tcp().set("tcp.max_rto", Time::Ms(5000).ps));
  net.data().drops[0] = 5;
  net.data().drops[1] = 2;
  net.stream(0, 2 * kMss);
  net.finish(Time::Ms(60000));
  std::vector<int64_t> at;
  for (const auto& s : net.sent()) {
    if (s.segment == 0) at.push_back(s.at.ps);
  }
  ASSERT_EQ(at.size(), 6u);
  const int64_t ms = Time::Ms(1).ps;
  const std::vector<int64_t> gaps{1000 * ms, 2000 * ms, 4000 * ms, 5000 * ms, 5000 * ms};
  for (size_t i = 0; i < gaps.size(); ++i) EXPECT_EQ(at[i + 1] - at[i], gaps[i]) << i;
  // Segment 1 goes as soon as 0 is acknowledged, is lost again, and then waits for the least timeout.
  std::vector<int64_t> one;
  for (const auto& s : net.sent()) {
    if (s.segment == 1) one.push_back(s.at.ps);
  }
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(one[2] - one[1], 200 * ms);
  EXPECT_EQ(net.timeouts(0), 6);
}

// ---------------------------------------------------------------- ACKs

/// One ACK for two segments; a segment that is alone waits for the timer.
TEST(Tcp, DelayedAcks) {
  Path net(tcp().set("host.ack_every", int64_t{2}).set("newreno.initial_window", int64_t{3}));
  net.stream(0, 5 * kMss);
  net.finish(Time::Ms(100));
  std::vector<int64_t> acks, at;
  for (const auto& r : net.packets.rows) {
    if (r[1] == net.receiver().id() && r[3] == static_cast<int>(PacketEvent::Dequeue)) {
      acks.push_back(r[6] / kMss);
      at.push_back(r[0]);
    }
  }
  // 0 and 1 are acknowledged together and let 3 and 4 out; 2 and 3 together; 4 is the last.
  EXPECT_EQ(acks, these({2, 4, 5}));

  Path alone(tcp().set("host.ack_every", int64_t{2}).set("newreno.initial_window", int64_t{1}));
  alone.stream(0, 2 * kMss);
  alone.finish(Time::Ms(100));
  const auto sent = alone.sent();
  ASSERT_EQ(sent.size(), 2u);
  const int64_t there =
      transmissionTime(1518, Rate::Gbps(100)).ps + transmissionTime(1518, Rate::Gbps(10)).ps + 2 * Time::Us(10).ps;
  const int64_t back =
      transmissionTime(70, Rate::Gbps(100)).ps + transmissionTime(70, Rate::Gbps(10)).ps + 2 * Time::Us(10).ps;
  EXPECT_EQ(sent[1].at.ps, there + Time::Ms(40).ps + back);
}

/// SACK blocks are on the wire: 4 B and 8 B for each.
TEST(Tcp, SackBlocksTakeTheirBytes) {
  Path net;
  for (const int s : {1, 3, 5, 7}) net.data().drops[s] = 1;
  net.stream(0, 10 * kMss);
  net.finish(Time::Ms(1000));
  std::vector<int64_t> bytes;
  for (const auto& r : net.packets.rows) {
    if (r[1] == net.receiver().id() && r[3] == static_cast<int>(PacketEvent::Dequeue)) bytes.push_back(r[7]);
  }
  ASSERT_GE(bytes.size(), 6u);
  // 0 in order; 2; 2 4; 2 4 6; of 2 4 6 8 the last three; 8 and 9 are one block.
  EXPECT_EQ(std::vector<int64_t>(bytes.begin(), bytes.begin() + 6), these({70, 82, 90, 98, 98, 98}));
  EXPECT_EQ(net.delivered(0), 10 * kMss);
}

// ---------------------------------------------------------------- robustness

/// Packets overtake each other all the time: nothing is lost, so nothing may time out, and the flow ends.
TEST(Tcp, ReorderingIsNoEnd) {
  Path net;
  net.data().late = 7;
  net.stream(0, 500 * kMss);
  net.finish(Time::Ms(500));
  EXPECT_EQ(net.delivered(0), 500 * kMss);
  EXPECT_GT(net.reordered(0), 5);
  EXPECT_EQ(net.timeouts(0), 0);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

struct RandomLoss : testing::TestWithParam<std::tuple<const char*, int>> {};

/// Data and ACKs are lost at random, for all controls: every flow ends with all its bytes, and the
/// counts of the scoreboard are always those of its bits.
TEST_P(RandomLoss, FlowsEndAndTheScoreboardAgreesWithItself) {
  Config c = tcp(std::get<0>(GetParam()));
  c.set("tcp.min_rto", Time::Ms(1).ps).set("tcp.initial_rto", Time::Ms(1).ps);
  c.set("host.ack_every", int64_t{1 + std::get<1>(GetParam()) / 2 % 2}).set("tcp.ack_delay", Time::Us(100).ps);
  const auto seed = static_cast<uint64_t>(std::get<1>(GetParam()));
  c.set("tcp.lost_retransmissions", seed > 2);
  c.set("tcp.tail_loss_probe", seed % 2 == 0).set("tcp.early_retransmit", seed % 2 == 0);
  c.set("tcp.probe_min", Time::Us(200).ps).set("tcp.probe_ack_delay", Time::Us(300).ps);
  Path net(c);
  net.data().loss = net.acks().loss = 0.03;
  net.data().random = RandomStream(seed, "data");
  net.acks().random = RandomStream(seed, "acks");
  net.data().late = 11;
  for (uint32_t id = 0; id < 8; ++id) net.stream(id, 300 * kMss + id, Time::Us(100 * id));
  net.start();
  for (int64_t us = 50; us < 100000; us += 50) {
    net.engine.run(Time::Us(us));
    net.sender().forEachActive([&](const Flow& f) {
      ASSERT_TRUE(net.transport().consistent(f)) << f.spec.id << " at " << us << " us";
      ASSERT_LE(net.transport().pipe(f), 2 * f.inFlight());
    });
  }
  net.finish(Time::Ms(20000));
  for (uint32_t id = 0; id < 8; ++id) EXPECT_EQ(net.delivered(id), static_cast<int64_t>(300 * kMss + id));
  EXPECT_GT(net.network.total().drops, 50u);
}

INSTANTIATE_TEST_SUITE_P(Controls, RandomLoss,
                         testing::Combine(testing::Values("newreno", "cubic", "dctcp", "none"), testing::Range(1, 5)));

TEST(Tcp, AStoppedFlowSendsWhatWasLostAndEnds) {
  Path net;
  net.data().drops[5] = 1;
  FlowSpec f;
  f.src = net.sender().id();
  f.dst = net.receiver().id();
  f.stop = Time::Us(30);
  f.srcPort = 1;
  f.dstPort = 2;
  f.cls = 0;
  net.flow(f);
  net.finish(Time::Ms(1000));
  EXPECT_GT(net.senderEnd(0), 0);
  EXPECT_EQ(net.delivered(0), 10 * kMss);
  EXPECT_EQ(net.retransmitted(0), kMss);
}

TEST(Tcp, HostsWithDifferentTransportsAreRefused) {
  Net net(tcp());
  Host& a = net.host();
  net.setup.transport = "go_back_n";
  Host& b = net.host();
  net.sw();
  net.link(a, *net.switches[0]);
  net.link(b, *net.switches[0]);
  FlowSpec f;
  f.src = a.id();
  f.dst = b.id();
  f.size = 1000;
  f.cls = 0;
  net.flow(f);
  EXPECT_THROW(net.run(Time::Ms(1)), std::invalid_argument);
}

}  // namespace fabric
