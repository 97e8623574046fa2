// Routes that nobody has written: every shortest path, and no others.
#include "mechanisms/core/shortest_paths.h"

#include <gtest/gtest.h>

#include "mechanisms/tests/net.h"

namespace fabric {
namespace {

using test::Config;
using test::Net;

using Ports = std::vector<uint16_t>;

/// Takes the first of the next hops and keeps what it was offered.
class Offered final : public PathSelector {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<Offered>("offered", Kind::PathSelector, "offered").help("For tests.").source("test").done();
    return d;
  }
  const Description& description() const override { return describe(); }
  uint16_t select(Packet& packet, NextHops hops) override {
    byHost[packet.dst] = Ports(hops.ports, hops.ports + hops.count);
    return hops.ports[0];
  }
  std::map<uint32_t, Ports> byHost;
};
FABRIC_REGISTER(Offered);

struct Ladder : Net {
  Ladder() : Net(config()) {
    host(), host(), host();
    for (int i = 0; i < 6; ++i) sw();
    at(0, a());  // port 0 of s0
    join(0, 4);  // 1: three links further
    join(0, 2);  // 2
    join(0, 1);  // 3
    join(0, 1);  // 4: the same neighbour once more
    join(4, 5);
    join(5, 3);
    join(2, 3);
    join(1, 3);
    at(3, b());
    at(3, c());
  }
  static Config config() {
    Config c;
    c.selector = "offered";
    return c;
  }
  void at(int s, Host& h) { link(h, *switches[s]); }
  void join(int s, int t) { link(*switches[s], *switches[t]); }
  Host& a() { return *hosts[0]; }
  Host& b() { return *hosts[1]; }
  Host& c() { return *hosts[2]; }
  Ports offered(int s, const Host& to) { return static_cast<Offered&>(switches[s]->pathSelector()).byHost[to.id()]; }
  int64_t sent(int s, int port) { return switches[s]->port(static_cast<uint16_t>(port)).sentDataBytes(); }
};

TEST(ShortestPaths, AllOfThemInTheOrderOfPorts) {
  Ladder net;
  net.flow(1, net.a(), net.b(), 100000);
  net.flow(2, net.b(), net.a(), 100000);
  net.finish(Time::Ms(1));
  EXPECT_EQ(net.offered(0, net.b()), (Ports{2, 3, 4}));
  EXPECT_EQ(net.offered(3, net.a()), (Ports{1, 2}));
  EXPECT_GT(net.sent(0, 2), 0);
  EXPECT_EQ(net.sent(0, 1), 0) << "a longer way";
  EXPECT_EQ(net.delivered(1), 100000);
  EXPECT_EQ(net.delivered(2), 100000);
}

/// Two hosts at one switch, and one that no switch leads to: what is for it is lost where it begins.
TEST(ShortestPaths, NeighboursAndIslands) {
  Ladder net;
  Host& far = net.host();
  net.link(far, net.sw());
  net.flow(1, net.b(), net.c(), 100000);
  net.flow(2, net.a(), far, 100000);
  net.run(Time::Ms(1));
  net.network.finish();
  EXPECT_EQ(net.delivered(1), 100000);
  EXPECT_EQ(net.sent(3, 1) + net.sent(3, 2), 0);
  EXPECT_EQ(net.delivered(2), 0);
  EXPECT_EQ(net.sent(0, 1) + net.sent(0, 2) + net.sent(0, 3) + net.sent(0, 4), 0);
  EXPECT_GT(net.network.total().drops, 0u);
}

}  // namespace
}  // namespace fabric
