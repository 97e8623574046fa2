// The network of a scenario, for the plain engine.
#pragma once

#include <memory>
#include <vector>

#include "mechanisms/core/network.h"
#include "mechanisms/plain/engine.h"
#include "mechanisms/runner/scenario.h"

namespace fabric {

/// Hosts, switches, links and routes with their mechanisms, and what is to happen to links and routes.
class PlainNetwork {
 public:
  PlainNetwork(PlainEngine& engine, const Scenario& scenario);
  Network& network() { return network_; }

 private:
  Component& make(const ComponentSpec& spec);
  void plugAll(Component& place, const NodeComponents& components);
  void addNodes(const Scenario& s);
  void addEvents(const Scenario& s);

  // The components refer to the network and go first.
  Network network_;
  std::vector<std::unique_ptr<Component>> components_;
};

}  // namespace fabric
