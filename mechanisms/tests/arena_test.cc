// The memory of what belongs to nodes.
#include "mechanisms/core/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>

namespace fabric {
namespace {

struct Small : InArena {
  virtual ~Small() = default;
  char bytes[100];
};
struct alignas(128) Aligned final : Small {
  char more[300];
};
struct Large final : Small {
  char more[100000];
};

uintptr_t address(const void* at) { return reinterpret_cast<uintptr_t>(at); }

TEST(Arena, WhatIsMadeTogetherLiesTogether) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer wants each object by itself";
#endif
  std::unique_ptr<Small> objects[1000];
  int apart = 0;
  for (int i = 0; i < 1000; ++i) {
    objects[i] = std::make_unique<Small>();
    if (i > 0 && address(objects[i].get()) - address(objects[i - 1].get()) > 2 * sizeof(Small)) ++apart;
  }
  EXPECT_LE(apart, 1000 * sizeof(Small) / (1 << 16) + 1) << "only where a chunk ends";
}

TEST(Arena, ObjectsOfAnySizeAndAlignmentDoNotOverlap) {
  std::unique_ptr<Small> objects[300];
  for (int round = 0; round < 3; ++round) {
    for (int i = round; i < 300; i += round + 1) {
      switch (i % 3) {
        case 0: objects[i] = std::make_unique<Small>(); break;
        case 1: objects[i] = std::make_unique<Aligned>(); break;
        default: objects[i] = std::make_unique<Large>(); break;
      }
      std::memset(objects[i]->bytes, i % 128, sizeof(objects[i]->bytes));
      if (i % 3 == 1) {
        EXPECT_EQ(address(objects[i].get()) % alignof(Aligned), 0u);
      }
    }
  }
  for (int i = 0; i < 300; ++i) {
    for (const char byte : objects[i]->bytes) ASSERT_EQ(byte, i % 128) << i;
  }
}

TEST(Arena, AVectorGrows) {
  ArenaVector<int> numbers;
  for (int i = 0; i < 10000; ++i) numbers.push_back(i);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(numbers[i], i);
}

}  // namespace
}  // namespace fabric
