// What must hold before a network starts, beside what its components say themselves.
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"

namespace fabric {

void Network::check(Report& report) {
  requireParts();
  variants_.clear();
  longest_.clear();
  checking_ = true;
  findFirsts();
  checkRates(report);
  if (report.empty()) expectRates();
  largestFrame_ = computeLargestFrame();
  lossless_ = computeLossless();
  for (const Node* n : nodes_) {
    report.at(n->id());
    n->checkAll(*this, report);
    for (const Port* port : n->ports()) {
      port->checkAll(*this, report);
      for (const Plugged& p : port->plugged()) p.component->checkAll(*this, report);
    }
    for (const Plugged& p : n->plugged()) p.component->checkAll(*this, report);
  }
  checkNeeds(report);
  checkFlows(report);
  checking_ = false;
}

int64_t Network::longestUnderPfc(Rate rate, int first, int end) const {
  const std::tuple key{rate.bps, first, end};
  if (const auto known = longest_.find(key); checking_ && known != longest_.end()) return known->second;
  int64_t most = 0;
  for (const Node* node : nodes_) {
    const auto* s = dynamic_cast<const Switch*>(node);
    if (s == nullptr) continue;
    for (const Port* p : s->ports()) {
      if (p->rate() == rate && p->classes() >= end)
        most = std::max(most, s->mostUnderPfc(*p, first, end, largestFrame_));
    }
  }
  return longest_[key] = most;
}

/// Without these there is nothing to ask. Engines see to it that they are there.
void Network::requireParts() const {
  for (const Node* n : nodes_) {
    const auto* h = dynamic_cast<const Host*>(n);
    const auto* s = dynamic_cast<const Switch*>(n);
    const auto missing = [&](const std::string& what) { throw std::logic_error(n->name() + " has no " + what); };
    if (h != nullptr && h->ports().empty()) missing("link");
    if (h != nullptr && !h->hasTransport()) missing("transport");
    if (h != nullptr && !h->hasCongestionControl()) missing("congestion control");
    if (s != nullptr && !s->hasPathSelector()) missing("path selector");
    for (const Port* p : n->ports()) {
      if (!p->connected()) missing("link at port " + std::to_string(p->index()) + ": connect it to another one");
      if (h != nullptr && p->flowScheduler() == nullptr) missing("flow scheduler");
    }
  }
}

void Network::checkRates(Report& report) const {
  for (const RateChange& change : rateChanges_) {
    for (const Port* end : {change.end, &change.end->peer()}) {
      report.at(end->node().id());
      if (dynamic_cast<const Host*>(&end->node()) != nullptr) {
        report.refuse(
            "the link of a host cannot change its rate, by which its flows are paced; only links between switches can",
            {Spot::topology()});
      }
      if (change.rate.bps <= 0) report.refuse("the new rate of a link must be above 0", {Spot::topology()});
    }
  }
}

const std::vector<const Component*>& Network::variants(const Description& of) const {
  const auto [found, asked] = variants_.try_emplace(&of);
  if (!asked) return found->second;
  std::set<std::vector<Value>> seen;
  const auto add = [&, &list = found->second](const Component* c) {
    if (&c->description() != &of) return;
    std::vector<Value> values;
    for (const Param& p : of.params) {
      if (!p.live) values.push_back(c->get(p));
    }
    if (seen.insert(std::move(values)).second) list.push_back(c);
  };
  for (const Node* n : nodes_) {
    add(n);
    for (const Plugged& p : n->plugged()) add(p.component);
    for (const Port* port : n->ports()) {
      for (const Plugged& p : port->plugged()) add(p.component);
    }
  }
  return found->second;
}

void Network::findFirsts() {
  for (const Node* n : nodes_) {
    const auto add = [&](const Component* c) { firsts_.try_emplace(&c->description(), First{n->id(), c}); };
    add(n);
    for (const Plugged& p : n->plugged()) add(p.component);
    for (const Port* port : n->ports()) {
      for (const Plugged& p : port->plugged()) add(p.component);
    }
  }
}

/// What a mechanism needs must be somewhere; whether it is at every place is its own affair, but for agents at
/// receivers, for which Host looks at every flow.
void Network::checkNeeds(Report& report) const {
  std::map<std::string, First> used;  // by name
  std::set<std::string> kinds;
  for (const auto& [description, first] : firsts_) {
    used.emplace(description->name, first);
    kinds.insert(description->kind.name);
  }
  for (const auto& [name, first] : used) {
    const Component* component = first.component;
    report.at(first.node);
    component->eachNeed([&](const std::string& who, const char* param, const std::string& need) {
      if (used.count(need) != 0 || kinds.count(need) != 0) return;
      const Description* missing = Registry::find(need);
      const std::string kind = missing != nullptr ? missing->kind.name : need;
      std::string words = kind;
      std::replace(words.begin(), words.end(), '_', ' ');
      std::string slots, names;
      std::vector<Spot> places{{*component, param}};
      for (const Slot& s : Slots::all()) {
        if (s.kind.name != kind) continue;
        slots += (slots.empty() ? "" : " or ") + s.key;
        places.push_back(Spot::slot(s.key));
      }
      for (const Description* d : Registry::all()) {
        if (d->kind.name == kind) names += (names.empty() ? "" : ", ") + d->name;
      }
      report.refuse(
          missing != nullptr
              ? who + " needs the " + words + " " + need + ", which is not there; add " + need + " to " + slots
              : who + " needs a " + words + ", and there is none; name one under " + slots + ": " + names,
          std::move(places));
    });
  }
}

void Network::checkFlows(Report& report) const {
  if (feed_ == nullptr) return;
  for (Node* n : nodes_) {
    if (auto* h = dynamic_cast<Host*>(n)) h->noteNeeds();
  }
  const std::unique_ptr<FlowFeed> flows = feed_->again();
  for (const FlowSpec* f = flows->peek(); f != nullptr; flows->pop(), f = flows->peek()) {
    const Host& sender = host(f->src);
    if (Dependencies::isTask(*f)) continue;
    report.at(f->src, f->id);
    sender.checkFlow(*f, host(f->dst), report);
  }
}

bool Network::computeLossless() const {
  for (const Node* n : nodes_) {
    if (dynamic_cast<const Switch*>(n) == nullptr) continue;
    for (const Port* p : n->ports()) {
      if (!p->pfc()) return false;
      for (const Queue* q : p->queues()) {
        if (q->holdsBack()) return false;
      }
    }
  }
  return true;
}

}  // namespace fabric
