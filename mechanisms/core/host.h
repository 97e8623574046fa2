// A host: its flows from start to end, its receiver, control packets, applications. Whose turn it is at a NIC is in
// nic.h, what persistent connections keep in connections.h.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "mechanisms/core/closed_loop.h"
#include "mechanisms/core/connections.h"
#include "mechanisms/core/control.h"
#include "mechanisms/core/nic.h"
#include "mechanisms/core/node.h"

namespace fabric {

class Utility;

class Host final : public Node {
 public:
  Host();
  static const Description& describe();
  const Description& description() const override { return describe(); }

  void check(const Network& network, Report& report) const override;
  /// Before checkFlow(): which of the network's components the congestion control needs at receivers. Components that
  /// are missing everywhere are reported by Network::check().
  void noteNeeds();
  void checkFlow(const FlowSpec& flow, const Host& receiver, Report& report) const override;
  /// For components here: warns of a timeout (0: none) that is shorter than an answer may take.
  void warnOfTimeout(const Component& component, const char* param, Report& report) const;
  void addPort(Port& port, Rate rate, Time delay) override;
  // For the table of slots.
  void setTransport(Transport& transport);
  void setCongestionControl(CongestionControl& cc);
  void addReceiverAgent(ReceiverAgent& agent);
  void addApplication(Application& application);
  void setUtility(const Utility& utility) { utility_ = &utility; }

  /// The start time of the flow in the flow list has come. The flow starts, or waits in a closed loop.
  void arrive(const FlowSpec& spec, Host& receiver);
  /// For ClosedLoop.
  void startFlow(const FlowSpec& spec, Host& receiver);
  /// For FlowStops: the flow's stop has come.
  static void onStop(Flow& flow);
  /// For congestion controls and applications: call it after a change of flow.rate, flow.limit or flow.window that
  /// was not made in a call from the host (but by a timer, for example).
  void rateChanged(Flow& flow);

  // For transports.
  /// The data packet becomes its own acknowledgement and goes back, with what it has collected.
  /// `options` are bytes on top of ack_bytes.
  void acknowledge(Flow& flow, Packet* packet, PacketKind kind, int64_t options = 0);
  /// Makes the `index`-th sub-flow of `connection`. It starts and ends with the connection. The caller makes its
  /// transport state.
  Flow& addSubflow(Flow& connection, uint32_t index, uint16_t srcPort, uint16_t dstPort);
  /// Checks again whether the flow may send. For changes that come from neither its ACKs nor its packets.
  void settle(Flow& flow);
  /// The last payload byte of a flow is here, at its receiver.
  void received(Flow& flow);
  /// The sender of `flow` is done; the flow is gone after this. True if it was a message and its
  /// connection has others.
  bool finish(Flow& flow);
  /// A flow that Transport::close() kept is done, at its receiver, which is this host.
  void closedHere(Flow& flow);
  /// And its sender, this host, has heard of it; the flow is gone after this.
  void closed(Flow& flow);

  // Control packets.
  /// Puts a control packet of this host's own into its NIC's queue; it goes towards packet->dst.
  void sendControl(Packet* packet);
  /// A fresh control packet about `flow`, from its receiver back to its sender, or from its sender. `type` is of
  /// ControlTypes.
  Packet* controlFromReceiver(const Flow& flow, uint8_t type, uint32_t bytes);
  Packet* controlFromSender(const Flow& flow, uint8_t type, uint32_t bytes);
  /// A fresh control packet about no flow.
  Packet* controlTo(uint32_t dst, uint8_t type, uint32_t bytes);
  /// `handler` gets the control packets of this type that arrive here.
  void onControl(uint8_t type, ControlHandler handler);

  // Messages of applications.
  /// Sends it to the host message.to, in a flow of its own, or on the connection of these hosts and this port where
  /// the transport has persistent connections.
  void sendMessage(Message message);

  /// Sets the stack that sends and gets foreign packets here, by the first NIC, and their class. Call it before the
  /// simulation starts; the caller owns `stack`.
  void setForeignStack(ForeignStack& stack, uint8_t cls);
  /// A fresh foreign packet of this host. The caller sets destination, hashes, lengths, ECN and what it carries.
  Packet* foreignPacket();
  /// Puts it into the NIC's queue. The queue has no limit, so the stack must look at its length first.
  void sendForeign(Packet* packet);
  bool hasForeignStack() const { return nics_.front()->foreignStack() != nullptr; }
  /// What waits there, in bytes.
  int64_t foreignBytes() const { return nics_.front()->foreignBytes(); }

  /// Dies, or comes back: its links lose everything, its applications are told. Its flows go on when it is back.
  void setUp(bool up);
  bool up() const { return up_; }

  void receive(Port& port, Packet* packet) override;
  void fetchAhead(const Packet& packet) const override;
  void listMemory(const MemoryList& list) const override;
  void onDequeue(Port&, const Packet&) override {}
  void onLinkDown(Port& port) override;
  /// For Nic: the next data packet of a flow, which goes now.
  Packet* makeData(Flow& flow);

