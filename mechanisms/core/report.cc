#include "mechanisms/core/report.h"

#include <algorithm>

#include "mechanisms/core/component.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/node.h"

namespace fabric {

void Report::refuse(std::string text, std::vector<Spot> places) {
  const uint32_t group = node_ < groups_.size() ? groups_[node_] : 0;
  for (Problem& p : problems_) {
    if (p.text != text || p.group != group) continue;
    if (p.nodes.back() != node_) p.nodes.push_back(node_);
    return;
  }
  problems_.push_back({std::move(text), std::move(places), group, {node_}, flow_});
}

std::string Report::text(const Network& network) const {
  std::string all;
  for (const Problem& p : problems_) {
    if (!all.empty()) all += "\n";
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
