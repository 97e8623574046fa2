// Every path selector under every congestion control.
#include <gtest/gtest.h>

#include <tuple>

#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/leaf_spine.h"

namespace fabric {

using test::Config;
using test::controls;
using test::LeafSpine;
using test::with;

namespace {

/// The components of a kind, but for those that tests have.
std::vector<std::string> names(Kind kind) {
  std::vector<std::string> all;
  for (const Description* d : Registry::all()) {
    if (d->kind == kind && d->source != "test") all.push_back(d->name);
  }
  return all;
}

}  // namespace

struct Selectors : testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Selectors, CarryEveryTransport) {
  const auto [selector, cc] = GetParam();
  LeafSpine::Shape shape;
  shape.leaves = 3;
  shape.hosts = 3;
  shape.parallel = 2;
  shape.fabric = Rate::Gbps(10);
  ASSERT_TRUE(controls().count(cc)) << "say in the test file of " << cc << " what it needs (controls.h)";
  const Config& config = controls().at(cc);
  LeafSpine net(with(config, selector), shape);
  if (selector == "iofd" && config.transport == "mptcp") {
    EXPECT_THROW(net.finish(Time::Ms(1)), ParamError) << "a message's packets take one path under it";
    return;
  }
  // Everybody to everybody in another leaf, and two within their own. Later six to one at once.
  uint32_t id = 0;
  for (int a = 0; a < 9; ++a) {
    for (int b = 0; b < 9; ++b) {
      if (a / 3 != b / 3) net.flow(id++, *net.hosts[a], *net.hosts[b], 30000 + 1000 * b, Time::Us(100 * (a + b)));
    }
  }
  net.flow(id++, net.at(0, 0), net.at(0, 1), 50000);
  net.flow(id++, net.at(2, 2), net.at(2, 0), 50000);
  for (int a = 0; a < 6; ++a) net.flow(id++, *net.hosts[a], *net.hosts[8], 50000, Time::Ms(5));
  net.finish(Time::Ms(500));
  EXPECT_EQ(net.network.total().flowsFinished, id);
  EXPECT_EQ(net.network.packets().live(), 0u);
  if (config.transport != "go_back_n") {
    EXPECT_GT(net.network.total().drops + net.network.total().marks, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Selectors,
                         testing::Combine(testing::ValuesIn(names(Kind::PathSelector)),
                                          testing::ValuesIn(names(Kind::CongestionControl))),
                         [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); });

TEST(SelectorFatTree, EdgeSwitchesAreTheLeaves) {
  for (const char* selector : {"conga", "local", "letflow", "spray"}) {
    test::FatTree net(with(Config(), selector));
    for (uint32_t i = 0; i < 64; ++i) net.flow(i, *net.hosts[i % 16], *net.hosts[(i * 5 + 3) % 16], 20000, Time::Us(i));
    net.finish(Time::Ms(500));
    EXPECT_EQ(net.network.total().flowsFinished, 64u) << selector;
  }
}

TEST(SelectorDeterminism, SameRowsInAnyOrderOfInsertion) {
  for (const char* selector : {"conga", "local", "letflow", "spray"}) {
    std::vector<std::vector<int64_t>> first;
    for (const uint64_t shuffle : {0, 7, 8}) {
      Config c = with(Config::dcqcn(), selector);
      c.engine.shuffle = shuffle;
      c.engine.eventPerPacket = shuffle == 8;
      LeafSpine::Shape shape;
      shape.leaves = 3;
      shape.hosts = 3;
      LeafSpine net(c, shape);
      for (int i = 0; i < 60; ++i) {
        net.flow(i, net.at(i % 3, i % 2), net.at((i + 1) % 3, i % 3), 40000, Time::Us(i / 4 * 20));
      }
      net.finish(Time::Ms(500));
      if (shuffle == 0) first = net.flowRows.rows;
      EXPECT_EQ(net.flowRows.rows, first) << selector;
    }
    EXPECT_EQ(first.size(), 60u);
  }
}

}  // namespace fabric
