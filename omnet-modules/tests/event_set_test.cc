// The order of events must not depend on the order in which they were scheduled.
#include <gtest/gtest.h>
#include <omnetpp.h>

#include <algorithm>
#include <memory>
#include <random>

#include "mechanisms/core/network.h"
#include "mechanisms/core/node.h"
#include "mechanisms/core/port.h"
#include "mechanisms/plain/engine.h"
#include "omnet-modules/src/event_module.h"
#include "omnet-modules/src/messages.h"
#include "omnet-modules/src/wire.h"

namespace fabriclab {
namespace {

using omnetpp::cEvent;
using omnetpp::cMessage;
using omnetpp::SimTime;

/// A module's list of what it owns.
struct Owner final : omnetpp::cSoftOwner {
  using cSoftOwner::drop;
  using cSoftOwner::take;
};

class EventSet : public ::testing::Test {
 protected:
  /// As the engine does, which has all messages.
  ~EventSet() override {
    for (cEvent* e : removed_) {
      if (FabricFrame* f = asFrame(e)) f->unload();
      if (e->getOwner() == &set_) owner_.take(e);
      if (e->getOwner() == &owner_) owner_.drop(e);
      delete e;
    }
  }
  /// The set deletes what is left in it.
  FabricTimer* timer(int64_t ps, uint64_t key) {
    auto* t = new FabricTimer();
    t->key = key;
    t->setArrivalTime(SimTime::fromRaw(ps));
    return t;
  }
  Wire& wire(uint64_t key) {
    wires_.push_back(std::make_unique<Wire>());
    wires_.back()->key = key;
    wires_.back()->to = &port_;
    return *wires_.back();
  }
  FabricFrame* frame(int64_t ps, Wire& wire) {
    auto* f = new FabricFrame();
    f->load(packet_, wire);
    f->setArrivalTime(SimTime::fromRaw(ps));
    return f;
  }
  cMessage* foreign(int64_t ps, short priority = 0) {
    auto* m = new cMessage("foreign");
    m->setArrivalTime(SimTime::fromRaw(ps));
    m->setSchedulingPriority(priority);
    return m;
  }
  std::vector<cEvent*> drain() {
    std::vector<cEvent*> order;
    while (!set_.isEmpty()) {
      EXPECT_EQ(set_.peekFirst(), set_.peekFirst());
      order.push_back(set_.removeFirst());
      removed_.push_back(order.back());
    }
    EXPECT_EQ(set_.peekFirst(), nullptr);
    return order;
  }

