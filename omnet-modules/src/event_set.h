// The future event set: events of the model at the same time run in the order of the model's key,
// whatever the order in which they were scheduled.
#pragma once

#include <omnetpp.h>

#include <cstdint>
#include <vector>

#include "mechanisms/core/event_wheel.h"
#include "mechanisms/core/node_events.h"

namespace fabriclab {

class EventModule;
class FabricFrame;
class FabricTimer;
class FabricTurn;
class Wire;

/// What has a place among the events of the model: a timer, or a wire for the first of its frames. What is looked at
/// when it comes lies in one line of the cache.
struct alignas(64) Keyed {
  explicit Keyed(bool isWire) : isWire(isWire) {}
  uint64_t key = 0;               // fabric::eventKey
  EventModule* module = nullptr;  // where it happens
  const bool isWire;
};

/// Orders by (arrival time, model key). Everybody else's messages are in the base class's heap by its
/// own rules; at the same time they come before the model's, those of a positive scheduling priority
/// (the end of the simulation) after.
///
/// On request the model's nodes run one behind the other for as long as no frame can get from one to another
/// (fabric::NodeEvents): results are the same, but simTime() goes back whenever a node's turn comes. Then the set gives
/// the kernel one event, a FabricTurn, for all of the node's events of the window, which its module takes itself.
/// Frames are packets on their wires.
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
  bool isEmpty() const override { return model_.empty() && nodes_.empty() && cEventHeap::isEmpty(); }
  void clear() override;
  int getLength() const override;
  omnetpp::cEvent* get(int k) override;
  void sort() override;

  /// From now on, which is for simulations that nobody watches and that have no events but the model's.
  void runNodeByNode(fabric::Windows& windows);

  // From then on, for the engine and the module whose turn it is.
  void insert(FabricTimer& timer, int64_t at);
  void insert(Wire& wire, fabric::Packet& packet, int64_t duration, int64_t arrival);
  /// Takes a stopped timer out, if it is to come late, as most are; false: it stays, and nothing happens when it comes.
  bool withdraw(FabricTimer& timer, int64_t at);
  /// Takes the next event out.
  struct Next {
    Keyed* keyed;
    fabric::Packet* packet;  // of a wire
    int64_t at;
  };
  Next takeNext();
  /// Whether it is of the same node, within the window.
  bool moreOfTurn() const { return nodeByNode_ && nodes_.more(); }

  /// Takes all frames and timers out.
  std::vector<omnetpp::cEvent*> removeModel();

 protected:
  /// A frame or timer that has left the set stays the set's own until a module takes it again: that saves its place in
  /// the kernel's list in between, 2 % of a run's time. One that is in the set is not given away.
  void yieldOwnership(omnetpp::cOwnedObject* object, omnetpp::cObject* to) override;

 private:
  struct Entry {
    int64_t at;
    uint64_t key;
    Keyed* keyed;
    void fetch() const;
    void fetchMore() const;
    void fetchLast() const;
    uint32_t node() const { return static_cast<uint32_t>(key >> 40); }
    bool before(const Entry& e) const { return at < e.at || (at == e.at && key < e.key); }
  };
  static void requireEnd(const omnetpp::cEvent& foreign);
  static bool foreignFirst(const omnetpp::cEvent& foreign, const Entry& model);
  void insertModel(Entry entry);
  void insertFirstOf(Wire& wire);
  void insertFrame(FabricFrame& frame);
  void insertTimer(FabricTimer& timer);
  omnetpp::cEvent* takeFirst();
  omnetpp::cEvent* eventOf(const Entry& entry) const;
  void keepOrder();
  void removeFrame(const FabricFrame& frame);
  void removeEntry(int64_t at, const Keyed& keyed);
  void lookAhead() const;

  fabric::EventWheel<Entry> model_;  // timers, and wires for the first of their frames
  fabric::NodeEvents<Entry> nodes_;  // in place of model_, while nodes run one by one
  bool nodeByNode_ = false;
  FabricTurn* turn_ = nullptr;            // once nodes run one by one: stands for the model's events
  int behind_ = 0;                        // frames that wait behind the first of their wire
  std::vector<omnetpp::cEvent*> listed_;  // all events, for get(); empty when out of date
};

}  // namespace fabriclab
