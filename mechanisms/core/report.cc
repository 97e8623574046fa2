#include "mechanisms/core/report.h"

#include <algorithm>

#include "mechanisms/core/component.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/node.h"

namespace fabric {

void Report::add(std::vector<Problem>& list, std::string text, std::vector<Spot> places) {
  const uint32_t group = node_ < groups_.size() ? groups_[node_] : 0;
  for (Problem& p : list) {
    if (p.text != text || p.group != group) continue;
    const auto place = std::lower_bound(p.nodes.begin(), p.nodes.end(), node_);
    if (place == p.nodes.end() || *place != node_) p.nodes.insert(place, node_);
    return;
  }
  list.push_back({std::move(text), std::move(places), group, {node_}, flow_});
}

std::string Report::text(const Network& network) const {
  std::string all;
  for (const Problem& p : problems_) {
    if (!all.empty()) all += "; ";
    if (p.flow != kNoFlow) all += "flow " + std::to_string(p.flow) + ": ";
    all += p.text + " (";
    const size_t named = std::min<size_t>(p.nodes.size(), 3);
    for (size_t i = 0; i < named; ++i) all += (i == 0 ? "" : ", ") + network.nodes()[p.nodes[i]]->name();
    if (p.nodes.size() > named) all += " and " + std::to_string(p.nodes.size() - named) + " more";
    all += ")";
  }
  return all;
}

}  // namespace fabric
