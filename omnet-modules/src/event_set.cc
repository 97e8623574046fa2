#include "event_set.h"

#include <algorithm>
#include <utility>

#include "event_module.h"
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
  insertModel({timer.getArrivalTime().raw(), timer.key, &timer});
}

void FabricEventSet::insert(FabricTimer& timer, int64_t at) { insertModel({at, timer.key, &timer}); }

void FabricEventSet::insert(Wire& wire, fabric::Packet& packet, int64_t duration, int64_t arrival) {
  const bool first = wire.empty();
  wire.push(packet, duration, arrival);
  if (first) insertFirstOf(wire);
}

bool FabricEventSet::withdraw(FabricTimer& timer, int64_t at) {
  return nodeByNode_ && nodes_.removeFar({at, timer.key, &timer}, [&](const Entry& e) { return e.keyed == &timer; });
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

void FabricEventSet::insertFirstOf(Wire& wire) { insertModel({wire.firstAt(), wire.key, &wire}); }

bool FabricEventSet::foreignFirst(const cEvent& foreign, const Entry& model) {
  const int64_t at = foreign.getArrivalTime().raw();
  return at < model.at || (at == model.at && foreign.getSchedulingPriority() <= 0);
}

cEvent* FabricEventSet::peekFirst() const {
  cEvent* foreign = cEventHeap::peekFirst();
  const Entry* model = nodeByNode_ ? nodes_.peek() : model_.peek();
  return model == nullptr || (foreign != nullptr && foreignFirst(*foreign, *model)) ? foreign : eventOf(*model);
}

/// What the kernel gets of a timer, of a wire, or of the node whose turn it is.
cEvent* FabricEventSet::eventOf(const Entry& entry) const {
  if (turn_ != nullptr) {
    turn_->begin(*entry.keyed->module, omnetpp::SimTime::fromRaw(entry.at));
    return turn_;
  }
  if (entry.keyed->isWire) return &static_cast<Wire&>(*entry.keyed).first();
  return static_cast<FabricTimer*>(entry.keyed);
}

cEvent* FabricEventSet::removeFirst() {
  listed_.clear();
  if (nodeByNode_) {
    // The model ends the simulation before the kernel's own end of it.
    if (nodes_.empty()) return cEventHeap::removeFirst();
    if (nodes_.turn()) return eventOf(*nodes_.ahead());
    keepOrder();
  }
  if (model_.empty()) return cEventHeap::removeFirst();
  const cEvent* foreign = cEventHeap::peekFirst();
  if (foreign != nullptr && foreignFirst(*foreign, model_.first())) return cEventHeap::removeFirst();
  if (turn_ != nullptr) return eventOf(model_.first());
  cEvent* event = takeFirst();
  lookAhead();
  return event;
}

FabricEventSet::Next FabricEventSet::takeNext() {
  Next next{};
  if (nodeByNode_) {
    const Entry& first = nodes_.takeFirst();
    next = {first.keyed, nullptr, first.at};
    if (const Entry* second = nodes_.ahead()) second->fetchLast();
  } else {
    const Entry first = model_.takeFirst();
    next = {first.keyed, nullptr, first.at};
    lookAhead();
  }
  if (!next.keyed->isWire) return next;
  Wire& wire = static_cast<Wire&>(*next.keyed);
  next.packet = &wire.pop();
  if (!wire.empty()) {
    // It comes when some more of the node's events have run, or in the next window.
    fabric::FetchAhead::packet(*wire.packet());
    insertFirstOf(wire);
  }
  return next;
}

/// Fetches from memory what the next events look at first: a frame and its packet are out of the cache after
/// their time on the link. Where to look is itself to be fetched: one event earlier.
void FabricEventSet::lookAhead() const {
  if (const Entry* later = model_.ahead(1)) later->fetch();
  if (const Entry* next = model_.ahead(0)) next->fetchMore();
}

void FabricEventSet::Entry::fetch() const { fabric::FetchAhead::memory(keyed); }

/// What fetch() fetched is in the cache.
void FabricEventSet::Entry::fetchMore() const {
  if (!keyed->isWire) {
    fabric::FetchAhead::memory(static_cast<const FabricTimer*>(keyed)->event);
    return;
  }
  const Wire& wire = static_cast<const Wire&>(*keyed);
  fabric::FetchAhead::arrival(*wire.to);
  fabric::FetchAhead::packet(*wire.packet());
}

/// What fetchMore() fetched is in the cache, too.
void FabricEventSet::Entry::fetchLast() const {
  if (keyed->isWire) {
    const Wire& wire = static_cast<const Wire&>(*keyed);
    wire.to->node().fetchAhead(*wire.packet());
  } else if (const fabric::Event* event = static_cast<const FabricTimer*>(keyed)->event) {
    event->fetchAhead();
  }
}

/// Takes the model's first event out of the set.
cEvent* FabricEventSet::takeFirst() {
  const Entry first = model_.takeFirst();
  cEvent* event = eventOf(first);
  if (!first.keyed->isWire) {
    static_cast<FabricTimer*>(event)->waits = false;
    return event;
  }
  Wire& wire = static_cast<Wire&>(*first.keyed);
  wire.popFrame();
  static_cast<FabricFrame*>(event)->behind = {};
  if (!wire.empty()) {
    --behind_;
    insertFirstOf(wire);
  }
  return event;
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
  model_.forEach([this](const Entry& e) {
    nodes_.insert(e);
    static_cast<FabricTimer*>(e.keyed)->waits = false;  // no frame is under way before the first event
  });
  model_.clear();
  nodeByNode_ = true;
  turn_ = new FabricTurn();
  take(turn_);
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
  if (event == turn_) return;  // its events are still here
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
  model_.remove(at, [&](const Entry& e) { return e.keyed == &keyed; });
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
  wire.popFrame();
  if (!wire.empty()) {
    insertFirstOf(wire);
    --behind_;
  }
}

std::vector<cEvent*> FabricEventSet::removeModel() {
  keepOrder();
  std::vector<cEvent*> all;
  if (turn_ != nullptr) {
    model_.clear();
    dropAndDelete(std::exchange(turn_, nullptr));
  }
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
  const int foreign = cEventHeap::getLength();
  if (turn_ == nullptr) return foreign + static_cast<int>(model_.size()) + behind_;
  return foreign + (model_.empty() && nodes_.empty() ? 0 : 1);
}

void FabricEventSet::sort() {
  cEventHeap::sort();
  listed_.clear();
  for (int i = 0; i < cEventHeap::getLength(); ++i) listed_.push_back(cEventHeap::get(i));
  if (turn_ != nullptr) {
    if (getLength() > cEventHeap::getLength()) listed_.push_back(turn_);
    return;
  }
  std::vector<std::pair<Entry, cEvent*>> model;
  model_.forEach([&](const Entry& e) {
    model.emplace_back(e, eventOf(e));
    if (!e.keyed->isWire) return;
    const Wire& wire = static_cast<const Wire&>(*e.keyed);
    FabricFrame::Behind next = wire.first().behind;
    for (; next.frame != nullptr; next = next.frame->behind) model.push_back({{next.at, e.key, e.keyed}, next.frame});
  });
  std::sort(model.begin(), model.end(), [](const auto& a, const auto& b) { return a.first.before(b.first); });
  for (const auto& [entry, event] : model) listed_.push_back(event);
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
