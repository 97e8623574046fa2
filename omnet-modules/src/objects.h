// What the manager's object parameters say: flows and tables, written out in NED or ini.
#pragma once

#include <omnetpp.h>

#include <functional>
#include <vector>

#include "mechanisms/core/flow.h"
#include "mechanisms/runner/scenario.h"

namespace fabriclab {

class NodeModule;

/// Finds the node or the port that a module path below the network names; throws where there is none.
class NodeNames {
 public:
  explicit NodeNames(omnetpp::cModule& network) : network_(network) {}
  uint32_t node(const std::string& path) const;
  fabric::TraceFilter::PortId port(const std::string& path) const;

 private:
  omnetpp::cModule& network_;
};

struct LinkEvent {
  fabric::Time at;
  fabric::TraceFilter::PortId port;
  bool up;
};

struct RateEvent {
  fabric::Time at;
  fabric::TraceFilter::PortId port;
  fabric::Rate rate;
};

struct HostEvent {
  fabric::Time at;
  uint32_t host;
  bool up;
};

struct RouteChange {
  fabric::Time at;
  std::string file;
};

std::vector<LinkEvent> parseLinkEvents(const omnetpp::cPar& events, const NodeNames& names);
std::vector<RateEvent> parseRateEvents(const omnetpp::cPar& events, const NodeNames& names);
std::vector<HostEvent> parseHostEvents(const omnetpp::cPar& events, const NodeNames& names);
std::vector<RouteChange> parseRouteChanges(const omnetpp::cPar& changes);
std::vector<fabric::FlowSpec> parseFlows(const omnetpp::cPar& flows, const NodeNames& names);
std::vector<fabric::ScenarioTable> parseTables(const omnetpp::cPar& tables, const NodeNames& names);

}  // namespace fabriclab
