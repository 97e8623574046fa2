#include "mechanisms/runner/check.h"

#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <unordered_map>

#include "mechanisms/core/report.h"
#include "mechanisms/runner/assembly.h"
#include "mechanisms/runner/recorder.h"

namespace fabric {

namespace {

using Json = nlohmann::json;

/// Of a network in which nothing happens.
class NoEngine final : public Engine {
 public:
  void cancel(Event&) override {}
  void transmit(Port&, Packet*, Time) override {}
  void stop() override {}

 private:
  void doSchedule(Event&) override {}
};

/// The kinds of flows that a workload has, one of each; `members` times where that many of a group go to one receiver.
FlowList flowsOf(const Json& kinds) {
  FlowList list;
  uint32_t id = 0;
  for (const Json& kind : kinds) {
    FlowSpec f;
    f.id = id++;
    f.src = kind.at("src");
    f.dst = kind.at("dst");
    f.size = kind.at("size");
    f.cls = kind.at("class");
    f.persistent = kind.at("persistent");
    f.closedLoop = kind.at("closed_loop");
    if (kind.at("stops")) f.stop = kLongestTime;
    const uint32_t members = kind.at("members");
    if (members > 0) f.group = id;
    for (uint32_t i = 0; i < std::max(members, 1U); ++i) list.add(f);
  }
  return list;
}

using Places = std::unordered_map<const Component*, Assembly::Place>;

Json toJson(const Spot& p, const Places& all, uint32_t flow) {
  switch (p.kind) {
    case Spot::Kind::Slot: return {{"slot", p.param}};
    case Spot::Kind::Topology: return {{"topology", true}};
    case Spot::Kind::Flow: return {{"flow", flow}, {"field", p.param}};
    case Spot::Kind::Component: break;
  }
  const Assembly::Place& at = all.at(p.component);
  return {{"node", at.node},
          {"key", at.key},
          {"index", at.index},
          {"component", p.component->description().name},
          {"param", p.param}};
}

Json toJson(const std::vector<Problem>& problems, const Places& all) {
  Json list = Json::array();
  for (const Problem& p : problems) {
    Json places = Json::array();
    for (const Spot& place : p.places) places.push_back(toJson(place, all, p.flow));
    list.push_back({{"text", p.text}, {"nodes", p.nodes}, {"places", places}});
  }
  return list;
}

Json answer(const Json& question) {
  const Scenario scenario = Scenario::parse(question.at("scenario"), "scenario");
  NoEngine engine;
  Places places;
  Assembly assembly(engine, scenario, Port::connect,
                    [&](const Component& c, const Assembly::Place& at) { places.emplace(&c, at); });
  Network& network = assembly.network();
  enableTables(network.trace(), scenario.tables);
  FlowList flows = flowsOf(question.at("flows"));
  network.setFlows(flows);
  Report report(Report::Groups(scenario.componentsOf.begin(), scenario.componentsOf.end()));
  network.check(report);
  return {{"problems", toJson(report.problems(), places)}, {"warnings", toJson(report.warnings(), places)}};
}

}  // namespace

void answerChecks(std::istream& in, std::ostream& out) {
  for (std::string line; std::getline(in, line);) {
    Json said;
    try {
      said = answer(Json::parse(line));
    } catch (const std::exception& e) {  // of a scenario that cannot be built
      said = {{"error", e.what()}};
    }
    out << said.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }
}

}  // namespace fabric
