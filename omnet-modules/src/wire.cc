#include "wire.h"

#include <utility>

#include "mechanisms/core/port.h"

namespace fabriclab {

void Wire::grow() {
  auto larger = std::make_unique<InFlight[]>(2 * size_t{count_});
  for (uint32_t i = 0; i < count_; ++i) larger[i] = (*this)[i];
  ring_ = std::move(larger);
  mask_ = 2 * count_ - 1;
  first_ = 0;
}

void Wire::prefetchArrival() const {
  __builtin_prefetch(&ring_[(first_ + 1) & mask_]);  // the frame that will be the first then
  to->prefetchIngress();
}

void Wire::erase(uint32_t i) {
  for (uint32_t next = i + 1; next < count_; ++next) {
    ring_[(first_ + next - 1) & mask_] = ring_[(first_ + next) & mask_];
  }
  --count_;
}

}  // namespace fabriclab
