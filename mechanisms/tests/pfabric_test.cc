// pFabric: the transport step by step, the queue packet by packet.
#include "mechanisms/pfabric/pfabric.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <vector>

#include "mechanisms/tests/net.h"
#include "mechanisms/tests/tcp_path.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::kMss;
using test::Path;
using test::Rows;

namespace {

/// Notes the priorities of data packets that join a queue.
class Priorities final : public PortAgent {
 public:
  static const Description& describe() {
    static const Description d = Describe<Priorities>("pfabric_priorities", Kind::PortAgent, "priorities")
                                     .help("For tests.")
                                     .source("test")
                                     .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool hooksEnqueue() const override { return true; }
  void onEnqueue(Packet& p) override {
    if (p.kind == PacketKind::Data) seen.push_back(header_(p).priority);
  }
  std::vector<uint64_t> seen;

 private:
  void onStart(Network& network) override { header_ = network.packets().reserve<PFabricHeader>(PFabricHeader::kName); }
  PacketExtension<PFabricHeader> header_;
};
FABRIC_REGISTER(Priorities);

/// The sender's side on Path: ACKs are 1.2144 us apart, a round trip takes 41.4 us.
Config alone() {
  Config c = test::tcp("none");
  c.transport = "pfabric";
  c.agents = {"pfabric_priorities"};
  return c.set("pfabric.rto", Time::Us(150).ps);
}

/// The whole of it: pFabric's queues everywhere, windows that wait at the NIC.
Config whole() {
  Config c;
  c.transport = "pfabric";
  c.queues = c.nicQueues = {"pfabric_queue"};
  c.set("host.classes", int64_t{1}).set("port.pfc", false).set("round_robin.backlog", int64_t{1} << 30);
  return c.set("host.mtu", int64_t{1500}).set("host.header_bytes", int64_t{40}).set("pfabric.rto", Time::Us(60).ps);
}

PFabric& transport(Path& net) { return static_cast<PFabric&>(net.sender().transport()); }

FlowSpec spec(uint32_t id, const Host& from, const Host& to, uint64_t size, Time start = {}) {
  FlowSpec f;
  f.id = id;
  f.src = from.id();
  f.dst = to.id();
  f.size = size;
  f.start = start;
  f.cls = 0;
  return f;
}

}  // namespace

// ---------------------------------------------------------------- transport

TEST(PFabric, BeginsAtLineRateAndGrowsToItsLargestWindow) {
  Path net(alone());
  net.stream(0, 40 * kMss);
  net.run(Time::Us(41));
  ASSERT_EQ(net.sent().size(), 12u);
  const Time gap = transmissionTime(1518, Rate::Gbps(100));
  for (int i = 0; i < 12; ++i) EXPECT_EQ(net.sent()[i].at.ps, i * gap.ps) << i;
  // Three ACKs take the window to 15 and send two packets each, the fourth sends one.
  const Time ack = Time::Ns(41398) + gap;
  net.run(ack);
  EXPECT_EQ(net.sent().size(), 14u);
  EXPECT_EQ(net.active(net.sender(), 0).window, 13 * static_cast<int64_t>(kMss));
  net.run(ack + Time::Ns(3 * 1215));
  EXPECT_EQ(net.sent().size(), 19u);
  EXPECT_EQ(transport(net).window(net.active(net.sender(), 0)), 15);
  net.finish(Time::Ms(1));
  for (int64_t i = 0; i < 40; ++i) EXPECT_EQ(net.order()[static_cast<size_t>(i)], i);
  EXPECT_EQ(net.timeouts(0), 0);
}

TEST(PFabric, WindowsOfZeroAreTheBandwidthDelayProduct) {
  Config c = alone();
  // 100 Gb/s times 3 us are 37.5 KB: 24.7 packets of 1518 B.
  c.set("pfabric.initial_window", int64_t{0})
      .set("pfabric.max_window", int64_t{0})
      .set("host.base_rtt", int64_t{3000000});
  Path net(c);
  net.stream(0, 400 * kMss);
  net.run(Time::Us(41));
  EXPECT_EQ(net.sent().size(), 25u);
  net.finish(Time::Ms(2));
  EXPECT_EQ(net.delivered(0), 400 * kMss);
}

TEST(PFabric, PacketsCarryWhatIsLeftOfTheFlow) {
  Path net(alone());
  net.stream(0, 20 * kMss - 100);
  net.data().drops[15] = 1;
  net.finish(Time::Ms(1));
  const auto& seen = net.switches[0]->port(1).agent<Priorities>()->seen;
  ASSERT_EQ(seen.size(), 20u);
  const uint64_t size = 20 * kMss - 100;
  for (int i = 0; i < 12; ++i) EXPECT_EQ(seen[i], size) << "before the first ACK";
  EXPECT_EQ(seen[12], size - kMss);
  EXPECT_EQ(seen[13], size - kMss);
  EXPECT_EQ(seen[14], size - 2 * kMss);  // 15 is lost
  EXPECT_EQ(seen[15], size - 3 * kMss);
  EXPECT_EQ(seen[19 - 1], size - 5 * kMss);
  EXPECT_EQ(seen[19], kMss) << "15 alone is missing when it goes again";
}

TEST(PFabric, ALossIsFoundByTheTimeoutAloneAndNothingElseGoesAgain) {
  Path net(alone());
  net.stream(0, 12 * kMss);
  net.data().drops[3] = 1;
  net.finish(Time::Ms(1));
  EXPECT_EQ(net.order(), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 3}));
  EXPECT_EQ(net.timeouts(0), 1);
  EXPECT_EQ(net.retransmitted(0), kMss);
  EXPECT_EQ(net.reordered(0), 8);
  // The ACK of segment 2 has restarted the timer: three frames at 10 Gb/s, one at 100, an ACK on both, 40 us of links.
  const int64_t ack = 3 * 1214400 + 121440 + 56000 + 5600 + Time::Us(40).ps;
  EXPECT_EQ(net.sent()[12].at.ps, ack + Time::Us(150).ps);
}

