// Who sends in which group: what an application knows of its incasts before they begin.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "mechanisms/core/flow.h"

namespace fabric {

class FlowGroups {
 public:
  /// Node ids of hosts.
  struct Members {
    const uint32_t* ids = nullptr;
    uint32_t count = 0;
  };

  /// Reads the flow list to its end; null: there is none.
  explicit FlowGroups(std::unique_ptr<FlowFeed> flows);
  /// The senders of a group's flows to `dst`, one for each flow, by number; none of group 0, which is no group.
  Members of(uint32_t group, uint32_t dst) const;

 private:
  struct Range {
    size_t first = 0;
    uint32_t count = 0;
  };
  static uint64_t key(uint32_t group, uint32_t dst) { return uint64_t{group} << 32 | dst; }

  std::unordered_map<uint64_t, Range> ranges_;  // in members_; its order is no order
  std::vector<uint32_t> members_;
};

}  // namespace fabric
