// An engine that needs no simulator and is not clever: a heap of events, taken in the order of time; packets in flight
// in their link's own list. It shares neither event lists nor the order of nodes with the engines that have a
// simulator, so that it is an opinion of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/node.h"
#include "mechanisms/core/port.h"

namespace fabric {

class PlainEngine : public Engine {
 public:
  void connect(Port& a, Port& b) {
    Port::connect(a, b);
    for (Port* from : {&a, &b}) {
      links_.push_back(std::make_unique<Link>(*this, from->peer()));
      from->wire = links_.back().get();
    }
  }

  void cancel(Event& e) override {
    if (e.pending()) remove(indexOf(e));
  }

  void transmit(Port& from, Packet* packet, Time duration) override {
    static_cast<Link*>(from.wire)->push(packet, now() + duration + from.delay());
  }

  void stop() override { stopped_ = true; }
  bool stopped() const { return stopped_; }

  /// Runs everything up to and including `until`.
  void run(Time until = Time::Max()) {
    while (!stopped_ && !heap_.empty() && heap_.front().at <= until) {
      const Entry top = heap_.front();
      remove(0);
      if (!heap_.empty() && heap_.front().at == top.at && heap_.front().order.key == top.order.key) ++duplicateKeys;
      advance(top.at);
      top.event->fire();
    }
    if (!stopped_ && until != Time::Max() && now() < until) setNow(until);
  }

  size_t pending() const { return heap_.size(); }

  /// Pairs of events that were pending at the same time with the same key: the order of scheduling decided between
  /// them, which must never be.
  uint64_t duplicateKeys = 0;

 protected:
  /// Decides between events of the same time.
  struct Order {
    uint64_t key, tie;
  };
  virtual Order orderOf(const Event& e) { return {e.key(), ++scheduled_}; }

  static uint64_t arrivalKey(const Port& to) {
    return eventKey(keyNode(to.node().id()), EventKind::Arrival, to.index());
  }

  /// One direction of a link: the first packet in flight is an event, the others wait for their turn.
  struct Link final : Event {
    Link(PlainEngine& engine, Port& to) : Event(arrivalKey(to)), engine(engine), to(to) { ring.resize(64); }
    void push(Packet* packet, Time arrival) {
      if (count == ring.size()) {
        std::vector<std::pair<Time, Packet*>> larger(2 * ring.size());
        for (size_t i = 0; i < count; ++i) larger[i] = ring[(head + i) % ring.size()];
        ring = std::move(larger);
        head = 0;
      }
      ring[(head + count++) % ring.size()] = {arrival, packet};
      if (count == 1) engine.schedule(*this, arrival);
    }
    void fire() override {
      Packet* packet = ring[head].second;
      head = (head + 1) % ring.size();
      if (--count > 0) engine.schedule(*this, ring[head].first);
      to.node().receive(to, packet);
    }
    PlainEngine& engine;
    Port& to;
    std::vector<std::pair<Time, Packet*>> ring;
    size_t head = 0, count = 0;
  };

  void doSchedule(Event& e) override {
    if (e.at() < now()) throw std::logic_error("an event was scheduled for a time that is over");
    heap_.push_back({e.at(), orderOf(e), &e});
    up(heap_.size() - 1);
  }
  /// Takes all events out of the heap.
  std::vector<Event*> takeAll() {
    std::vector<Event*> all;
    for (const Entry& e : heap_) all.push_back(e.event);
    heap_.clear();
    return all;
  }

 private:
  struct Entry {
    Time at;
    Order order;
    Event* event;

    bool before(const Entry& o) const {
      return std::tie(at.ps, order.key, order.tie) < std::tie(o.at.ps, o.order.key, o.order.tie);
    }
  };

  // The heap; a pending event's slot holds its place in it, counted from 1.
  static size_t indexOf(const Event& e) { return reinterpret_cast<uintptr_t>(e.slot) - 1; }
  void place(size_t i, const Entry& e) {
    heap_[i] = e;
    e.event->slot = reinterpret_cast<void*>(uintptr_t{i + 1});
  }
  void remove(size_t i) {
    heap_[i].event->slot = nullptr;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (i == heap_.size()) return;
    place(i, last);
    up(i);
    down(indexOf(*last.event));
  }
  void up(size_t i) {
    const Entry e = heap_[i];
    for (; i > 0 && e.before(heap_[(i - 1) / 2]); i = (i - 1) / 2) place(i, heap_[(i - 1) / 2]);
    place(i, e);
  }
  void down(size_t i) {
    const Entry e = heap_[i];
    for (size_t child = 2 * i + 1; child < heap_.size(); child = 2 * i + 1) {
      if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
      if (!heap_[child].before(e)) break;
      place(i, heap_[child]);
      i = child;
    }
    place(i, e);
  }

  uint64_t scheduled_ = 0;
  std::vector<Entry> heap_;
  std::vector<std::unique_ptr<Link>> links_;
  bool stopped_ = false;
};

}  // namespace fabric
