// MPTCP's receive window: what it holds back, how it is tuned, and what a full one makes the sub-flows do.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/tcp/mptcp.h"
#include "mechanisms/tests/net.h"
#include "mechanisms/tests/tcp_path.h"

namespace fabric {

using test::Config;
using test::kMss;
using test::Net;
using test::Path;

namespace {

/// Two sub-flows, each of which takes ten segments at once.
Config two() {
  Config c = test::tcp("lia");
  c.transport = "mptcp";
  return c.set("mptcp.subflows", int64_t{2});
}

Config windowOf(int64_t bytes) { return two().set("mptcp.receive_window", bytes); }

/// As large from the start on, and a full one just waits.
Config fixedWindowOf(int64_t bytes) {
  return windowOf(bytes)
      .set("mptcp.receive_window_tuning", false)
      .set("mptcp.opportunistic_retransmission", false)
      .set("mptcp.penalisation", false);
}

const Mptcp& transport(const Net& net) { return static_cast<const Mptcp&>(net.hosts[0]->transport()); }

/// The first sub-flow loses everything from segment 3 on for half a second: it times out at 200 and at 600 ms.
void silenceTheFirst(Path& net) {
  net.data().steals = [&net](const Packet& p) {
    return p.kind == PacketKind::Data && p.flow->spec.srcPort == 1000 && p.seq >= 3 * kMss &&
           net.engine.now() < Time::Ms(500);
  };
}

}  // namespace

/// The first sub-flow's segment 3 is lost twice, which takes a timeout. With a receive window of 50 segments the
/// connection stands still when 50 from there on have been sent, without one it goes on.
TEST(MptcpWindow, HoldsAllSubflowsBack) {
  constexpr int64_t kWindow = 50 * kMss;
  for (const char* scheduler : {"lowest_rtt", "round_robin"}) {
    for (const int64_t window : {int64_t{0}, kWindow, kWindow + kMss - 1}) {
      Path net(fixedWindowOf(window).set("mptcp.scheduler", std::string(scheduler)));
      net.data().drops[3] = 3;  // the other one's, too, in turn
      net.stream(0, 1000 * kMss);
      net.run(Time::Ms(100));
      const Flow& f = net.active(net.sender(), 0);
      if (window == 0) {
        EXPECT_EQ(net.transport().assigned(f), 1000u * kMss);
      } else {
        // In turn its bytes are those behind 3 of each.
        const uint64_t missing = std::string(scheduler) == "lowest_rtt" ? 3 : 6;
        EXPECT_EQ(net.transport().assigned(f), (missing + 50) * kMss) << scheduler;
        EXPECT_EQ(net.transport().acked(f), missing * kMss) << "what is behind a hole is not acknowledged";
      }
      EXPECT_TRUE(net.transport().consistent(f));
      net.finish(Time::Ms(3000));
      EXPECT_EQ(net.delivered(0), 1000 * kMss);
      EXPECT_EQ(net.network.packets().live(), 0u);
    }
  }
}

/// Losses, messages, short windows, segments that go over both sub-flows: never is more out than the window, every
/// byte arrives and counts once, and messages end in their order.
TEST(MptcpWindow, IsKept) {
  constexpr int64_t kWindow = 7 * kMss + 100;
  uint64_t copies = 0;
  for (const char* scheduler : {"lowest_rtt", "round_robin"}) {
    for (const bool fixed : {true, false}) {
      for (uint64_t seed = 1; seed <= 20; ++seed) {
        Path net((fixed ? fixedWindowOf(kWindow) : windowOf(kWindow).set("mptcp.initial_receive_window", kMss))
                     .set("mptcp.scheduler", std::string(scheduler))
                     .set("mptcp.min_rto", Time::Ms(1).ps)
                     .set("mptcp.initial_rto", Time::Ms(1).ps));
        net.data().loss = net.acks().loss = 0.05;
        net.data().random = RandomStream(seed, "data");
        net.acks().random = RandomStream(seed, "acks");
        const auto size = [](uint32_t id) { return id % 3 == 0 ? 60 * kMss + id : 3 * kMss + 100 * id; };
        for (uint32_t id = 0; id < 20; ++id) net.message(id, size(id), Time::Us(200 * id));
        net.start();
        for (int64_t us = 10; us < 50000; us += 10) {
          net.engine.run(Time::Us(us));
          net.sender().forEachActive([&](const Flow& m) {
            const Flow& c = *m.connection;
            ASSERT_LE(net.transport().assigned(c), net.transport().delivered(c) + kWindow) << us;
            ASSERT_LE(net.transport().acked(c), net.transport().delivered(c)) << us;
            ASSERT_LE(m.sndUna, m.end) << us;
            for (const Flow* part = &c; part != nullptr; part = part->nextSubflow) {
              ASSERT_TRUE(net.transport().consistent(*part)) << us;
            }
          });
        }
        net.finish(Time::Ms(10000));
        int64_t again = 0;
        uint64_t total = 0;
        for (uint32_t id = 0; id < 20; ++id) {
          total += size(id);
          EXPECT_EQ(net.delivered(id), size(id)) << id;
          EXPECT_EQ(net.row(id)[11] - net.row(id)[12], size(id)) << id;
          if (id > 0) {
            EXPECT_GE(net.end(id), net.end(id - 1)) << id;
          }
          EXPECT_GE(net.senderEnd(id), net.end(id)) << id;
          again += net.retransmitted(id);
        }
        EXPECT_EQ(net.network.total().dataBytesDelivered, total);
        EXPECT_EQ(net.network.packets().live(), 0u);
        if (!fixed) copies += static_cast<uint64_t>(again);
      }
    }
  }
  EXPECT_GT(copies, 0u);
}

/// Flows that are stopped, handshakes, tear-downs, eight sub-flows: everything ends, and nothing is left.
TEST(MptcpWindow, EveryFlowEnds) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Config c = windowOf(static_cast<int64_t>(4 + seed % 30) * kMss)
                   .set("mptcp.subflows", static_cast<int64_t>(1 + seed % 8))
                   .set("mptcp.initial_receive_window", int64_t{kMss})
                   .set("mptcp.tuning_period", Time::Us(50).ps)
                   .set("mptcp.scheduler", std::string(seed % 3 == 0 ? "round_robin" : "lowest_rtt"))
                   .set("mptcp.handshake", seed % 2 == 0)
                   .set("mptcp.teardown", seed % 5 < 2)
                   .set("mptcp.at_stop", std::string(seed % 5 == 4 ? "end" : "drain"))
                   .set("mptcp.new_data_in_loss", seed % 7 < 4)
                   .set("mptcp.tail_loss_probe", seed % 4 < 2)
                   .set("mptcp.lost_retransmissions", seed % 6 < 3)
                   .set("mptcp.min_rto", Time::Ms(1).ps)
                   .set("mptcp.initial_rto", Time::Ms(1).ps);
    if (seed % 4 == 1) c.scheduler = "srpt";
    Path net(c);
    net.data().loss = net.acks().loss = 0.04;
    net.data().random = RandomStream(seed, "data");
    net.acks().random = RandomStream(seed, "acks");
    net.data().late = seed % 2 == 0 ? 9 : 0;
    RandomStream random(seed, "flows");
    constexpr uint32_t kFlows = 24;
    const auto stopped = [](uint32_t id) { return id % 4 == 3; };
    std::vector<int64_t> sizes;
    for (uint32_t id = 0; id < kFlows; ++id) {
      sizes.push_back(static_cast<int64_t>(1 + random.uniform() * 80 * kMss));
      const Time start = Time::Us(100 * id), stop = stopped(id) ? start + Time::Us(700) : Time{-1};
      if (id % 2 == 0 || seed % 5 == 4) {
        FlowSpec f = net.spec(10 * id, static_cast<uint64_t>(sizes[id]), start);
        f.id = id;
        f.stop = stop;
        net.flow(f);
      } else {
        net.message(id, static_cast<uint64_t>(sizes[id]), start, stop);
      }
    }
    net.finish(Time::Ms(60000));
    ASSERT_EQ(net.flowRows.rows.size(), kFlows) << seed;
    int64_t delivered = 0;
    for (uint32_t id = 0; id < kFlows; ++id) {
      const auto& row = net.row(id);
      EXPECT_LE(net.delivered(id), sizes[id]) << seed << " " << id;
      if (seed % 5 != 4) {
        EXPECT_EQ(row[11] - row[12], net.delivered(id)) << seed << " " << id;
      }
      if (!stopped(id)) {
        EXPECT_EQ(net.delivered(id), sizes[id]) << seed << " " << id;
      }
      EXPECT_GE(row[9], 0) << seed << " " << id;
      EXPECT_GE(row[9], row[8]) << seed << " " << id;
      delivered += net.delivered(id);
    }
    EXPECT_GE(static_cast<int64_t>(net.network.total().dataBytesDelivered), delivered);
    EXPECT_EQ(net.network.packets().live(), 0u) << seed;
  }
}

