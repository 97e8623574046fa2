#include "routes.h"

#include <deque>
#include <vector>

#include "mechanisms/core/host.h"
#include "mechanisms/core/switch.h"

namespace fabriclab {

void setShortestPaths(fabric::Network& network) {
  constexpr int kFar = -1;
  for (const fabric::Node* dst : network.nodes()) {
    if (dynamic_cast<const fabric::Host*>(dst) == nullptr) continue;
    std::vector<int> links(network.nodes().size(), kFar);
    links[dst->id()] = 0;
    std::deque<const fabric::Node*> next{dst};
    while (!next.empty()) {
      const fabric::Node& at = *next.front();
      next.pop_front();
      for (const fabric::Port* p : at.ports()) {
        const fabric::Node& peer = p->peer().node();
        if (links[peer.id()] != kFar || dynamic_cast<const fabric::Switch*>(&peer) == nullptr) continue;
        links[peer.id()] = links[at.id()] + 1;
        next.push_back(&peer);
      }
    }
    for (fabric::Node* n : network.nodes()) {
      auto* s = dynamic_cast<fabric::Switch*>(n);
      if (s == nullptr || links[s->id()] == kFar) continue;
      std::vector<uint16_t> ports;
      for (const fabric::Port* p : s->ports()) {
        const int left = links[p->peer().node().id()];
        if (left != kFar && left == links[s->id()] - 1) ports.push_back(p->index());
      }
      s->setRoute(dst->id(), ports);
    }
  }
}

}  // namespace fabriclab
