// The future event set: events of the model at the same time run in the order of the model's key,
// whatever the order in which they were scheduled.
#pragma once

#include <omnetpp.h>

#include <cstdint>
#include <vector>

namespace fabriclab {

class FabricFrame;

/// What frames and timers have for the event set.
struct Keyed {
  explicit Keyed(omnetpp::cEvent* self) : self(self) {}
  uint64_t key = 0;  // fabric::eventKey
  int place = -1;    // in the event set's heap; -1 = not in it
  omnetpp::cEvent* const self;
};

/// The frames on their way over one link in one direction, the first to arrive first. They cannot
/// overtake each other, so that only the first needs a place in the heap.
struct Wire {
  FabricFrame* first = nullptr;
  FabricFrame* last = nullptr;
};

/// Orders by (arrival time, model key). Everybody else's messages are in the base class's heap by its
/// own rules; at the same time they come before the model's, those of a positive scheduling priority
/// (the end of the simulation) after.
class FabricEventSet final : public omnetpp::cEventHeap {
 public:
  explicit FabricEventSet(const char* name = nullptr) : cEventHeap(name) {}
  FabricEventSet(const FabricEventSet&) = delete;
  ~FabricEventSet() override { clear(); }
  FabricEventSet* dup() const override;

  std::string str() const override;
  void forEachChild(omnetpp::cVisitor* v) override;

  void insert(omnetpp::cEvent* event) override;
  omnetpp::cEvent* peekFirst() const override;
  omnetpp::cEvent* removeFirst() override;
  void putBackFirst(omnetpp::cEvent* event) override;
  omnetpp::cEvent* remove(omnetpp::cEvent* event) override;
  bool isEmpty() const override { return heap_.empty() && cEventHeap::isEmpty(); }
  void clear() override;
  int getLength() const override;
  omnetpp::cEvent* get(int k) override;
  void sort() override;

  /// Takes all frames and timers out.
  std::vector<omnetpp::cEvent*> removeModel();

 private:
  struct Entry {
    int64_t at;
    uint64_t key;
    Keyed* event;
  };
  static Entry entry(Keyed& event) { return {event.self->getArrivalTime().raw(), event.key, &event}; }
  static bool before(const Entry& a, const Entry& b) { return a.at < b.at || (a.at == b.at && a.key < b.key); }
  bool foreignFirst(const omnetpp::cEvent* foreign) const;
  void insertKeyed(Keyed& event);
  void insertFrame(FabricFrame& frame);
  omnetpp::cEvent* removeTop();
  omnetpp::cEvent* removeFrame(FabricFrame& frame);
  void removeAt(size_t i);
  void replace(size_t i, const Entry& e);
  void place(size_t i, const Entry& e) {
    heap_[i] = e;
    e.event->place = static_cast<int>(i);
  }
  void up(size_t i, Entry e);
  void down(size_t i, Entry e);

  std::vector<Entry> heap_;               // the children of i are at 4i+1 .. 4i+4
  int behind_ = 0;                        // frames that wait behind the first of their wire
  std::vector<omnetpp::cEvent*> listed_;  // all events, for get(); empty when out of date
};

}  // namespace fabriclab
