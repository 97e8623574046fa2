// Whose turn it is: flows of one class at one NIC, served round robin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mechanisms/core/own_lines.h"

namespace fabric {

class Flow;

/// Every flow has a place. The turn goes round by place and passes over flows that may not send, so
/// that of n flows with something to send each gets every n-th packet, however long it was silent
/// before. A bit per place: finding the next takes as many steps as there are words of 64 places.
class Turns {
 public:
  /// Gives the flow the lowest free place. Null: what is no flow; next() returns null when its turn has come.
  uint32_t join(Flow* flow) {
    size_t word = 0;
    while (word < taken_.size() && taken_[word] == ~uint64_t{0}) ++word;
    if (word == taken_.size()) {
      taken_.push_back(0);
      ready_.push_back(0);
      flows_.resize(flows_.size() + 64);
    }
    const auto place = static_cast<uint32_t>(word * 64 + lowest(~taken_[word]));
    taken_[word] |= bit(place);
    flows_[place] = flow;
    return place;
  }
  void leave(uint32_t place) {
    clear(place);
    taken_[place / 64] &= ~bit(place);
  }

  void set(uint32_t place) { ready_[place / 64] |= bit(place); }
  void clear(uint32_t place) { ready_[place / 64] &= ~bit(place); }
  bool none() const {
    for (const uint64_t word : ready_) {
      if (word != 0) return false;
    }
    return true;
  }

  /// The next that may send; there must be one. The turn is then behind it.
  Flow* next() {
    const uint32_t from = last_ + 1 < flows_.size() ? last_ + 1 : 0;
    size_t word = from / 64;
    uint64_t bits = ready_[word] & (~uint64_t{0} << from % 64);
    while (bits == 0) {
      word = word + 1 < ready_.size() ? word + 1 : 0;
      bits = ready_[word];
    }
    last_ = static_cast<uint32_t>(word * 64 + lowest(bits));
    return flows_[last_];
  }

 private:
  static uint64_t bit(uint32_t place) { return uint64_t{1} << place % 64; }
  static unsigned lowest(uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

  OwnVector<uint64_t> ready_, taken_;
  OwnVector<Flow*> flows_;
  uint32_t last_ = ~uint32_t{0};  // the first turn is place 0's
};

}  // namespace fabric
