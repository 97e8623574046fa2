// NUMFabric: STFQ, Swift's weighted max-min, xWI's optimum.
#include "mechanisms/numfabric/numfabric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mechanisms/numfabric/rcp_star_rate.h"
#include "mechanisms/numfabric/stfq.h"
#include "mechanisms/numfabric/xwi.h"
#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/leaf_spine.h"
#include "mechanisms/tests/net.h"

namespace fabric {
namespace {

using test::Chain;
using test::Config;
using test::LeafSpine;
using test::Net;
using test::refusalOf;
using Points = std::vector<std::vector<double>>;

/// Swift alone: weights of flows, not of prices.
Config swift() { return Config::numfabric().set("numfabric.weights", std::string("flow")); }

FlowSpec unlimited(uint32_t id, const Host& src, const Host& dst, double weight, Time start = {}) {
  FlowSpec f;
  f.id = id;
  f.src = src.id();
  f.dst = dst.id();
  f.start = start;
  f.srcPort = static_cast<uint16_t>(1000 + id);
  f.dstPort = 4791;
  f.weight = weight;
  return f;
}

/// Rates on the wire of the active flows from one time to another, in Mb/s, by what their receivers got.
std::vector<double> rates(Net& net, uint32_t flows, Time from, Time to) {
  const auto got = [&] {
    std::vector<uint64_t> bytes(flows);
    for (Host* h : net.hosts) h->forEachActive([&](const Flow& f) { bytes[f.spec.id] = f.rcvNxt; });
    return bytes;
  };
  net.run(from);
  const auto before = got();
  net.run(to);
  const auto after = got();
  std::vector<double> r(flows);
  for (uint32_t i = 0; i < flows; ++i) {
    r[i] = static_cast<double>(after[i] - before[i]) * 1500 / 1410 * 8e6 / static_cast<double>((to - from).ps);
  }
  return r;
}

const test::Control kNumfabric(Config::numfabric());
const test::Control kDgd(Config::dgd());
const test::Control kRcpStar(Config::rcpStar());

TEST(Swift, SharesALinkByWeight) {
  Chain net(swift(), 3, 1, Rate::Gbps(10), Time::Us(2));
  for (uint32_t i = 0; i < 3; ++i) net.flow(unlimited(i, net.sender(static_cast<int>(i)), net.receiver(), 1 << i));
  const auto r = rates(net, 3, Time::Ms(1), Time::Ms(11));
  for (uint32_t i = 0; i < 3; ++i) EXPECT_NEAR(r[i], 1e4 / 7 * (1 << i), 1e2 / 7 * (1 << i)) << i;
  net.network.finish();
}

/// h0 -> h5 over three links that h1 -> h2, h3 -> h4 (weight 2) and h6 -> h7 (weight 4) use one each.
struct ParkingLot : Net {
  explicit ParkingLot(const Config& c) : Net(c) {
    for (int i = 0; i < 8; ++i) host();
    for (int i = 0; i < 4; ++i) sw();
    for (const auto& [h, s] :
         std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 2}, {5, 3}, {6, 2}, {7, 3}}) {
      link(*hosts[static_cast<size_t>(h)], *switches[static_cast<size_t>(s)], Rate::Gbps(10), Time::Us(1));
    }
    for (size_t i = 0; i < 3; ++i) link(*switches[i], *switches[i + 1], Rate::Gbps(10), Time::Us(1));
  }
  void flows(std::vector<double> w) {
    flow(unlimited(0, *hosts[0], *hosts[5], w[0]));
    flow(unlimited(1, *hosts[1], *hosts[2], w[1]));
    flow(unlimited(2, *hosts[3], *hosts[4], w[2]));
    flow(unlimited(3, *hosts[6], *hosts[7], w[3]));
  }
};

TEST(Swift, IsWeightedMaxMinInAParkingLot) {
  ParkingLot net(swift());
  net.flows({1, 1, 2, 4});
  const auto r = rates(net, 4, Time::Ms(1), Time::Ms(11));
  const double expected[] = {2000, 8000, 8000, 8000};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(r[i], expected[i], 0.01 * expected[i]) << i;
}

