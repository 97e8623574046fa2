// The pending events of an engine that runs them node by node.
#pragma once

#include <algorithm>
#include <array>
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
  /// The turn of the node with this number in keys comes next: what it looks at whatever happens is fetched.
  virtual void fetch(uint32_t node) const = 0;
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
    if (node >= waiting_.size()) {
      waiting_.resize(node + 1);
      first_.resize(node + 1, kNever);
    }
    ++size_;
    if (e.at < end_) {
      if (node != node_) tooSoon(e);
      add(e);
      return;
    }
    if ((e.at - end_) / kNear < span_ && node != kNobody) {
      waiting_[node].near.push_back(e);
    } else {
      push(waiting_[node].far, e);
    }
    first_[node] = std::min(first_[node], e.at);
  }

  /// Goes on to the next event; there is one. False: events have to run in the order of time from now on,
  /// and nothing was done.
  bool turn() {
    fill();
    if (!drawn_[current_].empty() || !added_.empty()) return true;
    while (++turn_ < turns_.size()) {
      begin();
      if (!drawn_[current_].empty()) return true;  // else its events were taken out
    }
    return open();
  }

  /// The event that comes next, after turn().
  Entry takeFirst() {
    --size_;
    if (node_ == kNobody) {
      std::vector<Entry>& heap = waiting_[kNobody].far;
      const Entry e = heap.front();
      pop(heap);
      findFirst(kNobody);
      return e;
    }
    std::vector<Entry>& list = drawn_[current_];
    if (added_.empty() || (!list.empty() && list.back().before(added_.front()))) {
      const Entry e = list.back();
      list.pop_back();
      return e;
    }
    taken_ = true;
    return added_.front();
  }

  /// The earliest, null if there is none. Dear.
  const Entry* peek() const {
    const Entry* first = nullptr;
    forEach([&first](const Entry& e) {
      if (first == nullptr || e.before(*first)) first = &e;
    });
    return first;
  }

  /// Takes out the entry for which `is` holds, which is of the node that `e` is of; false if there is none.
  template <class Is>
  bool remove(const Entry& e, const Is& is) {
    fill();
    const uint32_t node = placeOf(e);
    if (node >= waiting_.size()) return false;
    bool found = removeFromHeap(waiting_[node].far, is) || removeFromList(waiting_[node].near, is) ||
                 (node == node_ && removeFromHeap(added_, is));
    for (size_t t = turn_; !found && t < drawnTurns(); ++t) {
      if (turns_[t] == node) found = removeFromList(drawn_[t % kDrawn], is);
    }
    if (!found) return false;
    findFirst(node);
    --size_;
    return true;
  }

  /// All entries, in no order.
  template <class Visit>
  void forEach(const Visit& visit) const {
    for (const Waiting& w : waiting_) {
      for (const Entry& e : w.near) visit(e);
      for (const Entry& e : w.far) visit(e);
    }
    for (size_t t = turn_; t < drawnTurns(); ++t) {
      for (const Entry& e : drawn_[t % kDrawn]) visit(e);
    }
    for (size_t i = taken_ ? 1 : 0; i < added_.size(); ++i) visit(added_[i]);
  }

  void clear() { *this = NodeEvents(); }

  /// The next event, of the node whose turn it is or of the next one; null where it is not known. For fetching ahead.
  const Entry* ahead() const {
    if (node_ == kNobody) return waiting_[kNobody].far.empty() ? nullptr : &waiting_[kNobody].far.front();
    const std::vector<Entry>& list = drawn_[current_];
    const Entry* added = firstAdded();
    if (!list.empty()) return added != nullptr && added->before(list.back()) ? added : &list.back();
    if (added != nullptr || turn_ + 1 >= turns_.size()) return added;
    const std::vector<Entry>& next = drawn_[(turn_ + 1) % kDrawn];
    return next.empty() ? nullptr : &next.back();
  }

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  /// The place of the events that belong to no node, whatever comes first or last of them.
  static constexpr uint32_t kNobody = 0;
  /// What comes within so many windows behind this one is near.
  static constexpr int64_t kNear = 4;
  /// So many nodes' events of the window are known: of the node whose turn it is and the two behind it.
  static constexpr size_t kDrawn = 3;

  /// A node's events behind the window, or before its turn in it is near.
  struct Waiting {
    std::vector<Entry> near;  // in no order: each window looks at all of them, and they are taken a few windows later
    std::vector<Entry> far;   // a heap, because timers may be many
  };

  static uint32_t placeOf(const Entry& e) {
    const uint32_t node = e.node();
    return node == kLastNode ? kNobody : node;
  }

  size_t drawnTurns() const { return std::min(turn_ + kDrawn, turns_.size()); }

  /// An event of the node whose turn it is, in the window. The one that was taken leaves its place in the heap to the
  /// next one that the node schedules, which is often at once.
  void add(const Entry& e) {
    if (taken_) {
      taken_ = false;
      down(added_, 0, e);
    } else {
      push(added_, e);
    }
  }

  /// If the node has scheduled none, the heap closes the gap here.
  void fill() {
    if (!taken_) return;
    taken_ = false;
    pop(added_);
  }

  const Entry* firstAdded() const {
    const size_t gone = taken_ ? 1 : 0;
    if (added_.size() <= gone) return nullptr;
    return &added_[gone + (gone != 0 && added_.size() > 2 && added_[2].before(added_[1]) ? 1 : 0)];
  }

  /// The events of a node in the window, in no order.
  void draw(size_t turn) {
    const uint32_t node = turns_[turn];
    Waiting& w = waiting_[node];
    std::vector<Entry>& list = drawn_[turn % kDrawn];
    int64_t first = kNever;
    size_t left = 0;
    for (const Entry& e : w.near) {
      if (e.at < end_) {
        list.push_back(e);
      } else {
        first = std::min(first, e.at);
        w.near[left++] = e;
      }
    }
    w.near.erase(w.near.begin() + static_cast<std::ptrdiff_t>(left), w.near.end());
    while (!w.far.empty() && w.far.front().at < end_) {
      list.push_back(w.far.front());
      pop(w.far);
    }
    first_[node] = w.far.empty() ? first : std::min(first, w.far.front().at);
  }

  void findFirst(uint32_t node) {
    const Waiting& w = waiting_[node];
    first_[node] = w.far.empty() ? kNever : w.far.front().at;
    for (const Entry& e : w.near) first_[node] = std::min(first_[node], e.at);
  }

  /// The next node's turn has come. Each step finds in the cache what the one before has fetched, a node ago.
  void begin() {
    node_ = turns_[turn_];
    current_ = turn_ % kDrawn;
    if (turn_ + 1 < turns_.size()) {
      windows_->fetch(turns_[turn_ + 1]);
      std::vector<Entry>& next = drawn_[(turn_ + 1) % kDrawn];
      sort(next);
      for (const Entry& e : next) e.fetchMore();
    }
    if (turn_ + 2 < turns_.size()) {
      draw(turn_ + 2);
      for (const Entry& e : drawn_[(turn_ + 2) % kDrawn]) e.fetch();
    }
    if (turn_ + 3 < turns_.size()) {
      const std::vector<Entry>& third = waiting_[turns_[turn_ + 3]].near;
      FetchAhead::memory(third.data(), third.size() * sizeof(Entry));
    }
  }

  /// The window is over: to the next one, or to an event of nobody's that comes before.
  bool open() {
    const Time span = windows_->nextWindow();
    if (span.ps == 0) return false;
    span_ = span.ps;
    end_ = 0;
    turn_ = 0;
    turns_.clear();
    int64_t begins = kNever;
    for (uint32_t n = kNobody + 1; n < first_.size(); ++n) begins = std::min(begins, first_[n]);
    if (!waiting_[kNobody].far.empty()) {
      const Entry& nobody = waiting_[kNobody].far.front();
      // What happens at that time comes before those that see all of it, and after the others.
      const int64_t limit = nobody.node() == kLastNode ? nobody.at + 1 : nobody.at;
      if (begins >= limit) {
        node_ = kNobody;
        return true;
      }
      end_ = limit;
    }
    if (end_ == 0 || end_ - begins > span.ps) end_ = begins + span.ps;
    for (uint32_t n = kNobody + 1; n < first_.size(); ++n) {
      if (first_[n] < end_) turns_.push_back(n);
    }
    for (size_t turn = 0; turn < std::min(kDrawn - 1, turns_.size()); ++turn) draw(turn);
    sort(drawn_[0]);
    begin();
    return true;
  }

  [[noreturn]] static void tooSoon(const Entry& e) {
    throw std::logic_error("node " + std::to_string(e.node() - keyNode(0)) + " was given an event at " +
                           std::to_string(e.at) +
                           " ps by another node, less than the shortest link's delay ahead; let a packet carry it, or "
                           "have the transport say endsApart() is false");
  }

  static void sort(std::vector<Entry>& list) { std::sort(list.begin(), list.end(), LastFirst{}); }

  struct LastFirst {
    bool operator()(const Entry& a, const Entry& b) const { return b.before(a); }
  };

  static void push(std::vector<Entry>& heap, const Entry& e) {
    heap.push_back(e);
    up(heap, heap.size() - 1);
  }

  static void pop(std::vector<Entry>& heap) {
    const Entry last = heap.back();
    heap.pop_back();
    if (!heap.empty()) down(heap, 0, last);
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

  template <class Is>
  static bool removeFromList(std::vector<Entry>& list, const Is& is) {
    const auto it = std::find_if(list.begin(), list.end(), is);
    if (it == list.end()) return false;
    list.erase(it);
    return true;
  }

  template <class Is>
  static bool removeFromHeap(std::vector<Entry>& heap, const Is& is) {
    const auto it = std::find_if(heap.begin(), heap.end(), is);
    if (it == heap.end()) return false;
    const auto i = static_cast<size_t>(it - heap.begin());
    const Entry last = heap.back();
    heap.pop_back();
    if (i < heap.size()) {
      down(heap, i, last);
      up(heap, i);
    }
    return true;
  }

  Windows* windows_ = nullptr;
  std::vector<Waiting> waiting_{1};     // by node, that of nobody first
  std::vector<int64_t> first_{kNever};  // by node: when the first of them comes
  std::vector<uint32_t> turns_;         // the nodes that have events in the window
  size_t turn_ = 0;                     // of them, the one whose turn it is
  uint32_t node_ = kNobody;             // its number, or that of nobody
  std::array<std::vector<Entry>, kDrawn>
      drawn_;                 // by turn: the node's events in the window; of the first, the last first
  size_t current_ = 0;        // of them, that of the node whose turn it is
  std::vector<Entry> added_;  // a heap: what came to them since
  bool taken_ = false;        // the first of them, and not replaced
  int64_t end_ = 0;           // of the window; 0: outside of one
  int64_t span_ = 0;          // between two windows' ends, at most
  size_t size_ = 0;
};

}  // namespace fabric
