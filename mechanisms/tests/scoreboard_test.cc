// TCP's two books, step by step: what the sender knows of its segments, what the receiver has of them.
#include "mechanisms/tcp/scoreboard.h"

#include <gtest/gtest.h>

#include <vector>

#include "mechanisms/tcp/reassembly.h"

namespace fabric {
namespace {

uint32_t length(uint32_t segment) { return segment == 9 ? 500 : 1000; }

struct Board : Scoreboard {
  explicit Board(uint32_t sent) { nxt = sent; }
  void sackOne(uint32_t segment) { sack({segment, segment + 1}, pool, length); }
  WordPool pool;
};

TEST(Scoreboard, ThreeAboveMakeASegmentLost) {
  Board b(10);
  EXPECT_TRUE(b.quiet());
  b.sackOne(2);
  b.sackOne(5);
  EXPECT_EQ(b.firstLost(), b.nxt) << "none yet";
  EXPECT_EQ(b.firstHole(), 0u);
  EXPECT_EQ(b.pipe(9500), 7500u);
  b.sackOne(4);  // above 0 and 1 there are 2, 4 and 5; above 3 only two
  EXPECT_EQ(b.lostEdge, 2u);
  EXPECT_EQ(b.pipe(9500), 9500u - 3000 - 2000);
  EXPECT_EQ(b.firstLost(), 0u);
  b.sentAgain(0, 1000);
  EXPECT_EQ(b.firstLost(), 1u);
  EXPECT_EQ(b.pipe(9500), 5500u);
  b.sentAgain(1, 1000);
  EXPECT_EQ(b.firstLost(), b.nxt);
  EXPECT_EQ(b.firstHole(), 3u);
  EXPECT_EQ(b.lastMissing(), 9u);
  EXPECT_TRUE(b.consistent(length));
  EXPECT_FALSE(b.quiet());
}

TEST(Scoreboard, WhatIsAcknowledgedCountsNoMore) {
  Board b(10);
  for (uint32_t s : {2u, 4u, 5u}) b.sackOne(s);
  b.sentAgain(0, 1000);
  b.acknowledge(3, length);
  EXPECT_EQ(b.sackedBytes, 2000u);
  EXPECT_EQ(b.lostBytes, 0u);
  EXPECT_EQ(b.rexmitBytes, 0u);
  b.declareLost(b.nxt, length);  // a timeout
  EXPECT_EQ(b.lostBytes, 1000u + 3 * 1000 + 500);
  EXPECT_TRUE(b.consistent(length));
  b.acknowledge(10, length);
  EXPECT_TRUE(b.quiet());
  EXPECT_EQ(b.pipe(0), 0u);
}

/// A witness is a segment that was first sent after retransmissions: three SACKed from it on, and they are lost.
TEST(Scoreboard, AWitnessTellsOfLostRetransmissions) {
  Board b(10);
  for (uint32_t s : {1u, 2u, 3u}) b.sackOne(s);
  b.sentAgain(0, 1000);
  b.nxt = 6;
  b.awaitWitness();
  b.nxt = 10;
  b.sackOne(6);
  b.sackOne(7);
  EXPECT_NE(b.firstLost(), 0u);
  b.sackOne(8);
  EXPECT_EQ(b.firstLost(), 0u) << "it goes once more";
  EXPECT_EQ(b.witness, 0u);
  EXPECT_TRUE(b.consistent(length));
}

/// What was sent again after the witness is not doubted: the next witness tells of it.
TEST(Scoreboard, AWitnessSaysNothingOfLaterRetransmissions) {
  Board b(20);
  for (uint32_t s : {1u, 2u, 3u}) b.sackOne(s);
  b.sentAgain(0, 1000);
  b.awaitWitness();  // 20
  b.nxt = 21;
  for (uint32_t s : {6u, 7u, 8u}) b.sackOne(s);
  EXPECT_EQ(b.firstLost(), 4u);
  b.sentAgain(4, 1000);
  b.sentAgain(5, 1000);
  b.nxt = 30;
  for (uint32_t s : {20u, 21u, 22u}) b.sackOne(s);
  EXPECT_EQ(b.rexmitBytes, 2000u) << "4 and 5 are on their way";
  EXPECT_TRUE(b.consistent(length));
  EXPECT_EQ(b.firstLost(), 0u);
  b.sentAgain(0, 1000);
  EXPECT_EQ(b.firstLost(), 9u) << "4 and 5 are passed over";
  b.sackOne(4);
  EXPECT_EQ(b.rexmitBytes, 2000u) << "0 and 5";
  b.awaitWitness();  // 30, after 0 went the third time
  EXPECT_EQ(b.resent, 6u);
  b.nxt = 40;
  for (uint32_t s : {30u, 31u, 32u}) b.sackOne(s);
  EXPECT_EQ(b.firstLost(), 0u);
  b.sentAgain(0, 1000);
  EXPECT_EQ(b.firstLost(), 5u);
  EXPECT_TRUE(b.consistent(length));
  b.acknowledge(40, length);
  EXPECT_TRUE(b.quiet());
  EXPECT_EQ(b.pipe(0), 0u);
}

std::vector<uint32_t> blocks(const Reassembly& r) {
  TcpHeader h;
  r.report(h);
  EXPECT_EQ(h.segment, r.expected());
  std::vector<uint32_t> list;
  for (uint8_t i = 0; i < h.blocks; ++i) {
    list.push_back(h.sack[i].begin);
    list.push_back(h.sack[i].end);
  }
  return list;
}

TEST(Reassembly, TheNewestBlockComesFirst) {
  using Blocks = std::vector<uint32_t>;
  WordPool pool;
  Reassembly r;
  EXPECT_EQ(r.advance(), 1u);
  EXPECT_FALSE(r.holes());
  EXPECT_TRUE(r.add(3, pool));
  EXPECT_TRUE(r.add(6, pool));
  EXPECT_EQ(blocks(r), (Blocks{6, 7, 3, 4}));
  EXPECT_TRUE(r.add(4, pool));
  EXPECT_FALSE(r.add(4, pool));
  EXPECT_EQ(blocks(r), (Blocks{3, 5, 6, 7}));
  EXPECT_TRUE(r.add(9, pool));
  EXPECT_TRUE(r.add(11, pool));
  EXPECT_EQ(blocks(r), (Blocks{11, 12, 9, 10, 3, 5})) << "there is room for three";
  EXPECT_TRUE(r.add(5, pool));
  EXPECT_EQ(blocks(r), (Blocks{3, 7, 11, 12, 9, 10}));
  EXPECT_EQ(r.advance(), 2u);
  EXPECT_EQ(r.advance(), 7u) << "3 to 6 were waiting";
  EXPECT_EQ(blocks(r), (Blocks{11, 12, 9, 10}));
  EXPECT_TRUE(r.holes());
  r.release(pool);
}

}  // namespace
}  // namespace fabric
