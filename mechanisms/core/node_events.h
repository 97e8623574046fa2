// The pending events of an engine that runs them node by node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/fetch_ahead.h"

namespace fabric {

/// The nodes of a network, for an engine that runs one before the others; how far ahead it may.
class Windows {
 public:
  virtual ~Windows() = default;
  /// Asked when all events before some time have run, and none after it. For how long, from the next event on, what
  /// happens at a node cannot reach another node; 0: events have to run in the order of time from now on.
  virtual Time nextWindow() = 0;
  /// The turn of the node with this number in keys comes after that of two others, and after that of one other: its
  /// ports are fetched, and then what they lead to.
  virtual void fetch(uint32_t node) const = 0;
  virtual void fetchMore(uint32_t node) const = 0;
};

/// Nothing reaches another node in less than the delay of the shortest link. So within a window of that length the
/// order between nodes does not matter. A node runs all events that it has in the window before the next node's turn
/// comes: the memory that it needs then stays in the cache, however large the network is. Events that belong to no node
/// (samples, links that fail) end the window before them.
///
/// `Entry` is small and plain, with `int64_t at`, the time in ps and never negative, `uint32_t node() const`,
/// the node of its eventKey(), `bool before(const Entry&) const`, a strict order that begins with `at`, and
/// `void fetch() const` and `void fetchMore() const`, which fetch ahead what it needs, in two steps.
template <class Entry>
class NodeEvents {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  void setWindows(Windows& windows) { windows_ = &windows; }

  void insert(const Entry& e) {
    const uint32_t node = placeOf(e);
    if (node >= heaps_.size()) {
      heaps_.resize(node + 1);
      first_.resize(node + 1, kNever);
    }
    if (e.at < end_ && node != node_) tooSoon(e);
    std::vector<Entry>& heap = heaps_[node];
    ++size_;
    if (taken_ && node == node_) {
      taken_ = false;
      down(heap, 0, e);
    } else {
      heap.push_back(e);
      up(heap, heap.size() - 1);
    }
    first_[node] = heap.front().at;
  }

  /// Goes on to the next event; there is one. False: events have to run in the order of time from now on,
  /// and nothing was done.
  bool turn() {
    fill();
    if (first_[node_] < end_) return true;
    do {
      ++turn_;
    } while (turn_ < turns_.size() && first_[turns_[turn_]] >= end_);  // its events were taken out
    if (turn_ >= turns_.size()) return open();
    go();
    return true;
  }

  /// The event that comes next, after turn().
  Entry takeFirst() {
    taken_ = true;
    --size_;
    return heaps_[node_].front();
  }

  /// The earliest, null if there is none. Dear.
  const Entry* peek() const {
    const Entry* first = nullptr;
    for (uint32_t n = 0; n < heaps_.size(); ++n) {
      const Entry* next = firstOf(n);
      if (next != nullptr && (first == nullptr || next->before(*first))) first = next;
    }
    return first;
  }

  /// Takes out the entry for which `is` holds, which is of the node that `e` is of; false if there is none.
  template <class Is>
  bool remove(const Entry& e, const Is& is) {
    fill();
    const uint32_t node = placeOf(e);
    if (node >= heaps_.size()) return false;
    std::vector<Entry>& heap = heaps_[node];
    const auto it = std::find_if(heap.begin(), heap.end(), is);
    if (it == heap.end()) return false;
    const auto i = static_cast<size_t>(it - heap.begin());
    const Entry last = heap.back();
    heap.pop_back();
    if (i < heap.size()) {
      down(heap, i, last);
      up(heap, i);
    }
    first_[node] = heap.empty() ? kNever : heap.front().at;
    --size_;
    return true;
  }

  /// All entries, in no order.
  template <class Visit>
  void forEach(const Visit& visit) const {
    for (uint32_t n = 0; n < heaps_.size(); ++n) {
      for (size_t i = taken_ && n == node_ ? 1 : 0; i < heaps_[n].size(); ++i) visit(heaps_[n][i]);
    }
  }

  void clear() { *this = NodeEvents(); }

  /// The next event of the node whose turn it is, null if it has none: for fetching ahead.
  const Entry* ahead() const { return firstOf(node_); }

