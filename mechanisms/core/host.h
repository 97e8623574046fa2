// A host and its NIC: flows that share it, with pacing and windows; control packets.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "mechanisms/core/closed_loop.h"
#include "mechanisms/core/node.h"
#include "mechanisms/core/turns.h"

namespace fabric {

/// What stands above a NIC and sends packets of its own through the fabric: ns-3's internet stack.
class ForeignStack {
 public:
  virtual ~ForeignStack() = default;
  /// A packet for it has arrived. What it carries is given back after the call.
  virtual void onForeign(const Packet& packet) = 0;
  /// A packet of its own has left the NIC's queue and goes on the wire.
  virtual void onForeignSent(const Packet& packet) = 0;
};

class Host final : public Node, public PacketSource {
 public:
  Host();
  static const Description& describe();
  const Description& description() const override { return describe(); }

  void addPort(Port& port, Rate rate, Time delay) override;
  /// All of them stay the caller's.
  void setTransport(Transport& transport);
  void setCongestionControl(CongestionControl& cc);
  void addReceiverAgent(ReceiverAgent& agent);

  /// The time is there at which the flow list has this flow start: it does, or waits in a closed loop.
  void arrive(const FlowSpec& spec, Host& receiver);
  /// For ClosedLoop.
  void startFlow(const FlowSpec& spec, Host& receiver);
  /// For congestion controls: after changing flow.rate or flow.window outside of the calls that the
  /// host makes (a timer).
  void rateChanged(Flow& flow);
  // For transports.
  /// The data packet becomes its own acknowledgement and goes back: what it collected is in place.
  /// `options` are bytes on top of ack_bytes.
  void acknowledge(Flow& flow, Packet* packet, PacketKind kind, int64_t options = 0);
  /// A flow of this host's own that is a part of `connection`, the `index`-th beside it. Its transport
  /// state is the caller's to make; it starts and ends with the connection.
  Flow& addSubflow(Flow& connection, uint32_t index, uint16_t srcPort, uint16_t dstPort);
  /// Looks anew whether the flow may send, after something beside its own ACKs and packets changed that.
  void settle(Flow& flow);
  /// The sender of `flow` is done; the flow is gone after this. True if it was a message and its
  /// connection has others.
  bool finish(Flow& flow);

  /// A control packet of this host's own (a CNP) towards packet->dst.
  void sendControl(Packet* packet);
  /// A fresh control packet about `flow`, from its receiver back to its sender.
  Packet* controlFromReceiver(const Flow& flow, PacketKind kind, uint32_t bytes);

  /// Who gets and sends foreign packets here, and their class. They take turns with the flows of this
  /// class as one flow would. Before the simulation starts; `stack` stays the caller's.
  void setForeignStack(ForeignStack& stack, uint8_t cls);
  /// A fresh foreign packet of this host. The caller sets destination, hashes, lengths, ECN and what it carries.
  Packet* foreignPacket();
  /// Puts it into the NIC's queue, which has no limit of its own: the stack is asked to look first.
  void sendForeign(Packet* packet);
  bool hasForeignStack() const { return foreignStack_ != nullptr; }
  /// What waits there, in bytes.
  int64_t foreignBytes() const { return foreignBytes_; }

  void receive(Port& port, Packet* packet) override;
  void prefetch(const Packet& packet) const override;
  void onDequeue(Port&, const Packet&) override {}
  uint32_t refresh() override;
  Packet* pull(uint8_t cls) override;
  Time nextWake() const override;

  Port& nic() const { return port(0); }
  Rate lineRate() const { return nic().rate(); }
  Time baseRtt() const { return baseRtt_; }
  int64_t mtu() const { return mtu_.n; }
  int64_t headerBytes() const { return headerBytes_.n; }
  int64_t payloadPerPacket() const { return mtu_.n - headerBytes_.n; }
  int64_t ackEvery() const { return ackEvery_; }
  Time retransmitTimeout() const { return retransmitTimeout_; }
  int64_t cnpBytes() const { return cnpBytes_.n; }
  uint8_t cnpClass() const { return static_cast<uint8_t>(cnpClass_); }
  /// Bytes in flight that keep the line busy over a base RTT.
  int64_t bandwidthDelayProduct() const;
  Transport& transport() const { return *transport_; }
  CongestionControl& congestionControl() const { return *cc_; }
  const std::vector<ReceiverAgent*>& receiverAgents() const { return receivers_; }

