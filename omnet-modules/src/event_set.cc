#include "event_set.h"

#include <algorithm>

#include "mechanisms/core/fetch_ahead.h"
#include "mechanisms/core/node.h"
#include "mechanisms/core/port.h"
#include "messages.h"
#include "wire.h"

namespace fabriclab {

using omnetpp::cEvent;
using omnetpp::cEventHeap;

Register_Class(FabricEventSet);

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
    if (nodeByNode_) requireEnd(*event);
    cEventHeap::insert(event);
  }
}

/// What is not the model's can only be the end of the simulation.
void FabricEventSet::requireEnd(const cEvent& foreign) {
  if (foreign.getSchedulingPriority() > 0) return;
  throw omnetpp::cRuntimeError(
      "(%s)%s is an event beside the fabric's, whose nodes run one behind the other; set nodeByNode of the "
      "FabricManager to false",
      foreign.getClassName(), foreign.getFullName());
}

/// Inline and without the entry's address, as NodeEvents::insert() needs it to be.
[[gnu::always_inline]] inline void FabricEventSet::insertModel(const Entry entry) {
  if (nodeByNode_) {
    nodes_.insert(entry);
  } else {
    model_.insert(Entry(entry));
  }
}

void FabricEventSet::insertTimer(FabricTimer& timer) {
  if (timer.getOwner() != this) take(&timer);
  timer.waits = true;
  insertModel({timer.getArrivalTime().raw(), timer.key, &timer, &timer});
}

void FabricEventSet::insertFrame(FabricFrame& frame) {
  if (frame.getOwner() != this) take(&frame);
  Wire& wire = *frame.wire;
  const bool first = wire.empty();
  wire.push(frame);
  if (first) {
    insertFirstOf(wire);
  } else {
    ++behind_;
  }
}

void FabricEventSet::insertFirstOf(Wire& wire) { insertModel({wire.firstAt(), wire.key, &wire, &wire.first()}); }

bool FabricEventSet::foreignFirst(const cEvent& foreign, const Entry& model) {
  const int64_t at = foreign.getArrivalTime().raw();
  return at < model.at || (at == model.at && foreign.getSchedulingPriority() <= 0);
}

cEvent* FabricEventSet::peekFirst() const {
  cEvent* foreign = cEventHeap::peekFirst();
  const Entry* model = nodeByNode_ ? nodes_.peek() : model_.peek();
  return model == nullptr || (foreign != nullptr && foreignFirst(*foreign, *model)) ? foreign : model->event;
}

cEvent* FabricEventSet::removeFirst() {
  listed_.clear();
  if (nodeByNode_) {
    // The model ends the simulation before the kernel's own end of it.
    if (nodes_.empty()) return cEventHeap::removeFirst();
    if (nodes_.turn()) return takeFirstOfTurn();
    keepOrder();
  }
  if (model_.empty()) return cEventHeap::removeFirst();
  const cEvent* foreign = cEventHeap::peekFirst();
  if (foreign != nullptr && foreignFirst(*foreign, model_.first())) return cEventHeap::removeFirst();
  cEvent* event = takeFirst();
  lookAhead();
  return event;
}

cEvent* FabricEventSet::takeFirstOfTurn() {
  const Entry& first = nodes_.takeFirst();
  if (const Entry* next = nodes_.ahead()) next->fetchLast();
  return takeOut(*first.keyed, *first.event);
}

cEvent* FabricEventSet::removeNextOfTurn() { return nodeByNode_ && nodes_.more() ? takeFirstOfTurn() : nullptr; }

/// Fetches from memory what the next events look at first: a frame and its packet are out of the cache after
/// their time on the link. Where to look is itself to be fetched: one event earlier.
void FabricEventSet::lookAhead() const {
  if (const Entry* later = model_.ahead(1)) later->fetch();
  if (const Entry* next = model_.ahead(0)) next->fetchMore();
}

namespace {

/// A frame, or a timer, which is smaller.
void fetchMessage(const cEvent* message) { fabric::FetchAhead::memory(message, sizeof(FabricFrame)); }

}  // namespace

void FabricEventSet::Entry::fetch() const {
  fabric::FetchAhead::memory(keyed);
  fetchMessage(event);
}

/// What fetch() fetched is in the cache.
void FabricEventSet::Entry::fetchMore() const {
  if (!keyed->isWire) {
    fabric::FetchAhead::memory(static_cast<const FabricTimer*>(event)->event);
    return;
  }
  fabric::FetchAhead::arrival(*static_cast<const Wire&>(*keyed).to);
  fabric::FetchAhead::packet(*static_cast<const FabricFrame*>(event)->packet());
}

/// What fetchMore() fetched is in the cache, too.
void FabricEventSet::Entry::fetchLast() const {
  if (!keyed->isWire) {
    static_cast<const FabricTimer*>(event)->event->fetchAhead();
    return;
  }
  static_cast<const Wire&>(*keyed).to->node().fetchAhead(*static_cast<const FabricFrame*>(event)->packet());
}

/// Takes the model's first event out of the set.
cEvent* FabricEventSet::takeFirst() {
  const Entry first = model_.takeFirst();
  return takeOut(*first.keyed, *first.event);
}

