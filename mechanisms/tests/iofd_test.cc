// IOFD: the table by hand; order, lanes and deadlocks in networks under heavy load.
#include "mechanisms/dart/iofd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "mechanisms/core/random.h"
#include "mechanisms/ecmp/ecmp.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Config;
using test::FatTree;
using test::Net;

namespace {

constexpr uint8_t kEscape = 1, kData = 2;
constexpr uint32_t kPayload = 1456;

Config iofd() {
  Config c;
  c.selector = "iofd";
  c.nicAgents = {"iofd_tokens"};
  c.queues = {"fifo", "fifo", "fifo"};
  return c.set("host.classes", int64_t{3});
}

Iofd& selectorOf(const Switch& s) { return static_cast<Iofd&>(s.pathSelector()); }

}  // namespace

/// Packets are shown by hand to an edge switch of a fat-tree with k = 4: ports 0 and 1 lead to hosts, 2 and 3 up.
struct IofdTest : testing::Test {
  explicit IofdTest(const Config& c = iofd()) : net(c), edge(*net.switches[0]), agg(*net.switches[8]) {
    net.start();
    header = *net.network.packets().find<IofdHeader>(IofdHeader::kName);
    for (uint64_t h = 1; upward == 0; ++h) {
      Packet& p = packet(0, 0, 2, true, 0);
      p.symmetricHash = h;
      if (select(edge, 0, p) == 2) upward = h;
    }
  }

  /// The i-th of a message's packets, on its way to a host of another pod.
  Packet& packet(uint32_t message, uint32_t i, uint32_t of, bool fromHost = true, uint8_t tokens = 4) {
    Packet& p = *net.network.packets().fresh();
    p.kind = PacketKind::Data;
    p.flowId = message;
    p.seq = uint64_t{i} * kPayload;
    p.payload = kPayload;
    p.last = i + 1 == of;
    p.wireBytes = 1518;
    p.cls = fromHost ? kEscape : kData;
    p.dst = 15;
    p.symmetricHash = upward;
    header.fill(p).tokens = tokens;
    return p;
  }
  uint16_t select(Switch& s, uint16_t in, Packet& p) {
    const uint16_t up[] = {2, 3}, down[] = {0};
    selectorOf(s).onIngress(p, &s.port(in));
    return p.dst == 15 ? selectorOf(s).select(p, {up, 2}) : selectorOf(s).select(p, {down, 1});
  }
  /// Data waits at a port: so many full packets.
  void wait(Switch& s, uint16_t port, int packets) {
    for (int i = 0; i < packets; ++i) {
      Packet& p = *net.network.packets().fresh();
      p.wireBytes = 1518;
      p.cls = kData;
      p.ingress = kOwnPacket;
      s.port(port).enqueue(&p);
    }
  }

  FatTree net;
  Switch &edge, &agg;
  uint64_t upward = 0;  // a hash that leads the edge switch to port 2
  PacketExtension<IofdHeader> header;
};

TEST_F(IofdTest, UpAndDown) {
  for (const uint16_t up : {2, 3}) {
    EXPECT_TRUE(selectorOf(edge).leadsUp(up));
    EXPECT_TRUE(selectorOf(agg).leadsUp(up));
  }
  for (const uint16_t down : {0, 1}) {
    EXPECT_FALSE(selectorOf(edge).leadsUp(down));
    EXPECT_FALSE(selectorOf(agg).leadsUp(down));
  }
  for (uint16_t p = 0; p < 4; ++p) EXPECT_FALSE(selectorOf(*net.switches[16]).leadsUp(p));
}

TEST_F(IofdTest, AShortQueueDeflectsNothing) {
  wait(edge, 2, 9);  // 13,662 B
  Packet& p = packet(1, 0, 4);
  EXPECT_EQ(select(edge, 0, p), 2);
  EXPECT_EQ(header(p).tokens, 4);
  EXPECT_EQ(p.cls, kData) << "from the host's class";
}

TEST_F(IofdTest, AMessageTurnsAsAWhole) {
  wait(edge, 2, 10);  // 15,180 B
  for (uint32_t i = 0; i < 4; ++i) {
    Packet& p = packet(1, i, 4);
    EXPECT_EQ(select(edge, 0, p), 3) << "packet " << i;
    EXPECT_EQ(header(p).tokens, 3);
    EXPECT_EQ(p.cls, kData) << "up and up again is no turn";
    EXPECT_EQ(selectorOf(edge).entriesInUse(), i < 3 ? 1u : 0u);
  }
  EXPECT_EQ(selectorOf(edge).deflections(), 1u);
}