  /// Flows whose sender is not done, in the order of their start.
  template <class F>
  void forEachActive(F&& f) const {
    for (Flow* flow = firstActive_; flow != nullptr; flow = flow->nextActive) f(*flow);
  }
  /// Messages in closed loops that have not begun, in no order.
  template <class F>
  void forEachWaiting(F&& f) const {
    for (const auto& [key, loop] : loops_) {
      for (const FlowSpec& message : loop.waiting()) f(message);
    }
  }
  void emitFlow(const Flow& flow) const;

 private:
  /// The NIC's own first-in first-out queue for ACKs and CNPs.
  class ControlQueue final : public Queue {
   public:
    const Description& description() const override;
    bool enqueue(Packet* packet, int64_t) override { return list_.push(packet), true; }
    Packet* dequeue() override { return list_.empty() ? nullptr : list_.pop(); }

   private:
    PacketList list_;
  };
  void onStart(Network& network) override;
  void onData(Flow& flow, Packet* packet);
  void onAck(Flow& flow, Packet* packet);
  void prepare(Flow& flow, Host& receiver);
  void begin(Flow& flow);
  void leave(Flow& flow);
  void bury(Flow& flow);
  void release(Flow& flow);
  Flow& connectionOf(const FlowSpec& spec, Host& receiver);
  void park(Flow& connection);
  void makeReady(Flow& flow);
  void block(Flow& flow);
  void passTurn(uint8_t cls, uint32_t place);
  Packet* pullForeign(uint8_t cls);
  void checkBounds(const Flow& flow);
  static void onStop(Flow& flow);
  static void onRetransmitTimer(Flow& flow);
  static void onEnd(Flow& flow);
  static constexpr Flow::Handlers kHandlers{&Host::onStop, &Host::onRetransmitTimer, &Host::onEnd};

  // Paced flows: a binary heap by (nextSendAt, id), each flow knowing its place.
  static bool sooner(const Flow& a, const Flow& b);
  void heapPush(Flow& flow);
  void heapRemove(Flow& flow);
  void heapUp(size_t i);
  void heapDown(size_t i);

  /// A persistent connection of this host: a flow while it has messages, a few bytes else.
  struct Connection {
    Flow* busy = nullptr;
    std::unique_ptr<std::byte[]> kept;  // by sub-flow: the transport's, the congestion control's
  };

  Transport* transport_ = nullptr;
  CongestionControl* cc_ = nullptr;
  std::vector<ReceiverAgent*> receivers_;
  std::unordered_map<uint64_t, Connection> connections_;  // its order is no order
  std::unordered_map<uint64_t, ClosedLoop> loops_;        // nor is this one's
  std::vector<std::unique_ptr<ControlQueue>> controlQueues_;
  Turns turns_[kMaxClasses];
  uint32_t readyMask_ = 0;
  std::vector<Flow*> paced_;
  Flow *firstActive_ = nullptr, *lastActive_ = nullptr;
  bool ecnCapable_ = false;

  ForeignStack* foreignStack_ = nullptr;
  PacketList foreign_;
  int64_t foreignBytes_ = 0;
  uint32_t foreignPlace_ = 0;  // its turn among the flows of its class
  uint8_t foreignClass_ = 0;

  Bytes mtu_, headerBytes_, minFrame_, ackBytes_, cnpBytes_;
  int64_t ackEvery_ = 1, ackClass_ = 0, cnpClass_ = 0, classes_ = 2;
  Time baseRtt_, retransmitTimeout_;
};

}  // namespace fabric
