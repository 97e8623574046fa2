// The flows of a NIC that wait for their next sending time.
#pragma once

#include <cstddef>
#include <vector>

#include "mechanisms/core/flow.h"

namespace fabric {

/// A binary heap by (nextSendAt, number); each flow knows its place in it.
class PacedFlows {
 public:
  bool empty() const { return heap_.empty(); }
  Flow& first() const { return *heap_.front(); }
  void add(Flow& flow);
  void remove(Flow& flow);
  /// flow.nextSendAt has changed.
  void moved(Flow& flow);

 private:
  static bool sooner(const Flow& a, const Flow& b);
  void up(size_t i);
  void down(size_t i);

  std::vector<Flow*> heap_;
};

}  // namespace fabric