TEST_F(IofdTest, AMessageThatBeganStraightStaysSo) {
  EXPECT_EQ(select(edge, 0, packet(1, 0, 3)), 2);
  wait(edge, 2, 10);
  EXPECT_EQ(select(edge, 0, packet(1, 1, 3)), 2);
  EXPECT_EQ(select(edge, 0, packet(1, 2, 3)), 2);
  EXPECT_EQ(selectorOf(edge).entriesInUse(), 0u);
}

TEST_F(IofdTest, WithoutTokensNothingTurns) {
  wait(edge, 2, 20);
  EXPECT_EQ(select(edge, 0, packet(1, 0, 3, true, 0)), 2);
}

TEST_F(IofdTest, TheTableHasEightEntriesAndKeepsThem) {
  wait(edge, 2, 10);
  for (uint32_t m = 0; m < 8; ++m) EXPECT_EQ(select(edge, 0, packet(m, 0, 2)), 3);
  EXPECT_EQ(select(edge, 0, packet(8, 0, 2)), 2) << "no entry is free";
  EXPECT_EQ(select(edge, 0, packet(5, 1, 2)), 3) << "its last packet";
  EXPECT_EQ(select(edge, 0, packet(8, 1, 2)), 2) << "it began straight";
  EXPECT_EQ(select(edge, 0, packet(9, 0, 2)), 3);
  EXPECT_EQ(select(edge, 0, packet(7, 1, 2)), 3) << "others' entries stay";
}

TEST_F(IofdTest, AnEntryWhoseLastPacketIsLostGoesWhenThatIsSentAgain) {
  wait(edge, 2, 10);
  EXPECT_EQ(select(edge, 0, packet(1, 0, 3)), 3);
  EXPECT_EQ(select(edge, 0, packet(1, 1, 3)), 3);
  // The third one does not come. Only the last of what is sent again has tokens.
  EXPECT_EQ(select(edge, 0, packet(1, 1, 3, true, 0)), 2);
  EXPECT_EQ(selectorOf(edge).entriesInUse(), 1u);
  EXPECT_EQ(select(edge, 0, packet(1, 2, 3)), 3);
  EXPECT_EQ(selectorOf(edge).entriesInUse(), 0u);
}

TEST_F(IofdTest, AMessageThatComesByAgainIsAnotherOne) {
  wait(edge, 2, 10);
  Packet& p = packet(1, 0, 2);
  EXPECT_EQ(select(edge, 0, p), 3);
  // It comes back from above, one token less, and may turn once more; its second packet still turns at its first visit.
  EXPECT_EQ(select(edge, 3, packet(1, 0, 2, false, 3)), 2)
      << "the only other port into the network is the one it came by";
  Packet& q = packet(1, 1, 2);
  EXPECT_EQ(select(edge, 0, q), 3);
  EXPECT_EQ(header(q).tokens, 3);
  EXPECT_EQ(selectorOf(edge).entriesInUse(), 0u);
}

TEST_F(IofdTest, AToRTurnsBackIntoTheNetworkAndIntoTheEscapeLane) {
  wait(edge, 0, 10);
  std::set<uint16_t> taken;
  for (uint32_t m = 0; m < 40; ++m) {
    Packet& p = packet(m, 0, 1, false);
    p.dst = 0;
    const uint16_t out = select(edge, 2, p);
    taken.insert(out);
    EXPECT_EQ(p.cls, out == 0 ? kData : kEscape);
  }
  EXPECT_EQ(taken, std::set<uint16_t>{3}) << "neither a host's port nor the one it came by";
  Packet& p = packet(99, 0, 1, false);
  p.dst = 0;
  p.cls = kEscape;
  EXPECT_EQ(select(edge, 2, p), 0) << "nothing is deflected in the escape lane";
  EXPECT_EQ(p.cls, kEscape) << "and nothing leaves it";
}

TEST_F(IofdTest, TheHeaderOfAnotherOnesPacketMeansNothing) {
  wait(edge, 2, 10);
  Packet& p = packet(1, 0, 2);
  p.filled = 0;  // what it has is from when it was another flow's; its own host has no iofd_tokens
  EXPECT_EQ(select(edge, 0, p), 2);
  EXPECT_EQ(selectorOf(edge).deflections(), 0u);
  EXPECT_EQ(p.cls, kData) << "lanes are for everybody";
}

struct IofdNotToHosts : IofdTest {
  IofdNotToHosts() : IofdTest(iofd().set("iofd.last_hop", false)) {}
};

