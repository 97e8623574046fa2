// MPTCP: sub-flows, their paths, how bytes go to them and when a connection is complete.
#include "mechanisms/tcp/mptcp.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"
#include "mechanisms/tests/tcp_path.h"

namespace fabric {

using test::Config;
using test::Net;
using test::Path;
using test::Rows;

namespace {

constexpr int64_t kMss = 1518 - 90;

constexpr Time kDelay = Time::Us(1);

const test::Control kLia(test::lossyTcp("lia", "mptcp"));

/// Two leaves with a host each, joined by eight spines, each `further` away than the one before.
struct EightPaths : Net {
  explicit EightPaths(int64_t subflows, Rate spine = Rate::Gbps(10), const char* scheduler = "lowest_rtt",
                      Time further = {})
      : EightPaths(configure(subflows).set("mptcp.scheduler", std::string(scheduler)), spine, further) {}
  explicit EightPaths(const Config& c, Rate spine = Rate::Gbps(100), Time further = {}) : Net(c), packets(10) {
    host();
    host();
    for (int i = 0; i < 10; ++i) sw(static_cast<uint64_t>(i / 2));
    link(*hosts[0], *switches[0]);
    link(*hosts[1], *switches[1]);
    for (int i = 2; i < 10; ++i) {
      link(*switches[0], *switches[i], spine, Time{kDelay.ps + (i - 2) * further.ps});
      link(*switches[i], *switches[1], spine);
    }
    network.trace().enable(kPackets, {});
    network.trace().addSink(kPackets, &packets);
  }
  static Config configure(int64_t subflows) {
    Config c;
    c.transport = "mptcp";
    c.cc = "lia";
    c.queues = {"fifo"};
    return c.set("mptcp.subflows", subflows)
        .set("host.classes", int64_t{1})
        .set("host.header_bytes", int64_t{90})
        .set("port.pfc", false)
        .set("fifo.limit", int64_t{60000})
        .set("mptcp.min_rto", Time::Ms(1).ps)
        .set("mptcp.initial_rto", Time::Ms(1).ps);
  }
  void connect(uint32_t id, uint64_t size, Time start = {}, Time stop = Time{-1}, bool persistent = false) {
    FlowSpec f;
    f.id = id;
    f.src = hosts[0]->id();
    f.dst = hosts[1]->id();
    f.size = size;
    f.start = start;
    f.stop = stop;
    f.persistent = persistent;
    f.srcPort = static_cast<uint16_t>(persistent ? 1000 : 2000 + 10 * id);
    f.dstPort = 80;
    f.cls = 0;
    flow(f);
  }
  Rows packets;
};

}  // namespace

TEST(Mptcp, SubflowsHaveTheirOwnPaths) {
  EightPaths net(8);
  net.connect(0, 0);
  net.run(Time{});
  const Flow& f = net.active(*net.hosts[0], 0);
  std::set<uint64_t> hashes, keys;
  int n = 0;
  for (const Flow* part = &f; part != nullptr; part = part->nextSubflow, ++n) {
    EXPECT_EQ(part->connection, &f);
    EXPECT_EQ(part->spec.id, 0u);
    hashes.insert(part->hash);
    keys.insert(part->retransmitEvent.key());
  }
  EXPECT_EQ(n, 8);
  EXPECT_EQ(hashes.size(), 8u);
  EXPECT_EQ(keys.size(), 8u);
  net.run(Time::Ms(2));
  std::set<int64_t> spines;
  for (const auto& r : net.packets.rows) {
    if (r[3] == static_cast<int>(PacketEvent::Receive) && r[5] == static_cast<int>(PacketKind::Data) && r[1] >= 4) {
      spines.insert(r[1]);
    }
  }
  EXPECT_GE(spines.size(), 3u);  // eight draws of eight spines
}

/// What is left of a connection is what is left of all its sub-flows, whatever each of them has sent.
TEST(Mptcp, SrptRanksByTheConnection) {
  const auto end = [](uint64_t other) {
    Config c = EightPaths::configure(8);
    c.scheduler = "srpt";
    EightPaths net(c);
    if (other > 0) net.connect(0, other);
    net.connect(1, 1500000, Time::Us(100));
    net.finish(Time::Ms(100));
    return net.end(1);
  };
  const int64_t alone = end(0), longer = end(6000000), shorter = end(2400000);
  EXPECT_LT(longer, alone + Time::Us(15).ps) << "5 MB are left of the other one when it begins";
  EXPECT_GT(shorter, alone + Time::Us(70).ps) << "1.2 MB are";
}

/// All bytes arrive, each once in order on one sub-flow, and the connection has one row.
TEST(Mptcp, AConnectionIsCompleteWithItsLastByte) {
  EightPaths net(8);
  const uint64_t size = 3000 * kMss + 17;
  net.connect(0, size);
  net.connect(1, 5);
  net.finish(Time::Ms(2000));
  ASSERT_EQ(net.flowRows.rows.size(), 2u);
  EXPECT_EQ(net.delivered(0), static_cast<int64_t>(size));
  EXPECT_EQ(net.delivered(1), 5);
  const auto& row = net.row(0);
  EXPECT_EQ(row[11] - row[12], static_cast<int64_t>(size));  // sent less what was sent again
  EXPECT_EQ(row[14], 1);
  EXPECT_GT(net.end(0), 0);
  EXPECT_GT(net.senderEnd(0), net.end(0));
  EXPECT_EQ(net.network.total().dataBytesDelivered, size + 5);
  // A sub-flow that had its turn coming when another took the last bytes sends no empty packet.
  for (const auto& r : net.packets.rows) {
    EXPECT_TRUE(r[5] != static_cast<int>(PacketKind::Data) || r[7] > 90);
  }
  EXPECT_EQ(net.network.packets().live(), 0u);
}

/// Two paths of 10 Gb/s each carry more than one.
TEST(Mptcp, TwoSubflowsAreFasterThanOne) {
  EightPaths one(1), two(2);
  for (EightPaths* net : {&one, &two}) {
    net->connect(0, 500 * kMss);
    net->finish(Time::Ms(2000));
    EXPECT_EQ(net->delivered(0), 500 * kMss);
  }
  EXPECT_LT(two.end(0), one.end(0));
}

TEST(Mptcp, AStoppedConnectionEnds) {
  EightPaths net(4);
  net.connect(0, 0, Time{}, Time::Ms(1));
  net.finish(Time::Ms(500));
  EXPECT_GT(net.senderEnd(0), 0);
  EXPECT_EQ(net.delivered(0), net.row(0)[11] - net.row(0)[12]);
}

/// Sub-flows of one connection and of others have keys of their own at every time: the engine counts
/// pending events of the same time and key.
TEST(Mptcp, ManyConnectionsShareTheNic) {
  EightPaths net(8);
  for (uint32_t id = 0; id < 20; ++id) net.connect(id, 100 * kMss, Time::Us(id / 4));
  net.finish(Time::Ms(3000));
  for (uint32_t id = 0; id < 20; ++id) EXPECT_EQ(net.delivered(id), 100 * kMss) << id;
}

/// The second message finds every sub-flow's window as the first left it, and goes over all of them at
/// once; after an idle RTO (here: 1 ms) they begin again.
TEST(Mptcp, SubflowsOfAPersistentConnectionKeepTheirWindows) {
  for (const bool idle : {false, true}) {
    EightPaths net(8, Rate::Gbps(100));
    const Time start = idle ? Time::Ms(5) : Time::Us(400);
    net.connect(0, 600 * kMss, Time{}, Time{-1}, true);
    net.connect(1, 600 * kMss, start, Time{-1}, true);
    net.run(start - Time{1});
    ASSERT_EQ(net.flowRows.rows.size(), 1u);
    net.run(start);
    int64_t total = 0, parts = 0;
    for (const Flow* part = net.active(*net.hosts[0], 1).connection; part != nullptr; part = part->nextSubflow) {
      EXPECT_EQ(part->spec.id, 1u);
      total += part->window;
      ++parts;
    }
    EXPECT_EQ(parts, 8);
    if (idle) {
      EXPECT_EQ(total, 80 * kMss);
    } else {
      EXPECT_GT(total, 160 * kMss);  // twice the initial windows
    }
    net.finish(Time::Ms(100));
    EXPECT_EQ(net.delivered(1), 600 * kMss);
  }
}

/// A host with two NICs: what one sub-flow's packet or ACK allows another one at the other NIC to send goes, though
/// nothing happens there.
TEST(Mptcp, SubflowsAtBothNicsOfAHost) {
  for (const char* scheduler : {"lowest_rtt", "round_robin"}) {
    for (uint16_t port = 1000; port < 1020; ++port) {
      Net net(EightPaths::configure(2)
                  .set("mptcp.scheduler", std::string(scheduler))
                  .set("fifo.limit", int64_t{1000000})
                  .set("mptcp.initial_rto", Time::Ms(1000).ps));  // timers wake NICs, too
      net.host();
      net.host();
      net.sw();
      net.sw();
      for (Host* h : net.hosts) {
        for (Switch* s : net.switches) net.link(*h, *s, Rate::Gbps(10), Time::Us(s == net.switches[0] ? 5 : 100));
      }
      for (uint32_t id = 0; id < 10; ++id) {
        FlowSpec f;
        f.id = id;
        f.src = 0;
        f.dst = 1;
        f.size = id == 0 ? 200 * kMss : 1000;
        f.start = Time::Ms(id);
        f.srcPort = port;
        f.dstPort = 80;
        f.cls = 0;
        f.persistent = true;
        net.flow(f);
      }
      net.finish(Time::Ms(100));
      for (uint32_t id = 0; id < 10; ++id) EXPECT_GE(net.senderEnd(id), 0) << scheduler << " " << port << " " << id;
    }
  }
}

/// Messages go over the sub-flows as one stream: one is there when all bytes before its end are,
/// on whatever sub-flow they came.
TEST(Mptcp, MessagesEndInTheirOrder) {
  EightPaths net(8);
  std::vector<uint64_t> sizes;
  for (uint32_t id = 0; id < 40; ++id) {
    sizes.push_back(id % 3 == 0 ? 50 * kMss + id : id + 1);
    net.connect(id, sizes.back(), Time::Us(id), Time{-1}, true);
  }
  net.finish(Time::Ms(3000));
  EXPECT_GT(net.network.total().drops, 0u);  // so that sub-flows wait for one another
  for (uint32_t id = 0; id < 40; ++id) {
    EXPECT_EQ(net.delivered(id), static_cast<int64_t>(sizes[id])) << id;
    EXPECT_EQ(net.row(id)[11] - net.row(id)[12], static_cast<int64_t>(sizes[id])) << id;
    if (id > 0) {
      EXPECT_GE(net.end(id), net.end(id - 1)) << id;
    }
  }
}

/// Without round trips to compare, sub-flows fill their windows one after the other; in turn, all have
/// the same.
TEST(Mptcp, BytesGoToOneSubflowUntilItsWindowIsFull) {
  for (const bool turns : {false, true}) {
    EightPaths net(8, Rate::Gbps(100), turns ? "round_robin" : "lowest_rtt");
    net.connect(0, 15 * kMss);
    net.run(Time::Us(3));
    std::vector<uint64_t> sent;
    for (const Flow* part = &net.active(*net.hosts[0], 0); part != nullptr; part = part->nextSubflow) {
      sent.push_back(part->sndNxt / kMss);
    }
    EXPECT_EQ(sent,
              (turns ? std::vector<uint64_t>{2, 2, 2, 2, 2, 2, 2, 1} : std::vector<uint64_t>{10, 5, 0, 0, 0, 0, 0, 0}));
  }
}

/// A message that finds all windows open takes the sub-flow with the shortest round trip; in turn, all.
TEST(Mptcp, AMessageTakesTheShortestRoundTrip) {
  for (const bool turns : {false, true}) {
    EightPaths net(8, Rate::Gbps(100), turns ? "round_robin" : "lowest_rtt", Time::Us(20));
    net.connect(0, 400 * kMss, Time{}, Time{-1}, true);
    net.connect(1, 8 * kMss, Time::Us(900), Time{-1}, true);
    const auto spines = [&](Time from) {
      std::set<int64_t> nodes;
      for (const auto& r : net.packets.rows) {
        if (r[0] >= from.ps && r[3] == static_cast<int>(PacketEvent::Receive) &&
            r[5] == static_cast<int>(PacketKind::Data) && r[1] >= 4) {
          nodes.insert(r[1]);
        }
      }
      return nodes;
    };
    net.run(Time::Us(899));
    ASSERT_EQ(net.flowRows.rows.size(), 1u);
    const std::set<int64_t> all = spines({});
    ASSERT_GE(all.size(), 3u);
    net.finish(Time::Ms(10));
    EXPECT_EQ(net.delivered(1), 8 * kMss);
    const std::set<int64_t> second = spines(Time::Us(900));
    EXPECT_EQ(second, turns ? all : std::set<int64_t>{*all.begin()});
  }
}

namespace {

Config probing() {
  Config c = test::tcp("lia");
  c.transport = "mptcp";
  return c.set("mptcp.subflows", int64_t{2}).set("mptcp.tail_loss_probe", true);
}

}  // namespace

/// Both sub-flows take ten segments, and the first one's last two are lost: it probes its own tail.
TEST(Mptcp, ASubflowProbesItsTail) {
  Path net(probing());
  net.data().drops[8] = net.data().drops[9] = 1;
  net.stream(0, 20 * test::kMss);
  net.finish(Time::Ms(1000));
  const std::vector<int64_t> order = net.order();
  ASSERT_EQ(order.size(), 22u);
  EXPECT_EQ(order[20], 9);
  EXPECT_EQ(order[21], 8);
  EXPECT_EQ(net.timeouts(0), 0);
  EXPECT_EQ(net.delivered(0), 20 * test::kMss);
}

/// All of its first window is lost while the other one goes on: its probe takes nothing new.
TEST(Mptcp, AProbeTakesNoNewBytes) {
  Path net(probing());
  for (int s = 0; s < 10; ++s) net.data().drops[s] = 1;
  const int64_t size = 20000 * test::kMss;  // 24 ms
  net.stream(0, size);
  const auto first = [&]() -> const Flow& { return net.active(net.sender(), 0); };
  net.run(Time::Ms(9));
  const uint64_t before = net.active(net.sender(), 0).packets;
  EXPECT_EQ(first().inFlight(), 10u * test::kMss);
  EXPECT_TRUE(net.transport().consistent(first()));
  net.run(Time::Ms(10) + Time::Us(30));
  EXPECT_EQ(first().packets, before + 1);
  EXPECT_EQ(first().inFlight(), 10u * test::kMss);
  net.finish(Time::Ms(1000));
  EXPECT_EQ(net.timeouts(0), 0);
  EXPECT_EQ(net.delivered(0), size);
}

/// Ten connections take turns at the NIC, 1.2 us each: that is no silence to be probed. When a sub-flow's
/// window is full, it is.
TEST(Mptcp, WaitingForATurnIsNotWaitingForAcks) {
  Path net(probing().set("mptcp.probe_min", Time::Us(1).ps));
  for (uint32_t id = 0; id < 10; ++id) net.stream(10 * id, 20 * test::kMss);
  net.run(Time::Us(40));  // before the first ACK
  std::map<int64_t, int> sent;
  for (const int64_t s : net.order()) ++sent[s];
  ASSERT_EQ(sent.size(), 10u);
  for (const auto& [segment, times] : sent) EXPECT_EQ(times, segment == 9 ? 40 : 20) << segment;
}

// ---------------------------------------------------------------- options

namespace {

/// Two sub-flows, each of which takes ten segments at once.
Config two() {
  Config c = test::tcp("lia");
  c.transport = "mptcp";
  return c.set("mptcp.subflows", int64_t{2});
}

}  // namespace

/// All of the first sub-flow's window is lost. What its timeout took for lost goes again; new bytes go over it
/// before all of that is acknowledged, or only then.
TEST(Mptcp, NewBytesForASubflowThatTimedOut) {
  for (const bool takes : {true, false}) {
    Path net(two()
                 .set("mptcp.new_data_in_loss", takes)
                 .set("mptcp.initial_rto", Time::Ms(1).ps)
                 .set("mptcp.scheduler", std::string("round_robin")));
    for (int s = 0; s < 10; ++s) net.data().drops[s] = 1;
    net.data().drops[20] = 1;          // so that the other one leaves slow start and has no queue
    net.stream(0, 5000 * test::kMss);  // 6 ms
    bool lost = false;
    uint64_t most = 0;
    for (int64_t us = 1; us < 3000; ++us) {
      net.run(Time::Us(us));
      const Flow& first = net.active(net.sender(), 0);
      if (net.transport().phase(first) != Tcp::Phase::Loss) continue;
      lost = true;
      most = std::max(most, first.sndNxt);
    }
    EXPECT_TRUE(lost);
    EXPECT_EQ(most > 10u * test::kMss, takes) << most;
    EXPECT_GT(net.active(net.sender(), 0).sndNxt, 10u * test::kMss) << "afterwards";
    net.finish(Time::Ms(1000));
    EXPECT_EQ(net.delivered(0), 5000 * test::kMss);
    EXPECT_EQ(net.timeouts(0), 1);
  }
}

}  // namespace fabric
