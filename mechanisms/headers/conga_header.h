// CONGA's fields in the overlay header between leaf switches.
#pragma once

#include <cstdint>

namespace fabric {

/// The packet extension; valid while the packet is encapsulated. On the wire the fields lie in
/// reserved bits of the VXLAN header.
struct CongaHeader {
  static constexpr const char* kName = "conga";
  uint32_t sourceLeaf = 0;  // number of the leaf that put the header on: the outer source address
  uint8_t tag = 0;          // LBTag: uplink of the source leaf
  uint8_t ce = 0;           // CE: largest metric of the links so far
  bool feedback = false;    // whether the two below say something
  uint8_t feedbackTag = 0;  // FB_LBTag
  uint8_t feedbackMetric = 0;
};

}  // namespace fabric
