// The pending events of an engine, by time and by an order of the engine's own at equal times.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabric {

/// Nearly all events are within the next 8.4 us. They wait in a wheel of slots of 0.26 ns and are sorted when their
/// slot is opened, so an event takes a few operations, however many wait. Later events (timers) wait in a heap. The
/// next event is the earlier one of wheel and heap, so no event ever moves between them. Slots are opened ahead of
/// their turn: the next events are then known, and what they need can be fetched from memory.
///
/// `Entry` is small and plain, with `int64_t at`, the time in ps and never negative, and
/// `bool before(const Entry&) const`, a strict order that begins with `at`.
template <class Entry>
class EventWheel {
 public:
  bool empty() const { return noneSorted() && inWheel_ == 0 && far_.empty(); }
  size_t size() const { return sorted_.size() - next_ + inWheel_ + far_.size(); }

  void insert(const Entry& e) {
    const uint64_t slot = slotOf(e);
    if (slot > slot_ && slot - slot_ < kSlots) {
      push(slot, e);
    } else if (slot <= slot_ && sorted_.size() - next_ < kMostSorted) {
      sorted_.insert(std::upper_bound(current(), sorted_.end(), e, Before{}), e);
    } else {
      far_.push_back(e);
      std::push_heap(far_.begin(), far_.end(), After{});
    }
  }

  /// The earliest; there is one.
  const Entry& first() {
    turn();
    return sortedFirst() ? sorted_[next_] : far_.front();
  }

  /// Takes it out.
  Entry takeFirst() {
    turn();
    if (sortedFirst()) {
      const Entry e = sorted_[next_++];
      if (noneSorted()) {
        sorted_.clear();
        next_ = 0;
      }
      openSoon();
      return e;
    }
    const Entry e = far_.front();
    std::pop_heap(far_.begin(), far_.end(), After{});
    far_.pop_back();
    // The wheel turns on to now: its slots up to here are empty. It never turns back.
    if (noneSorted() && slotOf(e) > slot_) open(slotOf(e));
    return e;
  }

  /// The earliest, null if there is none. Dearer than first(), and turns no wheel.
  const Entry* peek() const {
    const Entry* near = noneSorted() ? nullptr : &sorted_[next_];
    if (near == nullptr && inWheel_ > 0) {
      inSlot(firstSlot(), [&near](const Entry& e) {
        if (near == nullptr || e.before(*near)) near = &e;
      });
    }
    if (far_.empty() || (near != nullptr && near->before(far_.front()))) return near;
    return &far_.front();
  }

  /// Takes out the entry of time `at` for which `is` holds; false if there is none.
  template <class Is>
  bool remove(int64_t at, const Is& is) {
    if (const auto it = std::find_if(current(), sorted_.end(), is); it != sorted_.end()) {
      sorted_.erase(it);
      return true;
    }
    const uint64_t slot = static_cast<uint64_t>(at) >> kSlotBits;
    for (uint32_t* next = &heads_[slot % kSlots]; *next != 0; next = &nodes_[*next - 1].next) {
      const uint32_t number = *next;
      if (!is(nodes_[number - 1].entry)) continue;
      *next = nodes_[number - 1].next;
      free(number);
      if (heads_[slot % kSlots] == 0) markEmpty(slot);
      return true;
    }
    const auto it = std::find_if(far_.begin(), far_.end(), is);
    if (it == far_.end()) return false;
    *it = far_.back();
    far_.pop_back();
    std::make_heap(far_.begin(), far_.end(), After{});
    return true;
  }

  /// All entries, in no order.
  template <class Visit>
  void forEach(const Visit& visit) const {
    for (size_t i = next_; i < sorted_.size(); ++i) visit(sorted_[i]);
    for (uint64_t slot = 0; slot < kSlots; ++slot) inSlot(slot, visit);
    for (const Entry& e : far_) visit(e);
  }

  /// As at the beginning, at whatever time.
  void clear() { *this = EventWheel(); }

  /// The one that may be the `i`-th from now, counted from 0; null where it is not known. The heap is not
  /// asked: this is for fetching ahead.
  const Entry* ahead(size_t i) const { return next_ + i < sorted_.size() ? &sorted_[next_ + i] : nullptr; }

 private:
  /// An entry in a slot's list, or free.
  struct Node {
    Entry entry;
    uint32_t next;  // counted from 1; 0 = none
  };

