#include "wire.h"

namespace fabriclab {

void Wire::remove(const FabricFrame& frame) {
  FabricFrame* before = first_;
  while (before->behind.frame != &frame) before = before->behind.frame;
  before->behind = frame.behind;
  if (last_ == &frame) last_ = before;
}

}  // namespace fabriclab