  fabric::Packet packet_;
  fabric::Port port_;
  std::vector<std::unique_ptr<Wire>> wires_;
  Owner owner_;
  FabricEventSet set_;
  std::vector<cEvent*> removed_;
};

TEST_F(EventSet, OrderIsTimeThenKeyWhateverTheInsertion) {
  std::mt19937 random(1);
  std::vector<std::pair<int64_t, uint64_t>> wanted;
  for (int64_t at = 1; at <= 5; ++at) {
    for (uint64_t key = 1; key <= 40; ++key) wanted.emplace_back(at, key << (key % 50));
  }
  std::sort(wanted.begin(), wanted.end());
  for (int round = 0; round < 20; ++round) {
    auto order = wanted;
    std::shuffle(order.begin(), order.end(), random);
    for (const auto& [at, key] : order) {
      if (key % 2 == 0) {
        set_.insert(timer(at, key));
      } else {
        set_.insert(frame(at, wire(key)));
      }
    }
    ASSERT_EQ(set_.getLength(), static_cast<int>(wanted.size()));
    std::vector<std::pair<int64_t, uint64_t>> got;
    for (cEvent* e : drain()) {
      const FabricTimer* t = asTimer(e);
      got.emplace_back(e->getArrivalTime().raw(), t != nullptr ? t->key : asFrame(e)->wire->key);
    }
    EXPECT_EQ(got, wanted);
  }
}

TEST_F(EventSet, RemovesFromAnyPlace) {
  std::mt19937 random(2);
  std::vector<FabricTimer*> timers;
  for (uint64_t i = 0; i < 300; ++i) {
    timers.push_back(timer(static_cast<int64_t>(random() % 50), i));
    set_.insert(timers.back());
  }
  std::vector<std::pair<int64_t, uint64_t>> wanted;
  for (FabricTimer* t : timers) {
    if (random() % 3 == 0) {
      EXPECT_EQ(set_.remove(t), t);
      EXPECT_EQ(set_.remove(t), nullptr);
      removed_.push_back(t);
    } else {
      wanted.emplace_back(t->getArrivalTime().raw(), t->key);
    }
  }
  std::sort(wanted.begin(), wanted.end());
  set_.sort();
  std::vector<std::pair<int64_t, uint64_t>> got;
  for (cEvent* e : drain()) got.emplace_back(e->getArrivalTime().raw(), static_cast<FabricTimer*>(e)->key);
  EXPECT_EQ(got, wanted);
}

TEST_F(EventSet, FramesOfAWireWaitBehindItsFirst) {
  Wire &a = wire(1), &b = wire(2);
  std::vector<cEvent*> wanted;
  for (int64_t at = 1; at <= 9; ++at) {
    FabricFrame* onB = frame(at, b);
    FabricFrame* onA = frame(at, a);
    FabricTimer* between = timer(at, 3);
    for (cEvent* e : std::initializer_list<cEvent*>{onB, between, onA}) set_.insert(e);
    wanted.insert(wanted.end(), {onA, onB, between});
  }
  ASSERT_EQ(set_.getLength(), 27);
  for (int k = 0; k < 27; ++k) EXPECT_EQ(set_.get(k), wanted[static_cast<size_t>(k)]);
  EXPECT_EQ(set_.get(27), nullptr);

  for (const size_t i : {size_t{13}, size_t{0}, size_t{25}}) {  // from the middle, the head and the tail of a wire
    EXPECT_EQ(set_.remove(wanted[i]), wanted[i]);
    EXPECT_EQ(set_.remove(wanted[i]), nullptr);
    removed_.push_back(wanted[i]);
  }
  for (const size_t i : {25, 13, 0}) wanted.erase(wanted.begin() + i);
  cEvent* first = set_.removeFirst();
  set_.putBackFirst(first);
  EXPECT_EQ(set_.getLength(), 24);
  EXPECT_EQ(drain(), wanted);
  EXPECT_TRUE(a.empty());
  EXPECT_TRUE(b.empty());
}

TEST_F(EventSet, AWireFillsAgain) {
  Wire& w = wire(1);
  std::vector<cEvent*> wanted;
  int64_t at = 0;
  for (const size_t frames : {1, 10, 40}) {
    for (size_t i = 0; i < frames; ++i) {
      wanted.push_back(frame(++at, w));
      set_.insert(wanted.back());
    }
    EXPECT_EQ(set_.getLength(), static_cast<int>(frames));
    EXPECT_EQ(drain(), wanted);
    wanted.clear();
  }
}

/// Qtenv takes the next event out to look at it, and puts it back.
TEST_F(EventSet, PutsAFrameBackBeforeThoseBehindIt) {
  Wire& w = wire(1);
  const std::vector<cEvent*> wanted{frame(3, w), frame(4, w), timer(5, 1)};
  for (cEvent* e : wanted) set_.insert(e);
  for (int i = 0; i < 2; ++i) {
    cEvent* first = set_.removeFirst();
    EXPECT_EQ(first, wanted.front());
    set_.putBackFirst(first);
    EXPECT_EQ(set_.getLength(), 3);
  }
  EXPECT_EQ(drain(), wanted);
}

TEST_F(EventSet, OthersComeFirstInTheirOwnOrderAndTheEndLast) {
  cMessage* end = foreign(5, SHRT_MAX);
  cMessage* second = foreign(5);
  cMessage* first = foreign(5, -1);
  FabricTimer* model = timer(5, 0);
  FabricTimer* earlier = timer(4, 9);
  set_.insert(end);
  set_.insert(model);
  set_.insert(second);
  set_.insert(first);
  set_.insert(earlier);
  EXPECT_EQ(drain(), (std::vector<cEvent*>{earlier, first, second, model, end}));
}

TEST_F(EventSet, KeepsWhatHasLeftItUntilAModuleTakesIt) {
  FabricTimer* t = timer(1, 1);
  struct Nothing final : fabric::Event {
    void fire() override {}
  } pending;
  t->event = &pending;
  FabricFrame* f = frame(2, wire(2));
  set_.insert(t);
  set_.insert(f);
  EXPECT_THROW(owner_.take(t), omnetpp::cRuntimeError) << "it is in the set";
  EXPECT_THROW(owner_.take(f), omnetpp::cRuntimeError);
  for (cEvent* e : drain()) EXPECT_EQ(e->getOwner(), &set_);
  t->event = nullptr;
  f->unload();
  EXPECT_EQ(set_.remove(t), nullptr);
  EXPECT_EQ(set_.remove(f), nullptr);
  owner_.take(t);
  EXPECT_EQ(t->getOwner(), &owner_);
  set_.insert(t);
  EXPECT_EQ(t->getOwner(), &set_);
  EXPECT_EQ(set_.remove(t), t);
}

TEST_F(EventSet, PutsBackWhatWasFirst) {
  set_.insert(timer(3, 1));
  set_.insert(foreign(3));
  for (int i = 0; i < 2; ++i) {
    cEvent* first = set_.removeFirst();
    set_.putBackFirst(first);
    EXPECT_EQ(set_.peekFirst(), first);
    removed_.push_back(set_.removeFirst());
  }
  EXPECT_TRUE(set_.isEmpty());
}

/// Nodes run one behind the other, in windows of 10 ps.
class EventSetNodeByNode : public EventSet {
 protected:
  struct Fixed final : fabric::Windows {
    fabric::Time nextWindow() override { return length; }
    void fetch(uint32_t) const override {}
    fabric::Time length{10};
  };
  struct Module final : EventModule {};
  /// What frames arrive at; here nothing is handed on.
  struct Still final : fabric::Node {
    const fabric::Description& description() const override {
      static const fabric::Description d{};
      return d;
    }
    void receive(fabric::Port&, fabric::Packet*) override {}
    void fetchAhead(const fabric::Packet&) const override {}
    void onDequeue(fabric::Port&, const fabric::Packet&) override {}
  };

