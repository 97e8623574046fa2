// The network of a scenario, for programs without a simulator.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mechanisms/core/network.h"
#include "mechanisms/runner/scenario.h"

namespace fabric {

/// Hosts, switches and links with their mechanisms, and what is to happen to links and hosts. Routes and flows are left
/// out.
class Assembly {
 public:
  /// Where a component stands: the `index`-th in a slot, or as host, switch or port.
  struct Place {
    uint32_t node;
    std::string key;
    size_t index;
  };
  using Connect = std::function<void(Port& a, Port& b)>;
  using Made = std::function<void(const Component& component, const Place& place)>;

  /// `connect` makes a link of two ports; `made` hears of every component.
  Assembly(Engine& engine, const Scenario& scenario, const Connect& connect, const Made& made = nullptr);
  Network& network() { return network_; }

 private:
  Component& make(const ComponentSpec& spec, const Place& place, const Made& made);
  void fill(Component& component, const NodeComponents& components, uint32_t node, const Made& made);
  void addNodes(const Scenario& scenario, const Made& made);
  void addEvents(const Scenario& scenario);

  // The components refer to the network and go first.
  Network network_;
  std::vector<std::unique_ptr<Component>> components_;
};

}  // namespace fabric
