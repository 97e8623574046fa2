// Not in the header: where a compiler can inline delete but not new, it takes them for mismatched.
#include "mechanisms/tests/count_new.h"

#include <cstdlib>
#include <new>

namespace fabric::test {

uint64_t allocations = 0;

namespace {

void* counted(void* p) {
  ++allocations;
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

size_t atLeastOne(size_t size) { return size == 0 ? 1 : size; }

}  // namespace

}  // namespace fabric::test

void* operator new(size_t size) { return fabric::test::counted(std::malloc(fabric::test::atLeastOne(size))); }
void* operator new[](size_t size) { return operator new(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  ++fabric::test::allocations;
  return std::malloc(fabric::test::atLeastOne(size));
}
void* operator new[](size_t size, const std::nothrow_t& nothrow) noexcept { return operator new(size, nothrow); }
void* operator new(size_t size, std::align_val_t align) {
  const auto a = static_cast<size_t>(align);
  return fabric::test::counted(std::aligned_alloc(a, (fabric::test::atLeastOne(size) + a - 1) / a * a));
}
void* operator new[](size_t size, std::align_val_t align) { return operator new(size, align); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }
