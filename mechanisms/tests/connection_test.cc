// Messages on persistent connections: what goes on from one to the next, and in which order they end.
#include <gtest/gtest.h>

#include <algorithm>

#include "mechanisms/tcp/dctcp.h"
#include "mechanisms/tests/tcp_path.h"

namespace fabric {

using test::Config;
using test::kMss;
using test::Net;
using test::Path;
using test::tcp;

namespace {

/// How many packets of data the sender has put on the wire from `from` on, before `to`.
int64_t sentBetween(const Path& net, Time from, Time to) {
  const auto sent = net.sent();
  return std::count_if(sent.begin(), sent.end(), [&](const auto& s) { return from <= s.at && s.at < to; });
}

constexpr int64_t kSlow = 1214400;  // ps: 1518 B at 10 Gb/s

/// Messages of 100 segments, then of 200. Each of the first hundred ACKs adds a segment to the window of
/// 10, since at least half of it is in use: the data end with 45 segments acknowledged and 55 in flight.
/// 110 is what the second message sends at once.
int64_t secondBurst(Config c, Time start) {
  Path net(c);
  net.message(0, 100 * kMss);
  net.message(1, 200 * kMss, start);
  net.finish(start + Time::Ms(500));
  EXPECT_EQ(net.delivered(0), 100 * kMss);
  EXPECT_EQ(net.delivered(1), 200 * kMss);
  // The first ACK takes 40 us, and 110 segments less than 14 us.
  return sentBetween(net, start, start + Time::Us(30));
}

}  // namespace

TEST(Connection, ASecondMessageSendsItsWholeWindow) { EXPECT_EQ(secondBurst(tcp(), Time::Ms(100)), 110); }

TEST(Connection, AfterAnRtoTheWindowIsTheInitialOne) {
  // The last segment of the first message goes within 1 ms, the timeout is 200 ms.
  EXPECT_EQ(secondBurst(tcp(), Time::Ms(199)), 110);
  EXPECT_EQ(secondBurst(tcp(), Time::Ms(202)), 10);
  EXPECT_EQ(secondBurst(tcp().set("tcp.restart_after_idle", false), Time::Ms(202)), 110);
}

TEST(Connection, AnotherPortIsAnotherConnection) {
  Path net;
  net.message(0, 100 * kMss);
  net.message(1, 200 * kMss, Time::Ms(100), Time{-1}, 1001);
  net.finish(Time::Ms(500));
  EXPECT_EQ(sentBetween(net, Time::Ms(100), Time::Ms(100) + Time::Us(30)), 10);
}

/// Both are one byte stream: the second message ends one segment's time behind the first, wherever the
/// window stands, and a message of another connection passes them.
TEST(Connection, AMessageFollowsTheOneBeforeWithoutAGap) {
  Path net;
  net.message(0, 1000 * kMss);
  net.message(1, kMss, Time::Us(300));
  net.message(2, kMss, Time::Us(300), Time{-1}, 1001);
  net.finish(Time::Ms(500));
  EXPECT_EQ(net.end(1), net.end(0) + kSlow);
  EXPECT_LT(net.end(2), net.end(0));
}

/// The messages' rows add up to what the connection sent; segments belong to one message each.
TEST(Connection, EveryMessageHasItsRow) {
  Path net;
  net.message(7, 3 * kMss + 1);
  net.message(8, 10, Time::Us(1));
  net.message(9, 2 * kMss, Time::Us(1));
  net.finish(Time::Ms(500));
  for (const auto& [id, size, packets] :
       {std::tuple{7, int64_t{3 * kMss + 1}, 4}, {8, int64_t{10}, 1}, {9, int64_t{2 * kMss}, 2}}) {
    const auto& row = net.row(static_cast<uint32_t>(id));
    EXPECT_EQ(row[10], size);
    EXPECT_EQ(row[11], size);
    EXPECT_EQ(row[13], packets);
    EXPECT_EQ(row[14], 1);
  }
  std::vector<int64_t> ids;
  for (const auto& r : net.packets.rows) {
    if (r[1] == net.sender().id() && r[3] == static_cast<int>(PacketEvent::Dequeue)) ids.push_back(r[4]);
  }
  EXPECT_EQ(ids, (std::vector<int64_t>{7, 7, 7, 7, 8, 9, 9}));
  EXPECT_EQ(net.network.total().flowsFinished, 3u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

/// The last segment of a message is lost: alone it waits for the timer; with three segments of the next
/// message behind it fast recovery sends it again.
TEST(Connection, ALossAtTheEndIsSeenByTheNextMessage) {
  for (const bool next : {false, true}) {
    Path net;
    net.data().drops[4] = 1;
    net.message(0, 5 * kMss);
    if (next) net.message(1, 5 * kMss, Time::Us(5));
    net.finish(Time::Ms(500));
    EXPECT_EQ(net.timeouts(0), next ? 0 : 1);
    EXPECT_EQ(net.retransmitted(0), kMss);
    EXPECT_EQ(net.end(0) < Time::Ms(1).ps, next);
    if (!next) continue;
    EXPECT_EQ(net.end(1), net.end(0));  // what came behind the gap was there
    EXPECT_EQ(net.reordered(0), 0);
    EXPECT_EQ(net.reordered(1), 5);
    EXPECT_EQ(net.retransmitted(1), 0);
  }
}

/// A short segment in the middle of a stream is retransmitted with its own bytes.
TEST(Connection, AShortSegmentIsSentAgain) {
  Path net;
  net.message(0, kMss + 5);
  net.message(1, 6 * kMss);
  net.data().drops[1] = 1;  // the bytes behind the first MSS
  net.finish(Time::Ms(500));
  EXPECT_EQ(net.retransmitted(0), 5);
  EXPECT_EQ(net.timeouts(0), 0);
  EXPECT_EQ(net.delivered(1), 6 * kMss);
}

TEST(Connection, AStopEndsAMessageAndNotTheConnection) {
  Path net;
  net.message(0, 0, Time{}, Time::Ms(1));                  // unlimited
  net.message(1, 20 * kMss, Time::Us(10), Time::Us(500));  // stopped before its turn
  net.message(2, 20 * kMss, Time::Us(10));
  net.message(3, 20 * kMss, Time::Us(10));
  net.run(Time::Us(900));
  int64_t waiting = 0;
  net.sender().forEachActive([&](const Flow&) { ++waiting; });
  EXPECT_EQ(waiting, 3);
  net.finish(Time::Ms(500));
  EXPECT_EQ(net.end(0), -1);
  EXPECT_GT(net.delivered(0), 100 * kMss);
  EXPECT_EQ(net.row(0)[11], net.delivered(0));
  EXPECT_EQ(net.delivered(1), 0);
  EXPECT_EQ(net.senderEnd(1), Time::Us(500).ps);
  EXPECT_GT(net.end(2), Time::Ms(1).ps);
  EXPECT_EQ(net.end(3), net.end(2) + 20 * kSlow);
}

/// A stop in the middle of the last message ends the connection's business, too.
TEST(Connection, AStopOfTheOnlyMessage) {
  Path net;
  net.message(0, 1000 * kMss, Time{}, Time::Us(100));
  net.message(1, 10 * kMss, Time::Ms(10));
  net.finish(Time::Ms(500));
  EXPECT_EQ(net.end(0), -1);
  EXPECT_GT(net.delivered(0), 0);
  EXPECT_LT(net.delivered(0), 1000 * kMss);
  EXPECT_EQ(net.delivered(1), 10 * kMss);
}

TEST(Connection, UnfinishedMessagesHaveRows) {
  Path net;
  net.message(0, 1000 * kMss);
  net.message(1, 1000 * kMss);
  net.message(2, 1000 * kMss);
  net.finish(Time::Us(2000));
  EXPECT_EQ(net.delivered(0), 1000 * kMss);
  EXPECT_GT(net.delivered(1), 0);
  EXPECT_LT(net.delivered(1), 1000 * kMss);
  EXPECT_EQ(net.delivered(2), 0);
  EXPECT_EQ(static_cast<int64_t>(net.network.total().dataBytesDelivered), 1000 * kMss + net.delivered(1));
}

/// DCTCP's estimate goes on: it begins with 1, and a sixteenth goes with every window without a mark.
TEST(Connection, DctcpKeepsAlpha) {
  Path net(tcp("dctcp"));
  net.message(0, 100 * kMss);
  net.message(1, 2 * kMss, Time::Ms(1));
  auto& dctcp = static_cast<Dctcp&>(net.sender().congestionControl());
  net.run(Time::Us(40));
  const double before = dctcp.alpha(*net.active(net.sender(), 0).connection);
  EXPECT_EQ(before, 1);
  net.run(Time::Ms(1));
  const double after = dctcp.alpha(*net.active(net.sender(), 1).connection);
  EXPECT_LT(after, 0.85);
  EXPECT_GT(after, 0.6);
}

/// CUBIC's clock stands while nothing is sent, so the length of a pause changes nothing. C is so large
/// that 100 ms more of the curve would be seen.
TEST(Connection, CubicDoesNotGrowOverAPause) {
  const auto fct = [](Time start) {
    Path net(tcp("cubic").set("cubic.c", 1e5));
    net.data().drops[30] = 1;  // a loss, so that there is a curve
    net.message(0, 200 * kMss);
    net.message(1, 2000 * kMss, start);
    net.finish(Time::Ms(500));
    return net.end(1) - start.ps;
  };
  EXPECT_EQ(fct(Time::Ms(50)), fct(Time::Ms(150)));
}

TEST(Connection, OtherCongestionControlsRefuse) {
  Net net(tcp("none"));
  net.host();
  net.host();
  net.sw();
  net.link(*net.hosts[0], *net.switches[0]);
  net.link(*net.hosts[1], *net.switches[0]);
  FlowSpec f;
  f.id = 3;
  f.src = 0;
  f.dst = 1;
  f.size = 1000;
  f.cls = 0;
  f.persistent = true;
  net.flow(f);
  try {
    net.run(Time::Us(1));
    FAIL() << "not refused";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("flow 3"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("none has no persistent connections"), std::string::npos);
  }
}

/// Under loss and reordering every message arrives, whatever the ACKs.
TEST(Connection, EverythingArrivesUnderLoss) {
  for (const char* cc : {"newreno", "cubic", "dctcp", "mptcp"}) {
    for (const int64_t every : {1, 2}) {
      const bool mptcp = std::string(cc) == "mptcp";
      Config c = tcp(mptcp ? "lia" : cc);
      if (mptcp) c.transport = "mptcp";
      for (const char* t : {"tcp", "mptcp"}) {
        c.set(std::string(t) + ".min_rto", Time::Ms(1).ps).set(std::string(t) + ".initial_rto", Time::Ms(1).ps);
        c.set(std::string(t) + ".ack_delay", Time::Us(500).ps);
      }
      Path net(c.set("host.ack_every", every));
      net.data().loss = 0.01;
      net.data().late = 7;
      net.acks().loss = 0.01;
      RandomStream r(5, "messages", 0);
      std::vector<uint64_t> sizes;
      int64_t at = 0;
      for (uint32_t i = 0; i < 400; ++i) {
        sizes.push_back(1 + r.below(60000));
        at += static_cast<int64_t>(r.below(60)) * Time::Us(1).ps;
        if (i % 100 == 99) at += Time::Ms(30).ps;
        net.message(i, sizes.back(), Time{at}, Time{-1}, static_cast<uint16_t>(1000 + 100 * r.below(2)));
      }
      net.finish(Time::Ms(5000));
      uint64_t all = 0;
      for (uint32_t i = 0; i < 400; ++i) {
        EXPECT_EQ(net.delivered(i), static_cast<int64_t>(sizes[i])) << cc << " " << i;
        EXPECT_EQ(net.row(i)[11] - net.row(i)[12], static_cast<int64_t>(sizes[i])) << cc << " " << i;
        EXPECT_GE(net.end(i), net.row(i)[7]);
        EXPECT_GE(net.senderEnd(i), net.end(i));
        all += sizes[i];
      }
      EXPECT_EQ(net.network.total().dataBytesDelivered, all);
      EXPECT_EQ(net.network.total().flowsFinished, 400u);
      EXPECT_GT(net.network.total().retransmittedBytes, 0u);
    }
  }
}

}  // namespace fabric
