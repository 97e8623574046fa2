#include "mechanisms/plain/network.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/switch.h"

namespace fabric {

PlainNetwork::PlainNetwork(PlainEngine& engine, const Scenario& s) : network_(engine, s.seed) {
  addNodes(s);
  for (const ScenarioLink& l : s.links) {
    engine.connect(network_.nodes()[l.a]->port(l.aPort), network_.nodes()[l.b]->port(l.bPort));
  }
  setRoutes(network_, s.routesFile);
  addEvents(s);
}

Component& PlainNetwork::make(const ComponentSpec& spec) {
  components_.push_back(Registry::find(spec.type)->create());
  for (const auto& [name, value] : spec.params) components_.back()->set(name, value);
  return *components_.back();
}

/// All that stands in the slots of a node or port.
void PlainNetwork::plugAll(Component& place, const NodeComponents& components) {
  for (const auto& [slot, specs] : components.slots) {
    if (slot->where != where(place)) continue;
    for (const ComponentSpec& spec : specs) plug(place, *slot, make(spec));
  }
}

/// A node with its ports at a time, so that they lie side by side in memory.
void PlainNetwork::addNodes(const Scenario& s) {
  const std::vector<std::vector<size_t>> ends = linkEnds(s);
  for (uint32_t i = 0; i < s.nodes.size(); ++i) {
    auto& node = dynamic_cast<Node&>(make(s.at(i).node));
    node.join(network_, i, s.nodes[i].name);
    if (auto* sw = dynamic_cast<Switch*>(&node)) sw->setHashSalt(s.nodes[i].hashSalt);
    plugAll(node, s.at(i));
    for (const size_t end : ends[i]) {
      auto& port = dynamic_cast<Port&>(make(s.at(i).port));
      node.addPort(port, s.links[end / 2].rate, s.links[end / 2].delay);
      plugAll(port, s.at(i));
    }
  }
}

void PlainNetwork::addEvents(const Scenario& s) {
  const auto end = [&](uint32_t link) -> Port& { return network_.nodes()[s.links[link].a]->port(s.links[link].aPort); };
  for (const auto& e : s.linkEvents) network_.addLinkEvent(e.at, end(e.link), e.up);
  for (const auto& e : s.rateEvents) network_.addRateChange(e.at, end(e.link), e.rate);
  for (const auto& e : s.hostEvents) network_.addHostEvent(e.at, network_.host(e.node), e.up);
  for (const auto& r : s.routeChanges) addRouteChange(network_, r.at, r.routesFile);
}

}  // namespace fabric
