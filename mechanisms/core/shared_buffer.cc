#include "mechanisms/core/shared_buffer.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace fabric {

void SharedBuffer::start(const Limits& limits, const std::vector<Port*>& ports) {
  limits_ = limits;
  ports_ = ports;
  classes_ = 0;
  for (const Port* p : ports) classes_ = std::max(classes_, p->classes());
  ingress_.assign(ports.size() * static_cast<size_t>(classes_), {});
  egress_.assign(ports.size() * kMaxClasses, {});
  shared_ = limits.total;
  for (const Port* p : ports) {
    shared_ -= limits.reserve * p->classes();
    if (p->pfc()) shared_ -= p->headroom() * p->classes();
  }
  if (shared_ <= 0) {
    throw std::invalid_argument("switch.buffer: " + std::to_string(limits.total) + " B is " + std::to_string(-shared_) +
                                " B less than the headroom and reserve of its ports; raise switch.buffer or set "
                                "port.headroom");
  }
}

void SharedBuffer::hold(Port& in, uint8_t cls, Port& out, uint8_t outClass) {
  if (out.queueBytes(outClass) <= threshold(out)) return;
  std::vector<Paused>& held = egress_[out.index() * kMaxClasses + outClass].paused;
  const auto same = [&](const Paused& p) { return p.port == in.index() && p.cls == cls; };
  if (std::any_of(held.begin(), held.end(), same)) return;
  held.push_back({in.index(), cls});
  pause(in, cls);
}

void SharedBuffer::letGo(Port& out, uint8_t outClass) {
  std::vector<Paused>& held = egress_[out.index() * kMaxClasses + outClass].paused;
  if (held.empty()) return;
  const int64_t queue = out.queueBytes(outClass);
  if (queue == 0 || queue <= threshold(out) - out.pfcXonOffset()) {
    for (const Paused& p : held) resume(*ports_[p.port], p.cls);
    held.clear();
  }
}

void SharedBuffer::pause(Port& in, uint8_t cls) {
  if (at(in, cls).pausers++ == 0) in.sendPause(cls, true);
}

void SharedBuffer::resume(Port& in, uint8_t cls) {
  if (--at(in, cls).pausers == 0) in.sendPause(cls, false);
}

int64_t SharedBuffer::counted() const {
  int64_t sum = 0;
  for (const Ingress& g : ingress_) sum += g.bytes + g.headroom;
  return sum;
}

bool SharedBuffer::consistent() const {
  const bool negative = std::any_of(ingress_.begin(), ingress_.end(),
                                    [](const Ingress& g) { return g.bytes < 0 || g.headroom < 0 || g.pausers < 0; });
  return !negative && counted() == used_ && sharedUsed_ >= 0 && sharedUsed_ <= shared_;
}

}  // namespace fabric
