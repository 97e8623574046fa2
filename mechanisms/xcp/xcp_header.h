// XCP's congestion header.
#pragma once

#include "mechanisms/core/types.h"

namespace fabric {

/// Sizes are of the wire, as routers count them.
struct XcpHeader {
  static constexpr const char* kName = "xcp";

  double cwnd = 0;      // bytes: the sender's window
  Time rtt;             // the sender's estimate; 0: it has none yet
  double feedback = 0;  // bytes by which the window is to change: what the sender asks for, then the least of a router
};

}  // namespace fabric
