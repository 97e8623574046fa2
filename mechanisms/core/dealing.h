// Which lane each node is in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace fabric {

/// Deals nodes to lanes: pieces of about the same work, of nodes that are near each other. Work moves, as incasts come
/// and go, so nodes are dealt anew now and then.
class Dealing {
 public:
  /// `units` has all nodes, those together that should be in one lane, and those near each other that send each other
  /// much. At first all nodes have as much work.
  Dealing(std::vector<std::vector<uint32_t>> units, uint32_t lanes);

  /// By a node's number in keys, where 0 is nobody.
  const std::vector<uint8_t>& laneOf() const { return laneOf_; }
  uint32_t lanes() const { return lanes_; }
  /// Deals anew where a lane has much more than its share of the work, which is by a node's number in keys. Whether it
  /// did.
  bool look(const std::vector<uint32_t>& work);

 private:
  void deal(const std::vector<uint32_t>& work);
  void deal(const std::vector<std::vector<uint32_t>>& units, const std::vector<uint32_t>& work);
  /// The most that a lane has to do, relative to its share.
  double uneven(const std::vector<uint32_t>& work) const;

  std::vector<std::vector<uint32_t>> units_, nodes_;  // the latter each alone
  uint32_t lanes_;
  std::vector<uint8_t> laneOf_;
};

/// Looks are rare, and more often at first.
class Looks {
 public:
  /// So many more windows are over: whether to look at how work is dealt.
  bool due(uint64_t windows = 1) {
    windows_ += windows;
    if (windows_ < next_) return false;
    next_ = windows_ + std::min(windows_, kMost);
    return true;
  }
  uint64_t windows() const { return windows_; }
  /// After a look, work before it counts half.
  static void fade(std::vector<uint32_t>& work) {
    for (uint32_t& w : work) w /= 2;
  }

 private:
  static constexpr uint64_t kMost = 64;
  uint64_t windows_ = 0, next_ = 16;
};

}  // namespace fabric