/// The event, whose entry is out of the list.
cEvent* FabricEventSet::takeOut(Keyed& keyed, cEvent& event) {
  if (!keyed.isWire) {
    static_cast<FabricTimer&>(event).waits = false;
    return &event;
  }
  Wire& wire = static_cast<Wire&>(keyed);
  FabricFrame& frame = wire.first();
  const FabricFrame::Behind next = frame.behind;
  wire.pop();
  frame.behind = {};
  if (!wire.empty()) {
    --behind_;
    insertFirstOf(wire);
    if (nodeByNode_) {
      // It comes when some more of the node's events have run, or in the next window.
      fetchMessage(next.frame);
      fabric::FetchAhead::packet(*next.packet);
    }
  }
  return &event;
}

void FabricEventSet::yieldOwnership(omnetpp::cOwnedObject* object, omnetpp::cObject* to) {
  auto* event = static_cast<cEvent*>(object);  // the set owns nothing else
  const FabricFrame* frame = asFrame(event);
  const FabricTimer* timer = asTimer(event);
  const bool idle = (frame != nullptr && !frame->waits()) || (timer != nullptr && !timer->waits);
  if (idle && to != nullptr && to->isSoftOwner()) return;  // a module makes itself the owner
  cEventHeap::yieldOwnership(object, to);
}

void FabricEventSet::runNodeByNode(fabric::Windows& windows) {
  for (int i = 0; i < cEventHeap::getLength(); ++i) requireEnd(*cEventHeap::get(i));
  nodes_.setWindows(windows);
  model_.forEach([this](const Entry& e) { nodes_.insert(e); });
  model_.clear();
  nodeByNode_ = true;
}

/// Back to the order of time.
void FabricEventSet::keepOrder() {
  if (!nodeByNode_) return;
  nodeByNode_ = false;
  nodes_.forEach([this](const Entry& e) { model_.insert(e); });
  nodes_.clear();
}

/// The frame or timer that was the first is first again; a frame goes before those behind it.
void FabricEventSet::putBackFirst(cEvent* event) {
  listed_.clear();
  if (FabricTimer* timer = asTimer(event)) {
    insertTimer(*timer);
  } else if (FabricFrame* frame = asFrame(event)) {
    if (frame->getOwner() != this) take(frame);
    Wire& wire = *frame->wire;
    if (!wire.empty()) {
      removeEntry(wire.firstAt(), wire);
      ++behind_;
    }
    wire.putBack(*frame);
    insertFirstOf(wire);
  } else {
    cEventHeap::putBackFirst(event);
  }
}

void FabricEventSet::removeEntry(int64_t at, const Keyed& keyed) {
  const auto is = [&](const Entry& e) { return e.keyed == &keyed; };
  if (nodeByNode_) {
    nodes_.remove({at, keyed.key, nullptr, nullptr}, is);
  } else {
    model_.remove(at, is);
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
  if (timer != nullptr) {
    if (!timer->waits) return nullptr;
    removeEntry(timer->getArrivalTime().raw(), *timer);
    timer->waits = false;
  } else {
    if (!frame->waits()) return nullptr;
    removeFrame(*frame);
    frame->behind = {};
  }
  return event;
}

void FabricEventSet::removeFrame(const FabricFrame& frame) {
  Wire& wire = *frame.wire;
  if (&wire.first() != &frame) {
    wire.remove(frame);
    --behind_;
    return;
  }
  removeEntry(wire.firstAt(), wire);
  wire.pop();
  if (!wire.empty()) {
    insertFirstOf(wire);
    --behind_;
  }
}

std::vector<cEvent*> FabricEventSet::removeModel() {
  keepOrder();
  std::vector<cEvent*> all;
  while (!model_.empty()) {
    all.push_back(takeFirst());
    drop(all.back());
  }
  listed_.clear();
  return all;
}

void FabricEventSet::clear() {
  for (cEvent* e : removeModel()) delete e;
  cEventHeap::clear();
  listed_.clear();
}

int FabricEventSet::getLength() const {
  return cEventHeap::getLength() + static_cast<int>(model_.size() + nodes_.size()) + behind_;
}

template <class Visit>
void FabricEventSet::forEachEntry(const Visit& visit) const {
  model_.forEach(visit);
  nodes_.forEach(visit);
}

void FabricEventSet::sort() {
  cEventHeap::sort();
  std::vector<Entry> model;
  forEachEntry([&](const Entry& e) {
    model.push_back(e);
    if (!e.keyed->isWire) return;
    const Wire& wire = static_cast<const Wire&>(*e.keyed);
    FabricFrame::Behind next = wire.first().behind;
    for (; next.frame != nullptr; next = next.frame->behind) model.push_back({next.at, wire.key, e.keyed, next.frame});
  });
  std::sort(model.begin(), model.end(), [](const Entry& a, const Entry& b) { return a.before(b); });
  listed_.clear();
  for (int i = 0; i < cEventHeap::getLength(); ++i) listed_.push_back(cEventHeap::get(i));
  for (const Entry& e : model) listed_.push_back(e.event);
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
