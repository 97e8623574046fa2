#include "mechanisms/tcp/reassembly.h"

namespace fabric {

namespace {

constexpr uint32_t kNoSegment = ~uint32_t{0};

}  // namespace

uint32_t Reassembly::advance() {
  ++expected_;
  if (waiting_ == 0) return expected_;
  const uint32_t missing = here_.firstMissing(expected_, kNoSegment);
  waiting_ -= missing - expected_;
  for (; expected_ < missing; ++expected_) here_.erase(expected_);
  uint8_t kept = 0;
  for (uint8_t i = 0; i < blocks_; ++i) {
    if (recent_[i].begin > expected_) recent_[kept++] = recent_[i];
  }
  blocks_ = kept;
  return expected_;
}

bool Reassembly::add(uint32_t segment, WordPool& pool) {
  if (!here_.add(segment, expected_, pool)) return false;
  ++waiting_;
  remember(segment);
  return true;
}

/// RFC 2018 section 4: the block that the segment is in comes first, then the last ones that were
/// reported.
void Reassembly::remember(uint32_t segment) {
  TcpHeader::Block block{segment, segment + 1};
  if (here_.contains(segment - 1)) block.begin = kNoSegment;
  if (here_.contains(segment + 1)) block.end = kNoSegment;
  for (uint8_t i = 0; i < blocks_; ++i) {
    if (recent_[i].end == segment) block.begin = recent_[i].begin;
    if (recent_[i].begin == segment + 1) block.end = recent_[i].end;
  }
  if (block.begin == kNoSegment) block.begin = here_.runBefore(segment, expected_);
  if (block.end == kNoSegment) block.end = here_.firstMissing(segment + 1, kNoSegment);
  std::array<TcpHeader::Block, TcpHeader::kBlocks> recent{block};
  uint8_t n = 1;
  for (uint8_t i = 0; i < blocks_ && n < TcpHeader::kBlocks; ++i) {
    if (recent_[i].end < block.begin || recent_[i].begin > block.end) recent[n++] = recent_[i];
  }
  recent_ = recent;
  blocks_ = n;
}

}  // namespace fabric
