// What is said differently to each kind of processor. None of it changes a result.
#pragma once

namespace fabric {

/// This thread waits for another one in a loop.
inline void pauseInLoop() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// The line of the cache comes, and no other core keeps it. For x86-64 GCC would only do so where it is told that
/// processors have the instruction, which all have.
inline void prefetchToWrite(const void* at) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

/// The value is in a floating-point register of its own here: vector instructions do not reach across.
template <class Float>
void keepScalar([[maybe_unused]] Float& value) {
#if defined(__x86_64__)
  asm("" : "+x"(value));
#elif defined(__aarch64__)
  asm("" : "+w"(value));
#endif
}

}  // namespace fabric
