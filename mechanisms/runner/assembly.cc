#include "mechanisms/runner/assembly.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/switch.h"

namespace fabric {

Assembly::Assembly(Engine& engine, const Scenario& s, const Connect& connect, const Made& made)
    : network_(engine, s.seed) {
  addNodes(s, made);
  for (const ScenarioLink& l : s.links) {
    connect(network_.nodes()[l.a]->port(l.aPort), network_.nodes()[l.b]->port(l.bPort));
  }
  addEvents(s);
}

Component& Assembly::make(const ComponentSpec& spec, const Place& place, const Made& made) {
  components_.push_back(Registry::find(spec.type)->create());
  Component& component = *components_.back();
  for (const auto& [name, value] : spec.params) component.set(name, value);
  if (made != nullptr) made(component, place);
  return component;
}

/// All that stands in the slots of a node or port.
void Assembly::fill(Component& component, const NodeComponents& components, uint32_t node, const Made& made) {
  for (const auto& [slot, specs] : components.slots) {
    if (slot->where != where(component)) continue;
    for (size_t i = 0; i < specs.size(); ++i) plug(component, *slot, make(specs[i], {node, slot->key, i}, made));
  }
}

/// A node with its ports at a time, so that they lie side by side in memory.
void Assembly::addNodes(const Scenario& s, const Made& made) {
  const std::vector<std::vector<size_t>> ends = linkEnds(s);
  for (uint32_t i = 0; i < s.nodes.size(); ++i) {
    const ScenarioNode& of = s.nodes[i];
    auto& node = dynamic_cast<Node&>(make(s.at(i).node, {i, of.isHost ? "host" : "switch", 0}, made));
    node.join(network_, i, of.name);
    if (auto* sw = dynamic_cast<Switch*>(&node)) sw->setHashSalt(of.hashSalt);
    fill(node, s.at(i), i, made);
    for (const size_t end : ends[i]) {
      auto& port = dynamic_cast<Port&>(make(s.at(i).port, {i, "port", 0}, made));
      node.addPort(port, s.links[end / 2].rate, s.links[end / 2].delay);
      fill(port, s.at(i), i, made);
    }
  }
}

void Assembly::addEvents(const Scenario& s) {
  const auto end = [&](uint32_t link) -> Port& { return network_.nodes()[s.links[link].a]->port(s.links[link].aPort); };
  for (const auto& e : s.linkEvents) network_.addLinkEvent(e.at, end(e.link), e.up);
  for (const auto& e : s.rateEvents) network_.addRateChange(e.at, end(e.link), e.rate);
  for (const auto& e : s.hostEvents) network_.addHostEvent(e.at, network_.host(e.node), e.up);
}

}  // namespace fabric