  EventSetNodeByNode() {
    node_.join(network_, 0, "node");
    node_.addPort(port_, fabric::Rate{1}, fabric::Time{1});
    set_.runNodeByNode(windows_);
  }
  // The engine's timers are its own here, as modules have them.
  ~EventSetNodeByNode() override { set_.clear(); }

  static uint64_t keyOf(uint32_t node, uint32_t index) {
    return fabric::eventKey(fabric::keyNode(node), fabric::EventKind::NodeTimer, index);
  }
  FabricTimer& at(int64_t ps, uint32_t node) {
    own_.push_back(std::make_unique<FabricTimer>());
    FabricTimer& t = *own_.back();
    t.key = keyOf(node, static_cast<uint32_t>(own_.size()));
    t.module = &module_;
    set_.insert(t, ps);
    return t;
  }
  /// A wire to a node, with frames that take 1 ps and arrive then.
  Wire& frames(uint32_t node, const std::vector<int64_t>& arrivals) {
    Wire& w = wire(fabric::eventKey(fabric::keyNode(node), fabric::EventKind::Arrival, 0));
    w.module = &module_;
    for (const int64_t ps : arrivals) {
      packets_.push_back(std::make_unique<fabric::Packet>());
      set_.insert(w, *packets_.back(), 1, ps);
    }
    return w;
  }
  /// The events of a turn, as (time, node).
  std::vector<std::pair<int64_t, uint32_t>> turn() {
    std::vector<std::pair<int64_t, uint32_t>> events;
    EXPECT_NE(dynamic_cast<FabricTurn*>(set_.removeFirst()), nullptr);
    do {
      const FabricEventSet::Next next = set_.takeNext();
      EXPECT_EQ(next.packet != nullptr, next.keyed->isWire);
      events.emplace_back(next.at, static_cast<uint32_t>(next.keyed->key >> 40) - fabric::keyNode(0));
    } while (set_.moreOfTurn());
    return events;
  }
  using Events = std::vector<std::pair<int64_t, uint32_t>>;

