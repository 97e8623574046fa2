// A T for each of some hosts, by node id.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace fabric {

/// Finds, adds and removes in O(1). Memory grows with the most hosts there ever were, and is kept. An entry's place
/// stays its own until it is removed.
template <class T>
class HostTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t size() const { return size_; }
  /// The place of a host's entry; kNone if it has none.
  uint32_t find(uint32_t host) const {
    for (size_t i = bucketOf(host);; i = next(i)) {
      if (buckets_[i] == kNone || entries_[buckets_[i]].host == host) return buckets_[i];
    }
  }
  /// A fresh entry for a host that has none.
  uint32_t add(uint32_t host) {
    if (++size_ * 2 > buckets_.size()) grow();
    uint32_t place = free_;
    if (place == kNone) {
      place = static_cast<uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      free_ = entries_[place].nextFree;
      entries_[place].value = T();
    }
    entries_[place].host = host;
    insert(place);
    return place;
  }
  void remove(uint32_t place) {
    size_t hole = bucketOf(entries_[place].host);
    while (buckets_[hole] != place) hole = next(hole);
    // What comes behind moves up if the hole is on its way.
    for (size_t i = next(hole); buckets_[i] != kNone; i = next(i)) {
      const size_t home = bucketOf(entries_[buckets_[i]].host);
      if (((i - home) & (buckets_.size() - 1)) < ((i - hole) & (buckets_.size() - 1))) continue;
      buckets_[hole] = buckets_[i];
      hole = i;
    }
    buckets_[hole] = kNone;
    entries_[place].nextFree = free_;
    free_ = place;
    --size_;
  }
  T& operator[](uint32_t place) { return entries_[place].value; }
  const T& operator[](uint32_t place) const { return entries_[place].value; }
  uint32_t host(uint32_t place) const { return entries_[place].host; }

 private:
  struct Entry {
    T value;
    uint32_t host = 0;
    uint32_t nextFree = kNone;
  };
  /// Consecutive numbers must not fill consecutive buckets: Fibonacci hashing.
  size_t bucketOf(uint32_t host) const { return (host * uint32_t{2654435769}) >> shift_; }
  size_t next(size_t bucket) const { return (bucket + 1) & (buckets_.size() - 1); }
  void insert(uint32_t place) {
    size_t i = bucketOf(entries_[place].host);
    while (buckets_[i] != kNone) i = next(i);
    buckets_[i] = place;
  }
  void grow() {
    const std::vector<uint32_t> old = std::exchange(buckets_, std::vector<uint32_t>(buckets_.size() * 2, kNone));
    --shift_;
    for (const uint32_t place : old) {
      if (place != kNone) insert(place);
    }
  }

  std::vector<Entry> entries_;
  std::vector<uint32_t> buckets_ = std::vector<uint32_t>(4, kNone);
  uint32_t shift_ = 30;  // 32 - log2 of the number of buckets
  uint32_t size_ = 0;
  uint32_t free_ = kNone;
};

}  // namespace fabric