TEST_F(IofdNotToHosts, WhatCollidesAtAReceiverMayStay) {
  wait(edge, 0, 10);
  wait(edge, 2, 10);
  Packet& p = packet(1, 0, 1, false);
  p.dst = 0;
  EXPECT_EQ(select(edge, 2, p), 0);
  EXPECT_EQ(select(edge, 0, packet(2, 0, 1)), 3) << "inside of the network it turns";
}

struct IofdOtherLanes : IofdTest {
  static Config config() {
    Config c = iofd();
    c.queues.emplace_back("fifo");
    return c.set("iofd.escape_class", int64_t{3});
  }
  IofdOtherLanes() : IofdTest(config()) {}
};

TEST_F(IofdOtherLanes, WhatIsNeverDeflectedMayHaveAnyClass) {
  EXPECT_EQ(select(edge, 0, packet(6, 0, 9, true, 0)), 2);
  Packet& q = packet(7, 0, 1);
  q.cls = 3;
  EXPECT_EQ(select(edge, 0, q), 2);
  EXPECT_EQ(q.cls, kData);
}

TEST_F(IofdTest, RandomPorts) {
  wait(agg, 2, 10);
  std::map<uint16_t, int> taken;
  for (uint32_t m = 0; m < 300; ++m) {
    Packet& p = packet(m, 0, 1, false);
    const uint16_t hops[] = {2};
    selectorOf(agg).onIngress(p, &agg.port(0));
    ++taken[selectorOf(agg).select(p, {hops, 1})];
    EXPECT_EQ(p.cls, kData) << "up, or from up to down";
  }
  ASSERT_EQ(taken.size(), 2u) << "port 1 (down) and port 3 (up)";
  EXPECT_NEAR(taken[1], 150, 40);
  EXPECT_NEAR(taken[3], 150, 40);
}

TEST_F(IofdTest, AcksGoStraight) {
  wait(edge, 2, 20);
  Packet& p = packet(1, 0, 1);
  p.kind = PacketKind::Ack;
  p.cls = 0;
  EXPECT_EQ(select(edge, 0, p), 2);
  EXPECT_EQ(p.cls, 0);
}