TEST(PFabric, BehindATimeoutTheWindowStartsSlowlyUpToHalfOfWhatItWas) {
  Path net(alone());
  net.stream(0, 0);
  net.data().drops[20] = 1;
  std::map<int64_t, int64_t> window;  // by the first missing segment
  int64_t threshold = 0;
  net.start();
  for (Time t = Time::Us(100); t < Time::Us(480); t += Time::Ns(100)) {
    net.run(t);
    Flow& f = net.active(net.sender(), 0);
    window.emplace(static_cast<int64_t>(f.sndUna / kMss), transport(net).window(f));
    if (transport(net).window(f) == 1) threshold = transport(net).threshold(f);
  }
  EXPECT_EQ(threshold, 7);
  // 20 goes again, its ACK takes the gap and what is SACKed behind it; then two for each ACK.
  const auto order = net.order();
  const std::vector<int64_t> from(order.begin() + 35, order.begin() + 42);
  EXPECT_EQ(from, (std::vector<int64_t>{20, 35, 36, 37, 38, 39, 40}));
  EXPECT_EQ(window[35], 2);
  EXPECT_EQ(window[36], 3);
  EXPECT_EQ(window[40], 7);
  for (int64_t una = 41; una < 47; ++una) EXPECT_EQ(window[una], 7) << una;
  EXPECT_EQ(window[47], 8) << "seven ACKs, one packet";
}

TEST(PFabric, AllThatIsMissingInTheWindowGoesAgainAtOnce) {
  Path net(alone());
  net.stream(0, 12 * kMss);
  net.data().drops[3] = net.data().drops[4] = net.data().drops[8] = 1;
  net.finish(Time::Ms(2));
  // 6 are SACKed: the window of one packet reaches over 7 from segment 3 on.
  EXPECT_EQ(net.order(), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 3, 4, 8}));
  EXPECT_EQ(net.timeouts(0), 1);
}