/// A fast sub-flow takes over, one segment after the other, what a slow one does not get through. The slow one sends
/// all of it once more nonetheless, and the sender waits for that.
TEST(MptcpWindow, TheFirstMissingSegmentGoesOverAnotherSubflow) {
  for (const char* scheduler : {"lowest_rtt", "round_robin"}) {
    for (const bool again : {true, false}) {
      Path net(fixedWindowOf(50 * kMss)
                   .set("mptcp.scheduler", std::string(scheduler))
                   .set("mptcp.opportunistic_retransmission", again));
      silenceTheFirst(net);
      net.stream(0, 1000 * kMss);
      net.run(Time::Ms(190));
      // The lost ones' sub-flow has a window of more than four segments before its timer runs out.
      EXPECT_LE(net.transport().assigned(net.active(net.sender(), 0)), 60u * kMss);
      net.finish(Time::Ms(3000));
      EXPECT_EQ(net.delivered(0), 1000 * kMss);
      EXPECT_EQ(net.row(0)[11] - net.row(0)[12], 1000 * kMss);
      EXPECT_EQ(net.network.total().dataBytesDelivered, 1000u * kMss);
      EXPECT_EQ(net.network.packets().live(), 0u);
      EXPECT_GT(net.senderEnd(0), Time::Ms(600).ps);
      if (again) {
        EXPECT_LT(net.end(0), Time::Ms(205).ps) << scheduler;
      } else {
        EXPECT_GT(net.end(0), Time::Ms(600).ps) << scheduler;
      }
    }
  }
}

