// A small engine for unit tests: a heap of events, packets in flight in their link's own list. It can
// order same-time events in other ways, to show that only the model's keys decide.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/node.h"
#include "mechanisms/core/port.h"
#include "mechanisms/core/random.h"

namespace fabric::test {

class TestEngine final : public Engine {
 public:
  struct Options {
    /// Not 0: events of the same time and key come in an order drawn from this seed.
    uint64_t shuffle = 0;
    /// Every packet in flight is an event of its own, instead of one event per link.
    bool eventPerPacket = false;
    /// Same-time events come in the shuffled order whatever their keys say: wrong on purpose.
    bool ignoreKeys = false;
  };

  TestEngine() : TestEngine(Options()) {}
  explicit TestEngine(Options options) : options_(options), ties_(options.shuffle, "ties") {}

  void connect(Port& a, Port& b) {
    Port::connect(a, b);
    links_[&a] = std::make_unique<Link>(*this, b);
    links_[&b] = std::make_unique<Link>(*this, a);
  }

  void cancel(Event& e) override {
    if (!e.pending()) return;
    remove(indexOf(e));
  }

  void transmit(Port& from, Packet* packet, Time duration) override {
    const Time arrival = now() + duration + from.delay();
    if (recordSends) sends.push_back({now(), arrival, &from, packet->kind, packet->wireBytes});
    Link& link = *links_.at(&from);
    if (options_.eventPerPacket) {
      auto d = std::make_unique<Delivery>(*this, link.to, packet);
      schedule(*d, arrival);
      flying_[d.get()] = std::move(d);
    } else {
      link.push(packet, arrival);
    }
  }

  void stop() override { stopped_ = true; }
  bool stopped() const { return stopped_; }

  /// Runs everything up to and including `until`.
  void run(Time until) {
    while (!stopped_ && !heap_.empty() && heap_.front().at <= until) {
      const Entry top = heap_.front();
      remove(0);
      if (!heap_.empty() && heap_.front().at == top.at && heap_.front().key == top.key) ++duplicateKeys;
      advance(top.at);
      ++events;
      top.event->fire();
    }
    if (!stopped_ && now() < until) setNow(until);
  }
  using Engine::setNow;
  size_t pending() const { return heap_.size(); }

  uint64_t events = 0;
  /// Pairs of events that were pending at the same time with the same key; must stay 0.
  uint64_t duplicateKeys = 0;
  struct Sent {
    Time at, arrival;
    const Port* from;
    PacketKind kind;
    uint32_t bytes;
  };
  /// Every frame put on a wire, while recordSends is set.
  bool recordSends = false;
  std::vector<Sent> sends;

 private:
  struct Entry {
    Time at;
    uint64_t key;
    uint64_t tie;
    Event* event;
  };

  struct Link final : Event {
    Link(TestEngine& engine, Port& to) : Event(arrivalKey(to)), engine(engine), to(to) { ring.resize(64); }
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
    TestEngine& engine;
    Port& to;
    std::vector<std::pair<Time, Packet*>> ring;
    size_t head = 0, count = 0;
  };

  struct Delivery final : Event {
    Delivery(TestEngine& engine, Port& to, Packet* packet)
        : Event(arrivalKey(to)), engine(engine), to(to), packet(packet) {}
    void fire() override {
      const auto self = std::move(engine.flying_.at(this));
      engine.flying_.erase(this);
      to.node().receive(to, packet);
    }
    TestEngine& engine;
    Port& to;
    Packet* packet;
  };

  static uint64_t arrivalKey(const Port& to) {
    return eventKey(keyNode(to.node().id()), EventKind::Arrival, to.index());
  }

  // The heap; a pending event's slot holds its place in it, counted from 1.
  static size_t indexOf(const Event& e) { return reinterpret_cast<uintptr_t>(e.slot) - 1; }
  bool before(const Entry& a, const Entry& b) const {
    if (options_.ignoreKeys) return std::tie(a.at.ps, a.tie) < std::tie(b.at.ps, b.tie);
    return std::tie(a.at.ps, a.key, a.tie) < std::tie(b.at.ps, b.key, b.tie);
  }
  void place(size_t i, const Entry& e) {
    heap_[i] = e;
    e.event->slot = reinterpret_cast<void*>(uintptr_t{i + 1});
  }
  void doSchedule(Event& e) override {
    const uint64_t tie = options_.shuffle != 0 ? ties_.next() : ++sequence_;
    heap_.push_back({e.at(), e.key(), tie, &e});
    up(heap_.size() - 1);
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
    for (; i > 0 && before(e, heap_[(i - 1) / 2]); i = (i - 1) / 2) place(i, heap_[(i - 1) / 2]);
    place(i, e);
  }
  void down(size_t i) {
    const Entry e = heap_[i];
    for (size_t child = 2 * i + 1; child < heap_.size(); child = 2 * i + 1) {
      if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
      if (!before(heap_[child], e)) break;
      place(i, heap_[child]);
      i = child;
    }
    place(i, e);
  }

  Options options_;
  RandomStream ties_;
  uint64_t sequence_ = 0;
  std::vector<Entry> heap_;
  std::map<const Port*, std::unique_ptr<Link>> links_;
  std::map<const Event*, std::unique_ptr<Delivery>> flying_;
  bool stopped_ = false;
};

}  // namespace fabric::test
