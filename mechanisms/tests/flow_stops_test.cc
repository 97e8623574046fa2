// The stops of flows: one event for all of them.
#include "mechanisms/core/flow_stops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "mechanisms/core/lane.h"
#include "mechanisms/plain/engine.h"

namespace fabric {
namespace {

std::vector<std::pair<int64_t, uint32_t>> stopped;
FlowStops* current = nullptr;

struct StopsTest : testing::Test {
  StopsTest() {
    stopped.clear();
    current = &stops;
  }
  Flow& add(uint32_t id, Time stop) {
    flows.push_back(std::make_unique<Flow>());
    Flow& f = *flows.back();
    f.spec.id = id;
    f.spec.stop = stop;
    stops.add(f);
    return f;
  }
  static void onStop(Flow& f) {
    stopped.emplace_back(f.spec.stop.ps, f.spec.id);
    current->remove(f);  // as its end does
  }
  PlainEngine engine;
  FlowStops stops{engine, &StopsTest::onStop};
  std::vector<std::unique_ptr<Flow>> flows;
};

TEST_F(StopsTest, ComeInTheOrderOfTimeAndFlow) {
  std::mt19937 random(1);
  std::vector<std::pair<int64_t, uint32_t>> expected;
  for (uint32_t id = 0; id < 300; ++id) {
    const int64_t at = 1 + static_cast<int64_t>(random() % 40);
    Flow& f = add(id, Time{at});
    if (random() % 3 == 0) {
      stops.remove(f);
    } else {
      expected.emplace_back(at, id);
    }
  }
  EXPECT_EQ(engine.pending(), 1u);
  std::sort(expected.begin(), expected.end());
  engine.run();
  EXPECT_EQ(stopped, expected);
  EXPECT_EQ(engine.now(), Time{expected.back().first});
}

/// A run without an end of its own ends with its last event.
TEST_F(StopsTest, OfFlowsThatHaveEndedAreNoEvents) {
  Flow& late = add(0, Time{1000});
  add(1, Time{10});
  stops.remove(late);
  engine.run();
  EXPECT_EQ(engine.now(), Time{10});
  stops.remove(late);
  EXPECT_EQ(engine.pending(), 0u);
}

TEST_F(StopsTest, LanesNoteThemUntilTheyMeet) {
  Flow& early = add(1, Time{10});
  Flow& late = add(2, Time{20});
  Flow& gone = add(3, Time{15});
  flows.push_back(std::make_unique<Flow>());
  Flow& brief = *flows.back();
  brief.spec.stop = Time{5};
  setThisLane(1);
  stops.remove(gone, true);
  stops.add(brief, true);
  stops.remove(brief, true);
  setThisLane(0);
  stops.meet(2);
  engine.run();
  EXPECT_EQ(stopped, (std::vector<std::pair<int64_t, uint32_t>>{{early.spec.stop.ps, 1}, {late.spec.stop.ps, 2}}));
}

}  // namespace
}  // namespace fabric
