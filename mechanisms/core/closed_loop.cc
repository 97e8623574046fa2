#include "mechanisms/core/closed_loop.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

void ClosedLoop::arrive(const FlowSpec& message) {
  waiting_.push_back(message);
  if (!underWay_ && waiting_.size() == 1) scheduleNext();
}

void ClosedLoop::onFinish(const FlowSpec& message) {
  underWay_ = false;
  behind_ = behind_ + (engine_.now() - message.start);
  if (!waiting_.empty()) scheduleNext();
}

void ClosedLoop::scheduleNext() {
  const FlowSpec& next = waiting_.front();
  setKey(eventKey(keyNode(next.src), EventKind::FlowSource, next.id));
  engine_.schedule(*this, next.start + behind_);
}

void ClosedLoop::fire() {
  FlowSpec message = waiting_.front();
  waiting_.pop_front();
  message.start = engine_.now();
  underWay_ = true;
  sender_.startFlow(message, receiver_);
}

}  // namespace fabric