namespace {

/// Two hosts and two paths between them, one of them 400 us longer. One sub-flow takes each.
struct TwoPaths : Net {
  explicit TwoPaths(const Config& c, uint16_t port) : Net(c) {
    host();
    host();
    sw();
    sw();
    link(*hosts[0], *switches[0]);
    link(*hosts[1], *switches[1]);
    link(*switches[0], *switches[1], Rate::Gbps(10), Time::Us(1));
    link(*switches[0], *switches[1], Rate::Gbps(10), Time::Us(401));
    FlowSpec f;
    f.src = hosts[0]->id();
    f.dst = hosts[1]->id();
    f.size = kSize;
    f.srcPort = port;
    f.dstPort = 80;
    f.cls = 0;
    flow(f);
    run(Time::Us(100));
    for (Flow* part = &connection(); part != nullptr; part = part->nextSubflow) {
      (part->sndUna > 0 ? fast : slow) = part;
    }
  }
  /// The first pair of ports whose hashes take both paths.
  static std::unique_ptr<TwoPaths> make(const Config& c) {
    for (uint16_t port = 1000;; ++port) {
      auto net = std::make_unique<TwoPaths>(c, port);
      if (net->fast != nullptr && net->slow != nullptr) return net;
    }
  }
  Flow& connection() const { return active(*hosts[0], 0); }
  static constexpr uint64_t kSize = 3000 * kMss;
  Flow *fast = nullptr, *slow = nullptr;
};

}  // namespace

/// The window is shorter than what the paths hold. The sub-flow of the longer one, which keeps the other one waiting,
/// halves its window once in a round trip of 804 us, down to a segment.
TEST(MptcpWindow, ASlowSubflowIsPenalised) {
  for (const bool penalised : {true, false}) {
    const auto net = TwoPaths::make(fixedWindowOf(60 * kMss)
                                        .set("mptcp.scheduler", std::string("round_robin"))
                                        .set("mptcp.penalisation", penalised)
                                        .set("lia.initial_window", int64_t{40}));
    int64_t window = net->slow->window, most = net->fast->window;
    std::vector<int64_t> cuts;
    for (int64_t us = 101; us < 5000; ++us) {
      net->run(Time::Us(us));
      if (net->slow->window < window) {
        EXPECT_GE(net->slow->window, std::max<int64_t>(window / 2, kMss));
        EXPECT_LE(net->slow->window, window / 2 + kMss) << "an ACK may have come in the same microsecond";
        cuts.push_back(us);
      }
      window = net->slow->window;
      EXPECT_GE(net->fast->window, most) << "the fast one is not cut";
      most = net->fast->window;
    }
    if (penalised) {
      ASSERT_GE(cuts.size(), 4u);
      for (size_t i = 1; i < cuts.size(); ++i) EXPECT_GE(cuts[i] - cuts[i - 1], 803);
      EXPECT_LT(window, 10 * int64_t{kMss});
    } else {
      EXPECT_EQ(cuts.size(), 0u);
    }
    net->finish(Time::Ms(1000));
    EXPECT_EQ(net->delivered(0), static_cast<int64_t>(TwoPaths::kSize));
    EXPECT_EQ(net->retransmitted(0), 0);
  }
}

