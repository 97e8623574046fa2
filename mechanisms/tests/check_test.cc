// What is refused before a run, and what `validate` hears of it.
#include "mechanisms/runner/check.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "mechanisms/tests/net.h"

namespace fabric {

namespace {

using nlohmann::json;
using test::Chain;
using test::Config;
using test::Net;
using test::refusalOf;

/// Two hosts at a switch.
json question() {
  const auto component = [](const char* type, json params = json::object()) {
    return json{{"type", type}, {"params", std::move(params)}};
  };
  json scenario{
      {"format", "fabriclab-scenario"},
      {"version", 3},
      {"name", "t"},
      {"seed", 0},
      {"stop_ps", 1},
      {"nodes",
       {{{"id", 0}, {"name", "a"}, {"kind", "host"}},
        {{"id", 1}, {"name", "b"}, {"kind", "host"}},
        {{"id", 2}, {"name", "s"}, {"kind", "switch"}, {"hash_salt", 1}}}},
      {"links",
       {{{"id", 0}, {"a", 0}, {"a_port", 0}, {"b", 2}, {"b_port", 0}, {"rate_bps", 10000000000}, {"delay_ps", 1000}},
        {{"id", 1}, {"a", 1}, {"a_port", 0}, {"b", 2}, {"b_port", 1}, {"rate_bps", 10000000000}, {"delay_ps", 1000}}}},
      {"components",
       {{"host", component("host", {{"base_rtt", 1000000}})},
        {"switch", component("switch")},
        {"port", component("port")}}},
      {"flows_file", "flows.bin"},
      {"routes_file", "routes.bin"},
      {"trace", {{"tables", json::object()}}}};
  json flow{
      {"src", 0},       {"dst", 1},    {"size", 1000}, {"class", 1}, {"persistent", false}, {"closed_loop", false},
      {"stops", false}, {"members", 0}};
  return {{"scenario", scenario}, {"flows", {flow}}};
}

json ask(const json& q) {
  std::istringstream in(q.dump() + "\n");
  std::ostringstream out;
  answerChecks(in, out);
  return json::parse(out.str());
}

}  // namespace

TEST(Check, SaysNothingOfWhatStarts) { EXPECT_EQ(ask(question()), (json{{"problems", json::array()}})); }

TEST(Check, NamesThePlaceTheParameterAndTheFlow) {
  json q = question();
  q["scenario"]["components"]["transport"] = {{"type", "tcp"}};
  q["scenario"]["components"]["congestion_control"] = {{"type", "xcp"}};
  q["scenario"]["components"]["port_agents"] = {{{"type", "xcp_router"}}};
  q["scenario"]["components"]["host"]["params"]["ack_every"] = 4;
  q["flows"][0]["persistent"] = true;
  const json problems = ask(q)["problems"];
  ASSERT_EQ(problems.size(), 2u) << problems.dump(1);
  EXPECT_EQ(problems[0]["text"], "xcp needs an ACK for every packet, and host.ack_every is 4; set it to 1");
  EXPECT_EQ(problems[0]["nodes"], (json{0, 1}));
  EXPECT_EQ(problems[0]["places"][0],
            (json{{"node", 0}, {"key", "host"}, {"index", 0}, {"component", "host"}, {"param", "ack_every"}}));
  EXPECT_EQ(problems[1]["places"][0], (json{{"flow", 0}, {"field", "connections"}}));
}

TEST(Check, SaysWhatCannotBeBuilt) {
  json q = question();
  q["scenario"]["links"][1]["b"] = 1;
  EXPECT_NE(ask(q)["error"].get<std::string>().find("a link joins two different nodes"), std::string::npos);
}

TEST(Check, AHostHasLinksOfOneRate) {
  Net net;
  Host& h = net.host();
  net.link(h, net.sw(), Rate::Gbps(10));
  net.link(h, net.sw(), Rate::Gbps(40));
  EXPECT_EQ(refusalOf(net), "a host has links of 10Gbps and of 40Gbps; give all links of a host the same rate (h0)");
}

/// Where PFC is everywhere nothing is to be lost, and it keeps no queue from a limit of its own.
TEST(Check, AQueueWithALimitUnderPfcIsRefused) {
  Config c;
  c.queues = {"fifo", "red"};
  c.set("red.limit", int64_t{1000000});
  EXPECT_EQ(refusalOf(c),
            "red.limit is 1MB, and port.pfc is on, which keeps no queue from it: packets would be lost where none "
            "should; set red.limit to 0, or port.pfc to false (s2)");
  EXPECT_EQ(refusalOf(Config(c).set("red.limit", int64_t{1} << 40)), "") << "the buffer is full before";
  EXPECT_EQ(refusalOf(Config(c).set("port.pfc", false)), "");
  c.queues = {"fifo", "codel"};
  EXPECT_NE(refusalOf(c).find("codel drops what waits for long"), std::string::npos);
}

TEST(Check, AnRtoOfMessagesAboveItsMaximumIsRefused) {
  Config c;
  c.transport = "tcp";
  c.cc = "newreno";
  c.set("tcp.message_max_rto", int64_t{1000000});
  EXPECT_NE(refusalOf(c).find("tcp.message_max_rto is 1us, below tcp.message_min_rto, 200ms"), std::string::npos);
}

/// One message of a kind of problem, however many nodes have it.
TEST(Check, NamesThreeNodesAndCountsTheRest) {
  Config c;
  c.cc = "newreno";
  Chain net(c, 6, 1);
  EXPECT_EQ(refusalOf(net),
            "newreno needs the transport tcp or mptcp, and the transport is go_back_n (h0, h1, h2 and 4 more)");
}

}  // namespace fabric
