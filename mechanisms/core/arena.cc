#include "mechanisms/core/arena.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace fabric {

namespace {

constexpr size_t kChunk = 1 << 16;
// What is larger than a page has pages of its own anyway. AddressSanitizer sees no end of an object in a chunk.
#ifdef __SANITIZE_ADDRESS__
constexpr size_t kMost = 0;
#else
constexpr size_t kMost = 4096;
#endif

/// At the beginning of a chunk, whose address is a multiple of its size.
struct Chunk {
  std::atomic<size_t> objects;
};

/// A chunk that is not taken from any more is given back with its last object.
void drop(Chunk* chunk) {
  if (chunk->objects.fetch_sub(1, std::memory_order_acq_rel) == 1) std::free(chunk);
}

/// The chunk from which a thread takes memory, counted once for that.
struct Current {
  ~Current() {
    if (chunk != nullptr) drop(chunk);
  }
  Chunk* chunk = nullptr;
  size_t used = 0;
};
thread_local Current t_current;

}  // namespace

void* Arena::get(size_t bytes, size_t alignment) {
  if (bytes > kMost) return ::operator new (bytes, std::align_val_t{alignment});
  Current& c = t_current;
  size_t begin = (c.used + alignment - 1) / alignment * alignment;
  if (c.chunk == nullptr || begin + bytes > kChunk) {
    void* memory = std::aligned_alloc(kChunk, kChunk);
    if (memory == nullptr) throw std::bad_alloc();
    if (c.chunk != nullptr) drop(c.chunk);
    c.chunk = new (memory) Chunk{{1}};
    begin = (sizeof(Chunk) + alignment - 1) / alignment * alignment;
  }
  c.used = begin + bytes;
  c.chunk->objects.fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<std::byte*>(c.chunk) + begin;
}

void Arena::put(void* at, size_t bytes, size_t alignment) noexcept {
  if (at == nullptr) return;
  if (bytes > kMost) {
    ::operator delete (at, std::align_val_t{alignment});
    return;
  }
  drop(reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(at) / kChunk * kChunk));
}

}  // namespace fabric
