#include "mechanisms/core/flow_groups.h"

#include <algorithm>
#include <utility>

namespace fabric {

FlowGroups::FlowGroups(std::unique_ptr<FlowFeed> flows) {
  if (flows == nullptr) return;
  std::vector<std::pair<uint64_t, uint32_t>> senders;
  for (const FlowSpec* f = flows->peek(); f != nullptr; flows->pop(), f = flows->peek()) {
    if (f->group != 0) senders.emplace_back(key(f->group, f->dst), f->src);
  }
  std::sort(senders.begin(), senders.end());
  members_.reserve(senders.size());
  for (const auto& [key, sender] : senders) {
    Range& range = ranges_.try_emplace(key, Range{members_.size(), 0}).first->second;
    ++range.count;
    members_.push_back(sender);
  }
}

FlowGroups::Members FlowGroups::of(uint32_t group, uint32_t dst) const {
  const auto found = ranges_.find(key(group, dst));
  if (found == ranges_.end()) return {};
  return {members_.data() + found->second.first, found->second.count};
}

}  // namespace fabric
