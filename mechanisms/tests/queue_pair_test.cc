// Persistent queue pairs under go-back-N: messages one behind the other, and what goes on between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mechanisms/dcqcn/dcqcn.h"
#include "mechanisms/hpcc/hpcc.h"
#include "mechanisms/tests/net.h"
#include "mechanisms/timely/timely.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;

namespace {

constexpr int64_t kPayload = 1518 - 62;
constexpr int64_t kPacket = 121440;  // ps: 1518 B at 100 Gb/s

/// Drops the data packets whose numbers, in the order of their coming, are listed, and a share of all packets.
class Sieve final : public Queue {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<Sieve>("sieve", Kind::Queue, "sieve").help("For tests.").source("test").done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool enqueue(Packet* p, int64_t) override {
    if (p->kind == PacketKind::Data && std::find(wanted.begin(), wanted.end(), seen++) != wanted.end()) return false;
    if (loss > 0 && random.uniform() < loss) return false;
    list_.push(p);
    return true;
  }
  Packet* dequeue() override { return list_.empty() ? nullptr : list_.pop(); }

  std::vector<int> wanted;
  int seen = 0;
  double loss = 0;
  RandomStream random;

 private:
  PacketList list_;
};
FABRIC_REGISTER(Sieve);

Config lossy(Config c = {}) {
  c.queues = {"sieve", "sieve"};
  return c.set("port.pfc", false);
}

/// Messages of senders to a receiver at one switch.
struct Pairs : Chain {
  explicit Pairs(const Config& c = {}, int senders = 1) : Chain(c, senders, 1), packets(10) {
    network.trace().enable(kPackets, {});
    network.trace().addSink(kPackets, &packets);
    engine.recordSends = true;
  }
  FlowSpec spec(uint32_t id, uint64_t size, Time start, bool persistent = true) {
    FlowSpec f;
    f.id = id;
    f.src = sender(0).id();
    f.dst = receiver().id();
    f.size = size;
    f.start = start;
    f.srcPort = 1000;
    f.dstPort = 4791;
    f.persistent = persistent;
    return f;
  }
  void message(uint32_t id, uint64_t size, Time start = {}) { flow(spec(id, size, start)); }
  Flow& pairOf(uint32_t message) { return *active(sender(0), message).connection; }
  /// When the sender put data on the wire, from a time on.
  std::vector<int64_t> sent(Time from = {}) const {
    std::vector<int64_t> at;
    for (const auto& s : engine.sends) {
      if (s.from == &hosts[0]->nic() && s.kind == PacketKind::Data && s.at >= from) at.push_back(s.at.ps);
    }
    return at;
  }
  Sieve& data() { return *static_cast<Sieve*>(lastHop().queues()[1]); }
  Sieve& acks() { return *static_cast<Sieve*>(switches[0]->port(0).queues()[0]); }
  int64_t timeouts(uint32_t id) const { return row(id)[15]; }
  int64_t reordered(uint32_t id) const { return row(id)[16]; }

  test::Rows packets;
};

void cnp(Pairs& net, Flow& pair) {
  Packet* p = net.network.packets().fresh();
  p->kind = PacketKind::Cnp;
  p->flow = &pair;
  p->flowId = pair.spec.id;
  net.sender(0).receive(net.sender(0).nic(), p);
}

}  // namespace

// ---------------------------------------------------------------- what goes on

/// A notice halves the rate of 100 Gb/s. The timer of 55 us raises it half of the way while nothing is sent, so the
/// second message begins with 75 Gb/s, on a queue pair of its own with 100.
TEST(QueuePair, DcqcnGoesOnBetweenMessages) {
  for (const bool persistent : {true, false}) {
    Pairs net(Config::dcqcn());
    net.flow(net.spec(0, 10 * kPayload, {}, persistent));
    net.flow(net.spec(1, 3 * kPayload, Time::Us(60), persistent));
    net.run({});
    auto& cc = static_cast<Dcqcn&>(net.sender(0).congestionControl());
    cnp(net, net.pairOf(0));
    EXPECT_EQ(net.pairOf(0).rate, Rate::Gbps(50));
    net.run(Time::Us(60));
    EXPECT_EQ(net.pairOf(1).rate, Rate::Gbps(persistent ? 75 : 100));
    EXPECT_DOUBLE_EQ(cc.state(net.pairOf(1)).alpha, persistent ? 255.0 / 256 : 1);
    EXPECT_EQ(cc.state(net.pairOf(1)).timerStage, persistent ? 1 : 0);
    net.finish(Time::Us(100));
    const int64_t gap = persistent ? 161920 : kPacket, at = Time::Us(60).ps;  // 1518 * 8 bit / 75 Gb/s
    EXPECT_EQ(net.sent(Time::Us(60)), (std::vector<int64_t>{at, at + gap, at + 2 * gap}));
    EXPECT_EQ(net.row(1)[7], at);
  }
}

