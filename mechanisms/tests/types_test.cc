#include "mechanisms/core/types.h"

#include <gtest/gtest.h>

namespace fabric {

TEST(Types, TransmissionTimeRoundsToNearestTiesUp) {
  EXPECT_EQ(transmissionTime(64, Rate::Gbps(400)).ps, 1280);
  EXPECT_EQ(transmissionTime(1518, Rate::Gbps(100)).ps, 121440);
  EXPECT_EQ(transmissionTime(1, Rate{16000000000000}).ps, 1);  // 0.5 ps
  EXPECT_EQ(transmissionTime(1, Rate{3}).ps, 2666666666667);   // 2.666…e12
  EXPECT_EQ(transmissionTime(10000000000, Rate::Gbps(1)).ps, 80000000000000);
}

}  // namespace fabric
