#include "event_set.h"

#include <algorithm>

#include "messages.h"

namespace fabriclab {

using omnetpp::cEvent;
using omnetpp::cEventHeap;

Register_Class(FabricEventSet);

namespace {

constexpr size_t kArity = 4;

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
    insertKeyed(*timer);
  } else {
    cEventHeap::insert(event);
  }
}

void FabricEventSet::insertKeyed(Keyed& event) {
  take(event.self);
  heap_.emplace_back();
  up(heap_.size() - 1, entry(event));
}

void FabricEventSet::insertFrame(FabricFrame& frame) {
  Wire& wire = *frame.wire;
  frame.behind = nullptr;
  if (wire.last == nullptr) {
    wire.first = wire.last = &frame;
    insertKeyed(frame);
    return;
  }
  take(&frame);
  wire.last->behind = &frame;
  wire.last = &frame;
  ++behind_;
}

bool FabricEventSet::foreignFirst(const cEvent* foreign) const {
  if (foreign == nullptr || heap_.empty()) return foreign != nullptr;
  const int64_t at = foreign->getArrivalTime().raw();
  return at < heap_.front().at || (at == heap_.front().at && foreign->getSchedulingPriority() <= 0);
}

cEvent* FabricEventSet::peekFirst() const {
  cEvent* foreign = cEventHeap::peekFirst();
  if (heap_.empty() || foreignFirst(foreign)) return foreign;
  return heap_.front().event->self;
}

cEvent* FabricEventSet::removeFirst() {
  listed_.clear();
  if (heap_.empty() || foreignFirst(cEventHeap::peekFirst())) return cEventHeap::removeFirst();
  return removeTop();
}

cEvent* FabricEventSet::removeTop() {
  cEvent* event = heap_.front().event->self;
  if (event->isPacket()) return removeFrame(*static_cast<FabricFrame*>(event));
  removeAt(0);
  drop(event);
  return event;
}

cEvent* FabricEventSet::removeFrame(FabricFrame& frame) {
  Wire& wire = *frame.wire;
  if (&frame == wire.first) {
    wire.first = frame.behind;
    if (wire.first == nullptr) {
      wire.last = nullptr;
      removeAt(static_cast<size_t>(frame.place));
    } else {
      --behind_;
      replace(static_cast<size_t>(frame.place), entry(*wire.first));
      frame.place = -1;
    }
  } else {
    FabricFrame* before = wire.first;
    while (before->behind != &frame) before = before->behind;
    before->behind = frame.behind;
    if (wire.last == &frame) wire.last = before;
    --behind_;
  }
  drop(&frame);
  return &frame;
}

/// The frame or timer that was the first is first again; a frame goes before those behind it.
void FabricEventSet::putBackFirst(cEvent* event) {
  listed_.clear();
  if (FabricTimer* timer = asTimer(event)) {
    insertKeyed(*timer);
  } else if (FabricFrame* frame = asFrame(event)) {
    Wire& wire = *frame->wire;
    frame->behind = wire.first;
    if (wire.first == nullptr) {
      wire.last = frame;
      insertKeyed(*frame);
    } else {
      take(frame);
      Keyed& next = *wire.first;
      replace(static_cast<size_t>(next.place), entry(*frame));
      next.place = -1;
      ++behind_;
    }
    wire.first = frame;
  } else {
    cEventHeap::putBackFirst(event);
  }
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
  if (frame != nullptr) return removeFrame(*frame);
  removeAt(static_cast<size_t>(timer->place));
  drop(timer);
  return timer;
}

void FabricEventSet::removeAt(size_t i) {
  heap_[i].event->place = -1;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (i < heap_.size()) replace(i, last);
}

/// Puts `e` where the entry i was, and then where it belongs.
void FabricEventSet::replace(size_t i, const Entry& e) {
  if (i > 0 && before(e, heap_[(i - 1) / kArity])) {
    up(i, e);
  } else {
    down(i, e);
  }
}

std::vector<cEvent*> FabricEventSet::removeModel() {
  std::vector<cEvent*> all;
  while (!heap_.empty()) all.push_back(removeTop());
  listed_.clear();
  return all;
}

void FabricEventSet::clear() {
  for (cEvent* e : removeModel()) delete e;
  cEventHeap::clear();
  listed_.clear();
}

int FabricEventSet::getLength() const { return cEventHeap::getLength() + static_cast<int>(heap_.size()) + behind_; }

void FabricEventSet::sort() {
  cEventHeap::sort();
  std::vector<Entry> model;
  for (const Entry& e : heap_) {
    model.push_back(e);
    if (!e.event->self->isPacket()) continue;
    for (FabricFrame* f = static_cast<FabricFrame*>(e.event->self)->behind; f != nullptr; f = f->behind) {
      model.push_back(entry(*f));
    }
  }
  std::sort(model.begin(), model.end(), before);
  listed_.clear();
  for (int i = 0; i < cEventHeap::getLength(); ++i) listed_.push_back(cEventHeap::get(i));
  for (const Entry& e : model) listed_.push_back(e.event->self);
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

void FabricEventSet::up(size_t i, Entry e) {
  while (i > 0) {
    const size_t parent = (i - 1) / kArity;
    if (!before(e, heap_[parent])) break;
    place(i, heap_[parent]);
    i = parent;
  }
  place(i, e);
}

void FabricEventSet::down(size_t i, Entry e) {
  const size_t n = heap_.size();
  for (;;) {
    const size_t first = i * kArity + 1;
    if (first >= n) break;
    size_t least = first;
    const size_t end = std::min(first + kArity, n);
    for (size_t c = first + 1; c < end; ++c) {
      if (before(heap_[c], heap_[least])) least = c;
    }
    if (!before(heap_[least], e)) break;
    place(i, heap_[least]);
    i = least;
  }
  place(i, e);
}

}  // namespace fabriclab
