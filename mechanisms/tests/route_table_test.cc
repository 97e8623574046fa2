// The table of routes against a plain map.
#include "mechanisms/core/route_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace fabric {
namespace {

using Table = RouteTable<uint32_t>;  // 16 destinations to a block
using Map = std::map<uint32_t, uint32_t>;

void expectSame(const Table& table, const Map& map, uint32_t upTo) {
  for (uint32_t dst = 0; dst < upTo; ++dst) {
    const auto it = map.find(dst);
    ASSERT_EQ(table.find(dst), it == map.end() ? 0 : it->second) << "destination " << dst;
  }
}

TEST(RouteTable, FindsWhatWasSetInAnyOrder) {
  std::mt19937 random(1);
  Table table;
  Map map;
  for (int i = 0; i < 5000; ++i) {
    const uint32_t dst = random() % 300, route = random() % 3;
    table.set(dst, route);
    map[dst] = route;
    if (i % 100 == 0) expectSame(table, map, 400);
  }
  expectSame(table, map, 400);
}

/// What was set as equal and then becomes another is nobody else's.
TEST(RouteTable, ABlockThatSeveralShareChangesForOneOnly) {
  Table table;
  Map map;
  for (uint32_t dst = 0; dst < 160; ++dst) table.set(dst, map[dst] = 7);
  table.set(40, map[40] = 8);
  table.set(41, map[41] = 9);
  table.set(100, map[100] = 8);
  table.set(40, map[40] = 7);
  expectSame(table, map, 200);
  table.clear();
  expectSame(table, {}, 200);
  table.set(3, 1);
  expectSame(table, {{3, 1}}, 200);
}

TEST(RouteTable, KeepsEqualBlocksOnce) {
  Table table;
  for (uint32_t dst = 0; dst < 1024; ++dst) table.set(dst, dst / 64 == 5 ? dst : 7);
  EXPECT_EQ(table.blocks(), 1u + 1u + 4u + 1u);  // without routes, of 7 only, with routes of their own, the last
}

}  // namespace
}  // namespace fabric