/// Sees at a NIC what iofd_tokens before it has given to data packets.
class TokenReader final : public PortAgent {
 public:
  static const Description& describe() {
    static const Description d = Describe<TokenReader>("test_token_reader", Kind::PortAgent, "Reads tokens")
                                     .help("As they are.")
                                     .source("test")
                                     .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool hooksEnqueue() const override { return true; }
  void onEnqueue(Packet& p) override {
    if (p.kind == PacketKind::Data) tokens[p.flowId].push_back(header_(p).tokens);
  }
  std::map<uint32_t, std::vector<int>> tokens;  // by flow

 private:
  void onStart(Network& network) override { header_ = network.packets().reserve<IofdHeader>(IofdHeader::kName); }
  PacketExtension<IofdHeader> header_;
};
FABRIC_REGISTER(TokenReader);

using Tokens = std::vector<int>;

TEST(Iofd, TokensGoToShortMessagesThatCannotBeStopped) {
  Config c = iofd();
  c.nicAgents.push_back("test_token_reader");
  FatTree net(c);
  net.flow(0, *net.hosts[0], *net.hosts[15], 8192);
  net.flow(1, *net.hosts[0], *net.hosts[15], 8193);
  net.flow(2, *net.hosts[0], *net.hosts[15], 0, {}, Time::Ns(1));
  net.flow(3, *net.hosts[0], *net.hosts[15], 3000, {}, Time::Ms(1));  // it might have no last packet
  net.finish(Time::Ms(2));
  auto& tokens = net.hosts[0]->nic().agent<TokenReader>()->tokens;
  EXPECT_EQ(tokens[0], (Tokens{4, 4, 4, 4, 4, 4}));
  EXPECT_EQ(tokens[1], (Tokens{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(tokens[2], Tokens(tokens[2].size(), 0));
  EXPECT_EQ(tokens[3], (Tokens{0, 0, 0}));
}

TEST(Iofd, WhatOpensAConnectionHasNoTokens) {
  Config c = iofd();
  c.nicAgents.push_back("test_token_reader");
  FatTree net(c.set("go_back_n.handshake", true));
  net.flow(0, *net.hosts[0], *net.hosts[15], 3000);
  net.finish(Time::Ms(1));
  EXPECT_EQ(net.hosts[0]->nic().agent<TokenReader>()->tokens[0], (Tokens{0, 4, 4, 4}));
}

namespace {

/// A message of six packets turns away from a port that is paused. All of it that has left waits at its receiver's
/// switch for longer than the sender does.
struct Held : FatTree {
  static Config config() {
    Config c = iofd();
    c.nicAgents.push_back("test_token_reader");
    return c;
  }
  Held() : FatTree(config()), edge(*switches[0]) {
    // Both flows have their shortest path by port 2; the first one's packets wait there.
    std::vector<uint32_t> ids;
    for (uint32_t id = 0; ids.size() < 2; ++id) {
      const bool isShort = !ids.empty();
      const uint64_t a = endpoint(hosts[isShort ? 0 : 1]->nameHash(), static_cast<uint16_t>(1000 + id));
      const uint64_t b = endpoint(hosts[isShort ? 15 : 13]->nameHash(), 4791);
      if (Ecmp::choice(pairHash(std::min(a, b), std::max(a, b)), edge.hashSalt(), 2) == 0) ids.push_back(id);
    }
    flow(ids[0], *hosts[1], *hosts[13], 30000);
    flow(ids[1], *hosts[0], *hosts[15], 8192, Time::Us(10));
    message = ids[1];
    start();
    pause(edge.port(2), true);
    pause(toReceiver(), true);
    run(Time::Us(10));
  }
  Port& toReceiver() { return switches[7]->port(1); }
  static void pause(Port& port, bool xoff) {
    for (const uint8_t cls : {kEscape, kData}) port.onPause(cls, xoff);
  }
  /// The NIC stops after so many packets of the message, for longer than the timeout.
  void stopAfter(size_t packets) {
    while (tokens().size() < packets) run(engine.now() + Time::Ns(10));
    pause(hosts[0]->nic(), true);
    run(Time::Us(1100));
    pause(hosts[0]->nic(), false);
    run(Time::Us(1200));
    pause(toReceiver(), false);
    run(Time::Us(1300));
    pause(edge.port(2), false);
    finish(Time::Ms(5));
  }
  Tokens& tokens() { return hosts[0]->nic().agent<TokenReader>()->tokens[message]; }
  size_t entries() const {
    size_t all = 0;
    for (const Switch* s : switches) all += selectorOf(*s).entriesInUse();
    return all;
  }

  Switch& edge;
  uint32_t message = 0;
};

}  // namespace

/// Nothing is lost, so the last packet goes for the first time after what was sent again.
TEST(Iofd, AnEntryEndsWithItsMessageWhateverWasSentAgain) {
  for (size_t sent = 1; sent <= 6; ++sent) {
    Held net;
    net.stopAfter(sent);
    EXPECT_EQ(selectorOf(net.edge).deflections(), 1u) << sent;
    EXPECT_EQ(net.retransmitted(net.message), static_cast<int64_t>(std::min<size_t>(sent * kPayload, 8192))) << sent;
    EXPECT_EQ(net.entries(), 0u) << sent;
    EXPECT_TRUE(net.check("in_order")) << sent;
    // The packet that was sent last before, but not the first one, may have its tokens again.
    Tokens want(sent, 4);
    want.insert(want.end(), sent - (sent > 1), 0);
    if (sent > 1) want.push_back(4);
    want.insert(want.end(), 6 - sent, 4);
    EXPECT_EQ(net.tokens(), want) << sent;
  }
}

TEST(Iofd, AShortMessageInNeitherLaneIsRefused) {
  Config c = iofd();
  c.queues.emplace_back("fifo");
  FatTree net(c.set("iofd.escape_class", int64_t{3}));
  net.flow(5, *net.hosts[0], *net.hosts[9], 1000);  // of class 1
  EXPECT_NE(refusalOf(net).find("flow 5: the class of a flow is 1, which is no lane of iofd"), std::string::npos);
}

TEST(Iofd, BadInput) {
  const auto refusal = [](Config c) -> std::string {
    FatTree net(c);
    try {
      net.start();
    } catch (const std::exception& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(iofd()), "");
  EXPECT_NE(
      refusal(iofd().set("iofd.escape_class", int64_t{3})).find("iofd.escape_class is 3, and switches have 3 classes"),
      std::string::npos);
  EXPECT_NE(refusal(iofd().set("iofd.escape_class", int64_t{2})).find("a class of its own"), std::string::npos);
  Config noTokens = iofd();
  noTokens.nicAgents.clear();
  EXPECT_NE(refusal(noTokens).find("iofd needs the port agent iofd_tokens"), std::string::npos) << refusal(noTokens);
  EXPECT_THROW(refusal(iofd().set("iofd.entries", int64_t{0})), ParamError);
  Config atSwitches = iofd();
  atSwitches.agents.push_back("iofd_tokens");
  EXPECT_NE(refusal(atSwitches).find("put it into nic_agents"), std::string::npos) << refusal(atSwitches);
  Config split = iofd();
  split.transport = "mptcp";
  split.cc = "lia";
  EXPECT_NE(refusal(split).find("mptcp splits it into 8 sub-flows"), std::string::npos) << refusal(split);
  EXPECT_EQ(refusal(split.set("mptcp.subflows", int64_t{1})), "");
}

// ---------------------------------------------------------------- networks

namespace {

/// Says that it keeps order, and sends the packets of flow 0 by turns.
class FalsePromise final : public PathSelector {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<FalsePromise>("test_false_promise", Kind::PathSelector, "Says that it keeps order")
            .help("It does not.")
            .source("test")
            .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool keepsOrder() const override { return true; }
  uint16_t select(Packet& p, NextHops hops) override { return hops.ports[p.flowId == 0 ? turn_++ % hops.count : 0]; }

 private:
  uint32_t turn_ = 0;
};
FABRIC_REGISTER(FalsePromise);

/// A link in one direction and the class of what is on it: one buffer at its far end.
using Channel = std::tuple<uint32_t, uint16_t, uint8_t>;  // sending node, port, class

/// Whether the graph has a cycle.
template <class T>
bool cyclic(const std::map<T, std::set<T>>& graph) {
  std::map<T, int> colour;  // 1 = being visited, 2 = done
  std::function<bool(const T&)> visit = [&](const T& at) {
    if (colour[at] != 0) return colour[at] == 1;
    colour[at] = 1;
    const auto next = graph.find(at);
    if (next != graph.end()) {
      for (const T& to : next->second) {
        if (visit(to)) return true;
      }
    }
    colour[at] = 2;
    return false;
  };
  for (const auto& [at, to] : graph) {
    if (visit(at)) return true;
  }
  return false;
}

/// Follows data packets through the switches: which steps they take from channel to channel, and what waits where.
class Follower final : public RowSink {
 public:
  explicit Follower(Net& net) : net_(net) {
    net.network.trace().enable(kPackets, {});
    net.network.trace().addSink(kPackets, this);
  }

  void row(int, const Cell* c) override {
    const auto node = static_cast<uint32_t>(c[1].i64());
    const auto port = static_cast<uint16_t>(c[2].i64());
    const auto event = static_cast<PacketEvent>(c[3].i64());
    const auto cls = static_cast<uint8_t>(c[8].i64());
    if (static_cast<PacketKind>(c[5].i64()) != PacketKind::Data || node < net_.hosts.size()) return;
    if (event == PacketEvent::Receive) {  // it is enqueued at once
      const Port& sender = net_.network.nodes()[node]->port(port).peer();
      in_ = Channel{sender.node().id(), sender.index(), cls};
    } else if (event == PacketEvent::Enqueue) {
      steps[in_].insert(Channel{node, port, cls});
      waiting_[Channel{node, port, cls}].push_back(in_);
    } else if (event == PacketEvent::Dequeue) {
      waiting_[Channel{node, port, cls}].pop_front();
    }
  }

  /// Whether queues wait for each other in a circle: each is paused, and what came out of it is in the next one.
  bool deadlocked() const {
    std::map<Channel, std::set<Channel>> graph;
    for (const auto& [queue, packets] : waiting_) {
      if (!paused(queue)) continue;
      for (const Channel& from : packets) {
        if (paused(from)) graph[from].insert(queue);
      }
    }
    return cyclic(graph);
  }

  std::map<Channel, std::set<Channel>> steps;

 private:
  bool paused(const Channel& queue) const {
    const auto& [node, port, cls] = queue;
    return net_.network.nodes()[node]->port(port).paused(cls);
  }

  const Net& net_;
  Channel in_;
  std::map<Channel, std::deque<Channel>> waiting_;
};

}  // namespace

/// What is to find deadlocks finds one: four switches in a circle, all traffic clockwise over two links, and little
/// buffer.
TEST(Deadlock, AFourthOfACircleWaitsForTheNext) {
  Config c;
  c.set("port.pfc_xoff", int64_t{20000}).set("port.pfc_xon_offset", int64_t{3036});
  Net net(c);
  for (int i = 0; i < 8; ++i) net.host();
  for (int i = 0; i < 4; ++i) net.sw();
  for (size_t i = 0; i < 8; ++i) net.link(*net.hosts[i], *net.switches[i / 2]);
  for (size_t i = 0; i < 4; ++i) net.link(*net.switches[i], *net.switches[(i + 1) % 4]);
  for (uint32_t i = 0; i < 8; ++i) net.flow(i, *net.hosts[i], *net.hosts[(i + 4) % 8], 0);
  Follower follower(net);
  setShortestPaths(net.network);
  for (uint32_t i = 0; i < 4; ++i) {
    for (uint32_t h = 0; h < 8; ++h) {
      const auto clockwise = static_cast<uint16_t>(i == 0 ? 2 : 3);  // switch 0 has its link to switch 1 first
      if (h / 2 != i) net.switches[i]->setRoute(h, {clockwise});
    }
  }
  net.feed.sort();
  net.network.setFlows(net.feed);
  net.network.start();
  EXPECT_FALSE(follower.deadlocked());
  net.run(Time::Us(200));
  EXPECT_TRUE(follower.deadlocked());
  const uint64_t before = net.network.total().dataBytesReceived;
  net.run(Time::Ms(2));
  EXPECT_EQ(net.network.total().dataBytesReceived, before) << "nothing moves any more";
}

namespace {

Config transport(Config c, const std::string& name) {
  c.transport = name;
  if (name == "tcp") c.cc = "newreno";
  if (name == "mptcp") c.cc = "lia";
  if (name == "expresspass") {
    c.queues.front() = "credit_queue";
    c.nicQueues = c.queues;
    c.set("ecmp.symmetric", true).set("round_robin.backlog", int64_t{1000000000});
  }
  return c;
}

}  // namespace

/// A fat-tree in which short messages to and fro are deflected a lot and buffers are small.
struct Heavy : FatTree {
  static Config config(uint64_t seed) {
    Config c = iofd();
    c.seed = seed;
    c.set("iofd.threshold", int64_t{2000}).set("iofd_tokens.tokens", int64_t{7}).set("iofd.entries", int64_t{64});
    c.set("port.pfc_xoff", int64_t{6000}).set("port.pfc_xon_offset", int64_t{3036});
    return c;
  }
  explicit Heavy(uint64_t seed, uint32_t incasts = 40, const std::string& name = "go_back_n")
      : Heavy(seed, incasts, transport(config(seed), name)) {}
  Heavy(uint64_t seed, uint32_t incasts, const Config& c) : FatTree(c) {
    RandomStream random(seed, "heavy", 0);
    uint32_t id = 0;
    for (uint32_t i = 0; i < 16; ++i) {  // long flows, which stop
      const uint32_t to = (i + 1 + random.below(15)) % 16;
      flow(id++, *hosts[i], *hosts[to], 0, {}, Time::Us(60));
    }
    for (uint32_t n = 0; n < incasts; ++n) {
      const uint32_t to = random.below(16);
      for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t from = (to + 1 + random.below(15)) % 16;
        flow(id++, *hosts[from], *hosts[to], 1 + random.below(8192), Time::Ns(1000 * n + random.below(1000)));
      }
    }
  }
  uint64_t deflections() const {
    uint64_t all = 0;
    for (const Switch* s : switches) all += selectorOf(*s).deflections();
    return all;
  }
};

TEST(Iofd, NoDeadlockAndNothingOutOfOrderInAHundredHeavyRuns) {
  uint64_t deflections = 0, pauses = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Heavy net(seed);
    Follower follower(net);
    for (int us = 10; us <= 60; us += 10) {
      net.run(Time::Us(us));
      ASSERT_FALSE(follower.deadlocked()) << "seed " << seed << " at " << us << " us";
    }
    net.finish(Time::Ms(20));
    ASSERT_TRUE(net.check("in_order"));
    ASSERT_EQ(net.network.total().flowsEnded, net.network.total().flowsStarted) << "seed " << seed;
    ASSERT_EQ(net.network.packets().live(), 0u);
    for (const Switch* s : net.switches) ASSERT_EQ(selectorOf(*s).entriesInUse(), 0u);
    deflections += net.deflections();
    pauses += net.network.total().xoffSent;
  }
  EXPECT_GT(deflections, 1000u);
  EXPECT_GT(pauses, 1000u);
}

/// Senders that do not wait as long as their packets do: messages go again and again, and nothing is lost.
TEST(Iofd, NoEntryStaysAndNothingIsOutOfOrderWhateverIsSentAgain) {
  uint64_t deflections = 0, again = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Config c = Heavy::config(seed);
    Heavy net(seed, 40, c.set("host.retransmit_timeout", Time::Us(12).ps));
    net.finish(Time::Ms(20));
    ASSERT_EQ(net.network.total().dataBytesDropped, 0u);
    ASSERT_TRUE(net.check("in_order")) << "seed " << seed;
    ASSERT_EQ(net.network.total().flowsEnded, net.network.total().flowsStarted) << "seed " << seed;
    for (const Switch* s : net.switches) ASSERT_EQ(selectorOf(*s).entriesInUse(), 0u) << "seed " << seed;
    deflections += net.deflections();
    again += net.network.total().retransmittedBytes;
  }
  EXPECT_GT(deflections, 100u);
  EXPECT_GT(again, 100000u);
}

/// What looks at the order in every run finds where there is none: one flow goes by turns through a queue and past it.
TEST(Order, APacketThatOvertakesAnotherFailsTheRun) {
  Config c;
  c.selector = "test_false_promise";
  FatTree net(c);
  net.flow(0, *net.hosts[0], *net.hosts[15], 100000);
  net.flow(1, *net.hosts[1], *net.hosts[14], 100000);
  net.run(Time::Ms(1));
  ASSERT_EQ(net.network.total().drops, 0u);
  EXPECT_GT(net.network.total().reordered, 0u);
  EXPECT_FALSE(net.check("in_order"));
}

/// As a link comes back, a message under way may take a shorter queue than its packets before. This is no fault of the
/// path selector, so the order is not looked at from then on.
TEST(Order, IsNotLookedAtWhereRoutesChanged) {
  Config c;
  c.selector = "test_false_promise";
  Net net(c);
  for (int i = 0; i < 4; ++i) net.host();
  for (int i = 0; i < 4; ++i) net.sw();
  for (size_t i = 0; i < 4; ++i) net.link(*net.hosts[i], *net.switches[i < 2 ? 0 : 3]);
  for (const size_t way : {1, 2}) {
    net.link(*net.switches[0], *net.switches[way]);
    net.link(*net.switches[way], *net.switches[3]);
  }
  // The way by switch 1 has a queue, and flow 1 leaves it.
  net.network.addRouteChange(Time::Us(20), {{4, 0, {0}},
                                            {4, 1, {1}},
                                            {4, 2, {3, 2}},
                                            {4, 3, {2, 3}},
                                            {5, 0, {0}},
                                            {5, 1, {0}},
                                            {5, 2, {1}},
                                            {5, 3, {1}},
                                            {6, 0, {0}},
                                            {6, 1, {0}},
                                            {6, 2, {1}},
                                            {6, 3, {1}},
                                            {7, 0, {2}},
                                            {7, 1, {2}},
                                            {7, 2, {0}},
                                            {7, 3, {1}}});
  net.flow(1, *net.hosts[0], *net.hosts[2], 0);
  net.flow(2, *net.hosts[1], *net.hosts[3], 0);
  net.run(Time::Us(19));
  Flow& moved = net.active(*net.hosts[0], 1);
  EXPECT_EQ(moved.reordered, 0u);
  EXPECT_TRUE(net.check("in_order"));
  net.run(Time::Us(60));
  ASSERT_EQ(net.network.total().drops, 0u);
  EXPECT_GT(moved.reordered, 0u);
  for (const auto& check : net.network.checks()) EXPECT_NE(check.name, "in_order");
}

/// Every transport counts what comes to its receivers behind a gap, so what is said of order is true of all of them.
class OrderUnder : public testing::TestWithParam<const char*> {};

TEST_P(OrderUnder, APacketThatOvertakesAnotherFailsTheRun) {
  Config c;
  c.selector = "test_false_promise";
  Net net(transport(c, GetParam()));  // with two ways, one of which takes longer
  for (int i = 0; i < 2; ++i) net.host();
  for (int i = 0; i < 4; ++i) net.sw();
  net.link(*net.hosts[0], *net.switches[0]);
  net.link(*net.hosts[1], *net.switches[3]);
  for (const size_t way : {1, 2}) {
    net.link(*net.switches[0], *net.switches[way], Rate::Gbps(100), Time::Us(way));
    net.link(*net.switches[way], *net.switches[3]);
  }
  net.flow(0, *net.hosts[0], *net.hosts[1], 100000);
  net.run(Time::Ms(1));
  ASSERT_EQ(net.network.total().dataBytesDropped, 0u);
  EXPECT_GT(net.network.total().reordered, 0u);
  EXPECT_FALSE(net.check("in_order"));
}

INSTANTIATE_TEST_SUITE_P(Transports, OrderUnder,
                         testing::Values("go_back_n", "tcp", "mptcp", "pfabric", "expresspass"));

/// mptcp, which sends a message on several paths, is refused.
class IofdUnder : public testing::TestWithParam<const char*> {};

TEST_P(IofdUnder, KeepsOrder) {
  uint64_t deflections = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Heavy net(seed, 40, GetParam());
    net.finish(Time::Ms(20));
    ASSERT_EQ(net.network.total().dataBytesDropped, 0u);
    ASSERT_TRUE(net.check("in_order")) << "seed " << seed;
    EXPECT_EQ(net.network.total().flowsEnded, net.network.total().flowsStarted);
    deflections += net.deflections();
  }
  EXPECT_GT(deflections, 10u);
}

INSTANTIATE_TEST_SUITE_P(Transports, IofdUnder, testing::Values("go_back_n", "tcp", "pfabric", "expresspass"));

TEST(Iofd, TheBuffersThatWaitForEachOtherAreInNoCircle) {
  uint64_t deflections = 0;
  std::map<Channel, std::set<Channel>> all;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Heavy net(seed);
    Follower follower(net);
    net.finish(Time::Ms(20));
    for (const auto& [from, to] : follower.steps) all[from].insert(to.begin(), to.end());
    deflections += net.deflections();
  }
  EXPECT_GT(deflections, 100u);
  EXPECT_FALSE(cyclic(all));
  // Without lanes the same steps are a circle.
  std::map<Channel, std::set<Channel>> oneLane;
  const auto one = [](Channel c) { return Channel{std::get<0>(c), std::get<1>(c), 0}; };
  for (const auto& [from, to] : all) {
    for (const Channel& t : to) oneLane[one(from)].insert(one(t));
  }
  EXPECT_TRUE(cyclic(oneLane));
}

