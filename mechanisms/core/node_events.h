// The pending events of an engine that runs them node by node.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/core/arena.h"
#include "mechanisms/core/engine.h"
#include "mechanisms/core/fetch_ahead.h"
#include "mechanisms/core/lane_post.h"
#include "mechanisms/core/own_lines.h"

namespace fabric {

/// The other lanes, for one of them; see NodeLanes.
class OtherLanes {
 public:
  virtual ~OtherLanes() = default;
  // For the first lane.
  /// Waits until the span is over for all. Returns when the earliest event of any node comes.
  virtual int64_t meet() = 0;
  /// A span begins for all, of windows of this length: the first one at `begin`, the last one ends at `end` at the
  /// latest.
  virtual void part(int64_t begin, int64_t end, Time window) = 0;
  /// This lane's next phase begins, which may take other lanes' last but one. False: the span is over for this lane.
  virtual bool nextPhase(uint32_t lane) = 0;
};

/// The nodes of a network, for an engine that runs one node ahead of others, and how far ahead it may run.
class Windows {
 public:
  virtual ~Windows() = default;
  /// How long, from the next event on, no node can affect another one. 0: events run in the order of time from now on.
  /// Asked when all events before some time have run, and none after it.
  virtual Time nextWindow() = 0;
  /// The turn of the node with this number in keys comes next: what it looks at whatever happens is fetched.
  virtual void fetch(uint32_t node) const = 0;

  // Where lanes share the nodes (node_lanes.h).
  /// So many windows may follow each other from now on before nextWindow() is asked again.
  virtual uint32_t windowsAhead() const { return 1; }
  /// So many will.
  virtual void setLanes(uint32_t) {}
  /// All nodes by number, in units that should stay together. Units that send each other much are near each other.
  virtual std::vector<std::vector<uint32_t>> byPlace() const { return {}; }
  /// By a node's number in keys: its lane.
  virtual void setLaneOf(const std::vector<uint8_t>&) {}
  /// By a node's number in keys: whether its turn may come in the first phase of a window (NodeLanes). It gives other
  /// nodes nothing but frames, and those for other lanes go to nodes of the first phase.
  virtual std::vector<bool> early(const std::vector<uint8_t>& laneOf) const { return std::vector<bool>(laneOf.size()); }
  /// The lanes begin a window; until meet() each is in the nodes of its own.
  virtual void part() {}
  virtual void meet() {}
  /// This lane's next events are of this node.
  virtual void turnOf(uint32_t) {}
};

/// Nothing reaches another node in less than the delay of the shortest link. So within a window of that length the
/// order between nodes does not matter. A node runs all events that it has in the window before the next node's turn
/// comes: the memory that it needs then stays in the cache, however large the network is. Events that belong to no node
/// (samples, links that fail) end the window before them.
///
/// `Entry` is small and plain, with `int64_t at`, the time in ps and never negative, `uint32_t node() const`,
/// the node of its eventKey(), `bool before(const Entry&) const`, a strict order that begins with `at`, and
/// `void fetch() const` and `void fetchMore() const`, which fetch ahead what it needs, in two steps.
///
/// Lanes share the nodes where a run has several threads (NodeLanes). Each lane is one of these, and all have the same
/// lists of what waits by node. The first runs the events that belong to no node, while the others stand still.
template <class Entry>
class alignas(kLaneBytes) NodeEvents {
 public:
  NodeEvents() : made_(std::make_unique<Nodes>()), nodes_(made_.get()) { look(); }
  /// A further lane, with a part of the nodes of `first`.
  NodeEvents(NodeEvents& first, uint8_t lane) : nodes_(first.nodes_), windows_(first.windows_), lane_(lane) { look(); }

  /// Of this lane.
  bool empty() const { return balance() == 0; }
  size_t size() const { return static_cast<size_t>(balance()); }
  /// How many more came to this lane than it took; other lanes may have put them here.
  int64_t balance() const { return came_ - went_; }
  void setWindows(Windows& windows) { windows_ = &windows; }

