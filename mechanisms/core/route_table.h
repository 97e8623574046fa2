// Which way a switch sends what is for a node: a value per destination.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mechanisms/core/types.h"

namespace fabric {

/// Neighbouring destinations often share a route. So the table consists of blocks of one line of the cache, and equal
/// blocks are stored once. A switch of a fat-tree with 1024 hosts has some ten blocks.
/// `Route` is small and plain, with operator==; Route{} is no route.
template <class Route>
class RouteTable {
 public:
  Route find(uint32_t dst) const {
    const size_t place = dst / kPerBlock;
    return place < numbers_.size() ? blocks_[numbers_[place]].routes[dst % kPerBlock] : Route{};
  }
  /// Where find() looks.
  const void* at(uint32_t dst) const {
    const size_t place = dst / kPerBlock;
    return &blocks_[place < numbers_.size() ? numbers_[place] : 0];
  }

  /// What find() looks at on its way there.
  void listMemory(const MemoryList& list) const { list(numbers_.data(), numbers_.size() * sizeof(numbers_[0])); }

  void set(uint32_t dst, const Route& route) {
    const size_t place = dst / kPerBlock;
    if (place != open_) {
      close();
      if (place >= numbers_.size()) numbers_.resize(place + 1, 0);
      blocks_.push_back(Block(blocks_[numbers_[place]]));
      numbers_[place] = static_cast<uint32_t>(blocks_.size() - 1);
      open_ = place;
    }
    blocks_.back().routes[dst % kPerBlock] = route;
  }

  void clear() { *this = RouteTable(); }
  size_t blocks() const { return blocks_.size(); }

 private:
  static constexpr size_t kPerBlock = 64 / sizeof(Route);
  static constexpr size_t kNone = ~size_t{0};
  struct alignas(64) Block {
    std::array<Route, kPerBlock> routes{};
  };

  /// The last block, which was being filled, is complete: drops it if there is one like it.
  void close() {
    if (open_ == kNone) return;
    const auto last = blocks_.end() - 1;
    const auto same = std::find_if(blocks_.begin(), last, [&](const Block& b) { return b.routes == last->routes; });
    if (same == last) return;
    numbers_[open_] = static_cast<uint32_t>(same - blocks_.begin());
    blocks_.pop_back();
  }

  std::vector<uint32_t> numbers_;          // by destination / kPerBlock: the number of its block
  std::vector<Block> blocks_ = {Block()};  // the first is without routes
  size_t open_ = kNone;                    // the place in numbers_ of the last block, which is being filled
};

}  // namespace fabric
