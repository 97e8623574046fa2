// RCP's congestion header.
#pragma once

#include "mechanisms/core/types.h"

namespace fabric {

/// On a data packet; the ACK that it becomes returns it.
struct RcpHeader {
  static constexpr const char* kName = "rcp";

  double rate = 0;  // bit/s: what the sender asks for, then the least of a router
  Time rtt;         // the sender's last sample, 0 = none yet
};

}  // namespace fabric
