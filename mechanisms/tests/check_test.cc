// What is refused before a run, and what `validate` hears of it.
#include "mechanisms/runner/check.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "mechanisms/core/report.h"
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

TEST(Check, SaysNothingOfWhatStarts) {
  EXPECT_EQ(ask(question()), (json{{"problems", json::array()}, {"warnings", json::array()}}));
}

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

/// Go takes the last line of an error for all of it.
TEST(Check, SaysAllInOneLineAndEveryNodeOnce) {
  Net net;
  for (int i = 0; i < 3; ++i) net.host();
  Report report;
  for (const uint32_t node : {2, 0, 2, 1, 0}) {
    report.at(node);
    report.refuse("a", {Spot::topology()});
    report.warn("w", {Spot::topology()});
  }
  report.refuse("b", {Spot::topology()});
  EXPECT_EQ(report.text(net.network), "a (h0, h1, h2); b (h0)");
  ASSERT_EQ(report.warnings().size(), 1u);
  EXPECT_EQ(report.warnings()[0].nodes, (std::vector<uint32_t>{0, 1, 2}));
}

TEST(Check, WarnsOfTimeoutsThatAreShort) {
  json q = question();
  q["scenario"]["components"]["host"]["params"]["retransmit_timeout"] = 1999999;
  const json said = ask(q);
  EXPECT_TRUE(said["problems"].empty()) << said.dump(1);
  ASSERT_EQ(said["warnings"].size(), 1u) << said.dump(1);
  EXPECT_EQ(said["warnings"][0]["text"],
            "host.retransmit_timeout is 1.999999us, less than twice the base RTT, 1us: an answer that waits in a queue "
            "comes after it; make it longer");
  EXPECT_EQ(said["warnings"][0]["places"][0]["param"], "retransmit_timeout");
  q["scenario"]["components"]["host"]["params"]["retransmit_timeout"] = 2000000;
  EXPECT_TRUE(ask(q)["warnings"].empty());
  // Not a time in which an answer comes.
  q["scenario"]["components"]["congestion_control"] = {{"type", "dasr"}};
  q["scenario"]["components"]["receiver_agents"] = {{{"type", "dasr_receiver"}, {"params", {{"timeout", 1000}}}}};
  EXPECT_TRUE(ask(q)["warnings"].empty()) << ask(q).dump(1);
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

/// Lengths that no queue gets to; those of all data are compared with all queues of data.
TEST(Check, AThresholdThatNoQueueReachesIsRefused) {
  Config red;
  red.queues = {"fifo", "red"};
  red.set("port.pfc", false).set("red.limit", int64_t{100000});
  EXPECT_EQ(refusalOf(Config(red).set("red.kmax", int64_t{98481})), "");
  EXPECT_EQ(refusalOf(Config(red).set("red.kmax", int64_t{98482})),
            "red.kmax is 98482B, and red.limit is 100KB: packets are dropped before a queue is so long; make it "
            "smaller, or the queue larger (s2)");
  EXPECT_EQ(
      refusalOf(Config(red).set("red.kmax", int64_t{30000}).set("red.per_rate", Rate::Gbps(25).bps)),
      "red.kmax is 30KB, which is 120KB at ports of 100Gbps, and red.limit is 100KB: packets are dropped before a "
      "queue is so long; make it smaller, or the queue larger (s2)");

  Config two = Config::rocc();
  two.queues = {"fifo", "fifo", "fifo"};
  two.set("host.classes", int64_t{3}).set("port.pfc", false).set("fifo.limit", int64_t{400000});
  EXPECT_EQ(refusalOf(two), "") << "660 KB wait in two queues";
  EXPECT_NE(refusalOf(two.set("fifo.limit", int64_t{330000})).find("the limits of its queues are 660KB in all"),
            std::string::npos);
  EXPECT_NE(refusalOf(Config::rocc().set("port.pfc", false).set("switch.buffer", int64_t{600000}))
                .find("rocc_pi.q_max is 660KB, and switch.buffer is 600KB"),
            std::string::npos);

  Config fecn;
  fecn.queues = {"fifo", "fecn_queue"};
  EXPECT_NE(refusalOf(fecn.set("fecn_queue.threshold", int64_t{40000000})).find("and switch.buffer is 32MB"),
            std::string::npos);
}

/// PFC lets a queue grow to what all other ports may hold, of whichever switch lets it grow most.
TEST(Check, AThresholdThatPfcKeepsQueuesFromIsRefused) {
  Config red;
  red.queues = {"fifo", "red"};
  const auto says = [](Config c, int64_t kmin, int switches = 1) {
    Chain net(c.set("red.kmin", kmin).set("red.kmax", int64_t{31000000}), 3, switches);
    return refusalOf(net);
  };
  // Three other ports, 500 KB each, and 42118 B of headroom.
  const int64_t most = 3 * (500000 + 37500 + 3 * 1518 + 64);
  EXPECT_EQ(says(red, most - 1518 - 1), "");
  EXPECT_EQ(says(red, most - 1518),
            "red.kmin is 1624836B, and port.pfc_xoff is 500KB: PFC pauses those who send before a queue is so long, "
            "1626354B at the most; make it smaller, or raise port.pfc_xoff (s4)");
  EXPECT_EQ(says(red, most - 2000, 2), "") << "the second switch has two ports, the first four";

  EXPECT_EQ(says(Config(red).set("port.pfc_mode", std::string("dynamic")), 9000000), "");
  EXPECT_NE(says(Config(red).set("port.pfc_mode", std::string("dynamic")), 9800000)
                .find("port.pfc_alpha is 0.125: PFC pauses"),
            std::string::npos);
  EXPECT_NE(says(Config(red).set("switch.pfc_accounting", std::string("egress")), most).find("PFC pauses"),
            std::string::npos);
  EXPECT_EQ(says(Config(red).set("port.pfc", false), most), "");
}

TEST(Check, AnXoffThatTheSharedPoolCannotHoldIsRefused) {
  const Config c = Config().set("port.pfc_xoff", int64_t{32000000});
  EXPECT_NE(refusalOf(c).find("port.pfc_xoff is 32MB, and the ports of a switch share 31831528B (switch.buffer"),
            std::string::npos)
      << refusalOf(c);
  EXPECT_EQ(refusalOf(Config(c).set("port.pfc_xoff", int64_t{30000000})), "");
  EXPECT_EQ(refusalOf(Config(c).set("port.pfc_mode", std::string("dynamic"))), "");
  EXPECT_EQ(refusalOf(Config(c).set("port.pfc", false)), "");
  // With egress accounting it is a queue's, which headroom lets grow further.
  const Config egress = Config(c).set("switch.pfc_accounting", std::string("egress"));
  EXPECT_NE(refusalOf(egress).find("and switch.buffer is 32MB, so it is never reached"), std::string::npos);
  EXPECT_EQ(refusalOf(Config(egress).set("port.pfc_xoff", int64_t{31999999})), "");
}

TEST(Check, RatesThatThresholdsScaleBetweenAreInOrder) {
  Config c;
  c.queues = {"fifo", "red"};
  c.set("red.scale_from", Rate::Gbps(40).bps);
  EXPECT_EQ(refusalOf(c), "");
  EXPECT_EQ(
      refusalOf(c.set("red.scale_to", Rate::Gbps(25).bps)),
      "red.scale_from is 40Gbps, above red.scale_to, which is 25Gbps; make it smaller, or red.scale_to larger (0: "
      "no rate is too fast) (s2)");
}

/// One message for one mistake.
TEST(Check, WhatIsMissingIsSaidOnce) {
  const auto once = [](const Config& c, const std::string& what) {
    const std::string text = refusalOf(c);
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_EQ(text.find("; ", text.find(" (")), std::string::npos) << text;
  };
  Config c;
  c.transport = "expresspass";
  c.cc = "timely";
  c.queues = c.nicQueues = {"credit_queue", "fifo"};
  once(c, "expresspass has credits that say when a packet goes");
  c = Config();
  c.transport = "pfabric";
  c.cc = "timely";
  once(c, "pfabric has a window of its own");
  c = Config();
  c.transport = "tcp";
  c.cc = "dasr";
  c.receivers = {"dasr_receiver", "cnp_generator"};
  once(c, "dasr needs the transport go_back_n");
  c = Config();
  c.cc = "hpcc";
  c.agents = {"hpcc_int"};
  c.set("host.base_rtt", int64_t{12900000});
  Chain net(c, 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 1000);
  EXPECT_EQ(refusalOf(net),
            "hpcc needs the receiver agent hpcc_echo, which is not there; add hpcc_echo to receiver_agents (h0)");
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
            "newreno needs the transport tcp or mptcp, and the transport is go_back_n; take one of these (h0, h1, h2 "
            "and 4 more)");
}

}  // namespace fabric