  Module module_;
  fabric::PlainEngine engine_;
  fabric::Network network_{engine_, 1};
  Still node_;
  Fixed windows_;
  std::vector<std::unique_ptr<FabricTimer>> own_;
  std::vector<std::unique_ptr<fabric::Packet>> packets_;
};

TEST_F(EventSetNodeByNode, ATurnHasTheEventsOfOneNodeInTheWindow) {
  at(9, 1);
  at(3, 2);
  at(1, 1);
  at(11, 1);
  at(5, 2);
  EXPECT_EQ(set_.getLength(), 1) << "one event for all";
  EXPECT_EQ(turn(), (Events{{1, 1}, {9, 1}}));
  EXPECT_EQ(turn(), (Events{{3, 2}, {5, 2}}));
  EXPECT_FALSE(set_.isEmpty());
  EXPECT_EQ(turn(), (Events{{11, 1}}));
  EXPECT_TRUE(set_.isEmpty());
  EXPECT_EQ(set_.getLength(), 0);
}

TEST_F(EventSetNodeByNode, FramesAreBehindTheFirstOfTheirWire) {
  at(4, 1);
  Wire& w = frames(1, {2, 6, 25});
  EXPECT_EQ(turn(), (Events{{2, 1}, {4, 1}, {6, 1}}));
  EXPECT_FALSE(w.empty());
  EXPECT_EQ(turn(), (Events{{25, 1}}));
  EXPECT_TRUE(w.empty());
  EXPECT_TRUE(set_.isEmpty());
}

TEST_F(EventSetNodeByNode, ATimerThatIsToComeLateIsWithdrawn) {
  at(1, 1);
  at(2, 1);
  ASSERT_NE(set_.removeFirst(), nullptr);
  EXPECT_EQ(set_.takeNext().at, 1);
  FabricTimer& late = at(1000, 1);
  FabricTimer& soon = at(15, 1);
  EXPECT_FALSE(set_.withdraw(soon, 15)) << "it comes, and does nothing";
  EXPECT_TRUE(set_.withdraw(late, 1000));
  EXPECT_FALSE(set_.withdraw(late, 1000));
  EXPECT_EQ(set_.takeNext().at, 2);
  EXPECT_FALSE(set_.moreOfTurn());
  EXPECT_EQ(turn(), (Events{{15, 1}}));
  EXPECT_TRUE(set_.isEmpty());
}

TEST_F(EventSetNodeByNode, OthersAreRefusedButForTheEnd) {
  cMessage* other = foreign(5);
  EXPECT_THROW(set_.insert(other), omnetpp::cRuntimeError);
  delete other;
  cMessage* end = foreign(5, SHRT_MAX);
  set_.insert(end);
  at(1, 1);
  EXPECT_EQ(turn(), (Events{{1, 1}}));
  EXPECT_EQ(set_.removeFirst(), end);
  removed_.push_back(end);
  EXPECT_TRUE(set_.isEmpty());
}

TEST_F(EventSetNodeByNode, ATurnIsPutBackWithItsEvents) {
  at(2, 1);
  at(1, 2);
  cEvent* first = set_.removeFirst();
  set_.putBackFirst(first);
  EXPECT_EQ(set_.get(0), first);
  EXPECT_EQ(set_.get(1), nullptr);
  EXPECT_EQ(set_.getLength(), 1);
  EXPECT_EQ(turn(), (Events{{2, 1}}));
  EXPECT_EQ(turn(), (Events{{1, 2}}));
}

/// When nodes can affect each other at once, events run in the order of time, one a turn.
TEST_F(EventSetNodeByNode, WithoutAWindowTheOrderIsThatOfTime) {
  at(1, 2);
  at(12, 2);
  at(11, 1);
  EXPECT_EQ(turn(), (Events{{1, 2}}));
  windows_.length = fabric::Time{0};
  EXPECT_EQ(turn(), (Events{{11, 1}}));
  EXPECT_EQ(turn(), (Events{{12, 2}}));
  EXPECT_TRUE(set_.isEmpty());
}

}  // namespace
}  // namespace fabriclab
