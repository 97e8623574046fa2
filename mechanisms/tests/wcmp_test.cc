// WCMP: shares of the next hops by their weights.
#include "mechanisms/path/wcmp.h"

#include <gtest/gtest.h>

#include "mechanisms/core/random.h"
#include "mechanisms/tests/leaf_spine.h"

namespace fabric {

using test::Config;
using test::LeafSpine;

TEST(Wcmp, Shares) {
  const uint64_t quarter = uint64_t{1} << 30;
  int seen[4] = {};
  for (uint64_t i = 0; i < 40000; ++i) ++seen[Wcmp::choice(static_cast<uint32_t>(mix64(i) >> 32), quarter, 4)];
  for (const int n : seen) EXPECT_NEAR(n, 10000, 4 * 87);  // four standard deviations
  int first = 0;
  for (uint64_t i = 0; i < 40000; ++i) {
    first += Wcmp::choice(static_cast<uint32_t>(mix64(i) >> 32), 3 * quarter, 2) == 0;
  }
  EXPECT_NEAR(first, 30000, 4 * 87);
}

TEST(Wcmp, Edges) {
  const uint64_t all = uint64_t{1} << 32;
  for (const uint32_t hash : {0u, 1u, 1u << 31, ~0u}) {
    EXPECT_EQ(Wcmp::choice(hash, all, 3), 0);  // share 1: nothing else
    EXPECT_EQ(Wcmp::choice(hash, 0, 1), 0);    // nothing to choose
    EXPECT_EQ(Wcmp::choice(hash, 0, 2), 1);    // share 0
    EXPECT_LT(Wcmp::choice(hash, all - 1, 3), 3);
    EXPECT_LT(Wcmp::choice(hash, 7, 65535), 65535);
  }
  EXPECT_EQ(Wcmp::choice(~0u, all / 2, 3), 2);
}

/// The share of the data from leaf 0 that takes the first spine.
double shareOfTheFirst(double first) {
  Config config;
  config.selector = "wcmp";
  config.set("wcmp.first", first).set("port.pfc", false);
  LeafSpine::Shape shape;
  shape.leaves = 2;
  shape.hosts = 8;
  LeafSpine net(std::move(config), shape);
  uint32_t id = 0;
  for (int k = 0; k < 100; ++k) {
    for (int h = 0; h < 8; ++h) net.flow(id++, net.at(0, h), net.at(1, (h + k) % 8), 10000, Time::Us(20 * k + h));
  }
  net.finish(Time::Ms(50));
  EXPECT_EQ(net.network.total().flowsFinished, id);
  const auto up = static_cast<double>(net.uplink(0, 0).sentDataBytes());
  return up / (up + static_cast<double>(net.uplink(0, 1).sentDataBytes()));
}

TEST(Wcmp, WeightsMoveTraffic) {
  EXPECT_EQ(shareOfTheFirst(0), 0);
  EXPECT_EQ(shareOfTheFirst(1), 1);
  EXPECT_NEAR(shareOfTheFirst(2. / 3), 2. / 3, 4 * 0.0167);
}

}  // namespace fabric