TEST(Iofd, TheTableOfPathsCountsLinks) {
  FatTree net(iofd());
  const int table = net.network.trace().find("message_paths");
  ASSERT_GE(table, 0);
  test::Rows rows(5);
  net.network.trace().enable(table, {});
  net.network.trace().addSink(table, &rows);
  net.flow(0, *net.hosts[0], *net.hosts[1], 3000);
  net.flow(1, *net.hosts[0], *net.hosts[2], 3000, Time::Us(10));
  net.flow(2, *net.hosts[0], *net.hosts[15], 3000, Time::Us(20));
  net.finish(Time::Us(100));
  ASSERT_EQ(rows.rows.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows.rows[i][2], 3000);
    EXPECT_EQ(rows.rows[i][3], static_cast<int64_t>(2 + 2 * i));
    EXPECT_EQ(rows.rows[i][4], 0);
  }
}

/// Packets are used again, so a message of a host without tokens comes in one that a message with tokens was in.
TEST(Iofd, TheTableOfPathsHasOnlyMessagesOfHostsWithTokens) {
  Net net(iofd());
  for (int i = 0; i < 3; ++i) net.host();
  Switch& s = net.sw();
  net.link(*net.hosts[0], s);
  net.setup.nicAgents.clear();
  for (int i = 1; i < 3; ++i) net.link(*net.hosts[i], s);
  const int table = net.network.trace().find("message_paths");
  test::Rows rows(5);
  net.network.trace().enable(table, {});
  net.network.trace().addSink(table, &rows);
  net.flow(0, *net.hosts[0], *net.hosts[2], 3000);
  net.flow(1, *net.hosts[1], *net.hosts[2], 3000, Time::Us(20));
  net.finish(Time::Us(100));
  ASSERT_EQ(rows.rows.size(), 1u);
  EXPECT_EQ(rows.rows[0][1], 0);
}

