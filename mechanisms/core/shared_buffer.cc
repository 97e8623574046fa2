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

int64_t SharedBuffer::threshold(const Port& port) const {
  if (!port.pfcDynamic()) return port.pfcXoff();
  return static_cast<int64_t>(port.pfcAlpha() * static_cast<double>(std::max<int64_t>(0, shared_ - sharedUsed_)));
}

bool SharedBuffer::admit(const Port& in, uint8_t cls, int64_t bytes) {
  Ingress& g = at(in, cls);
  const int64_t grown = sharedPart(g.bytes + bytes) - sharedPart(g.bytes);
  const bool fits = sharedUsed_ + grown <= shared_;
  const bool below = limits_.egressAccounting || !in.pfc() || sharedPart(g.bytes + bytes) <= threshold(in);
  if (fits && below && g.headroom == 0) {
    g.bytes += bytes;
    sharedUsed_ += grown;
  } else if (in.pfc() && g.headroom + bytes <= in.headroom()) {
    g.headroom += bytes;
  } else {
    return false;
  }
  used_ += bytes;
  return true;
}

void SharedBuffer::afterEnqueue(Port& in, uint8_t cls, Port& out, uint8_t outClass) {
  if (!in.pfc()) return;
  Ingress& g = at(in, cls);
  if (!g.over && (g.headroom > 0 || (!limits_.egressAccounting && sharedPart(g.bytes) > threshold(in)))) {
    g.over = true;
    pause(in, cls);
  }
  if (limits_.egressAccounting) hold(in, cls, out, outClass);
}

void SharedBuffer::hold(Port& in, uint8_t cls, Port& out, uint8_t outClass) {
  if (out.queueBytes(outClass) <= threshold(out)) return;
  std::vector<Paused>& held = egress_[out.index() * kMaxClasses + outClass].paused;
  const auto same = [&](const Paused& p) { return p.port == in.index() && p.cls == cls; };
  if (std::any_of(held.begin(), held.end(), same)) return;
  held.push_back({in.index(), cls});
  pause(in, cls);
}

void SharedBuffer::release(Port& in, uint8_t cls, Port& out, uint8_t outClass, int64_t bytes) {
  Ingress& g = at(in, cls);
  used_ -= bytes;
  const int64_t fromHeadroom = std::min(g.headroom, bytes);
  g.headroom -= fromHeadroom;
  const int64_t before = sharedPart(g.bytes);
  g.bytes -= bytes - fromHeadroom;
  sharedUsed_ -= before - sharedPart(g.bytes);
  if (g.over && g.headroom == 0) {
    const int64_t counted = sharedPart(g.bytes);
    if (limits_.egressAccounting || counted == 0 || counted <= threshold(in) - in.pfcXonOffset()) {
      g.over = false;
      resume(in, cls);
    }
  }
  if (limits_.egressAccounting) letGo(out, outClass);
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
