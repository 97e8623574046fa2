#include "mechanisms/core/arena.h"

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
  size_t objects;
};

Chunk* g_chunk = nullptr;  // the one from which memory is taken
size_t g_used = 0;         // of it

/// A chunk that is not taken from any more is given back with its last object.
void drop(Chunk* chunk) {
  if (--chunk->objects == 0) std::free(chunk);
}

}  // namespace

void* Arena::get(size_t bytes, size_t alignment) {
  if (bytes > kMost) return ::operator new (bytes, std::align_val_t{alignment});
  size_t begin = (g_used + alignment - 1) / alignment * alignment;
  if (g_chunk == nullptr || begin + bytes > kChunk) {
    void* memory = std::aligned_alloc(kChunk, kChunk);
    if (memory == nullptr) throw std::bad_alloc();
    if (g_chunk != nullptr) drop(g_chunk);
    g_chunk = new (memory) Chunk{1};  // counted once while memory is taken from it
    begin = (sizeof(Chunk) + alignment - 1) / alignment * alignment;
  }
  g_used = begin + bytes;
  ++g_chunk->objects;
  return reinterpret_cast<std::byte*>(g_chunk) + begin;
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
