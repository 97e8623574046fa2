// What a TCP header says beyond the packet's own fields.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mechanisms/core/packet.h"

namespace fabric {

/// Segments are numbered: a flow is cut into segments of one MSS once and for all, and a retransmission
/// carries the same bytes.
struct TcpHeader {
  struct Block {  // [begin, end)
    uint32_t begin, end;
  };
  static constexpr size_t kBlocks = 3;
  static constexpr const char* kName = "tcp";
  /// The type of control packets that have no data and acknowledge none: a FIN, a FIN-ACK that goes again, the last
  /// ACK.
  static constexpr const char* kTearDown = "tcp tear-down";

  enum class Control : uint8_t { None, Syn, Fin };

  uint32_t segment = 0;             // of data: its number; of an ACK: the first one missing at the receiver
  uint8_t blocks = 0;               // SACK blocks in use
  bool cwr = false;                 // congestion window reduced (RFC 3168)
  Control control = Control::None;  // SYN or FIN, or the ACK of one
  /// Of a persistent connection's packets: the connection's number, while `flowId` is the message's.
  uint32_t connection = kNoFlow;
  union {
    std::array<Block, kBlocks> sack{};  // of an ACK
    Flow* message;                      // of a persistent connection's data: the message whose bytes they are
  };

  /// The option on the wire, RFC 2018: kind and length, padded to four bytes, and two sequence numbers per block.
  int64_t optionBytes() const { return blocks == 0 ? 0 : 4 + 8 * blocks; }
};

}  // namespace fabric
