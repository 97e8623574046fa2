// CONGA: feedback, aging, ties, the overlay's bytes, CE along a path, and the split of its Figure 2.
#include "mechanisms/conga/conga.h"

#include <gtest/gtest.h>

#include "mechanisms/tests/leaf_spine.h"

namespace fabric {

using test::Config;
using test::LeafSpine;
using test::Net;
using test::with;

namespace {

constexpr Time kAging = Time::Ms(10), kStep = Time::Ms(1);

/// The tag and metric of the next feedback, as tag * 10 + metric; -1: there is none.
int next(FromLeaf& f, Time now) {
  const FromLeaf::Feedback b = f.next(now, kAging, kStep);
  return b.some ? b.tag * 10 + b.metric : -1;
}

Conga& conga(Switch& s) { return dynamic_cast<Conga&>(s.pathSelector()); }
Dre& dre(const Port& p) { return *p.agent<Dre>(); }

}  // namespace

// ---------------------------------------------------------------- feedback

TEST(Feedback, GoesRoundAmongTheTagsHeardOf) {
  FromLeaf f;
  EXPECT_EQ(next(f, {}), -1);
  f.hear(2, 5, {});
  f.hear(0, 1, {});
  f.hear(7, 0, {});
  EXPECT_EQ(next(f, {}), 1);
  EXPECT_EQ(next(f, {}), 25);
  EXPECT_EQ(next(f, {}), 70);
  // Nothing has changed: round again.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(next(f, {}), 1);
    EXPECT_EQ(next(f, {}), 25);
    EXPECT_EQ(next(f, {}), 70);
  }
}

TEST(Feedback, ChangedMetricsGoFirst) {
  FromLeaf f;
  for (uint8_t tag = 0; tag < 4; ++tag) f.hear(tag, 3, {});
  for (int i = 0; i < 4; ++i) next(f, {});
  f.hear(2, 6, {});
  f.hear(1, 3, {});  // as it was: no news
  f.hear(0, 4, {});
  EXPECT_EQ(next(f, {}), 4);  // round robin among the changed ones
  EXPECT_EQ(next(f, {}), 26);
  EXPECT_EQ(next(f, {}), 33);  // then on from there
  EXPECT_EQ(next(f, {}), 4);
  // A change that was taken back before anybody was told is none.
  f.hear(3, 5, {});
  f.hear(3, 3, {});
  EXPECT_EQ(next(f, {}), 13);
}

TEST(Feedback, HasRoomForTheLastTag) {
  FromLeaf f;
  f.hear(31, 7, {});
  f.hear(30, 1, {});
  EXPECT_EQ(next(f, {}), 301);
  EXPECT_EQ(next(f, {}), 317);
  EXPECT_EQ(next(f, {}), 301);
}

TEST(Aging, FadesToZeroOneByOne) {
  const HeardMetric m{3, Time::Ms(5)};
  const auto at = [&](Time t) { return int{m.at(t, kAging, kStep)}; };
  EXPECT_EQ(at(Time::Ms(5)), 3);
  EXPECT_EQ(at(Time::Ms(15) - Time::Ps(1)), 3);
  EXPECT_EQ(at(Time::Ms(15)), 2);
  EXPECT_EQ(at(Time::Ms(16) - Time::Ps(1)), 2);
  EXPECT_EQ(at(Time::Ms(16)), 1);
  EXPECT_EQ(at(Time::Ms(17)), 0);
  EXPECT_EQ(at(Time::Ms(1000000)), 0);
}

TEST(Aging, AFadingMetricIsFedBackFaded) {
  FromLeaf f;
  f.hear(1, 7, {});
  EXPECT_EQ(next(f, {}), 17);
  EXPECT_EQ(next(f, Time::Ms(12)), 14);
  f.hear(1, 7, Time::Ms(13));  // 4 was told last, so this is news
  f.hear(2, 1, Time::Ms(13));
  next(f, Time::Ms(13));
  EXPECT_EQ(next(f, Time::Ms(13)), 17);
}

// ---------------------------------------------------------------- decisions

