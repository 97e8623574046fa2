// Which lane each node is in.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace fabric {

/// Deals nodes to lanes: pieces of about the same work, of nodes that are near each other. Work moves, as incasts come
/// and go, so nodes are dealt anew now and then.
class Dealing {
 public:
  /// `order` has all nodes so that those that send each other much are near each other. At first all have as much work.
  Dealing(std::vector<uint32_t> order, uint32_t lanes) : order_(std::move(order)), lanes_(lanes) {
    deal(std::vector<uint32_t>(order_.size() + 1, 1));
  }

  /// By a node's number in keys, where 0 is nobody.
  const std::vector<uint8_t>& laneOf() const { return laneOf_; }
  uint32_t lanes() const { return lanes_; }
  /// Deals anew where a lane has much more than its share of the work, which is by a node's number in keys. Whether it
  /// did.
  bool look(const std::vector<uint32_t>& work);

 private:
  void deal(const std::vector<uint32_t>& work);

  std::vector<uint32_t> order_;
  uint32_t lanes_;
  std::vector<uint8_t> laneOf_;
};

/// Looks are rare, and more often at first.
class Looks {
 public:
  /// Another window is over: whether to look at how work is dealt.
  bool due() {
    if (++windows_ != next_) return false;
    next_ += windows_ < kMost ? windows_ : kMost;
    return true;
  }
  uint64_t windows() const { return windows_; }
  /// After a look, work before it counts half.
  static void fade(std::vector<uint32_t>& work) {
    for (uint32_t& w : work) w /= 2;
  }

 private:
  static constexpr uint64_t kMost = 512;
  uint64_t windows_ = 0, next_ = 16;
};

}  // namespace fabric