/// Without a pause, too: the second message's first packet keeps its distance.
TEST(QueuePair, PacingGoesOnOverABorder) {
  Pairs net(Config::dcqcn());
  net.message(0, 2 * kPayload);
  net.message(1, 2 * kPayload);
  net.run({});
  cnp(net, net.pairOf(0));
  net.finish(Time::Us(100));
  EXPECT_EQ(net.sent(), (std::vector<int64_t>{0, 2 * kPacket, 4 * kPacket, 6 * kPacket}));
}

/// Two senders fill the link, so the window is below the bandwidth-delay product with which a queue pair begins.
TEST(QueuePair, HpccKeepsWindowAndTelemetry) {
  Pairs net(Config::hpcc(), 2);
  net.message(0, 1000000);
  net.message(1, 1000000, Time::Ms(1));
  net.flow(9, net.sender(1), net.receiver(), 1500000);
  net.run({});
  Flow& pair = net.pairOf(0);
  auto& cc = static_cast<Hpcc&>(net.sender(0).congestionControl());
  net.run(Time::Us(900));
  const IntControl::State before = cc.state(pair);
  EXPECT_EQ(pair.messages, 0u);
  EXPECT_LT(before.w, 0.9 * static_cast<double>(net.sender(0).bandwidthDelayProduct()));
  EXPECT_EQ(before.last.count, 1);
  net.run(Time::Ms(1));
  EXPECT_EQ(&net.pairOf(1), &pair);
  EXPECT_EQ(pair.window, static_cast<int64_t>(before.w));
  EXPECT_EQ(cc.state(pair).last.hops[0].txBytes, before.last.hops[0].txBytes);
  EXPECT_EQ(cc.state(pair).lastUpdateSeq, 1000000u);
}

TEST(QueuePair, TimelyKeepsItsRate) {
  Config c;
  c.cc = "timely";
  Pairs net(c.set("timely.t_low", Time::Us(10).ps).set("timely.t_high", Time::Us(20).ps), 2);
  net.message(0, 1000000);
  net.message(1, 1000000, Time::Ms(1));
  net.flow(9, net.sender(1), net.receiver(), 1500000);
  net.run({});
  Flow& pair = net.pairOf(0);
  net.run(Time::Us(900));
  const Rate rate = pair.rate;
  EXPECT_EQ(pair.messages, 0u);
  EXPECT_LT(rate, Rate::Gbps(99));
  net.run(Time::Ms(1));
  EXPECT_EQ(&net.pairOf(1), &pair);
  EXPECT_EQ(pair.rate, rate);
  EXPECT_GT(static_cast<Timely&>(net.sender(0).congestionControl()).state(pair).rtt, Time::Us(10));
}

// ---------------------------------------------------------------- order

