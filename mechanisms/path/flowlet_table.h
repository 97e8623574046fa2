// Which port the flowlets of a switch take: a table of fixed size by the hash of the 5-tuple.
#pragma once

#include <limits>
#include <vector>

#include "mechanisms/core/types.h"

namespace fabric {

struct Flowlet {
  static constexpr Time kNever{std::numeric_limits<int64_t>::min()};
  Time last = kNever;  // its last packet
  uint16_t port = 0;
  uint16_t place = 0;  // of the port among the next hops when it was chosen
};

/// In hardware an entry has a valid and an age bit: a packet sets valid and clears age, and a sweep
/// every `timeout` makes entries invalid whose age bit is set, and sets it on the others. So an entry
/// dies at the second sweep after its last packet, a gap between one and two timeouts. Here an entry
/// has the time of its last packet and is as dead as the sweeps would have left it. A packet at the
/// very time of a sweep comes after it. Flows with the same hash share an entry.
/// Exact: an entry dies when a gap is longer than one timeout, as with time stamps.
class FlowletTable {
 public:
  void configure(size_t entries, Time timeout, bool exact = false) {
    entries_.assign(entries, {});
    timeout_ = timeout;
    exact_ = exact;
    nextSweep_ = timeout;
    aliveSince_ = Time{-timeout.ps};
  }
  size_t size() const { return entries_.size(); }

  size_t index(uint64_t hash) const { return ((hash >> 32) * entries_.size()) >> 32; }
  Flowlet& operator[](size_t index) { return entries_[index]; }

  /// Time does not go back between two calls.
  bool alive(const Flowlet& f, Time now) {
    if (exact_) return f.last >= now - timeout_;
    if (now >= nextSweep_) {
      const int64_t sweep = now.ps / timeout_.ps * timeout_.ps;
      nextSweep_ = Time{sweep + timeout_.ps};
      aliveSince_ = Time{sweep - timeout_.ps};
    }
    return f.last >= aliveSince_;
  }

 private:
  std::vector<Flowlet> entries_;
  Time timeout_, nextSweep_, aliveSince_;
  bool exact_ = false;
};

}  // namespace fabric
