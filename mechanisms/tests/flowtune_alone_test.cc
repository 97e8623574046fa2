// Flowtune's allocator on a scenario without a simulator: which way flows go, when they come and go, what is written.
#include "mechanisms/tools/flowtune_alone.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace fabric {

using flowtune::Outcome;
using flowtune::Paths;
using flowtune::StandAlone;
using flowtune::StandAloneSettings;

namespace {

/// Hosts 0 to 2 at switch 3, 3 -- 4 with two links, host 5 at switch 4; 10 Gb/s everywhere.
Scenario scenario() {
  Scenario s;
  s.components = {{}, {{}, {}, {{Slots::find("path_selector"), {{"ecmp", {}}}}}}};
  for (int i = 0; i < 6; ++i) {
    const bool isHost = i != 3 && i != 4;
    s.nodes.push_back({"n" + std::to_string(i), isHost, 0});
    s.componentsOf.push_back(isHost ? Scenario::kHost : Scenario::kSwitch);
  }
  const Rate rate{10000000000};
  const uint16_t none = 0;
  for (uint32_t h = 0; h < 3; ++h) s.links.push_back({h, 3, none, static_cast<uint16_t>(h), rate, Time{}});
  s.links.push_back({3, 4, 3, 1, rate, Time{}});
  s.links.push_back({3, 4, 4, 2, rate, Time{}});
  s.links.push_back({5, 4, none, none, rate, Time{}});
  return s;
}

std::vector<ScenarioRoute> routes() {
  std::vector<ScenarioRoute> r;
  for (uint16_t h = 0; h < 3; ++h) {
    r.push_back({3, h, {h}});
    r.push_back({4, h, {1, 2}});
  }
  r.push_back({3, 5, {3, 4}});
  r.push_back({4, 5, {0}});
  return r;
}

FlowSpec flow(uint32_t id, uint32_t src, uint32_t dst, uint64_t size, Time start, Time stop = Time{-1}) {
  FlowSpec f;
  f.id = id;
  f.src = src;
  f.dst = dst;
  f.size = size;
  f.start = start;
  f.stop = stop;
  f.srcPort = flowSourcePort(id);
  f.dstPort = kFlowDestinationPort;
  return f;
}

/// Rows of a table as they come.
struct Rows final : RowSink {
  std::vector<std::vector<Cell>> rows;
  size_t width;
  explicit Rows(size_t width) : width(width) {}
  void row(int, const Cell* cells) override { rows.emplace_back(cells, cells + width); }
};

struct Made {
  Outcome outcome;
  Rows iterations{9}, allocations{5}, prices{6};
};

std::unique_ptr<Made> run(const std::vector<FlowSpec>& flows, StandAloneSettings settings, Time stop, bool withFlows) {
  auto made = std::make_unique<Made>();
  const Paths paths(scenario(), routes());
  TraceBus bus;
  StandAlone alone(paths, 3, settings, bus);
  for (const auto& [name, rows] : std::map<std::string, Rows*>{
           {"iterations", &made->iterations}, {"allocations", &made->allocations}, {"prices", &made->prices}}) {
    bus.enable(bus.find(name), {});
    bus.addSink(bus.find(name), rows);
  }
  FlowList list;
  for (const FlowSpec& f : flows) list.add(f);
  made->outcome = alone.run(list, stop, withFlows);
  return made;
}

}  // namespace

TEST(FlowtuneAlone, PathsAreThoseOfEcmp) {
  const Paths paths(scenario(), routes());
  const auto ports = [&](const FlowSpec& f) {
    std::vector<std::pair<uint32_t, uint16_t>> list;
    for (const uint32_t l : paths.of(f)) list.emplace_back(paths.links()[l].node, paths.links()[l].port);
    return list;
  };
  std::map<uint16_t, int> middle;
  for (uint32_t id = 0; id < 200; ++id) {
    const auto there = ports(flow(id, 1, 5, 0, {}));
    ASSERT_EQ(there.size(), 3u);
    EXPECT_EQ(there[0], std::make_pair(1u, uint16_t{0}));
    EXPECT_EQ(there[1].first, 3u);
    EXPECT_EQ(there[2], std::make_pair(4u, uint16_t{0}));
    ++middle[there[1].second];
    // Symmetric: the flow back takes the same of the two links.
    FlowSpec back = flow(id, 5, 1, 0, {});
    std::swap(back.srcPort, back.dstPort);
    EXPECT_EQ(ports(back)[1].second, there[1].second - 2);
  }
  EXPECT_GT(middle[3], 70);
  EXPECT_GT(middle[4], 70);
}

