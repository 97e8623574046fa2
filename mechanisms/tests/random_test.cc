// Random streams. The Go side checks the same vectors: both must stay as they are.
#include "mechanisms/core/random.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace fabric {

TEST(Random, MixIsSplitMix64) {
  // The first values of SplitMix64 seeded with 1234567, as its authors publish them.
  uint64_t x = 1234567;
  for (const uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                  4593380528125082431u, 16408922859458223821u}) {
    EXPECT_EQ(mix64(x += kGolden), expected);
  }
}

TEST(Random, NamesAreHashedWithFnv1a) {
  EXPECT_EQ(hashName(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hashName("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hashName("foobar"), 0x85944171f73967e8u);
}

TEST(Random, FixedVectors) {
  struct Vector {
    uint64_t seed;
    const char* name;
    uint64_t index;
    std::array<uint64_t, 4> values;
  };
  const Vector vectors[] = {
      {1, "red", 0, {0xb09f44714cf2714e, 0x3104f5b023c3fc07, 0x3e1692a8909bb32b, 0xdd60977c2e8bc417}},
      {1, "red", 7, {0x1d89940d53d57681, 0xe83d14571ff61caf, 0x05b1e6c789dcb74a, 0xe4900f377aaf289b}},
      {42, "arrivals", 0, {0x319febf0583fd234, 0x4a09e17262559a63, 0x2f791bb0dcdb5a79, 0xa8332b5e718a638c}},
      {~uint64_t{0}, "", 0, {0xc62d010004f7d387, 0xd61abaf08229e5bb, 0x09b3fa8c48b68482, 0xf949b25c23928bbb}},
  };
  for (const Vector& v : vectors) {
    RandomStream s(v.seed, v.name, v.index);
    for (const uint64_t expected : v.values) EXPECT_EQ(s.next(), expected) << v.name << v.index;
  }
}

TEST(Random, UniformAndBelow) {
  RandomStream u(1, "uniform");
  EXPECT_EQ(u.uniform(), 0.9953822406304074);
  EXPECT_EQ(u.uniform(), 0.9015962755670929);
  EXPECT_EQ(u.uniform(), 0.6387133648360825);

  RandomStream b(1, "below");
  for (const uint32_t expected : {6u, 7u, 3u, 8u, 5u, 4u, 1u, 3u, 1u, 2u, 7u, 1u}) EXPECT_EQ(b.below(10), expected);

  std::vector<int> seen(10);
  for (int i = 0; i < 100000; ++i) ++seen[b.below(10)];
  for (const int n : seen) EXPECT_NEAR(n, 10000, 400);  // four standard deviations
}

TEST(Random, StreamsDifferBySeedNameAndIndex) {
  const uint64_t first = RandomStream(1, "red", 0).next();
  EXPECT_NE(first, RandomStream(2, "red", 0).next());
  EXPECT_NE(first, RandomStream(1, "rec", 0).next());
  EXPECT_NE(first, RandomStream(1, "red", 1).next());
  EXPECT_EQ(first, RandomStream(1, "red", 0).next());
}

}  // namespace fabric
