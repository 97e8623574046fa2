#include "mechanisms/core/shortest_paths.h"

#include <vector>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/switch.h"

namespace fabric {

namespace {

constexpr int kFar = -1;

/// How many links lie between `host` and each node; kFar where switches alone do not lead to it.
std::vector<int> linksTo(const Host& host, size_t nodes) {
  std::vector<int> links(nodes, kFar);
  links[host.id()] = 0;
  std::vector<const Node*> found{&host};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Port* p : found[i]->ports()) {
      const Node& peer = p->peer().node();
      if (links[peer.id()] != kFar || dynamic_cast<const Switch*>(&peer) == nullptr) continue;
      links[peer.id()] = links[found[i]->id()] + 1;
      found.push_back(&peer);
    }
  }
  return links;
}

}  // namespace

void setShortestPaths(Network& network) {
  for (const Node* node : network.nodes()) {
    const auto* host = dynamic_cast<const Host*>(node);
    if (host == nullptr) continue;
    const std::vector<int> links = linksTo(*host, network.nodes().size());
    for (Node* n : network.nodes()) {
      auto* s = dynamic_cast<Switch*>(n);
      if (s == nullptr || links[s->id()] == kFar) continue;
      std::vector<uint16_t> nextHops;
      for (const Port* p : s->ports()) {
        if (links[p->peer().node().id()] == links[s->id()] - 1) nextHops.push_back(p->index());
      }
      s->setRoute(host->id(), nextHops);
    }
  }
}

}  // namespace fabric
