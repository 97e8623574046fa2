// What IOFD adds to data packets.
#pragma once

#include "mechanisms/core/packet.h"

namespace fabric {

struct IofdHeader {
  static constexpr const char* kName = "iofd";
  /// Bits of a header for the tokens: no bytes of their own.
  static constexpr int kTokenBits = 3;

  uint32_t flowId = kNoFlow;  // whose iofd_tokens have filled it: the header of another one's packet means nothing
  uint8_t tokens = 0;         // how often the message may still be deflected
  uint8_t deflections = 0;    // how often it was; for the table of paths only
  uint8_t switches = 0;       // it came through; for the table of paths only

  bool of(const Packet& packet) const { return packet.kind == PacketKind::Data && flowId == packet.flowId; }
};

}  // namespace fabric
