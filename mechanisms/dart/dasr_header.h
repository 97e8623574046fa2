// What DASR adds to packets: the group of an incast on the first packet of a message, n on its ACKs and in the packets
// that tell it ahead.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mechanisms/core/flow_groups.h"

namespace fabric {

struct DasrHeader {
  static constexpr const char* kName = "dasr";
  static constexpr const char* kOnWire = "2 B a message of the group on the first packet of each; n on ACKs and ahead";
  /// The control packet that tells a host n ahead of its message.
  static constexpr const char* kAhead = "dasr_ahead";
  /// A sender's number on the wire: 65536 hosts (section III-D).
  static constexpr int64_t kIdBytes = 2;
  /// Of a list that one packet can carry.
  static constexpr uint32_t kMostMembers = 256;

  FlowGroups::Members members;  // data: who sends the messages of the group; none = no look-ahead
  uint32_t senders = 1;         // ACK and control packet: n
};

}  // namespace fabric