TEST(PFabric, FiveTimeoutsMakeItProbe) {
  Path net(alone());
  net.stream(0, 3 * kMss);
  net.data().drops[2] = 7;  // five times the packet, two probes
  net.engine.recordSends = true;
  net.run(Time::Us(42 + 5 * 150 + 1));
  EXPECT_TRUE(transport(net).probing(net.active(net.sender(), 0)));
  net.finish(Time::Ms(5));
  EXPECT_EQ(net.timeouts(0), 7);
  EXPECT_EQ(net.delivered(0), 3 * kMss);
  std::vector<uint32_t> frames;
  std::vector<Time> at;
  for (const auto& s : net.engine.sends) {
    if (s.from != &net.sender().nic()) continue;
    frames.push_back(s.bytes);
    at.push_back(s.at);
  }
  EXPECT_EQ(frames, (std::vector<uint32_t>{1518, 1518, 1518, 1518, 1518, 1518, 1518, 71, 71, 71, 1518}));
  for (size_t i = 4; i < 10; ++i) EXPECT_EQ((at[i] - at[i - 1]).ps, Time::Us(150).ps) << i;
  EXPECT_LT((at[10] - at[9]).ps, Time::Us(42).ps) << "the probe's ACK lets the packet go";
}

TEST(PFabric, WithoutProbesItGoesOnSending) {
  Config c = alone();
  Path net(c.set("pfabric.probe_after", int64_t{0}));
  net.stream(0, 3 * kMss);
  net.data().drops[2] = 7;
  net.finish(Time::Ms(5));
  EXPECT_EQ(net.order(), (std::vector<int64_t>{0, 1, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(net.timeouts(0), 7);
}

/// A request and its ACK, of 64 B each, before the data.
TEST(PFabric, WithAHandshakeDataGoesWhenTheAnswerIsHere) {
  Config c = whole();
  c.set("host.ack_bytes", int64_t{64});
  Chain without(c, 1, 1), with(c.set("pfabric.handshake", true), 1, 1);
  for (Chain* net : {&with, &without}) {
    net->flow(spec(0, net->sender(0), net->receiver(), 20000));
    net->finish(Time::Ms(1));
    EXPECT_EQ(net->delivered(0), 20000);
    EXPECT_EQ(net->network.packets().live(), 0u);
  }
  const Time empty{4 * (transmissionTime(64, Rate::Gbps(100)).ps + Time::Ns(1500).ps)};
  EXPECT_EQ(with.end(0) - without.end(0), empty.ps);
  EXPECT_EQ(with.retransmitted(0), 0);
}

TEST(PFabric, ALostRequestGoesAgainAfterTheTimeout) {
  Config c = alone();
  Path net(c.set("pfabric.handshake", true));
  net.stream(0, 3 * kMss);
  net.data().drops[0] = 2;  // the request twice: it has the first segment's place
  net.finish(Time::Ms(5));
  EXPECT_EQ(net.timeouts(0), 2);
  EXPECT_EQ(net.delivered(0), 3 * kMss);
  EXPECT_EQ(net.retransmitted(0), 0);
}

TEST(PFabric, AFlowThatIsStoppedInItsHandshakeEnds) {
  Config c = whole();
  Chain net(c.set("pfabric.handshake", true), 1, 1);
  FlowSpec f = spec(0, net.sender(0), net.receiver(), 0);
  f.stop = Time::Us(1);
  net.flow(f);
  net.flow(spec(1, net.sender(0), net.receiver(), 1460, Time::Us(2)));
  net.finish(Time::Us(100));
  EXPECT_EQ(net.delivered(0), 0);
  EXPECT_EQ(net.delivered(1), 1460);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST(PFabric, LostAcksAreMadeGoodByLaterOnes) {
  Path net(alone());
  net.stream(0, 300 * kMss);
  net.acks().loss = net.data().loss = 0.1;
  net.acks().random = RandomStream(1, "acks", 0);
  net.data().random = RandomStream(1, "data", 0);
  net.data().late = 7;
  net.finish(Time::Ms(100));
  EXPECT_EQ(net.delivered(0), 300 * kMss);
  EXPECT_EQ(net.network.total().dataBytesDelivered, 300 * uint64_t{kMss});
}

TEST(PFabric, AFlowThatIsStoppedEndsWhenAllIsAcknowledged) {
  Path net(alone());
  FlowSpec f = net.spec(0, 0, {});
  f.stop = Time::Us(100);
  net.flow(f);
  net.data().drops[20] = 1;
  net.finish(Time::Ms(1));
  EXPECT_EQ(net.delivered(0) % kMss, 0);
  EXPECT_GE(net.delivered(0), 30 * kMss);
  EXPECT_GT(net.senderEnd(0), Time::Us(150).ps);
}

TEST(PFabric, RefusesWhatItCannotWorkWith) {
  Config c = alone();
  c.cc = "newreno";
  EXPECT_THROW(Path(c).start(), ParamError);
  Config zero = alone();
  EXPECT_THROW(Path(zero.set("pfabric.rto", int64_t{0})).start(), ParamError);
  Config queue;
  queue.queues = {"fifo", "pfabric_queue"};
  EXPECT_THROW(Chain(queue, 1, 1).start(), ParamError) << "nobody says what is left";
  Path other(alone());
  other.setup.transport = "go_back_n";
  Host& h = other.host();
  other.link(h, *other.switches[0]);
  other.flow(spec(0, other.sender(), h, 1000));
  EXPECT_THROW(other.run(Time::Us(1)), std::invalid_argument);
}

// ---------------------------------------------------------------- queue

struct PFabricQueueTest : testing::Test {
  PFabricQueueTest() : net(config(), 1, 1), drops(8) {
    net.network.trace().enable(kDrops, {});
    net.network.trace().addSink(kDrops, &drops);
    net.engine.recordSends = true;
    net.start();
    header = *net.network.packets().find<PFabricHeader>(PFabricHeader::kName);
  }
  static Config config() {
    Config c = whole();
    return c.set("pfabric_queue.limit", int64_t{3000});
  }
  /// A packet of so many bytes, by which the tests know it.
  bool put(uint32_t bytes, uint32_t flow, uint64_t priority, PacketKind kind = PacketKind::Data) {
    Packet* p = net.network.packets().fresh();
    p->kind = kind;
    p->flowId = flow;
    p->wireBytes = bytes;
    p->dst = net.receiver().id();
    p->ingress = kOwnPacket;
    if (priority != kNone) header.claim(*p).priority = priority;
    const bool taken = port().enqueue(p);
    if (!taken) net.network.packets().put(p);
    return taken;
  }
  static constexpr uint64_t kNone = ~uint64_t{0};  // data of another transport
  Port& port() { return net.lastHop(); }
  /// The sizes in the order in which they leave.
  std::vector<uint32_t> order() {
    port().kick();
    // Not to the receiver, which knows none of these flows.
    net.run(Time::Ns(1500));
    std::vector<uint32_t> list;
    for (const auto& s : net.engine.sends) {
      if (s.from == &port()) list.push_back(s.bytes);
    }
    return list;
  }
  std::vector<int64_t> dropped() const {
    std::vector<int64_t> list;
    for (const auto& r : drops.rows) list.push_back(r[6]);
    return list;
  }
  Chain net;
  Rows drops;
  PacketExtension<PFabricHeader> header;
};

TEST_F(PFabricQueueTest, TheEarliestPacketOfTheMostUrgentFlowGoesFirst) {
  put(101, 1, 3000);
  put(102, 2, 2000);
  put(103, 1, 1000);  // its flow has the least left: 101 goes before it
  put(104, 3, 1000);
  EXPECT_EQ(order(), (std::vector<uint32_t>{101, 103, 104, 102}));
}

TEST_F(PFabricQueueTest, AcksGoBeforeDataAndPushItOut) {
  EXPECT_TRUE(put(1500, 1, 10));
  EXPECT_TRUE(put(1500, 2, 20));
  EXPECT_TRUE(put(64, 3, 99999, PacketKind::Ack));
  EXPECT_EQ(dropped(), (std::vector<int64_t>{1500}));
  EXPECT_EQ(order(), (std::vector<uint32_t>{64, 1500}));
}

TEST_F(PFabricQueueTest, DataOfAnotherTransportComesLast) {
  put(101, 1, kNone);
  put(102, 2, 99999);
  EXPECT_EQ(order(), (std::vector<uint32_t>{102, 101}));
}

TEST_F(PFabricQueueTest, TheWorstIsDroppedOfEqualOnesTheLatest) {
  EXPECT_TRUE(put(1000, 1, 500));
  EXPECT_TRUE(put(1001, 2, 900));
  EXPECT_TRUE(put(999, 3, 900));
  EXPECT_FALSE(put(900, 4, 900)) << "no better than the worst";
  EXPECT_TRUE(put(998, 5, 700)) << "pushes out the latest of the worst";
  EXPECT_EQ(dropped(), (std::vector<int64_t>{999}));
  EXPECT_TRUE(put(2000, 6, 100)) << "takes the room of two";
  EXPECT_EQ(dropped(), (std::vector<int64_t>{999, 1001, 998}));
  EXPECT_FALSE(put(2500, 7, 200)) << "what is worse is not enough";
  EXPECT_EQ(drops.rows.size(), 3u) << "so nothing is dropped for it";
  for (const auto& r : drops.rows) EXPECT_EQ(r[7], static_cast<int64_t>(DropReason::QueueManagement));
  EXPECT_EQ(port().queueBytes(0), 3000);
  EXPECT_EQ(order(), (std::vector<uint32_t>{2000, 1000}));
}

TEST_F(PFabricQueueTest, OneThatIsLargerThanTheQueueIsRefused) {
  EXPECT_FALSE(put(3001, 1, 1));
  EXPECT_TRUE(put(3000, 1, 1));
}

// ---------------------------------------------------------------- both

TEST(PFabricNetwork, AShortFlowHardlySeesALongOne) {
  const auto end = [](bool both) {
    Chain net(whole(), 2, 2, Rate::Gbps(10));
    if (both) net.flow(spec(0, net.sender(0), net.receiver(), 3000000));
    net.flow(spec(1, net.sender(1), net.receiver(), 30000, Time::Us(200)));
    net.finish(Time::Ms(20));
    if (both) {
      EXPECT_EQ(net.delivered(0), 3000000);
    }
    return net.end(1);
  };
  // One frame that is on the wire at each of the two ports that they share, and one of the ACKs' on the way back.
  const Time frame = transmissionTime(1500, Rate::Gbps(10));
  EXPECT_LE(end(true) - end(false), 2 * frame.ps);
  EXPECT_GT(end(true), end(false));
}

TEST(PFabricNetwork, TheNicSendsTheShortestAndDropsTheWorst) {
  Chain net(whole(), 1, 1, Rate::Gbps(10));
  Rows drops(8);
  net.network.trace().enable(kDrops, {});
  net.network.trace().addSink(kDrops, &drops);
  for (uint32_t i = 0; i < 5; ++i) net.flow(spec(i, net.sender(0), net.receiver(), 600000 - 100000 * i));
  net.finish(Time::Ms(20));
  for (uint32_t i = 1; i < 5; ++i) EXPECT_LT(net.end(i), net.end(i - 1)) << i;
  // Alone it would take its bytes and two links.
  EXPECT_LT(net.end(4), (transmissionTime(200000 * 1500 / 1460, Rate::Gbps(10)) + Time::Us(8)).ps);
  ASSERT_GT(drops.rows.size(), 0u);
  EXPECT_EQ(drops.rows.size(), net.network.total().drops);
  for (const auto& r : drops.rows) EXPECT_EQ(r[1], net.sender(0).id()) << "nowhere else do links meet";
}

TEST(PFabricNetwork, EqualTimesInAnyOrderMakeNoDifference) {
  const auto rows = [](uint64_t shuffle) {
    Config c = whole();
    c.engine.shuffle = shuffle;
    Chain net(c, 4, 2, Rate::Gbps(10));
    for (uint32_t i = 0; i < 12; ++i) {
      net.flow(spec(i, net.sender(static_cast<int>(i % 4)), net.receiver(), 20000 + 30000 * i, Time::Us(i / 3)));
    }
    net.finish(Time::Ms(50));
    return net.flowRows.rows;
  };
  EXPECT_EQ(rows(0), rows(1));
  EXPECT_EQ(rows(0), rows(2));
}

}  // namespace fabric