TEST(FlowtuneAlone, FlowsComeAndGoAtIterations) {
  // 0 has no end and stops at 70 us, 1 starts between two iterations and has 15.2 us at the full rate to send.
  const auto made =
      run({flow(0, 0, 2, 0, Time::Us(0), Time::Us(70)), flow(1, 1, 2, 19000, Time::Us(15))}, {}, Time::Ms(1), true);
  std::vector<uint64_t> counts;
  for (const auto& r : made->iterations.rows) counts.push_back(r[2].bits);
  // Both share host 2's link from 20 us on; the first iteration gives 1 little, as its own link still has the price 1.
  EXPECT_EQ(counts, (std::vector<uint64_t>{1, 1, 2, 2, 2, 2, 1})) << "and the end with the last flow";
  EXPECT_EQ(made->outcome.iterations, 7u);
  EXPECT_EQ(made->outcome.added, 2u);
  EXPECT_EQ(made->outcome.ended, 2u);
  for (const auto& r : made->allocations.rows) EXPECT_EQ(r[1].i64(), r[0].i64() * 10000000);
  EXPECT_DOUBLE_EQ(made->allocations.rows[0][4].f64(), 10e9) << "alone at its line rate";
  EXPECT_NEAR(made->allocations.rows[2][4].f64() + made->allocations.rows[3][4].f64(), 10e9, 1);
}

TEST(FlowtuneAlone, BytesMoveNoFasterThanTheNetwork) {
  // Without a normaliser both have the full rate at the first iteration (all prices 0), but share a link of 10 Gb/s.
  StandAloneSettings s;
  s.allocator.normaliser = flowtune::Normaliser::None;
  s.allocator.initialPrice = 0;
  s.allocator.gamma = 1e-9;  // prices stay
  const auto made = run({flow(0, 0, 2, 62500, {}), flow(1, 1, 2, 62500, {})}, s, Time::Ms(1), true);
  EXPECT_EQ(made->outcome.iterations, 10u) << "125 000 B at 10 Gb/s";
  EXPECT_DOUBLE_EQ(made->allocations.rows[0][4].f64(), 10e9);
  EXPECT_NEAR(made->outcome.largestExcess, 1, 1e-9);
  EXPECT_DOUBLE_EQ(made->iterations.rows[0][5].f64(), 10e9) << "what is over";
  EXPECT_DOUBLE_EQ(made->iterations.rows[0][6].f64(), 2) << "the fullest link";
}

TEST(FlowtuneAlone, FindsTheOptimum) {
  StandAloneSettings s;
  s.optimum = true;
  s.iterations = 60;
  const auto made = run({flow(0, 0, 2, 0, {}), flow(1, 1, 2, 0, {}), flow(2, 0, 1, 0, {})}, s, Time::Ms(10), false);
  ASSERT_EQ(made->iterations.rows.size(), 60u);
  // Two flows share host 0's link and two host 2's: 0 is in both and gets 10 / 3, the others 20 / 3.
  for (const auto& r : made->iterations.rows) EXPECT_NEAR(r[8].f64(), 50e9 / 3, 1e5);
  const auto& last = made->iterations.rows.back();
  EXPECT_NEAR(last[3].f64(), 50e9 / 3, 1e5) << "and so does the allocator";
  EXPECT_LT(last[7].f64(), 1e-6);
  EXPECT_EQ(made->outcome.unsettled, 0u);
  EXPECT_LT(made->outcome.largestExcess, 1e-15);
  // Links are known by the ports that they leave from.
  std::map<std::pair<uint64_t, uint64_t>, double> loads;
  for (const auto& r : made->prices.rows) {
    if (r[0].bits == 59) loads[{r[2].bits, r[3].bits}] = r[5].f64();
  }
  EXPECT_EQ(loads.size(), 12u);
  EXPECT_NEAR((loads[{0, 0}]), 10e9, 1e5);
  EXPECT_NEAR((loads[{3, 2}]), 10e9, 1e5);
  EXPECT_NEAR((loads[{3, 1}]), 20e9 / 3, 1e5);
  EXPECT_EQ((loads[{4, 0}]), 0);
}

TEST(FlowtuneAlone, RefusesWhatItCannotKnow) {
  const auto refused = [](const Scenario& s, const FlowSpec& f, const std::string& why) {
    try {
      const Paths paths(s, routes());
      TraceBus bus;
      FlowList list;
      list.add(f);
      StandAlone(paths, 3, {}, bus).run(list, Time::Us(50), true);
      ADD_FAILURE() << "not refused: " << why;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  };
  const FlowSpec good = flow(0, 0, 5, 1000, {});
  Scenario s = scenario();
  s.components[Scenario::kSwitch].slots[0].second[0].type = "spray";
  refused(s, good, "must be ecmp");
  s = scenario();
  s.linkEvents.push_back({Time::Us(1), 3, false});
  refused(s, good, "links fail");
  FlowSpec loop = good;
  loop.closedLoop = true;
  refused(scenario(), loop, "closed loop");
  FlowSpec nowhere = good;
  nowhere.dst = 4;
  refused(scenario(), nowhere, "no way from n3");
}

}  // namespace fabric
