// The pending events of an engine, by time and by an order of the engine's own at equal times.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabric {

/// Events of the next 8.4 us, that is nearly all, wait in a wheel of 0.26 ns slots, unsorted until their
/// slot's turn comes: a few operations per event, however many wait. Those further away (timers) wait in a
/// heap, and the next event is the earlier of both, so no event ever moves between them.
///
/// `Entry` is small and plain, with `int64_t at`, the time in ps and never negative, and
/// `bool before(const Entry&) const`, a strict order that begins with `at`.
template <class Entry>
class EventWheel {
 public:
  bool empty() const { return current_.empty() && inWheel_ == 0 && far_.empty(); }
  size_t size() const { return current_.size() + inWheel_ + far_.size(); }

  void insert(const Entry& e) {
    const uint64_t slot = slotOf(e);
    const uint64_t ahead = slot - slot_;  // huge where the slot is in the past
    if (ahead - 1 < kSlots - 1) {
      push(slot, e);
    } else if (ahead == 0) {
      current_.insert(std::upper_bound(current_.begin(), current_.end(), e, After{}), e);
    } else {
      far_.push_back(e);
      std::push_heap(far_.begin(), far_.end(), After{});
    }
  }

  /// The earliest; there is one.
  const Entry& first() {
    turn();
    return currentFirst() ? current_.back() : far_.front();
  }

  /// Takes it out.
  Entry takeFirst() {
    turn();
    if (currentFirst()) {
      const Entry e = current_.back();
      current_.pop_back();
      return e;
    }
    const Entry e = far_.front();
    std::pop_heap(far_.begin(), far_.end(), After{});
    far_.pop_back();
    // The wheel turns on to now: its slots up to here are empty. It never turns back.
    if (current_.empty() && slotOf(e) > slot_) open(slotOf(e));
    return e;
  }

  /// The earliest, null if there is none. Dearer than first(), and turns no wheel.
  const Entry* peek() const {
    const Entry* near = current_.empty() ? nullptr : &current_.back();
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
    if (const auto it = std::find_if(current_.begin(), current_.end(), is); it != current_.end()) {
      current_.erase(it);
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
    for (const Entry& e : current_) visit(e);
    for (uint64_t slot = 0; slot < kSlots; ++slot) inSlot(slot, visit);
    for (const Entry& e : far_) visit(e);
  }

  /// For fetching from memory what the next events need: calls `next` with those that may be the next and
  /// `later` with those that may be the one after, as far as they are easily found.
  template <class Next, class Later>
  void lookAhead(const Next& next, const Later& later) const {
    const size_t opened = current_.size();
    if (opened > 0) next(current_[opened - 1]);
    if (opened > 1) later(current_[opened - 2]);
    if (opened > 1 || inWheel_ == 0) return;
    uint64_t slot = usedSoon(slot_ + 1);
    if (slot == 0) return;
    if (opened == 1) {
      inSlot(slot, later);
      return;
    }
    inSlot(slot, next);
    if (nodes_[heads_[slot % kSlots] - 1].next != 0) return;  // one of these is the one after
    slot = usedSoon(slot + 1);
    if (slot != 0) inSlot(slot, later);
  }

 private:
  /// An entry in a slot's list, or free.
  struct Node {
    Entry entry;
    uint32_t next;  // counted from 1; 0 = none
  };

  static constexpr unsigned kSlotBits = 8;  // a slot is 2^8 ps
  static constexpr uint64_t kSlots = 32768;

  static uint64_t slotOf(const Entry& e) { return static_cast<uint64_t>(e.at) >> kSlotBits; }
  /// For std::*_heap and descending order; a class, so that it is inlined there.
  struct After {
    bool operator()(const Entry& a, const Entry& b) const { return b.before(a); }
  };

  /// To the first slot with entries, if there is no earlier entry elsewhere.
  void turn() {
    if (!current_.empty() || inWheel_ == 0) return;
    const uint64_t slot = firstSlot();
    if (far_.empty() || slot <= slotOf(far_.front())) open(slot);
  }

  bool currentFirst() const { return !current_.empty() && (far_.empty() || current_.back().before(far_.front())); }

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

  /// Takes the list of the slot out of the wheel and sorts it into current_.
  void open(uint64_t slot) {
    slot_ = slot;
    markEmpty(slot);
    for (uint32_t& head = heads_[slot % kSlots]; head != 0;) {
      const uint32_t number = head;
      current_.push_back(nodes_[number - 1].entry);
      head = nodes_[number - 1].next;
      free(number);
    }
    if (current_.size() > 1) std::sort(current_.begin(), current_.end(), After{});
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

  /// The first slot with entries from `slot` to the end of the 64 it belongs to; 0 if there is none.
  uint64_t usedSoon(uint64_t slot) const {
    const uint64_t word = used_[slot % kSlots / 64] >> slot % 64;
    return word == 0 ? 0 : slot + static_cast<uint64_t>(__builtin_ctzll(word));
  }

  template <class Visit>
  void inSlot(uint64_t slot, const Visit& visit) const {
    for (uint32_t n = heads_[slot % kSlots]; n != 0; n = nodes_[n - 1].next) visit(nodes_[n - 1].entry);
  }

  std::vector<Entry> current_;  // the entries of the slot slot_, the earliest last
  uint64_t slot_ = 0;           // current_'s; the wheel has slot_ + 1 to slot_ + kSlots - 1
  std::array<uint32_t, kSlots> heads_{};
  std::array<uint64_t, kSlots / 64> used_{};  // a bit per slot
  size_t inWheel_ = 0;
  std::vector<Node> nodes_;
  uint32_t free_ = 0;
  std::vector<Entry> far_;  // heap
};

}  // namespace fabric