namespace {

/// Packets that only ask for their port: nothing is sent, so all metrics stay 0.
struct Asked : LeafSpine {
  explicit Asked(const Config& c, int spines) : LeafSpine(c, shapeOf(spines)) { start(); }
  static Shape shapeOf(int spines) {
    Shape s;
    s.spines = spines;
    return s;
  }
  uint16_t ask(uint64_t hash) {
    Packet* p = network.packets().fresh();
    p->hash = hash;
    p->src = at(0, 0).id();
    p->dst = at(1, 0).id();
    p->wireBytes = 1518;
    PathSelector& s = leaf(0).pathSelector();
    if (s.hooksIngress()) s.onIngress(*p, &leaf(0).port(0));
    std::vector<uint16_t> hops;
    for (int i = 0; i < shape.spines; ++i) hops.push_back(uplink(0, i).index());
    const uint16_t port = s.select(*p, {hops.data(), static_cast<uint16_t>(hops.size())});
    network.packets().put(p);
    return static_cast<uint16_t>(port - shape.hosts);
  }
};

}  // namespace

TEST(Ties, AreBrokenWithoutBiasAndKeepThePreviousPort) {
  for (const char* selector : {"conga", "local"}) {
    for (const int spines : {2, 3, 5}) {
      Asked net(with(Config(), selector), spines);
      constexpr int kFlows = 30000;
      std::vector<int> seen(spines);
      std::vector<uint16_t> port;
      for (uint64_t i = 0; i < kFlows; ++i) {
        // One flow per entry of the table, so that none has a flowlet before.
        port.push_back(net.ask((2 * i + 1) << 47));
        ++seen[port.back()];
      }
      double chi = 0;
      for (const int n : seen) {
        const double d = n - static_cast<double>(kFlows) / spines;
        chi += d * d * spines / kFlows;
      }
      // The 99.9th percentile of chi-square: 10.8 (1 degree of freedom), 13.8 (2), 18.5 (4).
      EXPECT_LT(chi, spines == 2 ? 10.8 : spines == 3 ? 13.8 : 18.5) << selector << ", " << spines << " spines";
      net.engine.setNow(Time::Ms(100));  // all flowlets are over
      for (uint64_t i = 0; i < kFlows; i += 100) EXPECT_EQ(net.ask((2 * i + 1) << 47), port[i]) << selector;
    }
  }
}

/// How often, of 300, a flowlet changed its port at its later packets, behind a gap of 600 us and of 1 ms.
std::vector<int> changesOfPort(const char* gap) {
  Asked net(with(Config().set("letflow.flowlet_gap", std::string(gap)), "letflow"), 4);
  std::vector<int> changes(3);
  for (uint64_t i = 0; i < 300; ++i) {
    const uint64_t hash = (2 * i + 1) << 47;
    const Time begin = Time::Ms(10 * static_cast<int64_t>(i + 1));
    uint16_t before = 0;
    // Packets 400 us apart, then a gap of 600 us (which ends the flowlet only behind a second sweep; the
    // last packet is 200 us behind one), then one of 1 ms.
    const int64_t times[] = {0, 400, 800, 1200, 1800, 2800};
    for (int k = 0; k < 6; ++k) {
      net.engine.setNow(begin + Time::Us(times[k]));
      const uint16_t now = net.ask(hash);
      if (k > 0) changes[k < 4 ? 0 : k - 3] += now != before;
      before = now;
    }
  }
  return changes;
}

TEST(Flowlets, FollowTheirFirstPacketUntilAGap) {
  const std::vector<int> swept = changesOfPort("age_bit");
  EXPECT_EQ(swept[0], 0);
  EXPECT_EQ(swept[1], 0);
  EXPECT_NEAR(swept[2], 225, 30);  // three of four ports are others
  const std::vector<int> exact = changesOfPort("exact");
  EXPECT_EQ(exact[0], 0);
  EXPECT_NEAR(exact[1], 225, 30);
  EXPECT_NEAR(exact[2], 225, 30);
}

TEST(Flowlets, LeaveAPortThatIsNoLongerANextHop) {
  for (const char* selector : {"conga", "local", "letflow"}) {
    Asked net(with(Config(), selector), 3);
    const uint16_t before = net.ask(12345u << 20);
    // The same flowlet, but only the other two ports are left.
    Packet* p = net.network.packets().fresh();
    p->hash = 12345u << 20;
    p->src = net.at(0, 0).id();
    p->dst = net.at(1, 0).id();
    p->wireBytes = 1518;
    PathSelector& s = net.leaf(0).pathSelector();
    if (s.hooksIngress()) s.onIngress(*p, &net.leaf(0).port(0));
    std::vector<uint16_t> hops;
    for (int i = 0; i < 3; ++i) {
      if (i != before) hops.push_back(net.uplink(0, i).index());
    }
    const uint16_t port = s.select(*p, {hops.data(), 2});
    EXPECT_TRUE(port == hops[0] || port == hops[1]) << selector;
    EXPECT_EQ(s.select(*p, {hops.data(), 2}), port) << selector;
    EXPECT_EQ(s.select(*p, {&port, 1}), port) << selector;
  }
}

