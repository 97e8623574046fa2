// TCP with a tear-down: what goes behind the data, and what is left of it when packets of it are lost.
#include <gtest/gtest.h>

#include "mechanisms/tests/tcp_path.h"

namespace fabric {
namespace {

using test::Config;
using test::kMss;
using test::Net;
using test::Path;
using test::tcp;
using FinBit = TcpHeader::Control;

Config teardown(const std::string& cc = "newreno") { return tcp(cc).set("tcp.teardown", true); }

Config mptcp() {
  Config c = tcp("lia");
  c.transport = "mptcp";
  return c.set("mptcp.subflows", int64_t{4}).set("mptcp.teardown", true);
}

// In ps. A packet of 70 B takes 5.6 ns on the fast link, 56 ns on the slow one and 10 us on each.
constexpr int64_t kOneWay = 5600 + 56000 + 20000000;
/// The first segment arrives, the n-th follows from the slow link.
constexpr int64_t arrival(int64_t n) { return 121440 + n * 1214400 + 20000000; }
constexpr int64_t kSecond = 1000000000000;
/// Until the receiver, and with it the last one, hears of the end.
constexpr int64_t kShortestDelay = 10000000;

/// A path that keeps what its hosts send without data.
struct Closing : Path {
  explicit Closing(const Config& c = teardown()) : Path(c) { engine.recordSends = true; }
  struct Frame {
    int host;
    int64_t at;
    bool operator==(const Frame& o) const { return host == o.host && at == o.at; }
    friend void PrintTo(const Frame& f, std::ostream* out) { *out << "h" << f.host << " at " << f.at; }
  };
  std::vector<Frame> frames(PacketKind kind = PacketKind::Control) const {
    std::vector<Frame> list;
    for (const auto& s : engine.sends) {
      for (int h = 0; h < 2; ++h) {
        if (s.from != &hosts[h]->nic() || s.kind != kind) continue;
        list.push_back({h, s.at.ps});
        EXPECT_TRUE(kind == PacketKind::Data || s.bytes == 70) << s.bytes;
      }
    }
    return list;
  }
  FinBit bit(const Packet& p) const { return (*network.packets().find<TcpHeader>(TcpHeader::kName))(p).control; }
  /// The run's last event: nothing waits any more.
  void expectOver(int64_t last) {
    run(Time{last - 1});
    EXPECT_GT(engine.pending(), 0u);
    run(Time{last});
    EXPECT_EQ(engine.pending(), 0u);
    EXPECT_EQ(network.packets().live(), 0u);
  }
};

auto steal(PacketKind kind, int first, int count = 1) {
  return [=, seen = 0](const Packet& p) mutable {
    if (p.kind != kind) return false;
    ++seen;
    return seen >= first && seen < first + count;
  };
}
auto stealAll(PacketKind kind) { return steal(kind, 1, 1 << 20); }

using Frames = std::vector<Closing::Frame>;

TEST(TcpTearDown, TheLastAckIsTheOnlyPacketMore) {
  Closing with, without(tcp());
  std::vector<FinBit> data, acks;
  with.data().steals = [&](const Packet& p) { return data.push_back(with.bit(p)), false; };
  with.acks().steals = [&](const Packet& p) { return acks.push_back(with.bit(p)), false; };
  for (Closing* net : {&with, &without}) {
    net->stream(0, 3 * kMss);
    net->run(Time{arrival(3) + kOneWay});
  }
  EXPECT_EQ(with.frames(), (Frames{{0, arrival(3) + kOneWay}}));
  EXPECT_EQ(without.frames(), Frames{});
  with.expectOver(arrival(3) + 2 * kOneWay + kShortestDelay);
  without.expectOver(arrival(3) + kOneWay + kShortestDelay);
  EXPECT_EQ(data, (std::vector<FinBit>{FinBit::None, FinBit::None, FinBit::Fin, FinBit::None}));
  EXPECT_EQ(acks, (std::vector<FinBit>{FinBit::None, FinBit::None, FinBit::Fin}));
  for (const PacketKind kind : {PacketKind::Data, PacketKind::Ack}) EXPECT_EQ(with.frames(kind), without.frames(kind));
  for (Closing* net : {&with, &without}) {
    net->finish(Time::Ms(1));
    EXPECT_EQ(net->end(0), arrival(3));
    EXPECT_EQ(net->senderEnd(0), arrival(3) + kOneWay);
  }
  EXPECT_EQ(with.connectionEnd(0), arrival(3) + 2 * kOneWay);
  EXPECT_EQ(without.connectionEnd(0), -1);
}

/// The rows come in the order of the connections' ends, then those that are not over. All are counted as finished.
TEST(TcpTearDown, TheRowOfAFlowWaitsForItsConnection) {
  Closing net;
  net.stream(0, 9 * kMss);
  net.stream(1, kMss, Time::Us(200));
  net.stream(2, kMss, Time::Us(400));
  net.acks().steals = steal(PacketKind::Ack, 9);  // the first flow's FIN-ACK: the sender's timer repairs it
  net.finish(Time::Us(445));
  EXPECT_EQ(net.network.total().flowsFinished, 3u);
  ASSERT_EQ(net.flowRows.rows.size(), 3u);
  std::vector<int64_t> order;
  for (const auto& row : net.flowRows.rows) order.push_back(row[0]);
  EXPECT_EQ(order, (std::vector<int64_t>{1, 0, 2}));
  EXPECT_EQ(net.connectionEnd(1), net.senderEnd(1) + kOneWay);
  EXPECT_EQ(net.connectionEnd(0), -1) << "its sender does not know yet";
  EXPECT_GT(net.senderEnd(2), 0);
  EXPECT_EQ(net.connectionEnd(2), -1) << "the last ACK is on its way";
}

/// SYN, SYN-ACK, data with FIN, FIN-ACK, ACK.
TEST(TcpTearDown, WithAHandshakeItIsFivePackets) {
  Closing net(teardown().set("tcp.handshake", true));
  net.stream(0, kMss);
  net.finish(Time::Ms(1));
  const int64_t open = 2 * kOneWay, all = open + arrival(1);
  EXPECT_EQ(net.frames(PacketKind::Data), (Frames{{0, 0}, {0, open}}));
  EXPECT_EQ(net.frames(PacketKind::Ack), (Frames{{1, kOneWay}, {1, all}}));
  EXPECT_EQ(net.frames(), (Frames{{0, all + kOneWay}}));
  EXPECT_EQ(net.engine.pending(), 0u);
}

TEST(TcpTearDown, ALostFinGoesAgainWithItsData) {
  Closing with, without(tcp());
  for (Closing* net : {&with, &without}) {
    net->data().drops[2] = 1;
    net->stream(0, 3 * kMss);
    net->finish(Time::Ms(900));
    EXPECT_EQ(net->order(), (std::vector<int64_t>{0, 1, 2, 2}));
    EXPECT_EQ(net->timeouts(0), 1);
    EXPECT_EQ(net->engine.pending(), 0u);
  }
  EXPECT_EQ(with.end(0), without.end(0));
  EXPECT_EQ(with.senderEnd(0), without.senderEnd(0));
  EXPECT_EQ(with.frames(), (Frames{{0, with.senderEnd(0)}}));
}

/// The FIN is there before the data is. It counts when the hole is filled, by a segment without a FIN.
TEST(TcpTearDown, AFinOutOfOrderWaits) {
  Closing net;
  net.data().drops[0] = 1;
  std::vector<FinBit> acks;
  net.acks().steals = [&](const Packet& p) { return acks.push_back(net.bit(p)), false; };
  net.stream(0, 5 * kMss);
  net.finish(Time::Ms(900));
  EXPECT_EQ(net.order(), (std::vector<int64_t>{0, 1, 2, 3, 4, 0}));
  EXPECT_EQ(acks, (std::vector<FinBit>{FinBit::None, FinBit::None, FinBit::None, FinBit::None, FinBit::Fin}));
  EXPECT_EQ(net.frames(), (Frames{{0, net.senderEnd(0)}}));
  EXPECT_EQ(net.engine.pending(), 0u);
}

/// The sender's timeout comes first: the last segment goes again and is answered by a FIN-ACK.
TEST(TcpTearDown, ALostFinAckIsAskedForAgain) {
  Closing with, without(tcp());
  for (Closing* net : {&with, &without}) {
    net->acks().steals = steal(PacketKind::Ack, 2);
    net->stream(0, 2 * kMss);
    net->finish(Time::Ms(900));
    EXPECT_EQ(net->order(), (std::vector<int64_t>{0, 1, 1}));
    EXPECT_EQ(net->end(0), arrival(2));
    // From the ACK of the first segment on.
    EXPECT_EQ(net->senderEnd(0), arrival(1) + kOneWay + Time::Ms(200).ps + arrival(1) + kOneWay);
    EXPECT_EQ(net->engine.pending(), 0u);
  }
  EXPECT_EQ(with.frames(), (Frames{{0, with.senderEnd(0)}}));
}

/// The receiver's comes first: its FIN goes again, and is still the ACK of the last segment.
TEST(TcpTearDown, ALostFinAckGoesAgain) {
  Closing net(teardown().set("tcp.initial_rto", Time::Ms(50).ps));
  net.acks().steals = steal(PacketKind::Ack, 2);
  net.stream(0, 2 * kMss);
  const int64_t again = arrival(2) + Time::Ms(50).ps;
  net.expectOver(again + 2 * kOneWay + kShortestDelay);
  net.finish(Time::Ms(900));
  EXPECT_EQ(net.order(), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(net.timeouts(0), 0);
  EXPECT_EQ(net.end(0), arrival(2));
  EXPECT_EQ(net.senderEnd(0), again + kOneWay);
  EXPECT_EQ(net.frames(), (Frames{{1, again}, {0, again + kOneWay}}));
}

TEST(TcpTearDown, ALostLastAckIsSentAgainForEveryFin) {
  Closing net;
  net.data().steals = steal(PacketKind::Control, 1, 2);
  net.stream(0, kMss);
  const int64_t first = arrival(1) + kSecond, second = first + 2 * kSecond;
  net.expectOver(second + 2 * kOneWay + kShortestDelay);
  EXPECT_EQ(net.frames(),
            (Frames{{0, arrival(1) + kOneWay}, {1, first}, {0, first + kOneWay}, {1, second}, {0, second + kOneWay}}));
  EXPECT_EQ(net.senderEnd(0), arrival(1) + kOneWay) << "the flow had ended";
  net.finish(Time::Ms(4000));
}

/// After 1, 2, 4, … 32 s, and 60 in the place of 64, which is `max_rto`.
TEST(TcpTearDown, AReceiverThatHearsNothingGivesUp) {
  Closing net;
  net.data().steals = stealAll(PacketKind::Control);
  net.stream(0, kMss);
  net.run(Time::Us(1));
  const Flow& flow = net.active(net.sender(), 0);
  const int64_t end = arrival(1) + 123 * kSecond;
  net.run(Time{end});
  EXPECT_EQ(FlowPool::idAt(flow), 0u) << "still there";
  net.run(Time{end + kShortestDelay});
  EXPECT_NE(FlowPool::idAt(flow), 0u) << "its memory is free";
  EXPECT_EQ(net.engine.pending(), 0u);
  Frames fins;
  for (const auto& f : net.frames()) {
    if (f.host == 1) fins.push_back(f);
  }
  Frames expected;
  for (const int64_t s : {1, 3, 7, 15, 31, 63}) expected.push_back({1, arrival(1) + s * kSecond});
  EXPECT_EQ(fins, expected);
}

TEST(TcpTearDown, AFlowThatIsStoppedSendsAFinOfItsOwn) {
  for (const bool lost : {false, true}) {
    Closing with, without(tcp());
    if (lost) with.data().steals = steal(PacketKind::Control, 1);
    for (Closing* net : {&with, &without}) {
      FlowSpec f = net->spec(0, 0, Time{});
      f.stop = Time::Us(5);
      net->flow(f);
    }
    without.finish(Time::Ms(1));
    const int64_t end = without.senderEnd(0), fin = end + (lost ? Time::Ms(200).ps : 0);
    with.expectOver(fin + 3 * kOneWay + kShortestDelay);
    EXPECT_EQ(with.senderEnd(0), end);
    Frames expected{{0, end}};
    if (lost) expected.push_back({0, fin});
    expected.push_back({1, fin + kOneWay});
    expected.push_back({0, fin + 2 * kOneWay});
    EXPECT_EQ(with.frames(), expected);
    with.finish(Time::Ms(900));
  }
}

/// Its FIN is answered, which ends its timer, though the last ACK is lost and the receiver's goes on.
TEST(TcpTearDown, AnAnsweredFinDoesNotGoAgain) {
  Closing net;
  net.data().steals = steal(PacketKind::Control, 2);
  FlowSpec f = net.spec(0, 0, Time{});
  f.stop = Time::Us(5);
  net.flow(f);
  net.finish(Time::Ms(2000));
  const int64_t end = net.senderEnd(0), again = end + kOneWay + kSecond;
  EXPECT_EQ(net.frames(),
            (Frames{{0, end}, {1, end + kOneWay}, {0, end + 2 * kOneWay}, {1, again}, {0, again + kOneWay}}));
  EXPECT_EQ(net.engine.pending(), 0u);
}

/// The receiver has given up when its answer reaches the sender.
TEST(TcpTearDown, ALateAnswerEndsIt) {
  Closing net(teardown().set("tcp.initial_rto", Time::Ns(100).ps));
  FlowSpec f = net.spec(0, 0, Time{});
  f.stop = Time::Us(1);
  net.flow(f);
  net.run(Time::Us(1));
  const Flow& flow = net.active(net.sender(), 0);
  net.finish(Time::Ms(900));
  const Frames frames = net.frames();
  ASSERT_EQ(frames.size(), 1u + 7 + 7);
  EXPECT_EQ(frames[7].at, net.senderEnd(0) + kOneWay + 6300000);
  EXPECT_EQ(frames[8].at, net.senderEnd(0) + 2 * kOneWay) << "after 12.7 us";
  EXPECT_NE(FlowPool::idAt(flow), 0u) << "its memory is free";
}

/// The sender gives up while its FINs are on their way. The receiver answers them until it gives up, too.
TEST(TcpTearDown, AFinMayComeWhenItsSenderHasGivenUp) {
  for (const int64_t most : {2000000, 2860000}) {  // with the second one the receiver gives up, too, in 8.82 us
    Closing net(teardown().set("tcp.min_rto", most).set("tcp.max_rto", most).set("tcp.initial_rto", Time::Ns(100).ps));
    FlowSpec f = net.spec(0, 0, Time{});
    f.stop = Time::Ns(10);
    net.flow(f);
    for (const uint32_t id : {1, 2}) net.stream(id, kMss, Time::Us(500));
    net.run(Time::Us(501));
    EXPECT_NE(&net.active(net.sender(), 1), &net.active(net.sender(), 2)) << "its memory is free once";
    net.finish(Time::Ms(1));
    const int64_t end = net.senderEnd(0), over = net.connectionEnd(0);
    EXPECT_GE(over, end + 7 * most + kShortestDelay);
    int64_t answers = 0;
    for (const auto& frame : net.frames()) {
      if (frame.at >= Time::Us(500).ps) break;
      EXPECT_LE(frame.at, frame.host == 0 ? end + 6 * most : over);
      answers += frame.host;
    }
    EXPECT_GT(answers, most == 2000000 ? 2 : 6);
    EXPECT_EQ(net.engine.pending(), 0u);
    EXPECT_EQ(net.network.packets().live(), 0u);
  }
}

/// Neither end hears of the other, or only one of them does.
TEST(TcpTearDown, BothEndsGiveUp) {
  for (const bool there : {false, true}) {
    Closing net(teardown().set("tcp.initial_rto", Time::Ms(300).ps));
    (there ? net.acks() : net.data()).steals = stealAll(PacketKind::Control);
    FlowSpec f = net.spec(0, 0, Time{});
    f.stop = Time::Us(5);
    net.flow(f);
    net.run(Time::Us(4));
    const Flow& flow = net.active(net.sender(), 0);
    net.run(Time::Ms(1));
    const int64_t end = flow.senderEndAt.ps;
    // 127 timeouts of 200 ms at the sender, of 300 ms at the receiver from the first FIN on.
    const int64_t givenUp = there ? end + kOneWay + Time::Ms(127 * 300).ps : end + Time::Ms(127 * 200).ps;
    // The receiver has to hear of a sender that has given up.
    const int64_t over = there ? givenUp : givenUp + kShortestDelay;
    net.expectOver(over + kShortestDelay);
    EXPECT_EQ(net.senderEnd(0), end);
    EXPECT_EQ(net.connectionEnd(0), over);
    const Frames frames = net.frames();
    const auto of = [&](int host) {
      return std::count_if(frames.begin(), frames.end(), [&](const Closing::Frame& x) { return x.host == host; });
    };
    EXPECT_EQ(of(0), 7);
    EXPECT_EQ(of(1), there ? 13 : 0) << "seven answers and six timeouts";
  }
}

TEST(TcpTearDown, AFlowThatIsStoppedBeforeItsSynIsAnsweredHasNothingToClose) {
  Closing net(teardown().set("tcp.handshake", true));
  FlowSpec f = net.spec(0, 0, Time{});
  f.stop = Time::Us(5);
  net.flow(f);
  net.finish(Time::Ms(1));
  EXPECT_EQ(net.senderEnd(0), Time::Us(5).ps);
  EXPECT_EQ(net.frames(), Frames{});
  EXPECT_EQ(net.engine.pending(), 0u);
}

TEST(TcpTearDown, ARunEndsWithTheLastConnection) {
  Closing net;
  net.network.stopWhenFlowsFinish(true);
  net.stream(0, kMss);
  net.run(Time::Ms(900));
  EXPECT_TRUE(net.engine.stopped());
  EXPECT_EQ(net.engine.now().ps, arrival(1) + 2 * kOneWay);
  EXPECT_EQ(net.connectionEnd(0), net.engine.now().ps);
}

TEST(TcpTearDown, PersistentConnectionsStayOpen) {
  Closing net;
  net.message(0, 3 * kMss);
  net.message(1, 3 * kMss, Time::Ms(50));
  net.message(2, 0, Time::Ms(60), Time::Ms(61));
  net.finish(Time::Ms(900));
  EXPECT_EQ(net.frames(), Frames{});
  EXPECT_EQ(net.delivered(1), 3 * kMss);
  EXPECT_EQ(net.engine.pending(), 0u);
}

/// Every sub-flow closes when all data of the connection is acknowledged.
TEST(TcpTearDown, SubflowsCloseOneByOne) {
  Closing with(mptcp()), without(mptcp().set("mptcp.teardown", false));
  for (Closing* net : {&with, &without}) {
    net->stream(0, 100 * kMss);
    net->finish(Time::Ms(500));
    EXPECT_EQ(net->engine.pending(), 0u);
  }
  const int64_t end = without.senderEnd(0), fast = 5600, slow = 56000;
  EXPECT_EQ(with.senderEnd(0), end);
  EXPECT_EQ(with.end(0), without.end(0));
  Frames expected;
  for (int64_t i = 0; i < 4; ++i) expected.push_back({0, end + i * fast});
  for (int64_t i = 0; i < 4; ++i) expected.push_back({1, end + kOneWay + i * slow});
  for (int64_t i = 0; i < 4; ++i) expected.push_back({0, end + 2 * kOneWay + i * slow});
  EXPECT_EQ(with.frames(), expected);
}

/// The last ACK of one sub-flow is lost: the others are done.
TEST(TcpTearDown, SubflowsDoNotWaitForEachOther) {
  Closing net(mptcp());
  net.data().steals = steal(PacketKind::Control, 5);  // behind four FINs
  net.stream(0, 100 * kMss);
  net.finish(Time::Ms(2000));
  const Frames frames = net.frames();
  ASSERT_EQ(frames.size(), 14u);
  const int64_t again = net.senderEnd(0) + kOneWay + kSecond;
  EXPECT_EQ(frames[12], (Closing::Frame{1, again}));
  EXPECT_EQ(frames[13], (Closing::Frame{0, again + kOneWay}));
  EXPECT_EQ(net.engine.pending(), 0u);
}

TEST(TcpTearDown, SubflowsThatNeverOpenedHaveNothingToClose) {
  Closing net(mptcp().set("mptcp.handshake", true));
  int syns = 0;
  net.data().steals = [&](const Packet& p) {
    EXPECT_FALSE(p.kind == PacketKind::Data && net.bit(p) == FinBit::Fin) << "it is not known which is the last one";
    return net.bit(p) == FinBit::Syn && ++syns > 1;
  };
  net.stream(0, 3 * kMss);
  net.finish(Time::Ms(900));
  EXPECT_EQ(syns, 4);
  EXPECT_EQ(net.frames().size(), 3u);
  EXPECT_EQ(net.engine.pending(), 0u);
}

TEST(TcpTearDown, EveryConnectionEndsUnderLosses) {
  for (const char* cc : {"newreno", "cubic", "dctcp", "none", "lia"}) {
    const bool parts = cc == std::string("lia");
    const std::string transport = parts ? "mptcp" : "tcp";
    Config c = parts ? mptcp() : teardown(cc);
    for (const char* name : {".min_rto", ".initial_rto"}) c.set(transport + name, Time::Ms(1).ps);
    Closing net(c.set(transport + ".handshake", true));
    net.data().loss = net.acks().loss = 0.1;
    net.data().late = 7;
    net.data().random = RandomStream(1, "data");
    net.acks().random = RandomStream(1, "acks");
    for (uint32_t id = 0; id < 30; ++id) net.stream(id, 20 * kMss + id, Time::Us(50 * id));
    net.finish(Time::Ms(60000));
    for (uint32_t id = 0; id < 30; ++id) EXPECT_EQ(net.delivered(id), static_cast<int64_t>(20 * kMss + id)) << cc;
    EXPECT_GT(net.frames().size(), parts ? 3u * 4 * 30 : 30u) << cc;
    EXPECT_EQ(net.engine.pending(), 0u) << cc;
    EXPECT_EQ(net.network.packets().live(), 0u) << cc;
  }
}

TEST(TcpTearDown, IsRefusedWhereAFlowEndsWithDataMissing) {
  Path net(teardown().set("tcp.at_stop", std::string("end")));
  EXPECT_THROW(net.run(Time::Ms(1)), ParamError);
}

TEST(TcpTearDown, BothHostsHaveIt) {
  for (const bool here : {false, true}) {
    Net net(tcp().set("tcp.teardown", here));
    Host& a = net.host();
    net.setup.set("tcp.teardown", !here);
    Host& b = net.host();
    net.link(a, net.sw());
    net.link(b, *net.switches[0]);
    net.flow(0, a, b, kMss);
    EXPECT_THROW(net.run(Time::Ms(1)), std::invalid_argument);
  }
}

}  // namespace
}  // namespace fabric
