// The programs as a user runs them.
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>

#include "helpers.h"
#include "mechanisms/core/tables.h"
#include "omnet-modules/src/names.h"
#include "tables.h"

namespace fabriclab::test {
namespace {

const std::string kSource = FABRIC_OMNET_SOURCE;
const std::string kDumbbell = kSource + "/simulations/dumbbell";

std::string quotedArg(const std::string& parameter, const std::string& value) {
  return "--" + parameter + "=\"" + value + "\"";
}

/// Runs simulations/dumbbell as a person would, with `more` on the command line.
Result byHand(const Folder& folder, const std::string& config, std::vector<std::string> more = {}) {
  std::vector<std::string> command{FABRIC_OMNET,
                                   "-u",
                                   "Cmdenv",
                                   "-f",
                                   kDumbbell + "/omnetpp.ini",
                                   "-c",
                                   config,
                                   "--**.statistic-recording=false",
                                   "--result-dir=" + folder.path(),
                                   quotedArg("*.fabric.traceFile", folder / "hand.trc")};
  command.insert(command.end(), more.begin(), more.end());
  return run(command);
}

/// The same network with the tests' own modules in it, from a shared library.
Result probed(const Folder& folder, const std::string& config, std::vector<std::string> more) {
  more.insert(more.end(), {"-l", FABRIC_OMNET_PROBE, "-n", kSource + "/tests/ned", "--network=ProbedDumbbell"});
  std::vector<std::string> command{FABRIC_OMNET,
                                   "-u",
                                   "Cmdenv",
                                   "-f",
                                   kDumbbell + "/omnetpp.ini",
                                   "-c",
                                   config,
                                   "--**.statistic-recording=false",
                                   "--result-dir=" + folder.path(),
                                   quotedArg("*.fabric.traceFile", folder / "probed.trc")};
  command.insert(command.end(), more.begin(), more.end());
  return run(command);
}

std::vector<std::string> change(const std::string& target, const std::string& parameter, const std::string& value) {
  return {quotedArg("*.changer.target", target), quotedArg("*.changer.parameter", parameter),
          quotedArg("*.changer.value", value), "--*.changer.at=400us"};
}

Result runScenario(const Folder& folder, const char* program = FABRIC_OMNET) {
  return run({program, "--scenario", folder / "scenario.json", "--trace", folder / "run.trc", "--summary",
              folder / "summary.json", "--progress-ms", "1000"});
}

TEST(Run, ByHandGivesTheBytesOfTheScenario) {
  const char* systems[][4] = {{"Fncc", "fncc", "fncc_int", "fncc_receiver"}, {"Hpcc", "hpcc", "hpcc_int", "hpcc_echo"}};
  for (const auto& [config, cc, agent, receiver] : systems) {
    const Folder folder;
    writeDumbbell(folder, cc, agent, receiver);
    const Result scenario = runScenario(folder);
    ASSERT_EQ(scenario.code, 0) << scenario.err;
    const Result hand = byHand(folder, config);
    ASSERT_EQ(hand.code, 0) << hand.err;
    EXPECT_EQ(read(folder / "run.trc"), read(folder / "hand.trc")) << config;
  }
}

/// Modules of one name are told apart by their paths: two nodes of one name are refused.
TEST(Run, NodesGoByTheirPathsBelowTheNetwork) {
  Folder folder;
  std::ofstream(folder / "omnetpp.ini") << "[General]\nnetwork = Racks\nsim-time-limit = 1ms\nsimtime-resolution = ps\n"
                                        << "futureeventset-class = \"fabriclab::FabricEventSet\"\n";
  const Result result = run({FABRIC_OMNET, "-u", "Cmdenv", "-f", folder / "omnetpp.ini", "-n", kSource + "/tests/racks",
                             "--**.statistic-recording=false", "--result-dir=" + folder.path(),
                             quotedArg("*.fabric.summaryFile", folder / "summary.json")});
  EXPECT_EQ(result.code, 0) << result.lastError();
  const auto summary = nlohmann::json::parse(read(folder / "summary.json"));
  EXPECT_EQ(summary["flows"]["finished"], 1) << summary.dump(1);
}

/// The event log, from which sequence charts are drawn, has frames as messages that travel, with the
/// link's delay and their transmission time, and changes nothing.
TEST(Run, EventLogsShowFramesOnTheirWay) {
  const Folder folder, plain;
  const Result logged = byHand(
      folder, "Hpcc", {"--record-eventlog=true", "--eventlog-file=" + (folder / "run.elog"), "--sim-time-limit=20us"});
  ASSERT_EQ(logged.code, 0) << logged.err;
  ASSERT_EQ(byHand(plain, "Hpcc", {"--sim-time-limit=20us"}).code, 0);
  EXPECT_EQ(read(folder / "hand.trc"), read(plain / "hand.trc"));
  const std::string log = read(folder / "run.elog");
  for (const char* sign : {" c fabriclab::FabricFrame n data ", " c fabriclab::FabricFrame n ack ",
                           " c fabriclab::FabricTimer n sample ", " pd 0.0000015 td 0.0000001216 "}) {
    EXPECT_NE(log.find(sign), std::string::npos) << sign;
  }
}

/// A link has the signals and statistics of a datarate channel, and they change nothing.
TEST(Run, LinksShowWhatTheyCarry) {
  const Folder folder, plain;
  const Result heard = byHand(folder, "Hpcc",
                              {"--**.statistic-recording=true", "--**.scalar-recording=true",
                               "--**.channel.*.result-recording-modes=all", "--sim-time-limit=50us"});
  ASSERT_EQ(heard.code, 0) << heard.err;
  ASSERT_EQ(byHand(plain, "Hpcc", {"--sim-time-limit=50us"}).code, 0);
  EXPECT_EQ(read(folder / "hand.trc"), read(plain / "hand.trc"));
  const std::string scalars = read(folder / "Hpcc-#0.sca");
  EXPECT_NE(scalars.find("Dumbbell.sender0.link$o[0].channel packets:count"), std::string::npos) << scalars;
}

TEST(Run, TheSameBytesEveryTime) {
  const Folder a, b;
  for (const Folder* f : {&a, &b}) {
    writeDumbbell(*f, "hpcc", "hpcc_int", "hpcc_echo");
    ASSERT_EQ(runScenario(*f).code, 0);
  }
  EXPECT_EQ(read(a / "run.trc"), read(b / "run.trc"));
}

TEST(Run, StandardOutputIsJsonLinesAndNothingElseIsWritten) {
  const Folder folder;
  writeDumbbell(folder, "hpcc", "hpcc_int", "hpcc_echo");
  const Result r = runScenario(folder);
  std::istringstream lines(r.out);
  std::string line, first, last;
  while (std::getline(lines, line)) {
    const auto event = nlohmann::json::parse(line);
    if (first.empty()) first = event["event"];
    last = event["event"];
  }
  EXPECT_EQ(first, "start");
  EXPECT_EQ(last, "end");
  const auto summary = nlohmann::json::parse(read(folder / "summary.json"));
  EXPECT_EQ(summary["status"], "ok");
  EXPECT_EQ(summary["sim_ps"], 700000000);
  std::vector<std::string> files;
  for (const auto& f : std::filesystem::directory_iterator(folder.path())) files.push_back(f.path().filename());
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, (std::vector<std::string>{"flows.bin", "network.ned", "omnetpp.ini", "routes.bin", "run.trc",
                                             "scenario.json", "summary.json"}));
}

TEST(Run, GeneratedFilesRunByHand) {
  const Folder folder;
  writeDumbbell(folder, "hpcc", "hpcc_int", "hpcc_echo");
  ASSERT_EQ(runScenario(folder).code, 0);
  const Result hand = run({FABRIC_OMNET, "-u", "Cmdenv", "-n", folder.path(), "-f", folder / "omnetpp.ini",
                           quotedArg("*.fabric.traceFile", folder / "hand.trc")});
  ASSERT_EQ(hand.code, 0) << hand.err;
  EXPECT_EQ(read(folder / "run.trc"), read(folder / "hand.trc"));
}

TEST(Run, ResultsOnRequest) {
  const Folder folder;
  writeDumbbell(folder, "hpcc", "hpcc_int", "hpcc_echo");
  const Result r = run({FABRIC_OMNET, "--scenario", folder / "scenario.json", "--omnet-results", folder / "results"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(read(folder / "results/General-#0.sca").find("queuesMaxBytes"), std::string::npos);
  EXPECT_NE(read(folder / "results/General-#0.vec").find("queuesBytes"), std::string::npos);
}

TEST(Run, RefusesWhatWouldBeWrongInSilence) {
  const Folder folder;
  Result r = byHand(folder, "Hpcc", {"--simtime-resolution=ns"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.lastError().find("simtime-resolution = ps"), std::string::npos) << r.err;
  r = byHand(folder, "Hpcc", {"--futureeventset-class=omnetpp::cEventHeap"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.lastError().find("futureeventset-class = \"fabriclab::FabricEventSet\""), std::string::npos) << r.err;
}

TEST(Run, RefusesBadInputWithItsReasonLast) {
  const Folder folder;
  Result r = byHand(folder, "Hpcc", {"--*.fabric.flows=[{src: \"sender9\", dst: \"receiver0\", size: 0B, start: 0s}]"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.lastError().find("sender9"), std::string::npos) << r.err;
  r = byHand(folder, "Hpcc", {"--*.fabric.tables={queue: {}}"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.lastError().find("'queue' is not known; there are flows, queues"), std::string::npos) << r.err;
  r = byHand(folder, "Hpcc", {"--**.congestionControl.eta=7"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.lastError().find("hpcc.eta"), std::string::npos) << r.err;

  writeDumbbell(folder, "hpcc", "hpcc_int", "hpcc_echo", [](nlohmann::json& s) { s["nodez"] = 1; });
  r = runScenario(folder);
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.lastError().find("nodez"), std::string::npos) << r.err;
}

TEST(Run, MeasuresWhatABareEventCosts) {
  for (const char* kind : {"event", "stock", "gates"}) {
    const Result r = run({FABRIC_OMNET, "--kernel", kind});
    ASSERT_EQ(r.code, 0) << r.err;
    const auto cost = nlohmann::json::parse(r.out);
    EXPECT_EQ(cost["events"], 2000000) << kind;
    EXPECT_GT(cost["cpu_s"], 0) << kind;
  }
  const Result r = run({FABRIC_OMNET, "--kernel", "all"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("event, stock, gates"), std::string::npos) << r.err;
}

TEST(Run, FailedCheckIsExitCode3) {
  const Folder folder;
  // No room for what arrives after XOFF: packets are lost although PFC is on.
  writeDumbbell(folder, "none", "hpcc_int", "hpcc_echo", [](nlohmann::json& s) {
    s["components"]["port_agents"] = nlohmann::json::array();
    s["components"]["receiver_agents"] = nlohmann::json::array();
    s["components"]["port"]["params"] = {{"headroom", 1}, {"pfc_xoff", 10000}};
    s["components"]["switch"]["params"] = {{"buffer", 20000}};
  });
  const Result r = runScenario(folder);
  EXPECT_EQ(r.code, 3) << r.err;
  EXPECT_EQ(nlohmann::json::parse(read(folder / "summary.json"))["status"], "check-failed");
}

TEST(Parameters, ALiveOneTakesEffect) {
  const Folder folder;
  ASSERT_EQ(probed(folder, "Hpcc", {}).code, 0);
  const std::string before = read(folder / "probed.trc");
  const Result r = probed(folder, "Hpcc", change("sender0.congestionControl", "eta", "0.5"));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(read(folder / "probed.trc"), before);
  // Until then nothing is different.
  const auto rates = readTrace(folder / "probed.trc").at("rates");
  const auto same = [&] {
    std::ofstream(folder / "before.trc", std::ios::binary) << before;
    return readTrace(folder / "before.trc").at("rates");
  }();
  size_t rows = 0;
  while (rates.at("time_ps")[rows] < 400000000) ++rows;
  for (size_t i = 0; i < rows; ++i) ASSERT_EQ(rates.at("rate_bps")[i], same.at("rate_bps")[i]);
}

TEST(Parameters, OthersAreRefusedByName) {
  const char* others[][3] = {{"s1.port[2]", "pfc", "false"},
                             {"sender0", "mtu", "1000B"},
                             {"s1", "buffer", "1000B"},
                             {"s1.port[2].portAgent[0]", "recordBytes", "16B"}};
  for (const auto& [module, parameter, value] : others) {
    const Folder folder;
    for (const char* check : {"true", "false"}) {  // the kernel's own check of @mutable, and ours behind it
      auto more = change(module, parameter, value);
      more.push_back(std::string("--parameter-mutability-check=") + check);
      const Result r = probed(folder, "Hpcc", more);
      EXPECT_NE(r.code, 0);
      EXPECT_NE(r.err.find(parameter), std::string::npos) << r.err;
    }
  }
}

TEST(Parameters, LinksStayAsTheyAre) {
  for (const auto& [parameter, value] : {std::pair{"datarate", "10Gbps"}, {"delay", "1us"}, {"per", "0.5"}}) {
    const Folder folder;
    auto more = change("sender0", parameter, value);
    more.push_back(quotedArg("*.changer.gate", "link$o"));
    const Result r = probed(folder, "Hpcc", more);
    EXPECT_NE(r.code, 0);
    EXPECT_NE(r.err.find(std::string(parameter) + " cannot change during a run"), std::string::npos) << r.err;
  }
}

TEST(Parameters, ALiveOneOutOfRangeIsRefusedByName) {
  const Folder folder;
  const Result r = probed(folder, "Hpcc", change("sender0.congestionControl", "eta", "-1"));
  EXPECT_NE(r.code, 0);
  EXPECT_NE(r.err.find("hpcc.eta: -1"), std::string::npos) << r.err;
}

/// A signal as it was heard at the top of the network.
struct Heard {
  int64_t at, value;
  std::string source;
};
using Signals = std::map<std::string, std::vector<Heard>>;

/// Runs the dumbbell with these tables; what was heard of each signal.
Signals hear(const Folder& folder, const std::string& config, const std::string& tables,
             std::vector<std::string> more) {
  more.push_back(quotedArg("*.recorder.file", folder / "signals.txt"));
  more.push_back("--*.fabric.tables={" + tables + "}");
  const Result r = probed(folder, config, more);
  EXPECT_EQ(r.code, 0) << r.err;
  Signals signals;
  std::ifstream in(folder / "signals.txt");
  std::string table, signal;
  Heard h;
  while (in >> table >> signal >> h.at >> h.value >> h.source) signals[signal].push_back(h);
  return signals;
}

/// The module that shows row number `i` of a table. `maker` is the submodule of the node or, for port agents and
/// queues, of the port whose own table it is; empty for standard tables.
std::string sourceOf(const Table& rows, size_t i, const std::string& maker) {
  static const char* names[] = {"sender0", "sender1", "receiver0", "s1", "s2", "s3"};
  const bool ofPort = maker.find("portAgent") == 0 || maker.find("queue") == 0;
  const auto has = [&](const char* column) { return rows.count(column) != 0; };
  const auto node = static_cast<size_t>(rows.at(has("node") ? "node" : has("src") ? "src" : "flow")[i]);
  std::string source = std::string("ProbedDumbbell.") + names[node];  // flow 0 starts at node 0, flow 1 at node 1
  if (!maker.empty() && !ofPort) return source + "." + maker;
  if (has("port")) source += (node < 3 ? ".nic[" : ".port[") + std::to_string(rows.at("port")[i]) + "]";
  if (!maker.empty()) return source + "." + maker;
  if (has("port") && has("class")) source += ".queue[" + std::to_string(rows.at("class")[i]) + "]";
  return source;
}

/// The signals of a table are its columns in the trace stream; how many there are.
size_t expectColumns(const fabric::TableDesc& desc, const Table& rows, Signals& heard, const std::string& maker = "") {
  size_t signals = 0;
  for (const fabric::Column& column : desc.columns) {
    if (isPlace(column)) continue;
    ++signals;
    const std::string name = signalName(desc, column);
    const std::vector<Heard>& series = heard[name];
    const std::vector<int64_t>& values = rows.at(column.name);
    EXPECT_EQ(series.size(), values.size()) << name;
    for (size_t i = 0; i < std::min(series.size(), values.size()); ++i) {
      EXPECT_EQ(series[i].value, values[i]) << name << " row " << i;
      EXPECT_EQ(series[i].source, sourceOf(rows, i, maker)) << name << " row " << i;
      // A flowlet is shown when it is over; its time is when it began.
      if (desc.name != "flowlets" && rows.count("time_ps") != 0) {
        EXPECT_EQ(series[i].at, rows.at("time_ps")[i]) << name << " row " << i;
      }
      if (::testing::Test::HasFailure()) return signals;
    }
  }
  return signals;
}

TEST(Signals, ShowTheSeriesOfTheTraceStream) {
  const Folder folder;
  Signals heard =
      hear(folder, "Hpcc",
           "flows: {}, queues: {interval: 1us}, links: {interval: 1us}, rates: {interval: 1us}, pauses: {}, drops: {}, "
           "packets: {from: 300us, to: 320us}",
           {"--sim-time-limit=420us", "--**.pfcXoff=20000B"});
  const auto tables = readTrace(folder / "probed.trc");
  size_t signals = 0;
  for (const fabric::TableDesc& desc : fabric::standardTables()) {
    if (tables.count(desc.name) != 0) signals += expectColumns(desc, tables.at(desc.name), heard);
  }
  EXPECT_GT(signals, 20u);
  EXPECT_FALSE(heard["pausesXoff"].empty());
  EXPECT_FALSE(heard["packetsSeq"].empty());
  ASSERT_EQ(heard["flowStarted"].size(), 2u);
  EXPECT_EQ(heard["flowStarted"][1].value, 1);
  EXPECT_EQ(heard["flowStarted"][1].at, 300000000);
  EXPECT_EQ(heard["flowStarted"][1].source, "ProbedDumbbell.sender1");
}

TEST(Signals, OfMechanismsShowTheirTables) {
  struct System {
    const char* config;
    std::map<std::string, std::string> tables;  // and where the mechanism stands whose own they are
    std::vector<std::string> more;
  };
  const auto type = [](const char* place, const char* name) {
    return quotedArg(std::string("**.") + place + ".typename", name);
  };
  const System systems[] = {
      {"Hpcc", {{"hpcc", "congestionControl"}}, {}},
      {"Fncc", {{"fncc", "congestionControl"}}, {}},
      {"Hpcc",
       {{"rocc_pi", "portAgent[0]"}},
       {type("congestionControl", "Rocc"), type("portAgent[0]", "RoccPi"), "--*.*.numReceiverAgents=0"}},
      {"Hpcc",
       {{"conga", "pathSelector"}, {"flowlets", "pathSelector"}},
       {type("pathSelector", "Conga"), type("portAgent[1]", "Dre"), "--**.port[*].numPortAgents=2"}},
      {"Hpcc",
       {{"num_flows", "congestionControl"}, {"prices", "portAgent[0]"}},
       {type("congestionControl", "Numfabric"), type("receiverAgent[0]", "NumEcho"), type("portAgent[0]", "Xwi"),
        type("utility", "AlphaFair"), type("port[*].queue[1]", "Stfq")}},
      {"Hpcc",
       {{"marks", "queue[1]"}},
       {type("congestionControl", "Dcqcn"), type("receiverAgent[0]", "CnpGenerator"), type("port[*].queue[1]", "Red"),
        "--**.port[*].numPortAgents=0"}},
      {"Hpcc",
       {{"dasr", "receiverAgent[0]"}},
       {type("congestionControl", "Dasr"), type("receiverAgent[0]", "DasrReceiver"),
        type("receiverAgent[1]", "CnpGenerator"), "--*.*.numReceiverAgents=2", type("port[*].queue[1]", "Red"),
        "--**.port[*].numPortAgents=0"}},
  };
  // What this dumbbell does not have: a second way to deflect to, an allocator's host, a flow that ends before the run.
  const std::set<std::string> elsewhere{"deflections", "flowtune_allocator", "flowtune_traffic", "marked_flows",
                                        "message_paths"};
  std::set<std::string> left;
  for (const fabric::TableDesc* t : allTables()) left.insert(t->name);
  for (const fabric::TableDesc& t : fabric::standardTables()) left.erase(t.name);
  for (const System& system : systems) {
    const Folder folder;
    std::string wanted;
    for (const auto& [table, maker] : system.tables) wanted += (wanted.empty() ? "" : ", ") + table + ": {}";
    Signals heard = hear(folder, system.config, wanted, system.more);
    const auto tables = readTrace(folder / "probed.trc");
    for (const fabric::TableDesc* desc : allTables()) {
      const auto table = system.tables.find(desc->name);
      if (table == system.tables.end()) continue;
      ASSERT_EQ(tables.count(desc->name), 1u) << desc->name << " has no rows";
      EXPECT_GT(expectColumns(*desc, tables.at(desc->name), heard, table->second), 0u);
      left.erase(desc->name);
    }
  }
  EXPECT_EQ(left, elsewhere) << "the signals of these tables were not heard; add a system that has them";
}

/// The statistics of a mechanism's own table are where the mechanism is, and nowhere else.
TEST(Statistics, StandWhereTheirMechanismStands) {
  const Folder folder;
  const Result r =
      byHand(folder, "Hpcc",
             {"--*.fabric.tables={flows: {}, queues: {}, links: {}, rates: {}, hpcc: {}}",
              "--**.statistic-recording=true", "--**.result-recording-modes=default", "--sim-time-limit=50us",
              "--*.fabric.flows=[{src: \"sender0\", dst: \"receiver0\", size: 0B, start: 0s}]"});
  ASSERT_EQ(r.code, 0) << r.err;
  std::istringstream lines(read(folder / "Hpcc-#0.sca"));
  std::set<std::string> without, hpcc;
  std::string word, module, name, value;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    if (!(words >> word >> module >> name >> value) || word != "scalar") continue;
    const auto of = [&](const char* table) { return name.compare(0, std::string(table).size(), table) == 0; };
    if ((value == "nan" || value == "-nan") && (of("queues") || of("links") || of("rates"))) without.insert(module);
    for (const char* other : {"fncc", "roccPi", "conga", "flowlets"}) EXPECT_FALSE(of(other)) << line;
    if (of("hpcc")) hpcc.insert(module);
  }
  EXPECT_EQ(hpcc, (std::set<std::string>{"Dumbbell.sender0.congestionControl", "Dumbbell.sender1.congestionControl",
                                         "Dumbbell.receiver0.congestionControl"}));
  // A sampled table that is on has a last value where there are samples: ports of hosts have none unless they are asked
  // for, and hosts without a flow have no rate.
  for (const std::string& m : without) {
    EXPECT_TRUE(m.find(".nic[0]") != std::string::npos || m == "Dumbbell.sender1" || m == "Dumbbell.receiver0") << m;
  }
}

#ifdef FABRIC_NS3
TEST(Parity, TheBytesOfNs3) {
  const char* systems[][3] = {{"fncc", "fncc_int", "fncc_receiver"}, {"hpcc", "hpcc_int", "hpcc_echo"}};
  for (const auto& [cc, agent, receiver] : systems) {
    const Folder omnet, ns3;
    for (const Folder* f : {&omnet, &ns3}) writeDumbbell(*f, cc, agent, receiver);
    const Result first = runScenario(omnet), second = runScenario(ns3, FABRIC_NS3);
    ASSERT_EQ(first.code, 0) << first.err;
    ASSERT_EQ(second.code, 0) << second.err;
    EXPECT_EQ(read(omnet / "run.trc"), read(ns3 / "run.trc")) << cc;
    auto a = nlohmann::json::parse(read(omnet / "summary.json")), b = nlohmann::json::parse(read(ns3 / "summary.json"));
    for (auto* s : {&a, &b}) {
      s->erase("resources");
      s->erase("events");
    }
    EXPECT_EQ(a, b);
  }
}
#endif

}  // namespace
}  // namespace fabriclab::test