  /// The first of its ports, and the only one of most hosts.
  Port& nic() const { return port(0); }
  /// The NIC by which a packet with this hash leaves; one whose link is down only if all links are down.
  Nic& nicFor(uint64_t hash) const;
  /// Rate of each of its links; of the first, until check() has seen that it is.
  Rate lineRate() const { return nic().rate(); }
  Time baseRtt() const { return baseRtt_; }
  int64_t mtu() const { return mtu_.n; }
  double jitter() const { return jitter_; }
  int64_t headerBytes() const { return headerBytes_.n; }
  int64_t payloadPerPacket() const { return mtu_.n - headerBytes_.n; }
  int64_t ackEvery() const { return ackEvery_; }
  int64_t ackBytes() const { return ackBytes_.n; }
  uint8_t ackClass() const { return static_cast<uint8_t>(ackClass_); }
  Time retransmitTimeout() const { return retransmitTimeout_; }
  int64_t cnpBytes() const { return cnpBytes_.n; }
  uint8_t cnpClass() const { return static_cast<uint8_t>(cnpClass_); }
  int classes() const { return static_cast<int>(classes_); }
  /// Bytes in flight that keep the line busy over a base RTT.
  int64_t bandwidthDelayProduct() const;
  bool hasTransport() const { return transport_ != nullptr; }
  bool hasCongestionControl() const { return cc_ != nullptr; }
  Transport& transport() const { return *transport_; }
  CongestionControl& congestionControl() const { return *cc_; }
  /// Null where the slot is empty.
  const Utility* utility() const { return utility_; }
  const std::vector<ReceiverAgent*>& receiverAgents() const { return receivers_; }
  /// The first of its applications that is a T; null if none is.
  template <class T>
  T* application() const {
    for (Application* a : applications_) {
      if (auto* found = dynamic_cast<T*>(a)) return found;
    }
    return nullptr;
  }

  /// Flows whose sender is not done, in the order of their start; messages of applications are not among them.
  template <class F>
  void forEachActive(F&& f) const {
    active_.forEach(f);
  }
  /// Flows that have ended and whose connection has not, in the order of their ends.
  template <class F>
  void forEachClosing(F&& f) const {
    closing_.forEach(f);
  }
  /// Messages in closed loops that have not begun, in no order.
  template <class F>
  void forEachWaiting(F&& f) const {
    for (const auto& [key, loop] : loops_) {
      for (const FlowSpec& message : loop.waiting()) f(message);
    }
  }
  /// The flow has finished, or the run is over: counts it.
  void countFlow(const Flow& flow) const;
  /// Its row. `connectionEnd` is -1 where the connection is not taken down.
  void emitFlow(const Flow& flow, Time connectionEnd = Time{-1}) const;

 private:
  /// Flows of this sender, linked by prevActive and nextActive.
  class FlowList {
   public:
    void add(Flow& flow) {
      flow.nextActive = nullptr;
      flow.prevActive = last_;
      (last_ == nullptr ? first_ : last_->nextActive) = &flow;
      last_ = &flow;
    }
    void remove(Flow& flow) {
      (flow.prevActive == nullptr ? first_ : flow.prevActive->nextActive) = flow.nextActive;
      (flow.nextActive == nullptr ? last_ : flow.nextActive->prevActive) = flow.prevActive;
    }
    template <class F>
    void forEach(F&& f) const {
      for (Flow* flow = first_; flow != nullptr; flow = flow->nextActive) {
        if (flow->spec.message == nullptr) f(*flow);
      }
    }
    Flow* first() const { return first_; }

   private:
    Flow *first_ = nullptr, *last_ = nullptr;
  };

  friend class Connections;
  void onStart(Network& network) override;
  Flow& stream(Flow& flow) const;
  void onData(Flow& flow, Packet* packet);
  void checkReceiver(const Host& receiver, Report& report) const;
  void checkPersistent(const FlowSpec& flow, Report& report) const;
  void onAck(Flow& flow, Packet* packet);
  void onControlPacket(Packet* packet);
  void onCnp(Flow* flow, Packet& cnp);
  Packet* control(uint32_t src, uint32_t dst, uint8_t type, uint32_t bytes);
  void enqueueControl(Packet* packet);
  void prepare(Flow& flow, Host& receiver);
  void begin(Flow& flow);
  void rejoin(Flow& idle);
  void leave(Flow& flow);
  void bury(Flow& flow);
  void forget(Flow& flow);
  void release(Flow& flow);
  void checkBounds(const Flow& flow);
  uint32_t nextMessageId();
  void checkMessage(const Message& message, const Host& receiver) const;
  static void onRetransmitTimer(Flow& flow);
  static void onEnd(Flow& flow);
  static constexpr Flow::Handlers kHandlers{&Host::onStop, &Host::onRetransmitTimer, &Host::onEnd};

  Transport* transport_ = nullptr;
  CongestionControl* cc_ = nullptr;
  const Utility* utility_ = nullptr;
  std::vector<ReceiverAgent*> receivers_;
  std::vector<Application*> applications_;
  std::vector<std::unique_ptr<Nic>> nics_;  // by port
  std::vector<ControlHandler> handlers_;    // by type
  Connections connections_{*this};
  std::unordered_map<uint64_t, ClosedLoop> loops_;  // never gone through where order matters
  FlowList active_, closing_;
  struct ReceiverNeed {
    std::string who;
    const char* param;
    const Description* what;
  };
  std::vector<ReceiverNeed> receiverNeeds_;
  bool ecnCapable_ = false;
  bool up_ = true;
  uint32_t messages_ = 0;  // of applications, sent from here

  Bytes mtu_, headerBytes_, minFrame_, ackBytes_, cnpBytes_;
  int64_t ackEvery_ = 1, ackClass_ = 0, cnpClass_ = 0, classes_ = 2;
  Time baseRtt_, retransmitTimeout_;
  double jitter_ = 0;
};

}  // namespace fabric