/// Nothing is lost, but what is on the longer path keeps the window full. The paper's finding (section 4.2): sending
/// again makes the connection faster, and with penalties much faster still and at a small price. A path alone takes
/// 3.7 ms.
TEST(MptcpWindow, AFastSubflowDoesNotWaitForASlowOne) {
  int64_t ends[2][2], again[2][2];
  for (const bool opportunistic : {true, false}) {
    for (const bool penalised : {true, false}) {
      const auto net = TwoPaths::make(fixedWindowOf(60 * kMss)
                                          .set("mptcp.scheduler", std::string("round_robin"))
                                          .set("lia.initial_window", int64_t{40})
                                          .set("mptcp.opportunistic_retransmission", opportunistic)
                                          .set("mptcp.penalisation", penalised));
      net->finish(Time::Ms(1000));
      EXPECT_EQ(net->delivered(0), static_cast<int64_t>(TwoPaths::kSize));
      EXPECT_EQ(net->row(0)[15], 0) << "no timeout";
      ends[opportunistic][penalised] = net->end(0);
      again[opportunistic][penalised] = net->retransmitted(0);
    }
  }
  EXPECT_EQ(again[0][0] + again[0][1], 0);
  EXPECT_LT(ends[1][0], ends[0][0] / 2);
  EXPECT_LT(ends[1][1], ends[1][0] / 2);
  EXPECT_LT(again[1][1], again[1][0] / 10);
}

/// The window that the receiver gives is what it has had in order in a period, twice: nothing is lost or overtakes, so
/// all that has come is in order. It never shrinks, and does not become larger than receive_window.
TEST(MptcpWindow, IsTuned) {
  constexpr int64_t kMost = 100 * kMss;
  Path net(windowOf(kMost)
               .set("mptcp.initial_receive_window", int64_t{2 * kMss})
               .set("mptcp.tuning_period", Time::Us(200).ps));
  net.stream(0, 4000 * kMss);
  net.run(Time{});
  const Flow& f = net.active(net.sender(), 0);
  EXPECT_EQ(transport(net).windowSize(f), 4u * kMss);
  std::vector<uint64_t> sizes;
  uint64_t expected = 4 * kMss, bytes = 0, from = 0;
  Time since;
  size_t row = 0;
  for (int64_t us = 1; us < 4000; ++us) {
    net.run(Time::Us(us));
    for (; row < net.packets.rows.size(); ++row) {
      const auto& r = net.packets.rows[row];
      if (r[1] != net.receiver().id() || r[3] != static_cast<int>(PacketEvent::Receive)) continue;
      if (r[5] != static_cast<int>(PacketKind::Data)) continue;
      bytes += kMss;
      // A full window of 100 segments has a round trip of 116 us.
      if (Time{r[0]} - since < Time::Us(200)) continue;
      expected = std::max(expected, std::min<uint64_t>(2 * (bytes - from), kMost));
      since = Time{r[0]};
      from = bytes;
    }
    ASSERT_EQ(transport(net).windowSize(f), expected) << us;
    if (sizes.empty() || sizes.back() != expected) sizes.push_back(expected);
    ASSERT_LE(net.transport().assigned(f), net.transport().delivered(f) + expected);
  }
  EXPECT_GE(sizes.size(), 3u);
  EXPECT_EQ(sizes.back(), uint64_t{kMost});
}

