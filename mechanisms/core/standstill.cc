#include "mechanisms/core/standstill.h"

#include <algorithm>
#include <unordered_set>

#include "mechanisms/core/host.h"

namespace fabric {

namespace {

constexpr size_t kMostNamed = 10;

/// The first of them by name, and how many there are in all.
std::string namesOf(const std::vector<std::string>& all) {
  std::string text;
  for (size_t i = 0; i < std::min(all.size(), kMostNamed); ++i) text += (i > 0 ? ", " : "") + all[i];
  return all.size() > kMostNamed ? text + " and others, " + std::to_string(all.size()) + " in all" : text;
}

std::vector<std::string> namesOf(const std::vector<Place>& places) {
  std::vector<std::string> names;
  for (const Place& p : places) names.push_back(nameOf(p));
  return names;
}

const Host* asHost(const Node& node) { return dynamic_cast<const Host*>(&node); }

/// Whether classes above `cls` have had the link: the port sent for half of the time at least.
bool tookTheLink(const Port& port, uint64_t before, Time since, Time now) {
  const double could = static_cast<double>(port.rate().bps) * static_cast<double>((now - since).ps) / 8e12;
  return static_cast<double>(port.sentWireBytes() - before) >= could / 2;
}

bool has(const std::vector<Place>& places, const Place& place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

}  // namespace

void Standstill::note(const std::vector<Node*>& nodes, Time now) {
  notedAt_ = now;
  for (const Node* n : nodes) {
    for (const Port* p : n->ports()) {
      if (asHost(*n) != nullptr) nicSent_.push_back(p->sentWireBytes());
      for (int c = 0; c < p->classes(); ++c) {
        const Place place{p, static_cast<uint8_t>(c)};
        const Packet* first = p->queue(place.cls).front();
        if (first == nullptr || p->paused(place.cls)) continue;
        noted_.push_back({place, first, first->seq, first->flowId, p->sentWireBytes()});
      }
    }
  }
}

void Standstill::find(const std::vector<Node*>& nodes, Time now, const std::vector<const Flow*>& unfinished,
                      const std::function<bool(const Host&)>& comesBack) {
  const Deadlock deadlock(nodes);
  paused_ = deadlock.places();
  cycles_ = deadlock.cycles();
  std::vector<char> concerned(nodes.size(), 0);
  for (const Flow* f : unfinished) {
    if (f->spec.size != 0) concerned[f->spec.src] = concerned[f->spec.dst] = 1;
  }
  for (const Node* n : nodes) {
    const Host* h = asHost(*n);
    if (h == nullptr || concerned[h->id()] == 0) continue;
    Time since{0};
    bool down = true;
    for (const Port* p : h->ports()) {
      down &= p->down();
      since = std::max(since, p->downSince());
    }
    if (down && !comesBack(*h)) dead_.push_back({h, since});
  }
  findStarving(nodes, now);
  count(unfinished);
}

void Standstill::findStarving(const std::vector<Node*>& nodes, Time now) {
  if (notedAt_.ps < 0 || now - notedAt_ < Time{std::max<int64_t>(notedAt_.ps / 2, 1)}) return;
  for (const Noted& noted : noted_) {
    const Port& port = *noted.place.port;
    const Packet* first = port.queue(noted.place.cls).front();
    const bool same = first == noted.first && first->seq == noted.seq && first->flowId == noted.flow;
    if (!same || port.paused(noted.place.cls) || port.down() || !tookTheLink(port, noted.sent, notedAt_, now)) continue;
    starving_.push_back({noted.place, notedAt_, now - notedAt_});
  }
  // Flows of hosts wait in no queue: of a class that starves none has sent, and of one above it some have.
  size_t number = 0;
  for (const Node* n : nodes) {
    const Host* h = asHost(*n);
    if (h == nullptr) continue;
    for (const Port* p : h->ports()) {
      const uint64_t before = nicSent_[number++];
      uint32_t served = 0, waits = 0;
      h->forEachActive([&](const Flow& message) {
        const Flow& f = message.connection != nullptr ? *message.connection : message;
        if (f.nic == nullptr || &f.nic->port() != p) return;
        const bool sent = f.lastWireBytes != 0 && f.lastSentAt > notedAt_;
        if (sent) served |= 1u << f.spec.cls;
        if (!sent && f.wait == Flow::Wait::Ready && f.spec.start <= notedAt_) waits |= 1u << f.spec.cls;
      });
      if (served == 0 || p->down() || !tookTheLink(*p, before, notedAt_, now)) continue;
      for (int c = __builtin_ctz(served) + 1; c < p->classes(); ++c) {
        const Place place{p, static_cast<uint8_t>(c)};
        if (((waits & ~served) >> c & 1) != 0 && !p->paused(place.cls)) {
          starving_.push_back({place, notedAt_, now - notedAt_});
        }
      }
    }
  }
}

/// Says of each measured flow with a size why it does not finish, by the first reason that holds.
void Standstill::count(const std::vector<const Flow*>& unfinished) {
  if (!any()) return;
  std::vector<Place> hungry;
  for (const Starving& s : starving_) hungry.push_back(s.place);
  const auto flowsAt = [](const std::vector<Place>& places) {
    std::unordered_set<uint32_t> flows;
    for (const Place& place : places) {
      for (const Packet* p = place.port->queue(place.cls).front(); p != nullptr; p = p->next) flows.insert(p->flowId);
    }
    return flows;
  };
  const std::unordered_set<uint32_t> held = flowsAt(paused_), starved = flowsAt(hungry);
  for (const Flow* f : unfinished) {
    if (!f->spec.measured || f->spec.size == 0) continue;
    const auto waitsAt = [&](const std::vector<Place>& places) {
      return f->nic != nullptr && has(places, {&f->nic->port(), f->spec.cls});
    };
    const auto ofHost = [&](const Dead& d) { return d.host->id() == f->spec.src || d.host->id() == f->spec.dst; };
    if (std::any_of(dead_.begin(), dead_.end(), ofHost)) {
      ++ofDead_;
    } else if (f->spec.start.ps < 0) {
      ++notBegun_;
    } else if (held.count(f->spec.id) != 0 || waitsAt(paused_)) {
      ++held_;
    } else if (starved.count(f->spec.id) != 0 || waitsAt(hungry)) {
      ++starved_;
    } else {
      ++others_;
    }
  }
}

std::vector<std::string> Standstill::sentences() const {
  std::vector<std::string> list;
  std::vector<std::string> silent;
  for (const Place& p : paused_) {
    if (asHost(p.port->node()) != nullptr) silent.push_back(p.port->node().name());
  }
  silent.erase(std::unique(silent.begin(), silent.end()), silent.end());
  for (const Deadlock::Cycle& c : cycles_) {
    std::string text = "PFC deadlock since " + toText(c.since) + ": " + namesOf(namesOf(c.places)) +
                       " wait for each other, each paused until the next one sends";
    if (list.empty()) {
      text += "; " + std::to_string(paused_.size()) + " are paused for good in all";
      if (!silent.empty()) text += ", those of the hosts " + namesOf(silent) + " among them";
    }
    list.push_back(text);
  }
  for (const Dead& d : dead_) {
    list.push_back("host " + d.host->name() + " is dead for good: it has no link since " + toText(d.since) +
                   " and gets none back, and flows from or to it have not finished");
  }
  for (const Starving& s : starving_) {
    list.push_back(nameOf(s.place) + " starves: nothing of it has left since " + toText(s.since) + ", for " +
                   toText(s.lasted) + ", while classes above it took the link");
  }
  return list;
}

std::string Standstill::reasons() const {
  std::string text;
  const auto add = [&text](uint64_t flows, const char* why) {
    if (flows > 0) text += (text.empty() ? ": " : ", ") + std::to_string(flows) + " " + why;
  };
  add(held_, "held by the deadlock");
  add(ofDead_, "from or to a host that is dead for good");
  add(starved_, "of a class that starves");
  add(notBegun_, "waiting for others to finish");
  if (held_ + ofDead_ + starved_ == 0) return ": give it more time to drain";
  text += "; more time does not help them";
  return others_ == 0 ? text : text + ", the other " + std::to_string(others_) + " may need more time to drain";
}

}  // namespace fabric