/// The links that data packets left by, one row for each.
struct LinksTaken final : RowSink {
  void row(int, const Cell* c) override {
    const bool leaves = static_cast<PacketEvent>(c[3].i64()) == PacketEvent::Dequeue;
    if (leaves && static_cast<PacketKind>(c[5].i64()) == PacketKind::Data) ++times[{c[4].i64(), c[6].i64()}];
  }
  std::map<std::pair<int64_t, int64_t>, int64_t> times;  // by flow and first byte
};

TEST(Iofd, TheTableOfPathsHasTheLinksThatDeflectedMessagesTook) {
  Heavy net(1);
  const int table = net.network.trace().find("message_paths");
  test::Rows paths(5);
  LinksTaken links;
  net.network.trace().enable(table, {});
  net.network.trace().addSink(table, &paths);
  net.network.trace().enable(kPackets, {});
  net.network.trace().addSink(kPackets, &links);
  net.finish(Time::Ms(20));
  ASSERT_EQ(paths.rows.size(), 320u);
  int64_t longer = 0, deflections = 0;
  for (const auto& row : paths.rows) {
    const int64_t last = (row[2] - 1) / kPayload * kPayload;
    EXPECT_EQ(row[3], (links.times[{row[1], last}])) << "flow " << row[1];
    EXPECT_TRUE(row[3] <= 6 || row[4] > 0) << "flow " << row[1];
    longer += row[3] > 6;
    deflections += row[4];
  }
  EXPECT_GT(longer, 0);
  EXPECT_EQ(static_cast<uint64_t>(deflections), net.deflections());
}

}  // namespace fabric
