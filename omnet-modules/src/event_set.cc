#include "event_set.h"

#include <algorithm>

#include "mechanisms/core/port.h"
#include "messages.h"
#include "wire.h"

namespace fabriclab {

using omnetpp::cEvent;
using omnetpp::cEventHeap;

Register_Class(FabricEventSet);

namespace {

/// The event that is to happen at the place of `keyed`.
cEvent* eventOf(Keyed& keyed) {
  if (keyed.isWire) return static_cast<Wire&>(keyed).front().frame;
  return &static_cast<FabricTimer&>(keyed);
}

}  // namespace

FabricEventSet* FabricEventSet::dup() const {
  copyNotSupported();
  return nullptr;
}

std::string FabricEventSet::str() const { return isEmpty() ? "empty" : "length=" + std::to_string(getLength()); }

void FabricEventSet::insert(cEvent* event) {
  listed_.clear();
  if (FabricFrame* frame = asFrame(event)) {
    insertFrame(*frame);
  } else if (FabricTimer* timer = asTimer(event)) {
    insertTimer(*timer);
  } else {
    cEventHeap::insert(event);
  }
}

void FabricEventSet::insertTimer(FabricTimer& timer) {
  take(&timer);
  model_.insert({timer.getArrivalTime().raw(), timer.key, &timer});
}

void FabricEventSet::insertFrame(FabricFrame& frame) {
  take(&frame);
  Wire& wire = *frame.wire;
  const Wire::InFlight f{frame.getArrivalTime().raw(), &frame, frame.packet()};
  wire.pushBack(f);
  if (wire.size() == 1) {
    model_.insert({f.at, wire.key, &wire});
  } else {
    ++behind_;
  }
}

bool FabricEventSet::foreignFirst(const cEvent& foreign, const Entry& model) {
  const int64_t at = foreign.getArrivalTime().raw();
  return at < model.at || (at == model.at && foreign.getSchedulingPriority() <= 0);
}

cEvent* FabricEventSet::peekFirst() const {
  cEvent* foreign = cEventHeap::peekFirst();
  const Entry* model = model_.peek();
  return model == nullptr || (foreign != nullptr && foreignFirst(*foreign, *model)) ? foreign : eventOf(*model->event);
}

cEvent* FabricEventSet::removeFirst() {
  listed_.clear();
  if (model_.empty()) return cEventHeap::removeFirst();
  const Entry& model = model_.first();
  const cEvent* foreign = cEventHeap::peekFirst();
  if (foreign != nullptr && foreignFirst(*foreign, model)) return cEventHeap::removeFirst();
  cEvent* event = takeFirst();
  lookAhead();
  return event;
}

/// Fetches from memory what the next events look at first, which is out of the cache after its time on the
/// link.
void FabricEventSet::lookAhead() const {
  const auto next = [](const Entry& e) {
    if (!e.event->isWire) return;
    const Wire& wire = static_cast<const Wire&>(*e.event);
    const Wire::InFlight& f = wire.front();
    wire.to->prefetchIngress();
    const char* frame = reinterpret_cast<const char*>(f.frame);
    for (size_t line = 0; line < sizeof(FabricFrame); line += 64) __builtin_prefetch(frame + line, 1);
    __builtin_prefetch(f.packet, 1);
    __builtin_prefetch(&f.packet->sentAt, 1);
  };
  model_.lookAhead(next, [](const Entry& e) { __builtin_prefetch(e.event); });
}

/// Takes the model's first event out of the set.
cEvent* FabricEventSet::takeFirst() {
  Keyed& keyed = *model_.first().event;
  cEvent* event = eventOf(keyed);
  if (keyed.isWire) {
    removeFirstOf(static_cast<Wire&>(keyed));
  } else {
    model_.popFirst();
  }
  drop(event);
  return event;
}

/// The wire's first frame is the model's first event.
void FabricEventSet::removeFirstOf(Wire& wire) {
  model_.popFirst();
  wire.popFront();
  if (wire.size() == 0) return;
  --behind_;
  model_.insert({wire.front().at, wire.key, &wire});
}

/// The frame or timer that was the first is first again; a frame goes before those behind it.
void FabricEventSet::putBackFirst(cEvent* event) {
  listed_.clear();
  if (FabricTimer* timer = asTimer(event)) {
    insertTimer(*timer);
  } else if (FabricFrame* frame = asFrame(event)) {
    take(frame);
    Wire& wire = *frame->wire;
    if (wire.size() > 0) {
      removeEntry(wire.front().at, wire);
      ++behind_;
    }
    const Wire::InFlight f{frame->getArrivalTime().raw(), frame, frame->packet()};
    wire.pushFront(f);
    model_.insert({f.at, wire.key, &wire});
  } else {
    cEventHeap::putBackFirst(event);
  }
}

void FabricEventSet::removeEntry(int64_t at, const Keyed& event) {
  model_.remove(at, [&](const Entry& e) { return e.event == &event; });
}

cEvent* FabricEventSet::remove(cEvent* event) {
  FabricFrame* frame = asFrame(event);
  FabricTimer* timer = asTimer(event);
  if (frame == nullptr && timer == nullptr) {
    listed_.clear();
    return cEventHeap::remove(event);
  }
  if (event->getOwner() != this) return nullptr;
  listed_.clear();
  if (timer != nullptr) {
    removeEntry(timer->getArrivalTime().raw(), *timer);
  } else {
    removeFrame(*frame);
  }
  drop(event);
  return event;
}

void FabricEventSet::removeFrame(const FabricFrame& frame) {
  Wire& wire = *frame.wire;
  if (wire.front().frame != &frame) {
    uint32_t i = 1;
    while (wire[i].frame != &frame) ++i;
    wire.erase(i);
    --behind_;
    return;
  }
  removeEntry(wire.front().at, wire);
  wire.popFront();
  if (wire.size() > 0) {
    model_.insert({wire.front().at, wire.key, &wire});
    --behind_;
  }
}

std::vector<cEvent*> FabricEventSet::removeModel() {
  std::vector<cEvent*> all;
  while (!model_.empty()) all.push_back(takeFirst());
  listed_.clear();
  return all;
}

void FabricEventSet::clear() {
  for (cEvent* e : removeModel()) delete e;
  cEventHeap::clear();
  listed_.clear();
}

int FabricEventSet::getLength() const { return cEventHeap::getLength() + static_cast<int>(model_.size()) + behind_; }

void FabricEventSet::sort() {
  cEventHeap::sort();
  struct Listed {
    Entry entry;
    cEvent* event;
  };
  std::vector<Listed> model;
  model_.forEach([&](const Entry& e) {
    if (!e.event->isWire) {
      model.push_back({e, eventOf(*e.event)});
      return;
    }
    const Wire& wire = static_cast<const Wire&>(*e.event);
    for (uint32_t i = 0; i < wire.size(); ++i) model.push_back({{wire[i].at, e.key, e.event}, wire[i].frame});
  });
  std::sort(model.begin(), model.end(), [](const Listed& a, const Listed& b) { return a.entry.before(b.entry); });
  listed_.clear();
  for (int i = 0; i < cEventHeap::getLength(); ++i) listed_.push_back(cEventHeap::get(i));
  for (const Listed& l : model) listed_.push_back(l.event);
}

cEvent* FabricEventSet::get(int k) {
  if (listed_.empty()) sort();
  return k >= 0 && k < static_cast<int>(listed_.size()) ? listed_[static_cast<size_t>(k)] : nullptr;
}

void FabricEventSet::forEachChild(omnetpp::cVisitor* v) {
  sort();
  for (cEvent* e : std::vector<cEvent*>(listed_)) {
    if (!v->visit(e)) return;
  }
}

}  // namespace fabriclab
