// What packets carry for NUMFabric, DGD and RCP*: the sender's part to the switches, what the path says to the sender.
#pragma once

#include "mechanisms/core/types.h"

namespace fabric {

/// On a data packet; the ACK that it becomes returns it.
struct NumHeader {
  static constexpr const char* kName = "num_header";

  uint8_t hops = 0;  // pathLen: links so far
  bool hasResidual = false;
  double virtualLength = 0;  // L / w in bytes per Mb/s
  double residual = 0;       // normalizedResidual: (U'(R) - path price) / hops
  double price = 0;          // pathPrice: sum so far
  Time rtt;                  // of RCP*: the sender's last sample, 0 = none
  Time stop = Time::Max();   // when the flow ends, whatever waits of it
  // From the receiver.
  Time interval = Time{-1};  // interPacketTime: since the ACK before was sent, -1 = there was none
  int64_t bytes = 0;         // on the wire, that arrived in it
};

}  // namespace fabric
