// Memory that shares no line of the cache with anybody else's.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "mechanisms/core/lane.h"

namespace fabric {

/// Small vectors of the heap lie side by side, those of nodes in two lanes too. Each write would then take the line
/// from the other core.
template <class T>
struct OwnLines {
  using value_type = T;
  OwnLines() = default;
  template <class U>
  OwnLines(const OwnLines<U>&) {}
  T* allocate(size_t count) {
    const size_t lines = (count * sizeof(T) + kLaneBytes - 1) / kLaneBytes;
    return static_cast<T*>(::operator new(lines * kLaneBytes, std::align_val_t{kLaneBytes}));
  }
  void deallocate(T* at, size_t) noexcept { ::operator delete(at, std::align_val_t{kLaneBytes}); }
  template <class U>
  bool operator==(const OwnLines<U>&) const {
    return true;
  }
  template <class U>
  bool operator!=(const OwnLines<U>&) const {
    return false;
  }
};
/// For what a node writes often.
template <class T>
using OwnVector = std::vector<T, OwnLines<T>>;

}  // namespace fabric
