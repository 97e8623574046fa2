#include "mechanisms/scheduler/turns.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "mechanisms/core/flow.h"

namespace fabric {
namespace {

struct Members {
  explicit Members(int n) {
    for (int i = 0; i < n; ++i) {
      flows.emplace_back();
      flows.back().spec.id = static_cast<uint32_t>(i);
      flows.back().place = turns.join(&flows.back());
    }
  }
  std::vector<uint32_t> serve(int n) {
    std::vector<uint32_t> ids;
    for (int i = 0; i < n; ++i) ids.push_back(turns.next()->spec.id);
    return ids;
  }
  Turns turns;
  std::deque<Flow> flows;
};

TEST(Turns, GoRoundByPlaceBeyondOneWord) {
  Members m(200);
  EXPECT_TRUE(m.turns.none());
  for (const uint32_t id : {3u, 63u, 64u, 130u, 199u}) m.turns.set(m.flows[id].place);
  EXPECT_FALSE(m.turns.none());
  EXPECT_EQ(m.serve(7), (std::vector<uint32_t>{3, 63, 64, 130, 199, 3, 63}));
}

TEST(Turns, PassOverThoseWithNothingToSend) {
  Members m(4);
  for (const Flow& f : m.flows) m.turns.set(f.place);
  EXPECT_EQ(m.serve(2), (std::vector<uint32_t>{0, 1}));
  m.turns.clear(m.flows[2].place);
  EXPECT_EQ(m.serve(2), (std::vector<uint32_t>{3, 0}));
  m.turns.set(m.flows[2].place);
  EXPECT_EQ(m.serve(4), (std::vector<uint32_t>{1, 2, 3, 0}));
}

TEST(Turns, OneAloneIsAlwaysNext) {
  Members m(70);
  m.turns.set(m.flows[66].place);
  EXPECT_EQ(m.serve(3), (std::vector<uint32_t>{66, 66, 66}));
}

TEST(Turns, ThePlaceOfOneWhoLeftIsTaken) {
  Members m(65);
  m.turns.set(m.flows[7].place);
  m.turns.leave(m.flows[7].place);
  EXPECT_TRUE(m.turns.none());
  Flow late;
  EXPECT_EQ(m.turns.join(&late), 7u);
  Flow later;
  EXPECT_EQ(m.turns.join(&later), 65u);
}

TEST(Turns, APlaceWithoutAFlowHasItsTurn) {
  Members m(2);
  const uint32_t guest = m.turns.join(nullptr);
  for (const uint32_t place : {m.flows[0].place, m.flows[1].place, guest}) m.turns.set(place);
  EXPECT_EQ(m.serve(2), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(m.turns.next(), nullptr);
  EXPECT_EQ(m.serve(1), (std::vector<uint32_t>{0}));
}

}  // namespace
}  // namespace fabric
