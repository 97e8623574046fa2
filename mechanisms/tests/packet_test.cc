// The packet pool and the packets' extensions.
#include "mechanisms/core/packet.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace fabric {

struct Tag {
  uint64_t a = 7;
  uint8_t b = 9;
};

TEST(PacketPool, ReusesPacketsAndCountsThem) {
  PacketPool pool;
  std::set<Packet*> seen;
  for (int i = 0; i < 256; ++i) seen.insert(pool.get());
  EXPECT_EQ(seen.size(), 256u);
  EXPECT_EQ(pool.live(), 256u);
  EXPECT_EQ(pool.chunks(), 1u);
  for (Packet* p : seen) pool.put(p);
  EXPECT_EQ(pool.live(), 0u);
  for (int i = 0; i < 10000; ++i) {
    Packet* p = pool.get();
    EXPECT_TRUE(seen.count(p));
    pool.put(p);
  }
  EXPECT_EQ(pool.chunks(), 1u);
}

TEST(PacketPool, ExtensionsAreApartConstructedAndSharedByName) {
  PacketPool pool;
  const auto one = pool.reserve<Tag>("one");
  const auto two = pool.reserve<Tag>("two");
  Packet* shared = pool.get();
  EXPECT_EQ(&pool.reserve<Tag>("one")(*shared), &one(*shared));
  pool.put(shared);
  Packet* p = pool.get();
  EXPECT_EQ(one(*p).a, 7u);
  EXPECT_EQ(two(*p).b, 9);
  one(*p).a = 1;
  EXPECT_EQ(two(*p).a, 7u);
  EXPECT_THROW(pool.reserve<Tag>("three"), std::logic_error);
}

TEST(PacketPool, AnExtensionIsFilledUntilThePacketReturns) {
  PacketPool pool;
  const auto one = pool.reserve<Tag>("one");
  const auto two = pool.reserve<Tag>("two");
  Packet* p = pool.get();
  EXPECT_EQ(one.of(*p), nullptr);
  one(*p).a = 1;
  EXPECT_EQ(one.fill(*p).a, 7u);
  EXPECT_EQ(one.of(*p), &one(*p));
  EXPECT_EQ(two.of(*p), nullptr);
  one(*p).a = 2;
  EXPECT_EQ(one.claim(*p).a, 2u) << "with old values";
  pool.put(p);
  EXPECT_EQ(one.of(*pool.get()), nullptr);
}

TEST(PacketPool, HasABitForSixteenExtensions) {
  PacketPool pool;
  std::vector<PacketExtension<Tag>> all;
  for (int i = 0; i < 16; ++i) all.push_back(pool.reserve<Tag>(std::to_string(i).c_str()));
  EXPECT_THROW(pool.reserve<Tag>("16"), std::logic_error);
  Packet* p = pool.get();
  all[15].fill(*p);
  for (int i = 0; i < 15; ++i) EXPECT_EQ(all[static_cast<size_t>(i)].of(*p), nullptr);
  EXPECT_NE(all[15].of(*p), nullptr);
}

TEST(PacketPool, FreshResetsFieldsAndLivePacketsAreFound) {
  PacketPool pool;
  Packet* p = pool.get();
  p->marked = true;
  p->payload = 5;
  pool.put(p);
  Packet* again = pool.fresh();
  EXPECT_EQ(again, p);
  EXPECT_FALSE(again->marked);
  EXPECT_EQ(again->payload, 0u);
  again->payload = 11;
  pool.get()->payload = 20;
  uint64_t sum = 0;
  pool.forEachLive([&](const Packet& live) { sum += live.payload; });
  EXPECT_EQ(sum, 31u);
}

TEST(PacketList, FirstInFirstOut) {
  Packet a, b, c;
  PacketList list;
  EXPECT_TRUE(list.empty());
  list.push(&a);
  list.push(&b);
  EXPECT_EQ(list.pop(), &a);
  list.push(&c);
  EXPECT_EQ(list.pop(), &b);
  EXPECT_EQ(list.pop(), &c);
  EXPECT_TRUE(list.empty());
  list.push(&a);
  EXPECT_EQ(list.front(), &a);
}

}  // namespace fabric
