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
