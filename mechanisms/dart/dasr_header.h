// What DASR adds to packets: the group of an incast on the first packet of a message, n on its ACKs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mechanisms/core/flow_groups.h"

namespace fabric {

struct DasrHeader {
  static constexpr const char* kName = "dasr";
  /// A sender's number on the wire: 65536 hosts (section III-D).
  static constexpr int64_t kIdBytes = 2;
  /// Of a list that one packet can carry.
  static constexpr uint32_t kMostMembers = 256;

  FlowGroups::Members members;  // data: who sends the messages of the group; none = no look-ahead
  uint32_t senders = 1;         // ACK: n
};

}  // namespace fabric
