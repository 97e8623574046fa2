// Lanes: who has which nodes, and what goes between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/core/dealing.h"
#include "mechanisms/core/lane.h"
#include "mechanisms/core/lane_threads.h"
#include "mechanisms/core/node_lanes.h"
#include "mechanisms/core/packet.h"
#include "mechanisms/core/side_by_side.h"
#include "mechanisms/core/window_log.h"

namespace fabric {
namespace {

/// Each a unit of its own.
std::vector<std::vector<uint32_t>> upTo(uint32_t count) {
  std::vector<std::vector<uint32_t>> all;
  for (uint32_t node = 0; node < count; ++node) all.push_back({node});
  return all;
}

/// Without nobody's.
std::vector<uint8_t> dealt(const Dealing& d) { return {d.laneOf().begin() + 1, d.laneOf().end()}; }

TEST(Lanes, NodesAreDealtByPlaceAndWork) {
  EXPECT_EQ(dealt(Dealing({{2}, {0}, {1}, {3}}, 2)), (std::vector<uint8_t>{0, 1, 0, 1}));
  EXPECT_EQ(dealt(Dealing(upTo(2), 5)), (std::vector<uint8_t>{1, 3})) << "more lanes than nodes";
  Dealing four(upTo(4), 2);
  EXPECT_FALSE(four.look({0, 5, 6, 5, 6})) << "nothing to be gained";
  EXPECT_TRUE(four.look({0, 9, 1, 1, 1}));
  EXPECT_EQ(dealt(four), (std::vector<uint8_t>{0, 1, 1, 1})) << "an incast's node stands alone";
  EXPECT_FALSE(four.look({0, 0, 0, 0, 0})) << "nothing is known";
}

TEST(Lanes, UnitsStayTogetherUnlessTheyAreTooLarge) {
  Dealing units({{0, 1, 2}, {3, 4, 5}}, 2);
  EXPECT_TRUE(units.look({0, 30, 30, 30, 40, 30, 30}));
  EXPECT_EQ(dealt(units), (std::vector<uint8_t>{0, 0, 0, 1, 1, 1})) << "a tenth more is not too much";
  EXPECT_TRUE(units.look({0, 30, 30, 30, 30, 60, 60}));
  EXPECT_EQ(dealt(units), (std::vector<uint8_t>{0, 0, 0, 0, 1, 1}));
}

/// Each call is a round, which takes 2 ms.
TEST(Lanes, RunSideBySideWhereThatIsFaster) {
  const auto rounds = [](SideBySide& worth, double alone, double together) {
    int sideBySide = 0;
    for (int round = 0; round < 1000; ++round) {
      sideBySide += worth.now() ? 1 : 0;
      worth.note(static_cast<uint64_t>(worth.now() ? together : alone), 20, 2.1e-3);
    }
    return sideBySide;
  };
  SideBySide faster(500), slower(500), large(500), tiny(500);
  EXPECT_GT(rounds(faster, 1000, 1500), 900);
  EXPECT_LT(rounds(slower, 1000, 500), 10);
  large.note(1000, 500, 1e-6);
  EXPECT_TRUE(large.now()) << "whatever it takes";
  large.note(1000, 7, 1);
  EXPECT_FALSE(large.now());
  for (int round = 0; round < 100; ++round) tiny.note(1000, 7, 1);
  EXPECT_FALSE(tiny.now());
}

TEST(Lanes, APacketGoesBackWhereItIsPut) {
  PacketPool pool;
  std::vector<Packet*> packets(10000);
  for (Packet*& p : packets) p = pool.get();
  setThisLane(1);
  for (Packet* p : packets) pool.put(p);
  EXPECT_EQ(pool.live(), 0u);
  const size_t chunks = pool.chunks();
  setThisLane(0);
  pool.evenOut(2);
  for (size_t i = 0; i < 4000; ++i) packets[i] = pool.get();
  EXPECT_EQ(pool.chunks(), chunks) << "lane 0 has got half of lane 1's";
  EXPECT_EQ(pool.live(), 4000u);
}

TEST(Lanes, AFlowsMemoryServesAgainWhenLanesHaveMet) {
  FlowPool pool;
  FlowSpec spec;
  spec.id = 7;
  Flow* flow = pool.get({}, spec);
  EXPECT_EQ(FlowPool::idAt(*flow), 7u);
  pool.put(flow, true);
  EXPECT_NE(FlowPool::idAt(*flow), 7u);
  EXPECT_NE(pool.get({}), flow);
  pool.meet(1);
  EXPECT_EQ(pool.get({}), flow);
}

TEST(Lanes, StepsRunInAllLanesAndErrorsComeOut) {
  constexpr uint32_t kLanes = 3;
  std::vector<int> ran(kLanes), took(kLanes);
  LaneThreads threads(kLanes, [&](uint32_t lane) { ++ran[lane]; }, [&](uint32_t lane) { ++took[lane]; });
  EXPECT_FALSE(threads.meet());
  for (int i = 0; i < 100; ++i) {
    threads.part();
    ++ran[0];  // the caller's own part
    EXPECT_TRUE(threads.meet());
  }
  EXPECT_EQ(ran, std::vector<int>(kLanes, 100));
  EXPECT_EQ(took, std::vector<int>(kLanes, 100));

  LaneThreads failing(2, [](uint32_t) { throw std::runtime_error("lane 1 is stuck"); }, [](uint32_t) {});
  failing.part();
  EXPECT_THROW(failing.meet(), std::runtime_error);
}

/// Each lane counts its phases; none sees another one's count more than one behind.
TEST(Lanes, ALaneIsOnePhaseAheadAtMost) {
  constexpr uint32_t kLanes = 3, kPhases = 100;
  PerLane<std::atomic<uint32_t>> done;
  std::atomic<uint32_t> wrong{0};
  LaneThreads* all = nullptr;
  const auto span = [&](uint32_t lane) {
    for (uint32_t phase = 0; phase < kPhases; ++phase) {
      for (uint32_t other = 0; other < kLanes; ++other) {
        wrong += phase >= 1 && done[other] < phase - 1 ? 1 : 0;
        if (phase >= 2 && other != lane) wrong += all->hasSent(other, lane, phase - 2) ? 0 : 1;
      }
      ++done[lane];
      if (phase + 1 < kPhases) all->nextPhase(lane, ~uint64_t{0});
    }
  };
  LaneThreads threads(kLanes, span, [](uint32_t) {});
  all = &threads;
  threads.part(kPhases);
  span(0);
  threads.meet();
  for (uint32_t lane = 0; lane < kLanes; ++lane) EXPECT_EQ(done[lane], kPhases);
  EXPECT_EQ(wrong, 0u);
}

struct Entry {
  int64_t at;
  uint32_t of;
  void fetch() const {}
  void fetchMore() const {}
  uint32_t node() const { return of; }
  bool before(const Entry& e) const { return at < e.at || (at == e.at && of < e.of); }
};

/// Three nodes; everything that comes is noted.
struct Network final : Windows, LaneWork {
  explicit Network(uint64_t large = 0) {
    first.setWindows(*this);
    lanes = std::make_unique<NodeLanes<Entry>>(first, *this, 2, large, *this);
  }
  Time nextWindow() override { return Time{1000}; }
  void fetch(uint32_t) const override {}
  std::vector<std::vector<uint32_t>> byPlace() const override { return upTo(3); }
  void runTurn(uint32_t lane) override {
    NodeEvents<Entry>& events = lanes->lane(lane);
    do {
      seen.here().push_back(events.takeFirst());
    } while (events.more());
  }
  void beginPhase(uint32_t, uint32_t) override {}
  uint64_t sentTo(uint32_t) const override { return 0; }
  void takeFrames(uint32_t, uint32_t, uint32_t) override {}
  /// The next event of the first lane, or of no node.
  Entry next() {
    EXPECT_TRUE(first.turn());
    return first.takeFirst();
  }