  static constexpr unsigned kSlotBits = 8;  // a slot is 2^8 ps
  static constexpr uint64_t kSlots = 32768;
  static constexpr size_t kAhead = 4;         // so many events are known, if they come soon
  static constexpr size_t kMostSorted = 256;  // to keep the sorted ones cheap, whatever comes

  static uint64_t slotOf(const Entry& e) { return static_cast<uint64_t>(e.at) >> kSlotBits; }
  /// Orders as the standard algorithms want them; classes, so that they are inlined there.
  struct Before {
    bool operator()(const Entry& a, const Entry& b) const { return a.before(b); }
  };
  struct After {
    bool operator()(const Entry& a, const Entry& b) const { return b.before(a); }
  };

  /// To the first slot with entries, if there is no earlier entry elsewhere.
  void turn() {
    if (!noneSorted() || inWheel_ == 0) return;
    const uint64_t slot = firstSlot();
    if (far_.empty() || slot <= slotOf(far_.front())) open(slot);
  }

  bool noneSorted() const { return next_ == sorted_.size(); }
  typename std::vector<Entry>::iterator current() { return sorted_.begin() + static_cast<std::ptrdiff_t>(next_); }
  bool sortedFirst() const { return !noneSorted() && (far_.empty() || sorted_[next_].before(far_.front())); }

  void push(uint64_t slot, const Entry& e) {
    if (free_ == 0) {
      nodes_.push_back({e, 0});
      free_ = static_cast<uint32_t>(nodes_.size());
    }
    const uint32_t number = free_;
    Node& node = nodes_[number - 1];
    free_ = node.next;
    uint32_t& head = heads_[slot % kSlots];
    node = {e, head};
    head = number;
    used_[slot % kSlots / 64] |= uint64_t{1} << slot % 64;
    ++inWheel_;
  }

  void free(uint32_t number) {
    nodes_[number - 1].next = free_;
    free_ = number;
    --inWheel_;
  }

  void markEmpty(uint64_t slot) { used_[slot % kSlots / 64] &= ~(uint64_t{1} << slot % 64); }

  /// Takes the list of the slot, the first with entries, out of the wheel and puts it in order behind sorted_.
  void open(uint64_t slot) {
    slot_ = slot;
    markEmpty(slot);
    if (next_ > kMostSorted) {
      sorted_.erase(sorted_.begin(), current());
      next_ = 0;
    }
    const auto before = static_cast<std::ptrdiff_t>(sorted_.size());
    for (uint32_t& head = heads_[slot % kSlots]; head != 0;) {
      const uint32_t number = head;
      sorted_.push_back(nodes_[number - 1].entry);
      head = nodes_[number - 1].next;
      free(number);
    }
    if (const auto opened = sorted_.begin() + before; sorted_.end() - opened > 1) {
      std::sort(opened, sorted_.end(), Before{});
    }
  }

  /// Opens the next slots until enough events are known; not those far ahead, into which many more may come.
  void openSoon() {
    while (sorted_.size() - next_ < kAhead && inWheel_ > 0) {
      uint64_t slot = slot_ + 1;
      uint64_t word = used_[slot % kSlots / 64] >> slot % 64;
      if (word == 0) {
        slot = (slot / 64 + 1) * 64;
        word = used_[slot % kSlots / 64];
        if (word == 0) return;
      }
      open(slot + static_cast<uint64_t>(__builtin_ctzll(word)));
    }
  }

  /// The first slot with entries; the wheel has one.
  uint64_t firstSlot() const {
    uint64_t slot = slot_ + 1;
    uint64_t word = used_[slot % kSlots / 64] >> slot % 64;
    while (word == 0) {
      slot = (slot / 64 + 1) * 64;
      word = used_[slot % kSlots / 64];
    }
    return slot + static_cast<uint64_t>(__builtin_ctzll(word));
  }

  template <class Visit>
  void inSlot(uint64_t slot, const Visit& visit) const {
    for (uint32_t n = heads_[slot % kSlots]; n != 0; n = nodes_[n - 1].next) visit(nodes_[n - 1].entry);
  }

  std::vector<Entry> sorted_;  // the entries of the opened slots, from next_ on; those before have been taken
  size_t next_ = 0;
  uint64_t slot_ = 0;  // the last opened one; the wheel has slot_ + 1 to slot_ + kSlots - 1
  std::array<uint32_t, kSlots> heads_{};
  std::array<uint64_t, kSlots / 64> used_{};  // a bit per slot
  size_t inWheel_ = 0;
  std::vector<Node> nodes_;
  uint32_t free_ = 0;
  std::vector<Entry> far_;  // heap
};

}  // namespace fabric