  /// Always inline, and `e` by value: the compiler then keeps the entry in registers and stores it once. An entry on
  /// the stack would be stored, read back and stored again.
  [[gnu::always_inline]] void insert(const Entry e) {
    const uint32_t node = placeOf(e);
    if (node >= count_) makePlace(node);
    if (e.at < end_) {
      if (node != node_) tooSoon(e);
      ++came_;
      add(e);
      return;
    }
    if (laneOf_ != nullptr && laneOf_[node] != lane_) return send(e, node);
    ++came_;
    if (e.at < near_ && node != kNobody) {
      waiting_[node].near.add(e);
    } else {
      push(waiting_[node].far, e);
      outside_ = std::min(outside_, e.at);
    }
    waiting_[node].first = std::min(waiting_[node].first, e.at);
  }

  /// Goes on to the next event; there is one. False: events have to run in the order of time from now on,
  /// and nothing was done.
  bool turn() { return more() || nextTurn(); }

  /// Whether the current node has another event in the window, which then comes next, without turn().
  bool more() const { return next_ != last_ || added_.size() > (taken_ ? 1 : 0); }

  /// The next event, after turn() or more(). The pointer is valid until an event is inserted or removed.
  const Entry& takeFirst() {
    ++went_;
    fill();
    if (added_.empty() && next_ != last_) return *next_++;
    return takeOther();
  }

  /// The earliest, null if there is none. Slow.
  const Entry* peek() const {
    const Entry* first = nullptr;
    forEach([&first](const Entry& e) {
      if (first == nullptr || e.before(*first)) first = &e;
    });
    return first;
  }

  /// Removes the entry of `e`'s node for which `is` holds; false if there is none.
  template <class Is>
  bool remove(const Entry& e, const Is& is) {
    fill();
    const uint32_t node = placeOf(e);
    if (node >= count_) return false;
    bool found = removeFromHeap(waiting_[node].far, is) || removeFromList(waiting_[node].near, is) ||
                 (node == node_ && removeFromHeap(added_, is));
    for (size_t t = turn_; !found && t < drawnTurns(); ++t) {
      if (turns_[t] == node) found = removeDrawn(t, is);
    }
    if (!found) return false;
    findFirst(node);
    --came_;
    return true;
  }

  /// As remove(), for entries that are not near: stopped timers, which may be many. False: the entry is near, or there
  /// is none.
  template <class Is>
  bool removeFar(const Entry& e, const Is& is) {
    const uint32_t node = placeOf(e);
    if (e.at < near_ || node >= count_ || !removeFromHeap(waiting_[node].far, is)) return false;
    if (e.at <= waiting_[node].first) findFirst(node);
    --came_;
    return true;
  }

  /// All entries, in no order.
  template <class Visit>
  void forEach(const Visit& visit) const {
    for (const Waiting& w : nodes_->waiting) {
      for (const Entry& e : w.near) visit(e);
      for (const Entry& e : w.far) visit(e);
    }
    for (const Entry* e = next_; e != last_; ++e) visit(*e);
    for (size_t t = turn_ + 1; t < drawnTurns(); ++t) {
      for (const Entry& e : drawn_[t % kDrawn]) visit(e);
    }
    for (size_t i = taken_ ? 1 : 0; i < added_.size(); ++i) visit(added_[i]);
  }

  void clear() { *this = NodeEvents(); }

