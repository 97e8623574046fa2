#include "mechanisms/core/deadlock.h"

#include <algorithm>

#include "mechanisms/core/switch.h"

namespace fabric {

std::string nameOf(const Place& place) {
  const Node& from = place.port->node();
  const Node& to = place.port->peer().node();
  int parallel = 0;
  for (const Port* p : from.ports()) {
    if (p == place.port) break;
    parallel += &p->peer().node() == &to;
  }
  return from.name() + "->" + to.name() + (parallel > 0 ? "#" + std::to_string(parallel) : "") + " class " +
         std::to_string(place.cls);
}

namespace {

const Switch* asSwitch(const Node& node) { return dynamic_cast<const Switch*>(&node); }

/// Calls `f` with every ingress port and class for which a switch has its upstream paused.
template <class F>
void forEachPausing(const std::vector<Node*>& nodes, F&& f) {
  for (const Node* n : nodes) {
    const Switch* s = asSwitch(*n);
    if (s == nullptr) continue;
    for (const Port* in : s->ports()) {
      for (int c = 0; c < in->classes(); ++c) {
        const auto cls = static_cast<uint8_t>(c);
        if (!in->down() && s->buffer().pausing(*in, cls)) f(*in, cls);
      }
    }
  }
}

}  // namespace

Deadlock::Deadlock(const std::vector<Node*>& nodes) : nodes_(nodes) {
  std::vector<std::pair<const Port*, uint8_t>> pausing;
  forEachPausing(nodes, [&](const Port& in, uint8_t cls) { pausing.emplace_back(&in, cls); });
  if (pausing.empty()) return;
  size_t ports = 0;
  for (const Node* n : nodes) {
    firstPort_.push_back(ports);
    ports += n->ports().size();
  }
  held_.assign(ports, 0);
  looked_.assign(nodes.size(), 0);
  waiting_.resize(nodes.size());
  for (const auto& [in, cls] : pausing) held(in->peer()) |= static_cast<uint8_t>(1u << cls);
  // All that are paused, less those that can resume, less those that then can, and so on.
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [in, cls] : pausing) {
      if (!held(in->peer(), cls) || staysPaused(*in, cls)) continue;
      held(in->peer()) &= static_cast<uint8_t>(~(1u << cls));
      changed = true;
    }
  }
  for (const Node* n : nodes) {
    for (const Port* p : n->ports()) {
      for (int c = 0; c < p->classes(); ++c) {
        if (held(*p, static_cast<uint8_t>(c))) places_.push_back({p, static_cast<uint8_t>(c)});
      }
    }
  }
  findCycles();
}

uint8_t& Deadlock::held(const Port& port) { return held_[firstPort_[port.node().id()] + port.index()]; }

bool Deadlock::held(const Port& port, uint8_t cls) const {
  return (held_[firstPort_[port.node().id()] + port.index()] >> cls & 1) != 0;
}

bool Deadlock::holds(const Place& place) const { return !held_.empty() && held(*place.port, place.cls); }

const std::vector<Deadlock::Waiting>& Deadlock::waitingAt(uint32_t node) {
  std::vector<Waiting>& list = waiting_[node];
  if (looked_[node] != 0) return list;
  looked_[node] = 1;
  for (const Port* out : nodes_[node]->ports()) {
    for (int c = 0; c < out->classes(); ++c) {
      const auto cls = static_cast<uint8_t>(c);
      const size_t first = list.size();
      for (const Packet* p = out->queue(cls).front(); p != nullptr; p = p->next) {
        if (p->ingress == kOwnPacket) continue;
        const auto same = [&](const Waiting& w) { return w.in == p->ingress && w.inClass == p->ingressClass; };
        auto w = std::find_if(list.begin() + static_cast<std::ptrdiff_t>(first), list.end(), same);
        if (w == list.end()) w = list.insert(w, {p->ingress, out->index(), p->ingressClass, cls});
        w->bytes += p->wireBytes;
      }
    }
  }
  return list;
}

bool Deadlock::staysPaused(const Port& in, uint8_t cls) {
  const auto& s = *asSwitch(in.node());
  const std::vector<Waiting>& waiting = waitingAt(s.id());
  const auto left = [&](const Port& port, uint8_t of) {
    int64_t bytes = 0;
    for (const Waiting& w : waiting) {
      if (w.in == port.index() && w.inClass == of && held(s.port(w.out), w.outClass)) bytes += w.bytes;
    }
    return bytes;
  };
  return s.buffer().staysPaused(in, cls, left, [this](const Port& out, uint8_t of) { return held(out, of); });
}

Place Deadlock::next(const Place& place) {
  const Port& in = place.port->peer();
  const Node& s = in.node();
  const Waiting* most = nullptr;
  for (const Waiting& w : waitingAt(s.id())) {
    if (w.in != in.index() || w.inClass != place.cls || !held(s.port(w.out), w.outClass)) continue;
    if (most == nullptr || w.bytes > most->bytes) most = &w;
  }
  return most != nullptr ? Place{&s.port(most->out), most->outClass} : Place{nullptr, 0};
}

/// Each place has one next: from every place the way ends in a cycle.
void Deadlock::findCycles() {
  std::vector<uint32_t> visits(places_.size(), 0);  // 0: never; else on the way from that place, from 1 on
  const auto numberOf = [this](const Place& place) {
    return static_cast<size_t>(std::find(places_.begin(), places_.end(), place) - places_.begin());
  };
  for (uint32_t from = 0; from < places_.size(); ++from) {
    size_t at = from;
    while (at < places_.size() && visits[at] == 0) {
      visits[at] = from + 1;
      at = numberOf(next(places_[at]));
    }
    if (at >= places_.size() || visits[at] != from + 1) continue;  // it ends in a cycle that is known
    Cycle cycle{{}, Time{0}};
    const size_t first = at;
    do {
      const Port& in = places_[at].port->peer();
      cycle.places.push_back(places_[at]);
      cycle.since = std::max(cycle.since, asSwitch(in.node())->buffer().pausingSince(in, places_[at].cls));
      at = numberOf(next(places_[at]));
    } while (at != first);
    std::rotate(cycle.places.begin(),
                std::min_element(cycle.places.begin(), cycle.places.end(),
                                 [&](const Place& a, const Place& b) { return numberOf(a) < numberOf(b); }),
                cycle.places.end());
    cycles_.push_back(std::move(cycle));
  }
}

}  // namespace fabric
