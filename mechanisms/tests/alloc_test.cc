// Nothing is allocated in steady state: every call of operator new in this program is counted.
#include <gtest/gtest.h>

#include "mechanisms/tests/count_new.h"
#include "mechanisms/tests/leaf_spine.h"

namespace fabric {

using test::allocations;
using test::Chain;
using test::Config;
using test::LeafSpine;
using test::with;

struct SteadyState : testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(SteadyState, AllocatesNothing) {
  const std::string name = std::get<0>(GetParam());
  Config c = name == "hpcc"    ? Config::hpcc()
             : name == "fncc"  ? Config::fncc()
             : name == "dcqcn" ? Config::dcqcn()
             : name == "rocc"  ? Config::rocc()
                               : Config();
  // Low enough that PFC acts all the time where there is no congestion control.
  c.set("port.pfc_xoff", int64_t{50000}).set("switch.pfc_accounting", std::string(std::get<1>(GetParam())));
  Chain net(c, 6, 2);
  for (int i = 0; i < 12; ++i) net.flow(i, net.sender(i % 6), net.receiver(), 0, Time::Ns(i));
  net.run(Time::Ms(2));
  const uint64_t before = allocations;
  const uint64_t hops = net.network.total().packetHops;
  const size_t chunks = net.network.packets().chunks();
  net.engine.run(Time::Ms(3));
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(net.network.packets().chunks(), chunks);
  EXPECT_GT(net.network.total().packetHops - hops, 20000u);
  if (name == "none") {
    EXPECT_GT(net.network.total().xonSent, 100u);
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, SteadyState,
                         testing::Combine(testing::Values("none", "hpcc", "fncc", "dcqcn", "rocc"),
                                          testing::Values("ingress", "egress")));

struct SelectorSteadyState : testing::TestWithParam<const char*> {};

TEST_P(SelectorSteadyState, AllocatesNothing) {
  LeafSpine::Shape shape;
  shape.leaves = 3;
  LeafSpine net(with(Config::hpcc(), GetParam()), shape);
  for (int i = 0; i < 12; ++i) net.flow(i, net.at(i % 3, i % 2), net.at((i + 1) % 3, i / 2 % 2), 0, Time::Us(i));
  net.run(Time::Ms(3));
  const uint64_t before = allocations;
  const uint64_t hops = net.network.total().packetHops;
  net.engine.run(Time::Ms(6));
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_GT(net.network.total().packetHops - hops, 20000u);
}

INSTANTIATE_TEST_SUITE_P(All, SelectorSteadyState, testing::Values("conga", "local", "letflow", "spray", "wcmp"));

TEST(SteadyStateFlows, TheMemoryOfFinishedFlowsServesTheNext) {
  // 2000 flows, never more than a few at a time.
  Chain net(Config::hpcc(), 2, 1);
  for (int i = 0; i < 2000; ++i) net.flow(i, net.sender(i % 2), net.receiver(), 1456, Time::Us(2 * i));
  net.flowRows.rows.reserve(2001);
  net.run(Time::Ms(2));
  const uint64_t before = allocations;
  const size_t rows = net.flowRows.rows.size();
  net.engine.run(Time::Ms(3));
  // The test's own sink makes its rows; the model makes nothing.
  const size_t newRows = net.flowRows.rows.size() - rows;
  EXPECT_NEAR(static_cast<double>(newRows), 500, 2);
  EXPECT_EQ(allocations - before, newRows);
}

struct TcpSteadyState : testing::TestWithParam<std::tuple<const char*, const char*>> {};

/// A full drop-tail queue: segments are lost, SACKed and sent again all the time.
TEST_P(TcpSteadyState, AllocatesNothing) {
  Config c;
  c.transport = std::get<0>(GetParam());
  c.cc = std::get<1>(GetParam());
  c.queues = {c.cc == "dctcp" ? "red" : "fifo"};
  c.set("host.classes", int64_t{1}).set("port.pfc", false).set("fifo.limit", int64_t{100000});
  c.set("red.kmin", int64_t{30000}).set("red.kmax", int64_t{30000}).set("red.limit", int64_t{40000});
  c.set(c.transport + ".min_rto", Time::Ms(1).ps).set(c.transport + ".initial_rto", Time::Ms(1).ps);
  c.set("host.ack_every", int64_t{2}).set(c.transport + ".ack_delay", Time::Us(100).ps);
  Chain net(c, 6, 2, Rate::Gbps(10));
  for (uint32_t i = 0; i < 12; ++i) {
    FlowSpec f;
    f.id = i;
    f.src = net.sender(static_cast<int>(i % 6)).id();
    f.dst = net.receiver().id();
    f.start = Time::Ns(i);
    f.srcPort = static_cast<uint16_t>(1000 + 100 * i);
    f.cls = 0;
    net.flow(f);
  }
  net.run(Time::Ms(60));
  const uint64_t before = allocations;
  const Network::Counters then = net.network.total();
  net.engine.run(Time::Ms(90));
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_GT(net.network.total().packetHops - then.packetHops, 60000u);
  EXPECT_GT(net.network.total().drops, 50u);
  if (c.cc != "dctcp") {
    EXPECT_GT(net.network.total().retransmittedBytes, then.retransmittedBytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Controls, TcpSteadyState,
                         testing::Values(std::make_tuple("tcp", "newreno"), std::make_tuple("tcp", "cubic"),
                                         std::make_tuple("tcp", "dctcp"), std::make_tuple("mptcp", "lia")));

}  // namespace fabric