  // For NodeLanes.
  struct Nodes;
  /// All nodes up to this number are known from now on; while the lanes stand still.
  void makePlaces(uint32_t last) {
    if (last >= count_) makePlace(last);
  }
  void setOthers(OtherLanes* others) { others_ = others; }
  /// So many lanes share the nodes from now on.
  void setLanes(uint32_t count) { nodes_->post.setLanes(count); }
  /// By a node's number in keys: its lane, and whether its turn comes in the first phase of a window. For all lanes.
  void deal(std::vector<uint8_t> laneOf, std::vector<bool> early) {
    nodes_->laneOf = std::move(laneOf);
    nodes_->early = std::move(early);
  }
  /// This lane gets the nodes that are dealt to it.
  void takeNodes(OtherLanes& others) {
    others_ = &others;
    shared_ = true;
    for (std::vector<uint32_t>& own : own_) own.clear();
    for (uint32_t node = 1; node < nodes_->laneOf.size(); ++node) {
      if (nodes_->laneOf[node] == lane_) own_[nodes_->early[node] ? 0 : 1].push_back(node);
    }
    look();
  }
  /// The lane's part of a phase begins, in the window up to `end`. False: none of the phase's nodes has an event in it.
  bool startPhase(uint32_t phase, int64_t end, Time window) {
    laneOf_ = nodes_->laneOf.data();
    nodes_->post.setPhase(lane_, phase);
    end_ = end;
    near_ = end + kNear * window.ps;
    turns_.clear();
    for (const uint32_t n : own_[phase % own_.size()]) {
      if (waiting_[n].first < end_) turns_.push_back(n);
    }
    return beginTurns();
  }
  /// The next event of this lane in the span, after more() is false.
  bool turnInSpan() {
    fill();
    while (++turn_ < turns_.size()) {
      begin();
      if (next_ != last_) return true;  // else its events were removed
    }
    noteWork();
    return shared_ && others_->nextPhase(lane_);
  }
  /// A bit for each lane whose nodes have got an event in this phase.
  uint64_t sentTo() const { return nodes_->post.sentTo(lane_); }
  /// Until the next phase the lane is in no window.
  void endPhase() { end_ = 0; }
  /// What another lane has sent in the phase for this lane's nodes; between phases.
  void take(uint32_t from, uint32_t phase) {
    for (const Entry& e : nodes_->post.sent(from, lane_, phase)) insert(e);
  }
  /// The span is over, and all is taken. When the earliest event of this lane's nodes comes.
  int64_t endSpan() {
    laneOf_ = nullptr;
    node_ = kNobody;
    outside_ = kNever;
    int64_t earliest = kNever;
    for (const std::vector<uint32_t>& own : own_) {
      for (const uint32_t n : own) earliest = std::min(earliest, waiting_[n].first);
    }
    return earliest;
  }
  /// When the earliest event of any node comes, where nodes are not shared.
  int64_t earliest() {
    outside_ = kNever;
    int64_t earliest = kNever;
    for (uint32_t n = kNobody + 1; n < count_; ++n) earliest = std::min(earliest, waiting_[n].first);
    return earliest;
  }
  /// By node: events at its turns in this lane so far.
  std::vector<uint32_t>& work() { return work_; }
  uint32_t nodeCount() const { return count_; }

  /// The next event, of the current node or the next one; null where it is not known. For fetching ahead.
  const Entry* ahead() const {
    const Entry* added = firstAdded();
    if (next_ != last_) return added != nullptr && added->before(*next_) ? added : next_;
    if (added != nullptr) return added;
    if (node_ == kNobody) return waiting_[kNobody].far.empty() ? nullptr : &waiting_[kNobody].far.front();
    if (turn_ + 1 >= turns_.size()) return nullptr;
    const List& next = drawn_[(turn_ + 1) % kDrawn];
    return next.begin() == next.end() ? nullptr : next.begin();
  }

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  /// The place of all events that belong to no node.
  static constexpr uint32_t kNobody = 0;
  /// Events within so many windows after this one are near.
  static constexpr int64_t kNear = 4;
  /// For so many nodes the window's events are known: the current node and the next two.
  static constexpr size_t kDrawn = 3;
  /// Each node has contiguous room for so many events from the start.
  static constexpr size_t kRoom = 8;
  /// Up to so many events are sorted by insertion.
  static constexpr size_t kFew = 16;

  /// Entries. A std::vector would take the address of what is added, and could not be filled by a loop that learns its
  /// length only at the end.
  class List {
   public:
    const Entry* begin() const { return room_.data(); }
    const Entry* end() const { return room_.data() + count_; }
    Entry* begin() { return room_.data(); }
    Entry* end() { return room_.data() + count_; }
    size_t size() const { return count_; }
    void add(const Entry e) {
      if (count_ == room_.size()) makeRoom(count_ + 1);
      room_[count_++] = e;
    }
    /// Room for so many in all.
    void makeRoom(size_t count) {
      if (room_.size() < count) grow(count);
    }
    /// The first so many, for which there is room.
    void setSize(size_t count) { count_ = count; }