TEST(Spraying, RoundRobinIsEvenAndRandomIsNearlySo) {
  for (const char* order : {"random", "round_robin"}) {
    Asked net(with(Config(), "spray").set("spray.order", std::string(order)), 3);
    std::vector<int> seen(3);
    for (int i = 0; i < 30000; ++i) ++seen[net.ask(1)];
    for (const int n : seen) {
      if (order == std::string("random")) {
        EXPECT_NEAR(n, 10000, 4 * 81.6);  // four standard deviations
        EXPECT_NE(n, 10000);
      } else {
        EXPECT_EQ(n, 10000);
      }
    }
  }
}

// ---------------------------------------------------------------- on the wire

struct Overlay : testing::TestWithParam<const char*> {};

TEST_P(Overlay, CountsOnFabricLinksAndNowhereElse) {
  const std::string selector = GetParam();
  LeafSpine net(with(Config(), selector).set(selector + ".overlay_bytes", int64_t{50}), {});
  net.flow(0, net.at(0, 0), net.at(1, 0), 500000);
  net.flow(1, net.at(1, 1), net.at(0, 1), 500000);
  net.flow(2, net.at(0, 0), net.at(0, 1), 500000);  // never leaves its leaf
  net.engine.recordSends = true;
  net.finish(Time::Ms(3));
  int full = 0, fabric = 0;
  for (const auto& s : net.engine.sends) {
    const bool outer = dynamic_cast<const Switch*>(&s.from->node()) != nullptr && s.from->leadsToSwitch();
    fabric += outer;
    const uint32_t bytes = s.bytes - (outer ? 50 : 0);
    if (s.kind == PacketKind::Ack) {
      EXPECT_EQ(bytes, 66u);
    }
    if (s.kind != PacketKind::Data) continue;
    EXPECT_LE(bytes, 1518u);
    full += bytes == 1518;
  }
  // 343 full packets each; two hops of three to four are counted per packet.
  EXPECT_EQ(full, 343 * (4 + 4 + 2));
  EXPECT_EQ(fabric, 2 * 2 * 344 * 2);
}

INSTANTIATE_TEST_SUITE_P(All, Overlay, testing::Values("conga", "ecmp", "local", "letflow"),
                         [](const auto& info) { return std::string(info.param); });

TEST(CongaOverlay, CeIsTheLargestMetricOfThePath) {
  // 20 Gb/s cross two fabric links, of which one is the worse: the first, or the last.
  for (const bool first : {true, false}) {
    LeafSpine::Shape shape;
    shape.spines = 1;
    shape.host = Rate::Gbps(20);
    LeafSpine net(with(Config(), "conga"), shape,
                  [&](int leaf, int) { return Rate::Gbps((leaf == 0) == first ? 40 : 100); });
    net.flow(0, net.at(0, 0), net.at(1, 0), 0);
    net.run(Time::Ms(2) - Time::Ps(1));
    const int up = dre(net.uplink(0, 0)).metric(), down = dre(net.spine(0).port(1)).metric();
    EXPECT_EQ(up, first ? 4 : 1);
    EXPECT_EQ(down, first ? 1 : 4);
    const int heard = conga(net.leaf(0)).congestionToLeaf(net.at(1, 0).id(), net.uplink(0, 0).index());
    EXPECT_GE(heard, 3);  // what an ACK brought, a few microseconds old
    EXPECT_LE(heard, 4);
    EXPECT_EQ(conga(net.leaf(1)).congestionToLeaf(net.at(0, 0).id(), net.uplink(1, 0).index()), 0);  // ACKs only
  }
}

