// A T for each of some things that have a number, and such things in a row.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace fabric {

/// Finds, adds and removes in O(1). Memory grows with the most things there ever were, and is kept. An entry's place
/// stays its own until it is removed.
template <class T, class Number = uint32_t>
class NumberTable {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t size() const { return size_; }
  /// The place of a number's entry; kNone if it has none.
  uint32_t find(Number number) const {
    for (size_t i = bucketOf(number);; i = next(i)) {
      if (buckets_[i] == kNone || entries_[buckets_[i]].number == number) return buckets_[i];
    }
  }
  /// A fresh entry for a number that has none.
  uint32_t add(Number number) {
    if (++size_ * 2 > buckets_.size()) grow();
    uint32_t place = free_;
    if (place == kNone) {
      place = static_cast<uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      free_ = entries_[place].nextFree;
      entries_[place].value = T();
    }
    entries_[place].number = number;
    insert(place);
    return place;
  }
  void remove(uint32_t place) {
    size_t hole = bucketOf(entries_[place].number);
    while (buckets_[hole] != place) hole = next(hole);
    // What comes behind moves up if the hole is on its way.
    for (size_t i = next(hole); buckets_[i] != kNone; i = next(i)) {
      const size_t home = bucketOf(entries_[buckets_[i]].number);
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
  Number number(uint32_t place) const { return entries_[place].number; }

 private:
  struct Entry {
    T value;
    Number number = 0;
    uint32_t nextFree = kNone;
  };
  /// Consecutive numbers must not fill consecutive buckets: Fibonacci hashing.
  size_t bucketOf(Number number) const {
    return static_cast<size_t>((uint64_t{number} * 11400714819323198485u) >> shift_);
  }
  size_t next(size_t bucket) const { return (bucket + 1) & (buckets_.size() - 1); }
  void insert(uint32_t place) {
    size_t i = bucketOf(entries_[place].number);
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
  uint32_t shift_ = 62;  // 64 - log2 of the number of buckets
  uint32_t size_ = 0;
  uint32_t free_ = kNone;
};

/// Some entries of a table in a row, the one that has been in it longest first. T has the places `prev` and `next`.
template <class T>
class TableRow {
 public:
  static constexpr uint32_t kNone = NumberTable<T>::kNone;
  explicit TableRow(NumberTable<T>& table) : table_(table) {}

  uint32_t first() const { return first_; }
  void append(uint32_t place) {
    table_[place].prev = last_;
    table_[place].next = kNone;
    (last_ == kNone ? first_ : table_[last_].next) = place;
    last_ = place;
  }
  void remove(uint32_t place) {
    const T& entry = table_[place];
    (entry.prev == kNone ? first_ : table_[entry.prev].next) = entry.next;
    (entry.next == kNone ? last_ : table_[entry.next].prev) = entry.prev;
  }
  void moveToEnd(uint32_t place) {
    if (place == last_) return;
    remove(place);
    append(place);
  }

 private:
  NumberTable<T>& table_;
  uint32_t first_ = kNone, last_ = kNone;
};

}  // namespace fabric
