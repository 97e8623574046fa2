// ECMP: the hash, its spread, and symmetric paths.
#include "mechanisms/ecmp/ecmp.h"

#include <gtest/gtest.h>

#include "mechanisms/core/random.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::FatTree;

TEST(Ecmp, FixedHashes) {
  // The harness computes paths with the same function and checks the same numbers.
  Config c;
  FatTree net(c);
  FlowSpec f;
  f.src = 0;
  f.dst = 2;
  f.srcPort = 49152;
  f.dstPort = 4791;
  net.flow(f);
  FlowSpec back = f;
  std::swap(back.src, back.dst);
  std::swap(back.srcPort, back.dstPort);
  back.id = 1;
  net.flow(back);
  net.run({});
  const Flow& there = net.active(*net.hosts[0], 0);
  EXPECT_EQ(there.symmetricHash, 0x2aceb12054aaa843u);
  EXPECT_EQ(there.hash, 0xb58169b79cd75fc0u);
  EXPECT_NE(there.reverseHash, there.hash);
  const Flow& other = net.active(*net.hosts[2], 1);
  EXPECT_EQ(other.symmetricHash, there.symmetricHash);
  EXPECT_EQ(other.hash, there.reverseHash);
  EXPECT_EQ(other.reverseHash, there.hash);

  EXPECT_EQ(Ecmp::choice(there.symmetricHash, 0, 1000), 883);
  EXPECT_EQ(Ecmp::choice(there.symmetricHash, 1, 1000), 773);
  EXPECT_EQ(Ecmp::choice(there.symmetricHash, 2, 1000), 879);
}

TEST(Ecmp, ChoicesAreEvenAndIndependentBetweenTiers) {
  int seen[4][4] = {};
  for (uint64_t i = 0; i < 40000; ++i) {
    const uint64_t hash = mix64(i * kGolden);
    ++seen[Ecmp::choice(hash, 0, 4)][Ecmp::choice(hash, 1, 4)];
  }
  for (const auto& row : seen) {
    for (const int n : row) EXPECT_NEAR(n, 2500, 4 * 48.4);  // four standard deviations
  }
  for (uint64_t i = 0; i < 1000; ++i) EXPECT_LT(Ecmp::choice(mix64(i), 5, 3), 3);
}

/// The ports by which the data of a flow of one byte leaves, hop by hop, and the peers of those by which
/// its ACK does, backwards.
std::pair<std::vector<const Port*>, std::vector<const Port*>> walk(FatTree& net, FlowSpec f) {
  f.size = 1;
  net.engine.sends.clear();
  net.engine.recordSends = true;
  net.network.host(f.src).startFlow(f, net.network.host(f.dst));
  net.run(net.engine.now() + Time::Us(100));
  std::vector<const Port*> there, back;
  for (const auto& s : net.engine.sends) {
    if (s.kind == PacketKind::Data) there.push_back(s.from);
    if (s.kind == PacketKind::Ack) back.push_back(net.peer.at(const_cast<Port*>(s.from)));
  }
  std::reverse(back.begin(), back.end());
  return {there, back};
}

TEST(Ecmp, AcksTakeTheDataPathBackwards) {
  FatTree net((Config()));
  net.start();
  FlowSpec f;
  f.dstPort = 4791;
  for (uint32_t i = 0; i < 200; ++i) {
    f.id = i;
    f.src = i % 16;
    f.dst = (i * 5 + 3 + i / 16) % 16;
    if (f.src == f.dst) continue;
    f.srcPort = static_cast<uint16_t>(10000 + i);
    const auto [there, back] = walk(net, f);
    EXPECT_EQ(there, back) << f.src << " to " << f.dst;
    EXPECT_GE(there.size(), 2u);
  }
}

TEST(Ecmp, PlainHashingLeavesThePathForTheWayBack) {
  FatTree net(Config().set("ecmp.symmetric", false));
  net.start();
  FlowSpec f;
  f.dstPort = 4791;
  int other = 0;
  for (uint32_t i = 0; i < 100; ++i) {
    f.id = i;
    f.src = 0;
    f.dst = 15;
    f.srcPort = static_cast<uint16_t>(10000 + i);
    const auto [there, back] = walk(net, f);
    other += there != back;
  }
  EXPECT_NEAR(other, 75, 15);  // four paths, chosen apart
}

/// Another salt is another draw of the paths, and ACKs still go the data's way back.
TEST(Ecmp, ASaltDrawsThePathsAnew) {
  std::vector<std::vector<uint32_t>> paths;  // of salt 0
  for (const int64_t salt : {0, 1, 2}) {
    FatTree net(Config().set("ecmp.salt", salt));
    net.start();
    int others = 0;
    FlowSpec f;
    f.dstPort = 4791;
    f.dst = 15;
    for (uint32_t i = 0; i < 200; ++i) {
      f.id = i;
      f.srcPort = static_cast<uint16_t>(10000 + i);
      const auto [there, back] = walk(net, f);
      EXPECT_EQ(there, back);
      std::vector<uint32_t> nodes;
      for (const Port* p : there) nodes.push_back(p->node().id());
      if (salt == 0) paths.push_back(nodes);
      others += nodes != paths[i];
    }
    if (salt > 0) {
      EXPECT_NEAR(others, 150, 25) << "one of four paths, drawn anew";
    }
  }
}

}  // namespace fabric
