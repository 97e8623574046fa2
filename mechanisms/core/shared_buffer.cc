#include "mechanisms/core/shared_buffer.h"

#include <algorithm>

namespace fabric {

void SharedBuffer::start(const Limits& limits, const std::vector<Port*>& ports) {
  limits_ = limits;
  ports_ = ports;
  classes_ = 0;
  for (const Port* p : ports) classes_ = std::max(classes_, p->classes());
  ingress_.assign(ports.size() * static_cast<size_t>(classes_), {});
  since_.assign(ingress_.size(), {});
  egress_.assign(ports.size() * kMaxClasses, {});
  shared_ = limits.total;
  for (const Port* p : ports) {
    shared_ -= limits.reserve * p->classes();
    if (p->pfc()) shared_ -= p->headroom() * p->classes();
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
  if (at(in, cls).pausers++ != 0) return;
  since_[place(in, cls)] = in.engine().now();
  in.sendPause(cls, true);
}

void SharedBuffer::resume(Port& in, uint8_t cls) {
  if (--at(in, cls).pausers == 0) in.sendPause(cls, false);
}

bool SharedBuffer::staysPaused(const Port& in, uint8_t cls, const std::function<int64_t(const Port&, uint8_t)>& left,
                               const std::function<bool(const Port&, uint8_t)>& held) const {
  for (const Port* out : ports_) {
    for (int c = 0; c < out->classes(); ++c) {
      const std::vector<Paused>& paused = egress_[out->index() * kMaxClasses + c].paused;
      const auto same = [&](const Paused& p) { return p.port == in.index() && p.cls == cls; };
      if (held(*out, static_cast<uint8_t>(c)) && std::any_of(paused.begin(), paused.end(), same)) return true;
    }
  }
  const Ingress& g = at(in, cls);
  if (!g.over) return false;
  const int64_t stays = left(in, cls), leaves = g.bytes + g.headroom - stays;
  if (leaves == 0 || leaves < g.headroom) return true;  // only what leaves makes it resume, once the headroom is empty
  const int64_t shared = sharedPart(stays);
  if (limits_.egressAccounting || shared == 0) return false;
  if (!in.pfcDynamic()) return shared > in.pfcXoff() - in.pfcXonOffset();
  int64_t used = 0;
  for (const Port* port : ports_) {
    for (int c = 0; c < port->classes(); ++c) {
      const Ingress& of = at(*port, static_cast<uint8_t>(c));
      used += sharedPart(std::min(left(*port, static_cast<uint8_t>(c)), of.bytes));
    }
  }
  const auto most = static_cast<int64_t>(in.pfcAlpha() * static_cast<double>(std::max<int64_t>(0, shared_ - used)));
  return shared > most - in.pfcXonOffset();
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