TEST(Xwi, FindsProportionalFairnessInAParkingLot) {
  ParkingLot net(Config::numfabric());
  net.flows({1, 1, 1, 1});
  // The long flow has 1/4, as its price is the sum of three: x = C / (1 + n).
  const auto r = rates(net, 4, Time::Ms(2), Time::Ms(12));
  const double expected[] = {2500, 7500, 7500, 7500};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(r[i], expected[i], 0.03 * expected[i]) << i;
}

TEST(Xwi, FindsTheOptimumForEveryAlpha) {
  // The long flow of a parking lot with n links has x = C / (1 + n^(1 / alpha)).
  for (const double alpha : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
    const bool slow = alpha < 0.5 || alpha > 2;  // section 6.2
    Config c = Config::numfabric().set("alpha_fair.alpha", alpha);
    if (slow) c.set("xwi.interval", Time::Us(60).ps).set("numfabric.ewma_time", Time::Us(40).ps);
    ParkingLot net(c);
    net.flows({1, 1, 1, 1});
    const auto r = rates(net, 4, Time::Ms(20), Time::Ms(40));
    const double x = 1e4 / (1 + std::pow(3, 1 / alpha));
    for (size_t i = 1; i < 4; ++i) EXPECT_NEAR(r[i], 1e4 - x, 0.05 * 1e4) << alpha;
    if (alpha >= 0.5) {
      EXPECT_NEAR(r[0], x, 0.1 * x) << alpha;
    }
    for (const Switch* s : net.switches) {
      for (const Port* p : s->ports()) EXPECT_TRUE(std::isfinite(p->agent<Xwi>()->price())) << alpha;
    }
  }
}

/// The rates of alpha-fairness and of equal bandwidth functions are as the weights, those of fct_min for equal sizes as
/// their powers of 1 / epsilon.
TEST(Xwi, SharesALinkByWeightForEveryUtility) {
  struct Case {
    const char *utility, *param;
    double value, power;
  };
  for (const Case& of :
       {Case{"alpha_fair", "alpha", 0.5, 1}, Case{"alpha_fair", "alpha", 1, 1}, Case{"alpha_fair", "alpha", 2, 1},
        Case{"bandwidth_function", "alpha", 5, 1}, Case{"fct_min", "epsilon", 0.5, 2}}) {
    Config c = Config::numfabric();
    c.utility = of.utility;
    c.set(std::string(of.utility) + "." + of.param, of.value);
    c.set("xwi.interval", Time::Us(60).ps).set("numfabric.ewma_time", Time::Us(40).ps);
    Chain net(c, 3, 1, Rate::Gbps(10), Time::Us(2));
    for (uint32_t i = 0; i < 3; ++i) net.flow(unlimited(i, net.sender(static_cast<int>(i)), net.receiver(), 1 << i));
    const auto r = rates(net, 3, Time::Ms(5), Time::Ms(25));
    const double sum = 1 + std::pow(2, of.power) + std::pow(4, of.power);
    for (uint32_t i = 0; i < 3; ++i) {
      const double expected = 1e4 * std::pow(1 << i, of.power) / sum;
      EXPECT_NEAR(r[i], expected, 0.03 * expected) << of.utility << " " << of.param << " " << of.value << " flow " << i;
    }
  }
}