/// Packets have bytes of one message each, and follow the message before without a gap. FCT counts from the posting. A
/// message of another port takes turns with them.
TEST(QueuePair, MessagesGoInTheOrderOfPosting) {
  Pairs net;
  net.message(7, 3 * kPayload + 1);
  net.message(8, 10);
  net.message(9, 2 * kPayload);
  net.finish(Time::Ms(1));
  std::vector<std::pair<int64_t, int64_t>> sent;  // message, first byte
  for (const auto& r : net.packets.rows) {
    if (r[1] == net.sender(0).id() && r[3] == static_cast<int>(PacketEvent::Dequeue)) sent.emplace_back(r[4], r[6]);
  }
  constexpr int64_t k = kPayload;
  EXPECT_EQ(sent, (std::vector<std::pair<int64_t, int64_t>>{
                      {7, 0}, {7, k}, {7, 2 * k}, {7, 3 * k}, {8, 3 * k + 1}, {9, 3 * k + 11}, {9, 4 * k + 11}}));
  constexpr int64_t kShort = (10 + 62) * 80;  // ps
  EXPECT_EQ(net.end(8), net.end(7) + kShort);
  EXPECT_EQ(net.end(9), net.end(8) + 2 * kPacket);
  for (const auto& [id, size, packets] :
       {std::tuple{7u, int64_t{3 * kPayload + 1}, 4}, {8u, int64_t{10}, 1}, {9u, int64_t{2 * kPayload}, 2}}) {
    const auto& row = net.row(id);
    EXPECT_EQ(row[7], 0) << id;
    EXPECT_EQ(row[10], size) << id;
    EXPECT_EQ(row[11], size) << id;
    EXPECT_EQ(row[13], packets) << id;
    EXPECT_GT(row[9], row[8]) << id;
  }
  EXPECT_EQ(net.network.total().flowsFinished, 3u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST(QueuePair, AnotherPortIsAnotherQueuePair) {
  Pairs net;
  FlowSpec other = net.spec(2, kPayload, {});
  other.srcPort = 1001;
  net.message(0, 100 * kPayload);
  net.message(1, kPayload);
  net.flow(other);
  net.finish(Time::Ms(1));
  EXPECT_LT(net.end(2), net.end(0));
  EXPECT_EQ(net.end(1), net.end(0) + kPacket);
}

/// Only the first message waits for the handshake.
TEST(QueuePair, OneHandshake) {
  Pairs net(Config().set("go_back_n.handshake", true));
  net.message(0, kPayload);
  net.message(1, kPayload, Time::Us(50));
  net.finish(Time::Ms(1));
  EXPECT_EQ(net.row(0)[13], 2);
  EXPECT_EQ(net.row(1)[13], 1);
  EXPECT_LT(net.end(1) - net.row(1)[7], net.end(0));
}

TEST(QueuePair, UnfinishedMessagesHaveRows) {
  Pairs net;
  for (uint32_t id = 0; id < 3; ++id) net.message(id, 100 * kPayload);
  net.finish(Time::Us(20));
  EXPECT_EQ(net.delivered(0), 100 * kPayload);
  EXPECT_GT(net.delivered(1), 0);
  EXPECT_LT(net.delivered(1), 100 * kPayload);
  EXPECT_EQ(net.delivered(2), 0);
  EXPECT_EQ(static_cast<int64_t>(net.network.total().dataBytesDelivered), 100 * kPayload + net.delivered(1));
}

/// What waits for a message begins when its last byte is acknowledged, or has come, whatever is behind it.
TEST(QueuePair, OthersWaitForMessages) {
  Pairs net;
  net.message(0, 10 * kPayload);
  net.message(1, 1000 * kPayload);
  net.message(2, kPayload);
  FlowSpec back = net.spec(3, kPayload, {});
  std::swap(back.src, back.dst);
  net.flow(back);
  net.feed.wait(2, 0, Time::Us(1));
  net.feed.wait(3, 0, {});
  net.finish(Time::Ms(1));
  EXPECT_EQ(net.row(2)[7], net.senderEnd(0) + Time::Us(1).ps);
  EXPECT_EQ(net.end(2), net.end(1) + kPacket);
  EXPECT_EQ(net.row(3)[7], net.end(0));
  EXPECT_LT(net.end(3), net.end(1));
}

TEST(QueuePair, ClosedLoopsWaitForEachMessage) {
  Pairs net;
  for (uint32_t id = 0; id < 2; ++id) {
    FlowSpec f = net.spec(id, 10 * kPayload, Time::Us(id));
    f.closedLoop = true;
    net.flow(f);
  }
  net.finish(Time::Ms(1));
  EXPECT_EQ(net.row(1)[7], net.senderEnd(0) + Time::Us(1).ps);
}

// ---------------------------------------------------------------- losses

/// The last packet of a message is lost. Alone it waits for the timer; a packet of the next message behind it shows the
/// gap, and both go again from there.
TEST(QueuePair, ALossAtABorderIsSeenByTheNextMessage) {
  for (const bool next : {false, true}) {
    Pairs net(lossy());
    net.data().wanted = {4};
    net.message(0, 5 * kPayload);
    if (next) net.message(1, 5 * kPayload);
    net.finish(Time::Ms(5));
    EXPECT_EQ(net.timeouts(0), next ? 0 : 1);
    EXPECT_EQ(net.retransmitted(0), kPayload);
    EXPECT_EQ(net.end(0) < Time::Ms(1).ps, next);
    if (!next) continue;
    EXPECT_EQ(net.reordered(0), 0);
    EXPECT_EQ(net.reordered(1), 5);
    EXPECT_EQ(net.retransmitted(1), 5 * kPayload);
    EXPECT_EQ(net.end(1), net.end(0) + 5 * kPacket);
  }
}

/// ACKs pass the switch at 4748.16 ns and every 121.44 ns from then on. All but the last are lost, which ends both
/// messages.
TEST(QueuePair, AnAckEndsAllMessagesBeforeIt) {
  Pairs net(lossy());
  net.message(0, 2 * kPayload);
  net.message(1, 2 * kPayload);
  net.acks().loss = 1;
  net.run(Time::Ns(5050));
  net.acks().loss = 0;
  net.finish(Time::Ms(5));
  EXPECT_EQ(net.timeouts(0), 0);
  EXPECT_EQ(net.retransmitted(0), 0);
  EXPECT_EQ(net.senderEnd(0), net.senderEnd(1));
}

/// Under loss in both directions every message arrives, in order, and bytes and packets add up.
TEST(QueuePair, EverythingArrivesUnderLoss) {
  for (Config c : {Config(), Config::dcqcn(), Config::hpcc()}) {
    for (const int64_t every : {1, 4}) {
      Pairs net(lossy(c).set("host.ack_every", every).set("host.retransmit_timeout", Time::Us(100).ps));
      net.data().loss = net.acks().loss = 0.01;
      RandomStream r(5, "messages", 0);
      std::vector<uint64_t> sizes;
      int64_t at = 0;
      for (uint32_t i = 0; i < 400; ++i) {
        sizes.push_back(1 + r.below(60000));
        at += static_cast<int64_t>(r.below(10)) * Time::Us(1).ps;
        if (i % 100 == 99) at += Time::Ms(3).ps;
        net.message(i, sizes.back(), Time{at});
      }
      net.finish(Time::Ms(500));
      uint64_t all = 0;
      for (uint32_t i = 0; i < 400; ++i) {
        EXPECT_EQ(net.delivered(i), static_cast<int64_t>(sizes[i])) << c.cc << " " << i;
        EXPECT_EQ(net.row(i)[11] - net.row(i)[12], static_cast<int64_t>(sizes[i])) << c.cc << " " << i;
        EXPECT_GE(net.senderEnd(i), net.end(i));
        if (i > 0) {
          EXPECT_GT(net.end(i), net.end(i - 1));
        }
        all += sizes[i];
      }
      EXPECT_EQ(net.network.total().dataBytesDelivered, all);
      EXPECT_EQ(net.network.total().flowsFinished, 400u);
      EXPECT_GT(net.network.total().retransmittedBytes, 0u);
    }
  }
}

/// Two hosts with links to two switches. The switch that the queue pair uses is cut off while there is nothing to send:
/// the next message goes by the other one.
TEST(QueuePair, AnIdleOneLeavesALinkThatIsDown) {
  Net net;
  Host &a = net.host(), &b = net.host();
  for (int i = 0; i < 2; ++i) net.link(a, net.sw());
  for (Switch* s : net.switches) net.link(*s, b);
  for (uint32_t id = 0; id < 2; ++id) {
    FlowSpec f;
    f.id = id;
    f.src = a.id();
    f.dst = b.id();
    f.size = 10 * kPayload;
    f.start = Time::Us(100 * id);
    f.persistent = true;
    net.flow(f);
  }
  net.run(Time::Us(50));
  const auto sentBy = [&](int link) { return a.port(static_cast<size_t>(link)).sentDataBytes(); };
  const int used = sentBy(0) > 0 ? 0 : 1;
  EXPECT_EQ(sentBy(1 - used), 0u);
  for (Port* port : net.switches[used]->ports()) {
    port->takeDown();
    port->peer().takeDown();
  }
  net.finish(Time::Ms(1));
  EXPECT_GT(net.end(1), 0);
  EXPECT_EQ(sentBy(0), sentBy(1));
}

// ---------------------------------------------------------------- what is refused

TEST(QueuePair, MessagesHaveASizeAndNoStop) {
  Pairs endless;
  endless.message(0, 0);
  EXPECT_NE(refusalOf(endless).find("give it a size and no stop"), std::string::npos);
  Pairs stopped;
  FlowSpec f = stopped.spec(0, kPayload, {});
  f.stop = Time::Us(1);
  stopped.flow(f);
  EXPECT_NE(refusalOf(stopped).find("give it a size and no stop"), std::string::npos);
}

TEST(QueuePair, WhatKnowsFlowsOnlyRefuses) {
  Config dasr = Config::dcqcn();
  dasr.receivers = {"dasr_receiver", "cnp_generator"};
  Config rcp;
  rcp.cc = "rcp";
  rcp.agents = {"rcp_rate"};
  Config tcp;
  tcp.transport = "tcp";
  for (const auto& [c, want] : {std::pair{dasr, "dasr_receiver counts messages by their queue pairs"},
                                {rcp, "rcp has no queue pairs that stay open"},
                                {tcp, "none has no persistent connections"}}) {
    Pairs net(c);
    net.message(0, kPayload);
    const std::string said = refusalOf(net);
    EXPECT_NE(said.find(want), std::string::npos) << said;
  }
}

}  // namespace fabric
