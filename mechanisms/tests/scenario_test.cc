// The reader of scenario files: what it makes of sets, and what it refuses with its place.
#include "mechanisms/runner/scenario.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace fabric {
namespace {

using nlohmann::json;

/// Two hosts on a switch.
json small() {
  return json::parse(R"({
    "format": "fabriclab-scenario", "version": 3, "name": "small", "seed": 1, "stop_ps": 1000000,
    "nodes": [{"id": 0, "name": "a", "kind": "host"}, {"id": 1, "name": "b", "kind": "host"},
              {"id": 2, "name": "s", "kind": "switch"}],
    "links": [{"id": 0, "a": 0, "a_port": 0, "b": 2, "b_port": 0, "rate_bps": 1000000000, "delay_ps": 1000},
              {"id": 1, "a": 1, "a_port": 0, "b": 2, "b_port": 1, "rate_bps": 1000000000, "delay_ps": 1000}],
    "components": {"host": {"type": "host"}, "switch": {"type": "switch"}, "port": {"type": "port"}},
    "flows_file": "flows.bin", "routes_file": "routes.bin", "trace": {"tables": {}}, "sets": []})");
}

Scenario load(const json& document) {
  const auto file = std::filesystem::temp_directory_path() /
                    (std::string("fabric-") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");
  std::ofstream(file) << document;
  struct Remove {
    std::filesystem::path file;
    ~Remove() { std::filesystem::remove(file); }
  } remove{file};
  return Scenario::load(file.string());
}

TEST(ScenarioSets, LaterOnesGoOverEarlierOnes) {
  json s = small();
  s["sets"] = {{{"nodes", {0, 1}}, {"components", {{"transport", {{"type", "tcp"}}}}}},
               {{"nodes", {1}}, {"components", {{"transport", {{"type", "mptcp"}}}, {"port", {{"type", "port"}}}}}},
               {{"nodes", {2}}, {"components", {{"path_selector", {{"type", "spray"}}}}}}};
  const Scenario read = load(s);
  EXPECT_EQ(read.at(0).in("transport").front().type, "tcp");
  EXPECT_EQ(read.at(1).in("transport").front().type, "mptcp");
  EXPECT_EQ(read.at(1).in("flow_scheduler").front().type, "round_robin");
  EXPECT_EQ(read.at(2).in("path_selector").front().type, "spray");
  EXPECT_EQ(read.components[Scenario::kHost].in("transport").front().type, "go_back_n");
}

TEST(ScenarioSets, RefuseWhatTheNodeHasNoPlaceFor) {
  const struct {
    int node;
    const char *key, *type, *message;
  } wrong[] = {
      {2, "transport", "tcp", "/sets/0/components/transport: s is a switch, and only hosts have this"},
      {2, "nic_agents", "dre", "/sets/0/components/nic_agents: s is a switch, and only hosts have this"},
      {2, "host", "host", "/sets/0/components/host: s is a switch, and only hosts have this"},
      {0, "path_selector", "ecmp", "/sets/0/components/path_selector: a is a host, and only switches have this"},
      {1, "queues", "fifo", "/sets/0/components/queues: b is a host, and only switches have this"},
      {0, "switch", "switch", "/sets/0/components/switch: a is a host, and only switches have this"},
  };
  for (const auto& [node, key, type, message] : wrong) {
    json s = small();
    const Slot* slot = Slots::find(key);
    const json one = {{"type", type}};
    s["sets"] = {{{"nodes", {node}},
                  {"components", {{key, slot != nullptr && slot->count != Count::One ? json::array({one}) : one}}}}};
    try {
      load(s);
      ADD_FAILURE() << key << " was taken";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace fabric