/// Two flows with the bandwidth functions of Fig. 2 on one link, Fig. 9.
TEST(Xwi, FollowsBandwidthFunctions) {
  const double rows[][3] = {{5, 5, 0}, {10, 10, 0}, {15, 11.7, 3.3}, {20, 13.3, 6.7}, {25, 15, 10}};
  for (const auto& row : rows) {
    Config c = Config::numfabric();
    c.utility = "bandwidth_function";
    c.set("xwi.interval", Time::Us(60).ps).set("numfabric.ewma_time", Time::Us(40).ps);
    Net net(c);
    for (int i = 0; i < 3; ++i) {
      const Points curve = i == 1 ? Points{{0, 0}, {2, 0.5e9}, {2.5, 10e9}, {3.5, 15e9}, {5, 15.5e9}}
                                  : Points{{0, 0}, {1, 10e9}, {2, 10.5e9}, {3, 20e9}, {5, 20.5e9}};
      net.setup.set("bandwidth_function.curve", curve);
      net.host();
    }
    net.sw();
    net.sw();
    for (size_t i = 0; i < 2; ++i) net.link(*net.hosts[i], *net.switches[0], Rate::Gbps(40), Time::Us(2));
    net.link(*net.switches[0], *net.switches[1], Rate{static_cast<int64_t>(row[0] * 1e9)}, Time::Us(2));
    net.link(*net.hosts[2], *net.switches[1], Rate::Gbps(40), Time::Us(2));
    for (uint32_t i = 0; i < 2; ++i) net.flow(unlimited(i, *net.hosts[i], *net.hosts[2], 1));
    const auto r = rates(net, 2, Time::Ms(10), Time::Ms(20));
    for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(r[i] / 1000, row[i + 1], 0.05 * row[0] + 0.3) << row[0] << " flow " << i;
  }
}

/// What a flow's first packets say: behind a handshake they know the price of the path, and their weight is U'^-1 of
/// it.
TEST(NumFabric, KnowsThePriceBehindAHandshake) {
  for (const bool handshake : {false, true}) {
    Chain net(Config::numfabric().set("go_back_n.handshake", handshake), 2, 1, Rate::Gbps(10), Time::Us(2));
    net.flow(unlimited(0, net.sender(0), net.receiver(), 1));
    net.flow(unlimited(1, net.sender(1), net.receiver(), 1, Time::Ms(2)));
    net.run(Time::Ms(2) + Time::Us(handshake ? 12 : 1));
    const auto& cc = static_cast<NumFabric&>(net.sender(1).congestionControl());
    Flow& late = net.active(net.sender(1), 1);
    EXPECT_EQ(late.window, 3 * 1410) << "the answer is no ACK of data";
    EXPECT_EQ(cc.state(late).rate, 0);
    if (handshake) {
      EXPECT_NEAR(cc.state(late).weight, 2e4, 1e3) << "the link that both take has half of the first one's price";
    } else {
      EXPECT_EQ(cc.state(late).weight, 0) << "goes first";
    }
    const auto r = rates(net, 2, Time::Ms(3), Time::Ms(5));
    for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(r[i], 5000, 150) << i;
  }
}

TEST(NumFabric, WeightsEndWhereItIsSaid) {
  Chain net(Config::numfabric().set("numfabric.most_weight", 1.5), 1, 1, Rate::Gbps(10), Time::Us(2));
  net.flow(unlimited(0, net.sender(0), net.receiver(), 1));
  net.run(Time::Us(1));
  const auto& cc = static_cast<NumFabric&>(net.sender(0).congestionControl());
  EXPECT_EQ(cc.state(net.active(net.sender(0), 0)).weight, 1.5e4) << "no price is known";
  net.run(Time::Us(40));
  EXPECT_EQ(cc.state(net.active(net.sender(0), 0)).weight, 1.5e4) << "a price near 0 asks for more";
}

TEST(NumFabric, CarriesAThousandFlowsOnALink) {
  for (const char* utility : {"alpha_fair", "fct_min", "bandwidth_function"}) {
    Config c = Config::numfabric();
    c.utility = utility;
    Chain net(c, 10, 1, Rate::Gbps(10), Time::Us(2));
    // Of one packet, and longer ones.
    for (uint32_t i = 0; i < 1000; ++i) {
      net.flow(i, net.sender(static_cast<int>(i) % 10), net.receiver(), i % 2 == 0 ? 1 : 14100, Time::Us(i / 100));
    }
    net.finish(Time::Ms(200));
    EXPECT_EQ(net.network.total().flowsFinished, 1000u) << utility;
    EXPECT_EQ(net.network.total().drops, 0u);
  }
}

struct PathRates : testing::TestWithParam<const char*> {};

