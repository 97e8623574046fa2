// The generated files, character by character. To renew them after a wanted change:
//   FABRIC_UPDATE_GOLDEN=1 omnet-tests --gtest_filter=Generate.*
#include "omnet-modules/runner/generate.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "helpers.h"

namespace fabriclab::test {
namespace {

void expectGolden(const std::string& name, const std::string& text) {
  const std::string file = std::string(FABRIC_OMNET_SOURCE) + "/tests/golden/" + name;
  if (std::getenv("FABRIC_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  EXPECT_EQ(read(file), text) << file;
}

void edit(nlohmann::json& s) {
  s["name"] = "tests/golden";
  s["nodes"][1]["name"] = "rack-1/host 2";  // no NED identifier
  s["nodes"][4]["name"] = "fabric";         // the manager's name
  s["links"][3]["rate_bps"] = 400000000000;
  s["links"][3]["delay_ps"] = 1234567;
  s["components"]["queues"][1] = {{"type", "red"}, {"params", {{"kmin", 5000}, {"pmax", 0.01}}}};
  s["components"]["port"]["params"] = {{"pfc", true}, {"pfc_mode", "dynamic"}, {"pfc_alpha", 0.125}};
  s["components"]["congestion_control"]["params"] = {{"eta", 0.95}, {"min_rate", 100000000}, {"w_ai", 80}};
  s["trace"]["tables"]["packets"] = {{"flows", {1, 0}}, {"classes", {1}}, {"from_ps", 300000000}, {"to_ps", 310000000}};
}

TEST(Generate, Golden) {
  const Folder folder;
  writeDumbbell(folder, "hpcc", "hpcc_int", "hpcc_echo", edit);
  const auto scenario = fabric::Scenario::load(folder / "scenario.json");
  expectGolden("network.ned", networkNed(scenario, "scenario.json"));
  expectGolden("omnetpp.ini", omnetppIni(scenario, "scenario.json"));
}

TEST(Generate, NamesThatNedHasItself) {
  const Folder folder;
  writeDumbbell(folder, "hpcc", "hpcc_int", "hpcc_echo", [](nlohmann::json& s) {
    s["nodes"][0]["name"] = "network";
    s["nodes"][1]["name"] = "network_2";
    s["nodes"][2]["name"] = "Cable";
    s["nodes"][3]["name"] = "Cable1";
  });
  const std::string ned = networkNed(fabric::Scenario::load(folder / "scenario.json"), "scenario.json");
  for (const char* name : {"network_2: Fabric", "network_2_2: Fabric", "Cable_2: Fabric", "Cable1_2: Fabric"}) {
    EXPECT_NE(ned.find(name), std::string::npos) << name << " in\n" << ned;
  }
}

TEST(Generate, RefusesTimesThatNedCannotHold) {
  const Folder folder;
  writeDumbbell(folder, "hpcc", "hpcc_int", "hpcc_echo", [](nlohmann::json& s) { s["stop_ps"] = 2000000000000001; });
  const auto scenario = fabric::Scenario::load(folder / "scenario.json");
  EXPECT_THROW(omnetppIni(scenario, "scenario.json"), fabric::InputError);
}

}  // namespace
}  // namespace fabriclab::test
