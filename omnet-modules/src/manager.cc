#include "manager.h"

#include <algorithm>

#include "event_set.h"
#include "mechanisms/core/shortest_paths.h"
#include "objects.h"
#include "outcome.h"
#include "parameters.h"

namespace fabriclab {

using omnetpp::cModule;
using omnetpp::cRuntimeError;

Define_Module(ManagerModule);

Outcome& outcome() {
  static Outcome last;
  return last;
}

bool& nothingToRecord() {
  static bool nothing = false;
  return nothing;
}

namespace {

/// The model counts picoseconds and its own order of events; with anything else results would be wrong
/// without a sign of it.
void checkKernel() {
  if (omnetpp::SimTime::getScaleExp() != omnetpp::SIMTIME_PS) {
    throw cRuntimeError(
        "The fabric counts time in picoseconds; add to [General] in omnetpp.ini: simtime-resolution = ps");
  }
  if (dynamic_cast<FabricEventSet*>(omnetpp::getSimulation()->getFES()) == nullptr) {
    throw cRuntimeError(
        "The fabric has its own order of simultaneous events; add to [General] in omnetpp.ini: "
        "futureeventset-class = \"fabriclab::FabricEventSet\"");
  }
}

/// Nobody looks at single events: no window, no line per event, no event log. The kernel then need not tell of
/// each.
bool unwatched() {
  omnetpp::cEnvir& envir = *omnetpp::getEnvir();
  return !envir.isGUI() && envir.isExpressMode() &&
         !envir.getConfig()->getAsBool(omnetpp::cConfigOption::get("record-eventlog"));
}

/// sim-time-limit; Time::Max() where there is none.
fabric::Time timeLimit() {
  const double limit = omnetpp::getEnvir()->getConfig()->getAsDouble(omnetpp::cConfigOption::get("sim-time-limit"), -1);
  return limit < 0 ? fabric::Time::Max() : fabric::Time{wholeNumber(limit, 1e12, "ps", "sim-time-limit")};
}

void collect(cModule& parent, std::vector<NodeModule*>& nodes) {
  for (cModule::SubmoduleIterator it(&parent); !it.end(); ++it) {
    if (auto* node = dynamic_cast<NodeModule*>(*it)) {
      nodes.push_back(node);
    } else {
      collect(**it, nodes);
    }
  }
}

}  // namespace

void ManagerModule::initialize(int stage) {
  if (stage != 1) return;
  outcome() = {};
  try {
    checkKernel();
    build();
  } catch (const std::exception& e) {
    outcome().refused = e.what();
    throw;
  }
}

std::vector<NodeModule*> ManagerModule::findNodes() {
  std::vector<NodeModule*> nodes;
  collect(*getParentModule(), nodes);
  const auto id = [](NodeModule* n) { return n->par("nodeId").intValue(); };
  const auto unnumbered = std::count_if(nodes.begin(), nodes.end(), [&](NodeModule* n) { return id(n) < 0; });
  if (unnumbered == static_cast<long>(nodes.size())) return nodes;
  std::sort(nodes.begin(), nodes.end(), [&](NodeModule* a, NodeModule* b) { return id(a) < id(b); });
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (id(nodes[i]) != static_cast<int64_t>(i)) {
      throw cRuntimeError(nodes[i],
                          "Parameter nodeId: %lld, where %zu is expected; number all nodes 0, 1, 2, ... or none",
                          static_cast<long long>(id(nodes[i])), i);
    }
  }
  return nodes;
}