/// One link, three flows by weight. RCP* also counts the idle links of the path, each with R = 8 C.
TEST_P(PathRates, ShareALinkByWeight) {
  const bool rcp = std::string(GetParam()) == "rcp_star";
  Chain net(rcp ? Config::rcpStar() : Config::dgd(), 3, 1, Rate::Gbps(10), Time::Us(2));
  for (uint32_t i = 0; i < 3; ++i) net.flow(unlimited(i, net.sender(static_cast<int>(i)), net.receiver(), 1 << i));
  const auto r = rates(net, 3, Time::Ms(10), Time::Ms(20));
  for (uint32_t i = 0; i < 3; ++i) EXPECT_NEAR(r[i], 1e4 / 7 * (1 << i), 0.05 * 1e4 / 7 * (1 << i)) << i;
}

INSTANTIATE_TEST_SUITE_P(All, PathRates, testing::Values("dgd", "rcp_star"));

/// A flow with a full window has a round trip of its window over its rate. Each packet's is known, not one of a window:
/// while a second flow takes its share the samples change from packet to packet.
TEST(RcpStar, EveryPacketSaysARoundTripWithItsWait) {
  Chain net(Config::rcpStar(), 2, 1, Rate::Gbps(10), Time::Us(2));
  const auto header = net.network.packets().reserve<NumHeader>(NumHeader::kName);
  for (int i = 0; i < 2; ++i) net.flow(unlimited(i, net.sender(i), net.receiver(), 1, Time::Ms(2 * i)));
  const auto said = [&] {
    std::set<int64_t> times;
    net.network.packets().forEachLive([&](const Packet& p) {
      if (p.kind == PacketKind::Data && p.flowId == 0) times.insert(header(p).rtt.ps);
    });
    return times;
  };
  net.run(Time::Us(2100));
  std::set<int64_t> changing;
  for (int i = 0; i < 30; ++i) {
    net.run(Time::Us(2100 + 2 * i));
    changing.merge(said());
  }
  EXPECT_GT(changing.size(), 5u);
  net.run(Time::Ms(12));
  const auto window = static_cast<double>(28 * transmissionTime(1500, net.active(net.sender(0), 0).rate).ps);
  const auto settled = said();
  ASSERT_FALSE(settled.empty());
  for (const int64_t rtt : settled) EXPECT_NEAR(static_cast<double>(rtt), window, 0.05 * window);
}

TEST(RcpStar, RefusesAlphasThatAreNotTheSame) {
  const auto with = [](std::initializer_list<const char*> params) {
    Config c = Config::rcpStar();
    for (const char* param : params) c.set(param, 2.0);
    return refusalOf(c);
  };
  EXPECT_EQ(with({"rcp_star.alpha", "alpha_fair.alpha"}),
            "rcp_star_rate.alpha is 1, and rcp_star.alpha is 2: the sender undoes the power of its path's links; give "
            "both the same value (h0, h1, s2)");
  EXPECT_EQ(with({"alpha_fair.alpha"}),
            "rcp_star.alpha is 1, and alpha_fair.alpha is 2: these rates are optimal for no other utility; give both "
            "the same value (h0, h1)");
  EXPECT_EQ(with({"rcp_star.alpha", "rcp_star_rate.alpha", "alpha_fair.alpha"}), "");
  Config c = Config::rcpStar();
  c.utility = "fct_min";
  EXPECT_EQ(refusalOf(c), "rcp_star needs the utility alpha_fair, which is not there; add alpha_fair to utility (h0)");
}

TEST(NumFabric, RefusesPricesWithoutUtilityOrLinksThatMakeThem) {
  Config c = Config::numfabric();
  c.utility.clear();
  EXPECT_EQ(refusalOf(c),
            "numfabric.weights is price, and a host has no utility to compute weights from; add one, such as utility: "
            "alpha_fair (h0, h1)");
  c = Config::dgd();
  c.utility.clear();
  EXPECT_EQ(refusalOf(c), "dgd needs a utility, and a host has none; add one, such as utility: alpha_fair (h0, h1)");
  c = Config::numfabric();
  c.agents.clear();
  c.nicAgents.clear();
  EXPECT_EQ(refusalOf(c),
            "numfabric.weights: price needs the port agent xwi, which is not there; add xwi to nic_agents or "
            "port_agents (h0)");
  c.utility.clear();
  EXPECT_EQ(refusalOf(c.set("numfabric.weights", std::string("flow"))), "");
}

}  // namespace
}  // namespace fabric
