// What IOFD adds to data packets.
#pragma once

#include <cstdint>

namespace fabric {

struct IofdHeader {
  static constexpr const char* kName = "iofd";
  /// Bits of a header for the tokens: no bytes of their own.
  static constexpr int kTokenBits = 3;

  uint8_t tokens = 0;       // how often the message may still be deflected
  uint8_t deflections = 0;  // how often it was; for the table of paths only
  uint8_t switches = 0;     // it came through; for the table of paths only
};

}  // namespace fabric