   private:
    FABRIC_RARE void grow(size_t count) { room_.resize(std::max(count, 2 * room_.size())); }
    ArenaVector<Entry> room_;
    size_t count_ = 0;
  };

  /// A node's events after the window, and those in it until its turn is near. One line of the cache.
  struct alignas(64) Waiting {
    int64_t first = kNever;  // when the first of them comes
    List near;               // in no order: each window looks at all of them, and they are taken a few windows later
    OwnVector<Entry> far;    // a heap, because timers may be many
  };

  static uint32_t placeOf(const Entry& e) {
    const uint32_t node = e.node();
    return node == kLastNode ? kNobody : node;
  }

  size_t drawnTurns() const { return std::min(turn_ + kDrawn, turns_.size()); }

  FABRIC_RARE void makePlace(uint32_t node) {
    for (size_t made = count_; made <= node; ++made) nodes_->waiting.emplace_back().near.makeRoom(kRoom);
    look();
  }
  void look() {
    waiting_ = nodes_->waiting.data();
    count_ = static_cast<uint32_t>(nodes_->waiting.size());
    work_.resize(count_);
  }

  [[gnu::noinline]] bool nextTurn() { return turnInSpan() || open(); }

  /// To another lane's node, which takes it when the lanes meet.
  [[gnu::noinline]] void send(const Entry e, uint32_t node) {
    if (node == kNobody) {
      throw std::logic_error(
          "at a node's turn an event was scheduled that belongs to no node, which several threads cannot put in order; "
          "give it the node's key, or run on one thread");
    }
    if (nodes_->early[node] && !nodes_->early[node_]) {
      throw std::logic_error("node " + std::to_string(node - keyNode(0)) + " was given an event by node " +
                             std::to_string(node_ - keyNode(0)) + " of a later phase; let a packet carry it");
    }
    nodes_->post.send(nodes_->laneOf[node], e);
  }

  /// An event that the node got since, or one that belongs to no node.
  const Entry& takeOther() {
    if (node_ == kNobody) {
      OwnVector<Entry>& heap = waiting_[kNobody].far;
      nobodys_ = heap.front();
      pop(heap);
      findFirst(kNobody);
      return nobodys_;
    }
    if (next_ != last_ && next_->before(added_.front())) return *next_++;
    taken_ = true;
    return added_.front();
  }

  /// An event of the current node in the window. The place of the event taken last stays free in the heap for the next
  /// one that the node schedules, often at once.
  void add(const Entry e) {
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
    List& list = drawn_[turn % kDrawn];
    list.makeRoom(w.near.size());
    Entry* drawn = list.begin();
    Entry* left = w.near.begin();
    int64_t first = kNever;
    // Branch-free, because the processor cannot predict the test.
    for (const Entry& each : w.near) {
      const Entry e = each;
      const bool in = e.at < end_;
      *drawn = e;
      drawn += in ? 1 : 0;
      *left = e;
      left += in ? 0 : 1;
      first = std::min(first, in ? kNever : e.at);
    }
    list.setSize(static_cast<size_t>(drawn - list.begin()));
    w.near.setSize(static_cast<size_t>(left - w.near.begin()));
    while (!w.far.empty() && w.far.front().at < end_) {
      list.add(w.far.front());
      pop(w.far);
    }
    w.first = w.far.empty() ? first : std::min(first, w.far.front().at);
  }

  void findFirst(uint32_t node) {
    Waiting& w = waiting_[node];
    w.first = w.far.empty() ? kNever : w.far.front().at;
    for (const Entry& e : w.near) w.first = std::min(w.first, e.at);
  }

  /// What was taken at the turn that is over.
  void noteWork() {
    if ((others_ != nullptr || shared_) && node_ != kNobody) work_[node_] += static_cast<uint32_t>(went_ - noted_);
    noted_ = went_;
  }