 private:
  /// The event that was taken out leaves its place in the heap to the next one that its node schedules, which is often
  /// at once. If the node has scheduled none, the heap closes the gap here.
  void fill() {
    if (!taken_) return;
    taken_ = false;
    std::vector<Entry>& heap = heaps_[node_];
    const Entry last = heap.back();
    heap.pop_back();
    if (!heap.empty()) down(heap, 0, last);
    first_[node_] = heap.empty() ? kNever : heap.front().at;
  }

  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  /// The heap of the events that belong to no node, whatever comes first or last of them.
  static constexpr uint32_t kNobody = 0;

  static uint32_t placeOf(const Entry& e) {
    const uint32_t node = e.node();
    return node == kLastNode ? kNobody : node;
  }

  /// The next node's turn has come. Each step finds in the cache what the one before has fetched, a node ago.
  void go() {
    node_ = turns_[turn_];
    if (turn_ + 1 >= turns_.size()) return;
    windows_->fetchMore(turns_[turn_ + 1]);
    forEachInWindow(turns_[turn_ + 1], [](const Entry& e) { e.fetchMore(); });
    if (turn_ + 2 >= turns_.size()) return;
    windows_->fetch(turns_[turn_ + 2]);
    forEachInWindow(turns_[turn_ + 2], [](const Entry& e) { e.fetch(); });
    if (turn_ + 3 >= turns_.size()) return;
    const std::vector<Entry>& third = heaps_[turns_[turn_ + 3]];
    FetchAhead::memory(third.data(), third.size() * sizeof(Entry));
  }

  template <class Visit>
  void forEachInWindow(uint32_t node, const Visit& visit) const {
    for (const Entry& e : heaps_[node]) {
      if (e.at < end_) visit(e);
    }
  }

  const Entry* firstOf(uint32_t node) const {
    const std::vector<Entry>& heap = heaps_[node];
    const size_t gone = taken_ && node == node_ ? 1 : 0;
    if (heap.size() <= gone) return nullptr;
    return &heap[gone + (gone != 0 && heap.size() > 2 && heap[2].before(heap[1]) ? 1 : 0)];
  }

  /// The window is over: to the next one, or to an event of nobody's that comes before.
  bool open() {
    const Time span = windows_->nextWindow();
    if (span.ps == 0) return false;
    end_ = 0;
    turn_ = 0;
    turns_.clear();
    int64_t begin = kNever;
    for (uint32_t n = kNobody + 1; n < first_.size(); ++n) begin = std::min(begin, first_[n]);
    if (!heaps_[kNobody].empty()) {
      const Entry& nobody = heaps_[kNobody].front();
      // What happens at that time comes before those that see all of it, and after the others.
      const int64_t limit = nobody.node() == kLastNode ? nobody.at + 1 : nobody.at;
      if (begin >= limit) {
        node_ = kNobody;
        return true;
      }
      end_ = limit;
    }
    if (end_ == 0 || end_ - begin > span.ps) end_ = begin + span.ps;
    for (uint32_t n = kNobody + 1; n < first_.size(); ++n) {
      if (first_[n] < end_) turns_.push_back(n);
    }
    go();
    return true;
  }

  [[noreturn]] static void tooSoon(const Entry& e) {
    throw std::logic_error("node " + std::to_string(e.node() - keyNode(0)) + " was given an event at " +
                           std::to_string(e.at) +
                           " ps by another node, less than the shortest link's delay ahead; let a packet carry it, or "
                           "have the transport say endsApart() is false");
  }

  static void up(std::vector<Entry>& heap, size_t i) {
    const Entry e = heap[i];
    while (i > 0 && e.before(heap[(i - 1) / 2])) {
      heap[i] = heap[(i - 1) / 2];
      i = (i - 1) / 2;
    }
    heap[i] = e;
  }

  /// Puts `e` in the place of the `i`-th, or further down.
  static void down(std::vector<Entry>& heap, size_t i, const Entry& e) {
    for (size_t child = 2 * i + 1; child < heap.size(); child = 2 * i + 1) {
      if (child + 1 < heap.size() && heap[child + 1].before(heap[child])) ++child;
      if (!heap[child].before(e)) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = e;
  }

  Windows* windows_ = nullptr;
  std::vector<std::vector<Entry>> heaps_{1};  // by node, that of nobody first
  std::vector<int64_t> first_{kNever};        // by node: when its first event comes
  std::vector<uint32_t> turns_;               // the nodes that have events in the window
  size_t turn_ = 0;                           // of them, the one whose turn it is
  uint32_t node_ = kNobody;                   // its number, or that of nobody
  int64_t end_ = 0;                           // of the window; 0: outside of one
  bool taken_ = false;                        // the first of its heap, and not replaced
  size_t size_ = 0;
};

}  // namespace fabric
