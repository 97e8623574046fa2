// Flows in some order, from which any can be taken.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mechanisms/core/flow.h"
#include "mechanisms/core/own_lines.h"

namespace fabric {

/// A binary heap by `Before`, a strict order; each flow knows its place in it.
template <class Before, uint32_t Flow::*place>
class FlowHeap {
 public:
  bool empty() const { return heap_.empty(); }
  Flow& first() const { return *heap_.front(); }
  void add(Flow& f) {
    heap_.push_back(&f);
    up(heap_.size() - 1, f);
  }
  void remove(Flow& f) {
    Flow& last = *heap_.back();
    heap_.pop_back();
    if (&last == &f) return;
    last.*place = f.*place;
    moved(last);
  }
  /// What the order goes by has changed.
  void moved(Flow& f) {
    up(f.*place, f);
    down(f.*place, f);
  }

 private:
  void put(size_t i, Flow& f) {
    heap_[i] = &f;
    f.*place = static_cast<uint32_t>(i);
  }
  void up(size_t i, Flow& f) {
    for (; i > 0 && Before()(f, *heap_[(i - 1) / 2]); i = (i - 1) / 2) put(i, *heap_[(i - 1) / 2]);
    put(i, f);
  }
  void down(size_t i, Flow& f) {
    for (size_t child = 2 * i + 1; child < heap_.size(); child = 2 * i + 1) {
      if (child + 1 < heap_.size() && Before()(*heap_[child + 1], *heap_[child])) ++child;
      if (!Before()(*heap_[child], f)) break;
      put(i, *heap_[child]);
      i = child;
    }
    put(i, f);
  }

  OwnVector<Flow*> heap_;
};

}  // namespace fabric