  /// The next node's turn. Each step uses what the step before has fetched, one node ago.
  void begin() {
    noteWork();
    node_ = turns_[turn_];
    const List& own = drawn_[turn_ % kDrawn];
    if (shared_) windows_->turnOf(node_);
    next_ = own.begin();
    last_ = own.end();
    if (turn_ + 1 < turns_.size()) {
      windows_->fetch(turns_[turn_ + 1]);
      List& next = drawn_[(turn_ + 1) % kDrawn];
      sort(next);
      for (const Entry& e : next) e.fetchMore();
    }
    if (turn_ + 2 < turns_.size()) {
      draw(turn_ + 2);
      for (const Entry& e : drawn_[(turn_ + 2) % kDrawn]) e.fetch();
    }
    if (turn_ + 3 < turns_.size()) {
      const List& third = waiting_[turns_[turn_ + 3]].near;
      FetchAhead::memory(third.begin(), third.size() * sizeof(Entry));
    }
    if (turn_ + 4 < turns_.size()) FetchAhead::memory(&waiting_[turns_[turn_ + 4]]);
  }

  /// Ends the window: goes to the next one, or to an earlier event that belongs to no node.
  bool open() {
    for (;;) {
      int64_t begins = kNever;
      if (others_ != nullptr) {
        begins = std::min(others_->meet(), outside_);
      }
      const Time span = windows_->nextWindow();
      if (span.ps == 0) return false;
      end_ = 0;
      near_ = 0;
      turn_ = 0;
      turns_.clear();
      next_ = last_ = nullptr;
      int64_t limit = kNever;
      if (!waiting_[kNobody].far.empty()) {
        const Entry& nobody = waiting_[kNobody].far.front();
        // Node events of that time come after flow starts and link changes, and before samples.
        limit = nobody.node() == kLastNode ? nobody.at + 1 : nobody.at;
      }
      // Mostly the next window follows at once, and one look at all nodes does.
      int64_t end = std::min(limit, before_ + span.ps);
      if (others_ == nullptr) begins = collectTurns(end);
      if (begins >= limit) {
        node_ = kNobody;
        return true;
      }
      outside_ = kNever;  // from here on the lanes know of them; several events that belong to no node may come before
      if (others_ != nullptr) others_->part(begins, limit, span);
      if (shared_) {
        if (others_->nextPhase(lane_)) return true;
        continue;
      }
      if (turns_.empty()) {
        end = limit - begins > span.ps ? begins + span.ps : limit;
        collectTurns(end);
      }
      before_ = end_ = end;
      near_ = end + kNear * span.ps;
      return beginTurns();
    }
  }

  /// The nodes that have events before `end` get their turn. When the earliest event of any node comes.
  int64_t collectTurns(int64_t end) {
    turns_.clear();
    int64_t earliest = kNever;
    for (uint32_t n = kNobody + 1; n < count_; ++n) {
      const int64_t first = waiting_[n].first;
      earliest = std::min(earliest, first);
      if (first < end) turns_.push_back(n);
    }
    return earliest;
  }

  bool beginTurns() {
    turn_ = 0;
    next_ = last_ = nullptr;
    if (turns_.empty()) return false;
    for (size_t turn = 0; turn < std::min(kDrawn - 1, turns_.size()); ++turn) draw(turn);
    sort(drawn_[0]);
    begin();
    return true;
  }

  [[noreturn]] FABRIC_RARE static void tooSoon(const Entry e) {
    throw std::logic_error("node " + std::to_string(e.node() - keyNode(0)) + " was given an event at " +
                           std::to_string(e.at) +
                           " ps by another node, less than the shortest link's delay ahead; let a packet carry it");
  }

  /// Most lists are short, and nearly in order.
  static void sort(List& list) {
    if (list.size() > kFew) {
      std::sort(list.begin(), list.end(), [](const Entry& a, const Entry& b) { return a.before(b); });
      return;
    }
    for (Entry* next = list.begin(); next != list.end(); ++next) {
      if (next == list.begin() || !next->before(next[-1])) continue;
      const Entry e = *next;
      Entry* place = next;
      for (; place != list.begin() && e.before(place[-1]); --place) *place = place[-1];
      *place = e;
    }
  }

  /// As insert(): from registers to its place in the heap. Stored in parts and read back at once, the entry would be
  /// waited for.
  [[gnu::always_inline]] static void push(OwnVector<Entry>& heap, const Entry e) {
    heap.emplace_back();
    up(heap, heap.size() - 1, e);
  }