/// What waits behind a hole takes room of a tuned buffer, but what has been offered stays offered. A fixed window ends
/// as far behind the first missing byte as ever.
TEST(MptcpWindow, WhatWaitsTakesRoomOfATunedBuffer) {
  constexpr uint64_t kWindow = 60 * kMss;
  for (const bool tuned : {true, false}) {
    const auto net = TwoPaths::make(fixedWindowOf(kWindow)
                                        .set("mptcp.scheduler", std::string("round_robin"))
                                        .set("mptcp.receive_window_tuning", tuned)
                                        .set("mptcp.initial_receive_window", int64_t{30 * kMss})
                                        .set("lia.initial_window", int64_t{40}));
    const Mptcp& mptcp = transport(*net);
    uint64_t offered = std::max(kWindow, mptcp.assigned(net->connection()));  // up to now
    int full = 0, less = 0;
    for (Time t = Time::Us(100); t < Time::Ms(5); t = t + Time::Ns(100)) {
      net->run(t);
      const Flow& c = net->connection();
      const uint64_t waiting = mptcp.delivered(c) - mptcp.inOrder(c);
      offered = std::max(offered, mptcp.inOrder(c) + kWindow - (tuned ? waiting : 0));
      ASSERT_LE(mptcp.assigned(c), offered);
      full += mptcp.assigned(c) + kMss > offered ? 1 : 0;
      less += offered < mptcp.inOrder(c) + kWindow ? 1 : 0;
    }
    EXPECT_GT(full, 20000) << "of 49000";
    EXPECT_EQ(less > 0, tuned);
    net->finish(Time::Ms(1000));
    EXPECT_EQ(net->delivered(0), static_cast<int64_t>(TwoPaths::kSize));
  }
}

/// The next message on a persistent connection finds the window as the last one left it.
TEST(MptcpWindow, APersistentConnectionKeepsIt) {
  Path net(windowOf(500 * kMss)
               .set("mptcp.initial_receive_window", int64_t{2 * kMss})
               .set("mptcp.tuning_period", Time::Us(100).ps));
  net.message(0, 1000 * kMss);
  net.message(1, 100 * kMss, Time::Ms(50));
  net.run(Time::Ms(1));
  EXPECT_GT(transport(net).windowSize(net.active(net.sender(), 0)), 8u * kMss);
  net.run(Time::Ms(49));
  ASSERT_EQ(net.flowRows.rows.size(), 1u);
  net.run(Time::Ms(50));
  const Flow& m = net.active(net.sender(), 1);
  EXPECT_GT(transport(net).windowSize(m), 8u * kMss);
  net.finish(Time::Ms(1000));
  EXPECT_EQ(net.delivered(1), 100 * kMss);
}

TEST(MptcpWindow, HasRoomForASegment) {
  EXPECT_EQ(test::refusalOf(windowOf(kMss - 1)),
            "mptcp.receive_window makes a window of 1447B, which is less than a segment of 1448B, and none could be "
            "sent; receive_window: 0 is no limit (h0, h1)");
  EXPECT_EQ(test::refusalOf(windowOf(6000000).set("mptcp.initial_receive_window", int64_t{700})),
            "mptcp.initial_receive_window makes a window of 1.4KB, which is less than a segment of 1448B, and none "
            "could be "
            "sent; receive_window: 0 is no limit (h0, h1)");
}

namespace {

/// What the start of a flow says between hosts with these parameters; empty: it starts.
std::string refusalOfFlow(const Config& sender, const Config& receiver) {
  Net net(sender);
  net.host();
  net.setup.params = receiver.params;
  net.host();
  net.sw();
  for (Host* h : net.hosts) net.link(*h, *net.switches[0]);
  FlowSpec f;
  f.src = net.hosts[0]->id();
  f.dst = net.hosts[1]->id();
  f.size = 1000;
  f.cls = 0;
  net.flow(f);
  try {
    net.run(Time::Ms(1));
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace

/// The receiver's window, in the sender's segments.
TEST(MptcpWindow, HasRoomForASegmentOfTheOtherHost) {
  const Config sender = windowOf(6000000).set("host.mtu", int64_t{4000});
  EXPECT_EQ(refusalOfFlow(sender, windowOf(3930)), "");
  EXPECT_EQ(refusalOfFlow(sender, windowOf(3000)),
            "flow 0: mptcp.receive_window makes a window of 3KB, which is less than a segment of 3930B, and none "
            "could be sent; receive_window: 0 is no limit (h0)");
}

TEST(MptcpWindow, IsThereAtBothEndsOrAtNone) {
  EXPECT_EQ(
      refusalOfFlow(windowOf(6000000), two()),
      "flow 0: the two hosts of a flow do not both have an mptcp.receive_window; give it to both or to none (h0)");
}

}  // namespace fabric