/// The leaf of the sender has another path selector.
TEST(Conga, AHeaderThatNobodyHasFilledSaysNothing) {
  LeafSpine net(with(Config(), "conga"), {});
  net.start();
  const auto header = *net.network.packets().find<CongaHeader>(CongaHeader::kName);
  const Port& up = net.uplink(0, 1);
  const auto heard = [&] { return int{conga(net.leaf(0)).congestionToLeaf(net.at(1, 0).id(), up.index())}; };
  const auto comes = [&](uint32_t sourceLeaf, bool filled) {
    Packet* p = net.network.packets().fresh();
    p->src = net.at(1, 0).id();
    p->dst = net.at(0, 0).id();
    p->encapsulated = true;
    header.claim(*p) = {sourceLeaf, 0, 5, true, 1, 6};
    if (!filled) p->filled = 0;
    conga(net.leaf(0)).onIngress(*p, &up);
    EXPECT_FALSE(p->encapsulated);
    net.network.packets().put(p);
  };
  comes(1, false);
  EXPECT_EQ(heard(), 0);
  comes(0, true);  // an ACK, which still has what this leaf said of its data
  EXPECT_EQ(heard(), 0);
  comes(1, true);
  EXPECT_EQ(heard(), 6);
}

TEST(Overlays, LeavesWithUnlikeHeadersAreRefused) {
  const auto refusal = [](int64_t atLeaf, int64_t atSpine) -> std::string {
    Config c = with(Config(), "conga");
    Net net(c);
    Switch& first = net.sw();
    net.setup.selector = "ecmp";
    net.setup.set("ecmp.overlay_bytes", atLeaf);
    Switch& second = net.sw();
    net.setup.set("ecmp.overlay_bytes", atSpine);
    Switch& spine = net.sw();
    for (Switch* leaf : {&first, &second}) {
      net.link(net.host(), *leaf);
      net.link(*leaf, spine);
    }
    try {
      net.start();
    } catch (const ParamError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(50, 0), "") << "a spine takes nothing off";
  EXPECT_EQ(
      refusal(0, 50),
      "conga.overlay_bytes is 50, and packets come to a switch where ecmp has 0; give all switches with hosts the "
      "same outer header (s0); ecmp.overlay_bytes is 0, and packets come to a switch where conga has 50; give all "
      "switches with hosts the same outer header (s1)");
}

TEST(Conga, RefusesMoreUplinksThanATagTellsApart) {
  LeafSpine::Shape shape;
  shape.spines = 17;
  LeafSpine net(with(Config(), "conga"), shape);
  try {
    net.start();
    ADD_FAILURE() << "17 uplinks were taken with 4 bits";
  } catch (const ParamError& e) {
    EXPECT_NE(std::string(e.what()).find("a leaf has 17"), std::string::npos) << e.what();
  }
  LeafSpine more(with(Config(), "conga").set("conga.tag_bits", int64_t{5}), shape);
  more.start();
}

// ---------------------------------------------------------------- CONGA, Figure 2

namespace {

/// Share of leaf 0's payload that goes by spine 0, where the link from spine 1 to leaf 1 has half the rate
/// of the others: 20 hosts of 5 Gb/s send 100 Gb/s in messages of 100 KB.
double shareByTheUpperPath(const char* selector) {
  LeafSpine::Shape shape;
  shape.hosts = 20;
  shape.host = Rate::Gbps(5);
  // Room for all that waits at the narrow link, and nobody is held back or sends again meanwhile: what a
  // leaf sends is then its selector's choice alone.
  Config config = with(Config(), selector);
  config.set("port.pfc", false).set("switch.buffer", int64_t{400000000}).set("host.retransmit_timeout", int64_t{0});
  LeafSpine net(std::move(config), shape,
                [](int leaf, int spine) { return Rate::Gbps(leaf == 1 && spine == 1 ? 40 : 80); });
  const Time each = transmissionTime(100000, Rate::Gbps(5));
  uint32_t id = 0;
  for (int k = 0; k < 200; ++k) {
    for (int h = 0; h < 20; ++h) {
      const Time start{each.ps * k + each.ps / 20 * h};
      net.flow(id++, net.at(0, h), net.at(1, (h + k) % 20), 95000, start);
    }
  }
  net.run(Time::Ms(5));
  const uint64_t up = net.uplink(0, 0).sentDataBytes(), down = net.uplink(0, 1).sentDataBytes();
  net.finish(Time::Ms(30));
  const double u = static_cast<double>(net.uplink(0, 0).sentDataBytes() - up);
  return u / (u + static_cast<double>(net.uplink(0, 1).sentDataBytes() - down));
}

}  // namespace

TEST(Conga, SplitsTrafficByTheCapacityOfPaths) {
  EXPECT_NEAR(shareByTheUpperPath("conga"), 0.667, 0.03);
  // Without knowledge of what lies behind, half each.
  EXPECT_NEAR(shareByTheUpperPath("local"), 0.5, 0.03);
  EXPECT_NEAR(shareByTheUpperPath("spray"), 0.5, 0.03);
}

}  // namespace fabric
