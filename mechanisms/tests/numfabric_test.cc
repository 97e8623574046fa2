// NUMFabric: STFQ, Swift's weighted max-min, xWI's optimum.
#include "mechanisms/numfabric/numfabric.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/numfabric/stfq.h"
#include "mechanisms/numfabric/xwi.h"
#include "mechanisms/tests/leaf_spine.h"
#include "mechanisms/tests/net.h"

namespace fabric {
namespace {

using test::Chain;
using test::Config;
using test::LeafSpine;
using test::Net;

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

}  // namespace
}  // namespace fabric