  NodeEvents<Entry> first;
  std::unique_ptr<NodeLanes<Entry>> lanes;
  PerLane<std::vector<Entry>> seen;
};

/// An event that belongs to no node schedules one of another lane's node; two more of no node come before and behind.
TEST(Lanes, WhatIsScheduledBetweenWindowsIsNotForgotten) {
  Network net;
  for (const int64_t at : {10, 12, 20}) net.first.insert({at, kFirstNode});
  EXPECT_EQ(net.next().at, 10);
  net.first.insert({15, 3});
  EXPECT_EQ(net.next().at, 12);
  EXPECT_EQ(net.next().at, 20);
  ASSERT_EQ(net.seen[1].size(), 1u) << "before 20";
  EXPECT_EQ(net.seen[1][0].at, 15);
}

/// Two events of each node in every window; the first lane has node 1 when they are shared.
TEST(Lanes, ShareNodesWhenWindowsAreLarge) {
  const auto secondLaneSees = [](uint64_t large) {
    Network net(large);
    for (int64_t window = 0; window < 100; ++window) {
      for (uint32_t node = 1; node <= 3; ++node) {
        for (const int64_t at : {0, 500}) net.first.insert({window * 1000 + at, node});
      }
    }
    net.first.insert({200000, kFirstNode});
    while (net.next().of != kFirstNode) {
    }
    EXPECT_EQ(net.lanes->size(), 0u);
    return net.seen[1].size();
  };
  EXPECT_EQ(secondLaneSees(0), 100 * 4u) << "from the first window on";
  EXPECT_EQ(secondLaneSees(3), (100 - 16) * 4u) << "6 events in a window are 3 for each lane";
  EXPECT_EQ(secondLaneSees(4), 0u);
}

/// A timer that is set within a window and stopped leaves no window without events behind.
TEST(Lanes, ATimerThatIsStoppedIsForgotten) {
  for (const uint64_t large : {0, 1000}) {
    Network net(large);
    for (const int64_t at : {0, 50000}) net.first.insert({at, 1});
    EXPECT_EQ(net.next().at, 0);
    net.first.insert({20000, 1});
    EXPECT_TRUE(net.first.removeFar({20000, 1}, [](const Entry& e) { return e.at == 20000; }));
    EXPECT_EQ(net.next().at, 50000);
  }
}

/// Two of four nodes have all the work; from the look after 16 windows on they are in two lanes.
TEST(Lanes, AWindowsLineSaysWhatLanesWouldHave) {
  struct Four final : Windows {
    Time nextWindow() override { return Time{1000}; }
    void fetch(uint32_t) const override {}
    std::vector<std::vector<uint32_t>> byPlace() const override { return upTo(4); }
  } windows;
  NodeEvents<Entry> nodes;
  nodes.setWindows(windows);
  std::ostringstream out;
  WindowLog<Entry> log(nodes, windows, out);
  for (int64_t window = 0; window < 18; ++window) {
    for (const uint32_t node : {1, 1, 1, 2, 2, 2}) nodes.insert({window * 1000, node});
  }
  for (int i = 0; i < 108; ++i) {
    ASSERT_TRUE(nodes.turn());
    nodes.takeFirst();
  }
  std::string text = "events,2,4,8,16,32,64\n";
  for (int i = 0; i < 16; ++i) text += "6,6,3,3,3,3,3\n";
  EXPECT_EQ(out.str(), text + "6,3,3,3,3,3,3\n") << "the last window is not over";
}

TEST(Lanes, EndInTheMiddleOfAWindow) {
  LaneThreads threads(2, [](uint32_t) {}, [](uint32_t) {});
  threads.part();
}

}  // namespace
}  // namespace fabric
