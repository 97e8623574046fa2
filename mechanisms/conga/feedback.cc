#include "mechanisms/conga/feedback.h"

namespace fabric {

void FromLeaf::hear(uint8_t tag, uint8_t ce, Time now) {
  Entry& e = entries_[tag];
  e.metric = {ce, now};
  const uint32_t bit = 1u << tag;
  known_ |= bit;
  changed_ = e.fed == ce ? changed_ & ~bit : changed_ | bit;
}

FromLeaf::Feedback FromLeaf::next(Time now, Time aging, Time step) {
  const uint32_t candidates = changed_ != 0 ? changed_ : known_;
  if (candidates == 0) return {};
  const uint32_t behind = candidates & ~((uint64_t{2} << last_) - 1);
  last_ = static_cast<uint8_t>(__builtin_ctz(behind != 0 ? behind : candidates));
  Entry& e = entries_[last_];
  e.fed = e.metric.at(now, aging, step);
  changed_ &= ~(1u << last_);
  return {true, last_, static_cast<uint8_t>(e.fed)};
}

}  // namespace fabric
