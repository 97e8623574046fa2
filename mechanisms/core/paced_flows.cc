#include "mechanisms/core/paced_flows.h"

namespace fabric {

bool PacedFlows::sooner(const Flow& a, const Flow& b) {
  return a.nextSendAt < b.nextSendAt || (a.nextSendAt == b.nextSendAt && a.spec.id < b.spec.id);
}

void PacedFlows::add(Flow& f) {
  f.heapIndex = static_cast<uint32_t>(heap_.size());
  heap_.push_back(&f);
  up(f.heapIndex);
}

void PacedFlows::remove(Flow& f) {
  const size_t i = f.heapIndex;
  Flow* last = heap_.back();
  heap_.pop_back();
  if (last == &f) return;
  heap_[i] = last;
  last->heapIndex = static_cast<uint32_t>(i);
  moved(*last);
}

void PacedFlows::moved(Flow& f) {
  up(f.heapIndex);
  down(f.heapIndex);
}

void PacedFlows::up(size_t i) {
  Flow* f = heap_[i];
  while (i > 0 && sooner(*f, *heap_[(i - 1) / 2])) {
    heap_[i] = heap_[(i - 1) / 2];
    heap_[i]->heapIndex = static_cast<uint32_t>(i);
    i = (i - 1) / 2;
  }
  heap_[i] = f;
  f->heapIndex = static_cast<uint32_t>(i);
}

void PacedFlows::down(size_t i) {
  Flow* f = heap_[i];
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && sooner(*heap_[child + 1], *heap_[child])) ++child;
    if (!sooner(*heap_[child], *f)) break;
    heap_[i] = heap_[child];
    heap_[i]->heapIndex = static_cast<uint32_t>(i);
    i = child;
  }
  heap_[i] = f;
  f->heapIndex = static_cast<uint32_t>(i);
}

}  // namespace fabric
