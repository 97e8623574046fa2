// A NIC: which flows of a host may send now by window and pacing, and whose turn it is.
#pragma once

#include <vector>

#include "mechanisms/core/flow.h"
#include "mechanisms/core/flow_heap.h"
#include "mechanisms/core/port.h"

namespace fabric {

class Host;

/// A protocol stack above a NIC that sends its own packets through the fabric: ns-3's internet stack.
class ForeignStack {
 public:
  virtual ~ForeignStack() = default;
  /// A packet for it has arrived. Its payload is released after the call.
  virtual void onForeign(const Packet& packet) = 0;
  /// A packet of its own has left the NIC's queue and goes on the wire.
  virtual void onForeignSent(const Packet& packet) = 0;
};

/// The flows behind one port of a host. Each has a place with the flow scheduler, and is blocked (nothing to send, or
/// the window is full), paced (it waits for its next sending time) or ready.
class Nic final : public PacketSource, public InArena {
 public:
  Nic(Host& host, Port& port) : host_(host), port_(port) {}
  void start();

  Port& port() const { return port_; }
  Rate rate() const { return port_.rate(); }

  void join(Flow& flow);
  void leave(Flow& flow);
  /// Puts a flow where its window and pacing say it belongs.
  void settle(Flow& flow);
  /// The flow's rate has changed: its next packet may go sooner or later than it was to.
  void pace(Flow& flow);
  /// A packet of the flow goes on the wire now; the next one may follow after its time at the flow's rate.
  void sent(Flow& flow, uint32_t wireBytes);

  // The foreign stack takes turns with the flows of its class, as if it were one flow.
  void setForeignStack(ForeignStack& stack, uint8_t cls);
  ForeignStack* foreignStack() const { return foreignStack_; }
  uint8_t foreignClass() const { return foreignClass_; }
  void sendForeign(Packet* packet);
  int64_t foreignBytes() const { return foreignBytes_; }

  uint32_t refresh() override;
  Packet* pull(uint8_t cls) override;
  Time nextWake() const override;

 private:
  void makeReady(Flow& flow);
  void block(Flow& flow);
  void idle(uint8_t cls, uint32_t place);
  Time timeAfter(const Flow& flow) const;
  Time jitter(const Flow& flow, Time packet) const;
  Packet* pullForeign(uint8_t cls);

  Host& host_;
  Port& port_;
  FlowScheduler* scheduler_ = nullptr;  // the port's
  uint32_t readyMask_ = 0;              // classes in which somebody is ready
  struct SendsSooner {
    bool operator()(const Flow& a, const Flow& b) const {
      return a.nextSendAt < b.nextSendAt || (a.nextSendAt == b.nextSendAt && a.spec.id < b.spec.id);
    }
  };
  FlowHeap<SendsSooner, &Flow::heapIndex> paced_;  // those that wait for their next sending time

  ForeignStack* foreignStack_ = nullptr;
  PacketList foreign_;
  int64_t foreignBytes_ = 0;
  uint32_t foreignPlace_ = 0;
  uint8_t foreignClass_ = 0;
};

}  // namespace fabric
