// Looks at a switch's buffer from time to time and grades how full it is.
#pragma once

#include "watcher.h"

namespace fabric {

class BufferWatcher final : public Watcher {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void attach(Switch& place) override { switch_ = &place; }

 private:
  /// Time, switch; looks, bytes in the buffer, worst grade.
  using Grades = Table<Time, NodeId, uint64_t, Bytes, double>;
  static const Grades& grades();
  void onStart(Network& network) override;
  void onSample(int table) override;
  void look();
  double grade(int64_t bytes) const;

  Switch* switch_ = nullptr;
  Network* network_ = nullptr;
  Grades::Id table_;
  Time period_;
  Curve grades_;
  uint64_t looks_ = 0;
  double worst_ = 0;
  EventOf<BufferWatcher, &BufferWatcher::look> timer_{this};
};

}  // namespace fabric