void ManagerModule::build() {
  engine_ = std::make_shared<OmnetEngine>(*this);
  network_ = std::make_unique<fabric::Network>(*engine_, static_cast<uint64_t>(par("seed").intValue()));
  const std::vector<NodeModule*> nodes = findNodes();
  const size_t below = getParentModule()->getFullPath().size() + 1;
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i]->build(*network_, static_cast<uint32_t>(i), nodes[i]->getFullPath().substr(below), engine_);
  }
  for (NodeModule* n : nodes) n->connect();
  setRoutes();
  setLinkEvents();
  setFlows();
  network_->stopWhenFlowsFinish(par("stopWhenFlowsFinish").boolValue());
  network_->stopAtDeadlock(par("stopAtDeadlock").boolValue());
  const fabric::Time stop = timeLimit();
  network_->stopAt(stop);
  flowStarted_ = registerSignal("flowStarted");
  network_->onFlowStart = [this, nodes](const fabric::Flow& f) {
    nodes[f.spec.src]->emit(flowStarted_, static_cast<omnetpp::intval_t>(f.spec.id));
  };

  fabric::enableTables(network_->trace(), parseTables(par("tables"), NodeNames(*getParentModule())));
  signals_ = std::make_unique<SignalSink>(network_->trace(), nodes, *flows_);
  const auto progressMs = static_cast<int64_t>(par("progressInterval").doubleValue() * 1e3);
  recorder_ = std::make_unique<fabric::Recorder>(
      *network_, fabric::RecorderOptions{file("traceFile"), file("summaryFile"), progressMs}, stop, flowCount_);
  network_->start();
  engine_->setUnwatched(unwatched());
  omnetpp::getEnvir()->suppressNotifications = unwatched();
  if (par("nodeByNode").boolValue() && unwatched()) {
    auto& events = *omnetpp::check_and_cast<FabricEventSet*>(omnetpp::getSimulation()->getFES());
    events.runNodeByNode(*network_);
    engine_->runNodeByNode(events);
  }
}

void ManagerModule::setRoutes() {
  if (file("routesFile").empty()) {
    fabric::setShortestPaths(*network_);
    return;
  }
  fabric::setRoutes(*network_, file("routesFile"));
}

void ManagerModule::setLinkEvents() {
  for (const LinkEvent& e : parseLinkEvents(par("linkEvents"), NodeNames(*getParentModule()))) {
    fabric::Port& port = network_->nodes()[e.port.node]->port(e.port.port);
    network_->addLinkEvent(e.at, port, e.up);
  }
  for (const RateEvent& e : parseRateEvents(par("rateEvents"), NodeNames(*getParentModule()))) {
    network_->addRateChange(e.at, network_->nodes()[e.port.node]->port(e.port.port), e.rate);
  }
  for (const HostEvent& e : parseHostEvents(par("hostEvents"), NodeNames(*getParentModule()))) {
    network_->addHostEvent(e.at, network_->host(e.host), e.up);
  }
  for (const RouteChange& r : parseRouteChanges(par("routeChanges"))) {
    fabric::addRouteChange(*network_, r.at, r.file);
  }
}

void ManagerModule::setFlows() {
  const std::vector<fabric::FlowSpec> written = parseFlows(par("flows"), NodeNames(*getParentModule()));
  if (file("flowsFile").empty()) {
    auto list = std::make_unique<fabric::FlowList>();
    for (const fabric::FlowSpec& f : written) list->add(f);
    flowCount_ = list->count();
    flows_ = std::make_unique<FlowSources>(std::move(list));
  } else {
    if (!written.empty()) throw cRuntimeError("Both flows and flowsFile are given; one of them is enough");
    auto stream = std::make_unique<fabric::FlowFile>(file("flowsFile"));
    flowCount_ = stream->count();
    flows_ = std::make_unique<FlowSources>(std::move(stream));
  }
  network_->setFlows(*flows_);
}

void ManagerModule::finish() {
  engine_->sync();
  outcome().exitCode = recorder_->finish();
  recorder_.reset();  // no more progress lines
}

void ManagerModule::preDelete(omnetpp::cComponent*) {
  omnetpp::getEnvir()->suppressNotifications = false;
  recorder_.reset();
  if (engine_ != nullptr) engine_->close(*this);
}

}  // namespace fabriclab
