#include "mechanisms/runner/check.h"

#include <istream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <unordered_map>

#include "mechanisms/core/host.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"
#include "mechanisms/runner/recorder.h"
#include "mechanisms/runner/scenario.h"

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

/// The network of a scenario, complete but for routes and flows.
class Assembly {
 public:
  explicit Assembly(const Scenario& s) : network(engine_, s.seed), scenario_(s) {
    std::vector<Node*> nodes;
    for (uint32_t i = 0; i < s.nodes.size(); ++i) nodes.push_back(&node(i));
    std::vector<Port*> ends;
    for (const ScenarioLink& l : s.links) {
      Port &a = port(*nodes[l.a], l), &b = port(*nodes[l.b], l);
      Port::connect(a, b);
      ends.push_back(&a);
    }
    for (const ScenarioRateEvent& e : s.rateEvents) network.addRateChange(e.at, *ends[e.link], e.rate);
    enableTables(network.trace(), s.tables);
  }

  /// Where a component stands: in a slot, or as host, switch or port.
  struct At {
    uint32_t node;
    std::string key;
    size_t index;
  };
  const At& at(const Component& component) const { return places_.at(&component); }

 private:
  NoEngine engine_;
  std::vector<std::unique_ptr<Component>> components_;
  std::unordered_map<const Component*, At> places_;

 public:
  Network network;

 private:
  Component& make(const ComponentSpec& spec, At at) {
    components_.push_back(Registry::find(spec.type)->create());
    Component& c = *components_.back();
    for (const auto& [name, value] : spec.params) c.set(name, value);
    places_.emplace(&c, std::move(at));
    return c;
  }
  void fill(Component& place, uint32_t node) {
    for (const auto& [slot, specs] : scenario_.at(node).slots) {
      if (slot->where != where(place)) continue;
      for (size_t i = 0; i < specs.size(); ++i) plug(place, *slot, make(specs[i], {node, slot->key, i}));
    }
  }
  Node& node(uint32_t i) {
    const ScenarioNode& n = scenario_.nodes[i];
    auto& made = static_cast<Node&>(make(scenario_.at(i).node, {i, n.isHost ? "host" : "switch", 0}));
    made.join(network, i, n.name);
    fill(made, i);
    return made;
  }
  Port& port(Node& node, const ScenarioLink& l) {
    auto& made = static_cast<Port&>(make(scenario_.at(node.id()).port, {node.id(), "port", 0}));
    node.addPort(made, l.rate, l.delay);
    fill(made, node.id());
    return made;
  }

  const Scenario& scenario_;
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

Json toJson(const Spot& p, const Assembly& network, uint32_t flow) {
  switch (p.kind) {
    case Spot::Kind::Slot: return {{"slot", p.param}};
    case Spot::Kind::Topology: return {{"topology", true}};
    case Spot::Kind::Flow: return {{"flow", flow}, {"field", p.param}};
    case Spot::Kind::Component: break;
  }
  const Assembly::At& at = network.at(*p.component);
  return {{"node", at.node},
          {"key", at.key},
          {"index", at.index},
          {"component", p.component->description().name},
          {"param", p.param}};
}

Json answer(const Json& question) {
  const Scenario scenario = Scenario::parse(question.at("scenario"), "scenario");
  Assembly assembly(scenario);
  FlowList flows = flowsOf(question.at("flows"));
  assembly.network.setFlows(flows);
  Report report(Report::Groups(scenario.componentsOf.begin(), scenario.componentsOf.end()));
  assembly.network.check(report);
  Json problems = Json::array();
  for (const Problem& p : report.problems()) {
    Json places = Json::array();
    for (const Spot& place : p.places) places.push_back(toJson(place, assembly, p.flow));
    problems.push_back({{"text", p.text}, {"nodes", p.nodes}, {"places", places}});
  }
  return {{"problems", problems}};
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
