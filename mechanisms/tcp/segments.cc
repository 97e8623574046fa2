#include "mechanisms/tcp/segments.h"

namespace fabric {

namespace {

unsigned log2(uint32_t power) { return static_cast<unsigned>(__builtin_ctz(power)); }

}  // namespace

uint64_t* WordPool::get(unsigned log2Words) {
  const size_t words = size_t{1} << log2Words;
  if (free_.size() <= log2Words) free_.resize(log2Words + 1);
  auto& kept = free_[log2Words];
  if (kept.empty()) {
    blocks_.push_back(std::make_unique<uint64_t[]>(words));
    kept.reserve(kept.capacity() + 1);  // giving it back must not allocate
    return blocks_.back().get();
  }
  uint64_t* block = kept.back();
  kept.pop_back();
  std::fill_n(block, words, 0);
  return block;
}

void WordPool::put(uint64_t* words, unsigned log2Words) { free_[log2Words].push_back(words); }

void SegmentSet::grow(uint32_t segment, uint32_t base, WordPool& pool) {
  SegmentSet larger;
  larger.capacity_ = std::max(64u, capacity_);
  while (larger.capacity_ <= segment - base) larger.capacity_ *= 2;
  larger.mask_ = larger.capacity_ / 64 - 1;
  larger.words_ = pool.get(log2(larger.mask_ + 1));
  for (uint32_t s = base; s < end_; ++s) {
    if (contains(s)) larger.word(s) |= uint64_t{1} << (s & 63);
  }
  larger.end_ = end_;
  release(pool);
  *this = larger;
}

void SegmentSet::release(WordPool& pool) {
  if (words_ != nullptr) pool.put(words_, log2(mask_ + 1));
  *this = SegmentSet();
}

void SegmentNumbers::grow(uint32_t segment, uint32_t base, WordPool& pool) {
  SegmentNumbers larger;
  larger.capacity_ = std::max(64u, 2 * capacity_);
  while (larger.capacity_ <= segment - base) larger.capacity_ *= 2;
  larger.numbers_ = pool.get(log2(larger.capacity_));
  for (uint32_t s = base; s - base < capacity_; ++s) larger.numbers_[s & (larger.capacity_ - 1)] = at(s);
  release(pool);
  *this = larger;
}

void SegmentNumbers::release(WordPool& pool) {
  if (numbers_ != nullptr) pool.put(numbers_, log2(capacity_));
  *this = SegmentNumbers();
}

}  // namespace fabric
