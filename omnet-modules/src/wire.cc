#include "wire.h"

#include "link.h"

namespace fabriclab {

void Wire::refuseOverlap() const {
  throw omnetpp::cRuntimeError(link, "A frame is sent while another one is: a port has put two on the wire at once");
}

void Wire::remove(const FabricFrame& frame) {
  FabricFrame* before = firstFrame_;
  while (before->behind.frame != &frame) before = before->behind.frame;
  before->behind = frame.behind;
  if (lastFrame_ == &frame) lastFrame_ = before;
}

}  // namespace fabriclab
