// TCP with a handshake: what goes before the data, and what is left of it when packets of it are lost.
#include <gtest/gtest.h>

#include "mechanisms/tests/tcp_path.h"

namespace fabric {
namespace {

using test::Config;
using test::kMss;
using test::Path;
using test::tcp;

Config handshake(const std::string& cc = "newreno") { return tcp(cc).set("tcp.handshake", true); }

/// The round trip of two packets of 70 B.
int64_t roundTrip() {
  return 2 * (transmissionTime(70, Rate::Gbps(100)).ps + transmissionTime(70, Rate::Gbps(10)).ps) + 4 * Time::Us(10).ps;
}

/// What the sender put on the wire: -1 for a SYN, else the segment.
std::vector<int64_t> order(const Path& net) {
  std::vector<int64_t> list;
  for (const auto& r : net.packets.rows) {
    if (r[1] == net.hosts[0]->id() && r[3] == static_cast<int>(PacketEvent::Dequeue) &&
        r[5] == static_cast<int>(PacketKind::Data)) {
      list.push_back(r[7] == 70 ? -1 : r[6] / kMss);
    }
  }
  return list;
}

TEST(TcpHandshake, DataGoesWhenTheSynAckIsHere) {
  Path with(handshake().set("newreno.initial_window", int64_t{2})),
      without(tcp().set("newreno.initial_window", int64_t{2}));
  for (Path* net : {&with, &without}) net->stream(0, 20 * kMss);
  with.run(Time{roundTrip()});
  EXPECT_EQ(with.transport().rto(with.active(with.sender(), 0)), Time::Ms(200)) << "there is a sample";
  for (Path* net : {&with, &without}) net->finish(Time::Ms(100));
  EXPECT_EQ(with.end(0) - without.end(0), roundTrip());
  const auto sent = with.sent(), plain = without.sent();
  ASSERT_EQ(sent.size(), plain.size() + 1);
  EXPECT_EQ(sent[0].at, Time{});
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(sent[i + 1].segment, plain[i].segment);
    EXPECT_EQ(sent[i + 1].at.ps - plain[i].at.ps, roundTrip()) << i;
  }
  EXPECT_EQ(sent[1].at.ps, roundTrip());
  EXPECT_GT(sent[3].at.ps, 2 * roundTrip()) << "after an initial window of two";
  EXPECT_EQ(with.delivered(0), 20 * kMss);
  EXPECT_EQ(with.network.packets().live(), 0u);
}

/// RFC 6928 section 2: the window behind a lost SYN is one segment.
TEST(TcpHandshake, ALostSynGoesAgainAndCostsTheInitialWindow) {
  for (const bool answer : {false, true}) {  // the SYN is lost, or its answer
    Path net(handshake().set("tcp.initial_rto", Time::Ms(300).ps));
    if (!answer) net.data().drops[0] = 2;
    if (answer) net.acks().loss = 1;
    net.stream(0, 3 * kMss);
    net.run(Time::Ms(500));  // two are on their way or lost
    net.acks().loss = 0;
    net.finish(Time::Ms(3000));
    EXPECT_EQ(order(net), (std::vector<int64_t>{-1, -1, -1, 0, 1, 2}));
    const auto sent = net.sent();
    EXPECT_EQ(sent[1].at, Time::Ms(300));
    EXPECT_EQ(sent[2].at, Time::Ms(900));
    EXPECT_EQ(sent[3].at.ps, Time::Ms(900).ps + roundTrip());
    EXPECT_GT(sent[4].at.ps, sent[3].at.ps + roundTrip()) << "a window of one";
    EXPECT_EQ(net.timeouts(0), 2);
    EXPECT_EQ(net.delivered(0), 3 * kMss);
    EXPECT_EQ(net.retransmitted(0), 0) << "a SYN has no payload";
  }
}

/// The answer is late, not lost: the SYN that went again finds the data before it, and nobody answers it.
TEST(TcpHandshake, AnOldSynIsNotAnswered) {
  Path net(handshake().set("tcp.initial_rto", Time::Us(30).ps).set("tcp.min_rto", Time::Ms(10).ps));
  net.stream(0, 3 * kMss);
  net.finish(Time::Ms(500));
  EXPECT_EQ(net.delivered(0), 3 * kMss);
  EXPECT_EQ(net.timeouts(0), 1);
  EXPECT_EQ(order(net), (std::vector<int64_t>{-1, -1, 0, 1, 2}));
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST(TcpHandshake, APersistentConnectionIsSetUpOnce) {
  Path net(handshake());
  net.message(0, 3 * kMss);
  net.message(1, 3 * kMss, Time::Ms(50));
  net.message(2, 2 * kMss, Time::Ms(60), Time{-1}, 1001);  // another connection
  net.finish(Time::Ms(500));
  const auto list = order(net);
  EXPECT_EQ(std::count(list.begin(), list.end(), -1), 2);
  EXPECT_EQ(net.delivered(0) + net.delivered(1) + net.delivered(2), 8 * kMss);
  EXPECT_EQ(net.end(1) - Time::Ms(50).ps, net.end(0) - roundTrip());
}

TEST(TcpHandshake, AFlowThatIsStoppedBeforeItsAnswerEnds) {
  for (const bool message : {false, true}) {
    Path net(handshake());
    if (message) {
      net.message(0, 0, Time{}, Time::Us(5));
      net.message(1, kMss, Time::Ms(1));  // over the same connection, which has to be set up
    } else {
      FlowSpec f = net.spec(0, 0, Time{});
      f.stop = Time::Us(5);
      net.flow(f);
    }
    net.finish(Time::Ms(500));
    EXPECT_EQ(net.delivered(0), 0);
    EXPECT_EQ(net.senderEnd(0), Time::Us(5).ps);
    if (message) {
      EXPECT_EQ(order(net), (std::vector<int64_t>{-1, -1, 0}));
      EXPECT_EQ(net.delivered(1), kMss);
    }
    EXPECT_EQ(net.network.packets().live(), 0u);
  }
}

/// Nothing of it is ECN-capable, so no SYN is marked (RFC 3168 section 6.1.1), and losses anywhere are made good.
TEST(TcpHandshake, EveryFlowBeginsAndEndsUnderLosses) {
  for (const char* cc : {"newreno", "cubic", "dctcp", "none"}) {
    Path net(handshake(cc).set("tcp.min_rto", Time::Ms(1).ps).set("tcp.initial_rto", Time::Ms(1).ps));
    net.data().loss = net.acks().loss = 0.1;
    net.data().random = RandomStream(1, "data");
    net.acks().random = RandomStream(1, "acks");
    for (uint32_t id = 0; id < 30; ++id) net.stream(id, 20 * kMss + id, Time::Us(50 * id));
    net.finish(Time::Ms(60000));
    for (uint32_t id = 0; id < 30; ++id) EXPECT_EQ(net.delivered(id), static_cast<int64_t>(20 * kMss + id)) << cc;
    const auto list = order(net);
    EXPECT_GT(std::count(list.begin(), list.end(), -1), 30) << cc;
  }
}

/// The sub-flows' SYNs wait for the first one's answer.
TEST(TcpHandshake, SubflowsFollowTheFirst) {
  Config c = tcp("lia");
  c.transport = "mptcp";
  Path net(c.set("mptcp.subflows", int64_t{4}).set("mptcp.handshake", true));
  net.stream(0, 100 * kMss);
  net.run(Time{roundTrip()} + Time::Us(1));
  auto list = order(net);
  EXPECT_EQ(std::count(list.begin(), list.end(), -1), 4);
  EXPECT_EQ(list[0], -1);
  EXPECT_GE(net.sent()[1].at.ps, roundTrip());
  net.finish(Time::Ms(500));
  list = order(net);
  EXPECT_EQ(std::count(list.begin(), list.end(), -1), 4);
  EXPECT_EQ(net.delivered(0), 100 * kMss);
}

/// Steals the sub-flows' first SYNs, all but that of the first one.
std::function<bool(const Packet&)> firstSyns() {
  return [syns = 0](const Packet& p) mutable {
    return p.kind == PacketKind::Data && p.payload == 0 && ++syns > 1 && syns <= 4;
  };
}

/// A sub-flow whose SYN was not answered before the first message was over is set up with the next one.
TEST(TcpHandshake, SubflowsOfAPersistentConnectionAreSetUpLater) {
  Config c = tcp("lia");
  c.transport = "mptcp";
  Path net(c.set("mptcp.subflows", int64_t{4}).set("mptcp.handshake", true));
  net.data().steals = firstSyns();
  net.message(0, kMss);
  net.message(1, 100 * kMss, Time::Ms(50));
  net.finish(Time::Ms(500));
  const auto list = order(net);
  EXPECT_EQ(std::count(list.begin(), list.end(), -1), 4 + 3);
  EXPECT_EQ(std::count(list.begin(), list.end(), 0), 1 + 4) << "the first message, and each sub-flow with the second";
  EXPECT_EQ(net.delivered(1), 100 * kMss);
}

/// The only segment went over the first sub-flow and was lost. The others have none of the message, and their SYNs go
/// again while it waits.
TEST(TcpHandshake, ASynThatGoesAgainWithNothingToSendCountsForTheMessage) {
  Config c = tcp("lia");
  c.transport = "mptcp";
  Path net(c.set("mptcp.subflows", int64_t{4}).set("mptcp.handshake", true).set("mptcp.initial_rto", Time::Ms(1).ps));
  net.data().steals = [syns = firstSyns(), lost = false](const Packet& p) mutable {
    if (syns(p)) return true;
    const bool loses = !lost && p.kind == PacketKind::Data && p.payload > 0;
    lost = lost || loses;
    return loses;
  };
  net.message(0, kMss);
  net.finish(Time::Ms(500));
  EXPECT_EQ(net.delivered(0), kMss);
  EXPECT_GE(net.timeouts(0), 3);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

}  // namespace
}  // namespace fabric
