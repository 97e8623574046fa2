// A scenario file in memory (docs/formats.md), the same for every engine.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/core/component.h"
#include "mechanisms/core/flow.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/slots.h"
#include "mechanisms/core/trace.h"

namespace fabric {

/// The input was refused; the text says what, where and what is allowed.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ScenarioNode {
  std::string name;
  bool isHost = false;
  uint64_t hashSalt = 0;
};

struct ScenarioLink {
  uint32_t a = 0, b = 0;  // node ids
  uint16_t aPort = 0, bPort = 0;
  Rate rate;
  Time delay;
};

/// A component to make, and the parameters that differ from its defaults.
struct ComponentSpec {
  std::string type;
  std::vector<std::pair<std::string, Value>> params;
};

/// What stands at a node: the node itself, its ports, and its slots (those of its ports included), each with all that
/// stands there.
struct NodeComponents {
  ComponentSpec node, port;
  std::vector<std::pair<const Slot*, std::vector<ComponentSpec>>> slots;

  /// All that stands in a slot; throws where there is no such slot.
  const std::vector<ComponentSpec>& in(const std::string& slot) const;
};

struct ScenarioTable {
  std::string name;
  TraceFilter filter;
};

struct ScenarioRoute {
  uint32_t node;
  uint32_t dst;
  std::vector<uint16_t> ports;
};

struct ScenarioLinkEvent {
  Time at;
  uint32_t link;
  bool up;
};

struct ScenarioRateEvent {
  Time at;
  uint32_t link;
  Rate rate;
};

struct ScenarioHostEvent {
  Time at;
  uint32_t node;
  bool up;
};

struct ScenarioRouteChange {
  Time at;
  std::string routesFile;  // resolved against the scenario's folder
};

struct Scenario {
  std::string name;
  uint64_t seed = 1;
  Time stop;
  bool stopWhenFlowsFinish = false, stopAtDeadlock = false;
  std::vector<ScenarioNode> nodes;
  std::vector<ScenarioLink> links;
  /// What stands at a host and at a switch; from the third on what stands at some nodes instead.
  std::vector<NodeComponents> components;
  static constexpr size_t kHost = 0, kSwitch = 1;
  std::vector<size_t> componentsOf;  // by node: which of them
  const NodeComponents& at(uint32_t node) const { return components[componentsOf[node]]; }
  std::vector<ScenarioTable> tables;
  std::vector<ScenarioLinkEvent> linkEvents;
  std::vector<ScenarioRateEvent> rateEvents;
  std::vector<ScenarioHostEvent> hostEvents;
  std::vector<ScenarioRouteChange> routeChanges;
  std::string flowsFile, routesFile;  // resolved against the scenario's folder

  static Scenario load(const std::string& file);
  /// Of what has been read already; `file` is for messages and for the files that it names.
  static Scenario parse(const nlohmann::json& document, const std::string& file);
};

/// By node, in the order of its ports: which ends of links are there, where link i has the ends 2 i and 2 i + 1.
/// Throws where a node's ports are not numbered in the order of their links.
std::vector<std::vector<size_t>> linkEnds(const Scenario& scenario);

/// All routes of a routes.bin, one entry per switch and host.
std::vector<ScenarioRoute> loadRoutes(const std::string& file);
/// The same one by one: all routes of a large network are tens of megabytes.
void eachRoute(const std::string& file, const std::function<void(ScenarioRoute&)>& visit);
/// Gives the switches their routes; before the network starts.
void setRoutes(Network& network, const std::string& routesFile);
/// The routes of a file, from `at` on; before the network starts.
void addRouteChange(Network& network, Time at, const std::string& routesFile);

/// Streams a flows.bin.
class FlowFile final : public FlowFeed {
 public:
  explicit FlowFile(const std::string& file);
  ~FlowFile() override;
  const FlowSpec* peek() override;
  void pop() override;
  /// Flows; tasks are none. Reads the file once more where there may be some.
  uint64_t count() const;
  uint64_t measured() const override { return measured_; }
  std::unique_ptr<FlowFeed> again() const override;
  bool hasDependencies() const override;
  const std::vector<Dependency>& after() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  uint64_t measured_ = 0;
};

/// Flows written out in a program; sorted by (start, id) when first asked.
class FlowList final : public FlowFeed {
 public:
  void add(const FlowSpec& spec, std::vector<Dependency> after = {}) {
    hasDependencies_ |= !after.empty();
    count_ += !Dependencies::isTask(spec);
    flows_.push_back({spec, std::move(after)});
    measured_ += spec.measured;
  }
  const FlowSpec* peek() override;
  void pop() override { ++next_; }
  uint64_t measured() const override { return measured_; }
  std::unique_ptr<FlowFeed> again() const override;
  bool hasDependencies() const override { return hasDependencies_; }
  const std::vector<Dependency>& after() const override { return flows_[next_].after; }
  /// Flows; tasks are none.
  uint64_t count() const { return count_; }

 private:
  struct Entry {
    FlowSpec spec;
    std::vector<Dependency> after;
  };
  std::vector<Entry> flows_;
  size_t next_ = 0;
  bool hasDependencies_ = false;
  uint64_t count_ = 0, measured_ = 0;
  bool sorted_ = false;
};

}  // namespace fabric
