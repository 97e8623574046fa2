// What a TCP receiver has of a stream of segments, and what its ACKs say of it.
#pragma once

#include <array>
#include <cstdint>

#include "mechanisms/headers/tcp_header.h"
#include "mechanisms/tcp/segments.h"

namespace fabric {

/// A plain struct: its owner gives the memory back with release().
class Reassembly {
 public:
  /// The first segment that is missing.
  uint32_t expected() const { return expected_; }
  bool has(uint32_t segment) const { return segment < expected_ || here_.contains(segment); }
  /// Segments behind the first missing one are here.
  bool holes() const { return waiting_ > 0; }
  /// The expected segment has arrived, and with it counts what was waiting for it. The next one missing:
  uint32_t advance();
  /// A segment behind the expected one has arrived. False: it was here.
  bool add(uint32_t segment, WordPool& pool);
  /// What an ACK is to say now.
  void report(TcpHeader& header) const {
    header.segment = expected_;
    header.blocks = blocks_;
    header.sack = recent_;
  }
  void release(WordPool& pool) { here_.release(pool); }

 private:
  void remember(uint32_t segment);

  uint32_t expected_ = 0;
  uint32_t waiting_ = 0;  // segments beyond it that are here
  SegmentSet here_;
  uint8_t blocks_ = 0;
  std::array<TcpHeader::Block, TcpHeader::kBlocks> recent_{};
};

}  // namespace fabric
