// The plain engine for unit tests. It can order same-time events in other ways, to show that only the model's keys
// decide, and keeps what was sent.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "mechanisms/core/random.h"
#include "mechanisms/plain/engine.h"

namespace fabric::test {

class TestEngine final : public PlainEngine {
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

  void transmit(Port& from, Packet* packet, Time duration) override {
    const Time arrival = now() + duration + from.delay();
    if (recordSends) sends.push_back({now(), arrival, &from, packet->kind, packet->wireBytes});
    if (!options_.eventPerPacket) {
      PlainEngine::transmit(from, packet, duration);
      return;
    }
    auto d = std::make_unique<Delivery>(*this, from.peer(), packet);
    schedule(*d, arrival);
    flying_[d.get()] = std::move(d);
  }
  using Engine::setNow;

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

  Order orderOf(const Event& e) override {
    Order order = PlainEngine::orderOf(e);
    if (options_.shuffle != 0) order.tie = ties_.next();
    if (options_.ignoreKeys) order.key = order.tie;
    return order;
  }

  Options options_;
  RandomStream ties_;
  std::map<const Event*, std::unique_ptr<Delivery>> flying_;
};

}  // namespace fabric::test
