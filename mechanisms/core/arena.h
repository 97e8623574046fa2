// Memory for what belongs to the nodes of a network: side by side, in the order in which it is asked for.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace fabric {

/// In a large network a node's memory is out of the cache when its turn comes, and so is the translation of its
/// addresses. So the objects of a node lie in few pages, without unused memory between them, if they are made one after
/// the other. Each thread takes from a chunk of its own. A chunk is given back when all objects in it are gone, whoever
/// gives the last one back.
class Arena {
 public:
  static void* get(size_t bytes, size_t alignment);
  static void put(void* at, size_t bytes, size_t alignment) noexcept;
};

/// A base of classes whose objects come from there.
class InArena {
 public:
  static void* operator new(size_t bytes) { return Arena::get(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
  static void* operator new(size_t bytes, std::align_val_t alignment) {
    return Arena::get(bytes, static_cast<size_t>(alignment));
  }
  static void operator delete(void* at, size_t bytes) noexcept {
    Arena::put(at, bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  }
  static void operator delete(void* at, size_t bytes, std::align_val_t alignment) noexcept {
    Arena::put(at, bytes, static_cast<size_t>(alignment));
  }
};

/// For a vector that is small, or does not grow: what it leaves as it grows is not used again.
template <class T>
struct ArenaAllocator {
  using value_type = T;
  ArenaAllocator() = default;
  template <class U>
  ArenaAllocator(const ArenaAllocator<U>&) {}
  T* allocate(size_t count) { return static_cast<T*>(Arena::get(count * sizeof(T), alignof(T))); }
  void deallocate(T* at, size_t count) noexcept { Arena::put(at, count * sizeof(T), alignof(T)); }
  template <class U>
  bool operator==(const ArenaAllocator<U>&) const {
    return true;
  }
  template <class U>
  bool operator!=(const ArenaAllocator<U>&) const {
    return false;
  }
};
template <class T>
using ArenaVector = std::vector<T, ArenaAllocator<T>>;

}  // namespace fabric
