// Unit tests of NAME; fabriclab test runs them. mechanisms/tests/net.h has the networks.
#include "NAME.h"

#include <gtest/gtest.h>

#include "mechanisms/tests/net.h"

namespace fabric {
namespace {

TEST(CLASS, CarriesFlowsToTheirEnd) {
  test::Config c;
  c.USE;
  test::Chain net(std::move(c), 2, 2);
  net.flow(0, net.sender(0), net.receiver(), 100000);
  net.flow(1, net.sender(1), net.receiver(), 100000);
  net.finish(Time::Ms(10));
  EXPECT_EQ(net.network.total().flowsFinished, 2u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

}  // namespace
}  // namespace fabric