  static void pop(OwnVector<Entry>& heap) {
    const Entry last = heap.back();
    heap.pop_back();
    if (!heap.empty()) down(heap, 0, last);
  }

  /// Puts `e` in the place of the `i`-th, or further up.
  [[gnu::always_inline]] static void up(OwnVector<Entry>& heap, size_t i, const Entry e) {
    while (i > 0 && e.before(heap[(i - 1) / 2])) {
      heap[i] = heap[(i - 1) / 2];
      i = (i - 1) / 2;
    }
    heap[i] = e;
  }

  /// Puts `e` in the place of the `i`-th, or further down.
  static void down(OwnVector<Entry>& heap, size_t i, const Entry& e) {
    for (size_t child = 2 * i + 1; child < heap.size(); child = 2 * i + 1) {
      if (child + 1 < heap.size() && heap[child + 1].before(heap[child])) ++child;
      if (!heap[child].before(e)) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = e;
  }

  template <class Is>
  bool removeDrawn(size_t turn, const Is& is) {
    List& list = drawn_[turn % kDrawn];
    if (turn != turn_) return removeFromList(list, is);
    std::copy(next_, last_, list.begin());
    list.setSize(static_cast<size_t>(last_ - next_));
    const bool found = removeFromList(list, is);
    next_ = list.begin();
    last_ = list.end();
    return found;
  }

  template <class Is>
  static bool removeFromList(List& list, const Is& is) {
    Entry* const it = std::find_if(list.begin(), list.end(), is);
    if (it == list.end()) return false;
    std::copy(it + 1, list.end(), it);
    list.setSize(list.size() - 1);
    return true;
  }

  template <class Is>
  static bool removeFromHeap(OwnVector<Entry>& heap, const Is& is) {
    const auto it = std::find_if(heap.begin(), heap.end(), is);
    if (it == heap.end()) return false;
    const auto i = static_cast<size_t>(it - heap.begin());
    const Entry last = heap.back();
    heap.pop_back();
    if (i < heap.size()) {
      down(heap, i, last);
      up(heap, i, Entry(heap[i]));
    }
    return true;
  }

  std::unique_ptr<Nodes> made_;  // the first lane's
  Nodes* nodes_;
  Waiting* waiting_ = nullptr;  // the nodes'
  uint32_t count_ = 0;          // of nodes, nobody included
  Windows* windows_ = nullptr;
  OwnVector<uint32_t> turns_;       // the nodes that have events in the window
  size_t turn_ = 0;                 // of them, the one whose turn it is
  uint32_t node_ = kNobody;         // its number, or that of nobody
  std::array<List, kDrawn> drawn_;  // by turn: the node's events in the window
  const Entry* next_ = nullptr;     // of the node whose turn it is, in order; those before were taken
  const Entry* last_ = nullptr;     // behind them
  OwnVector<Entry> added_;          // a heap: what came to them since
  Entry nobodys_{};                 // nobody's event that was taken
  bool taken_ = false;              // the first of them, and not replaced
  int64_t end_ = 0;                 // of the window; 0: outside of one
  int64_t before_ = 0;              // all events before have run
  int64_t near_ = 0;                // what comes before is near
  int64_t came_ = 0;                // events, without those that were removed
  int64_t went_ = 0;                // that were taken
  int64_t outside_ = kNever;        // the first event that came since the lanes have met

  // Where there are lanes.
  uint8_t lane_ = 0;
  std::vector<uint32_t> work_;  // by node
  int64_t noted_ = 0;           // of went_, as work of their nodes
  bool shared_ = false;         // own_ are the lane's nodes
  OtherLanes* others_ = nullptr;
  const uint8_t* laneOf_ = nullptr;           // by node: its lane; null: the lanes are not within a span
  std::array<std::vector<uint32_t>, 2> own_;  // by phase of a window, in order
};

/// What waits, by node: that of nobody first.
template <class Entry>
struct NodeEvents<Entry>::Nodes {
  std::vector<Waiting> waiting{1};

  // Where there are lanes, by node.
  std::vector<uint8_t> laneOf;
  std::vector<bool> early;
  LanePost<Entry> post;
};

}  // namespace fabric
