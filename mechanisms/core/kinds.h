// The places where a mechanism plugs in. A mechanism implements one of these per file pair.
#pragma once

#include "mechanisms/core/component.h"
#include "mechanisms/core/flow.h"
#include "mechanisms/core/packet.h"

namespace fabric {

class Host;
class Port;
class Switch;

/// Equal-cost egress ports towards a host, in the order of the routing table.
struct NextHops {
  const uint16_t* ports;
  uint16_t count;
};

/// One per switch: which of the equal-cost ports a packet takes.
class PathSelector : public Component {
 public:
  virtual void attach(Switch& node) { switch_ = &node; }
  /// Asked where there is more than one next hop; behind onIngress for every packet. It may write
  /// into the packet, but not change its length.
  virtual uint16_t select(Packet& packet, NextHops hops) = 0;

  /// Whether this switch has the hook below called at all; asked once, at the start.
  virtual bool hooksIngress() const { return false; }
  /// A packet has come in by `in` (null: the switch made it) and is not in the buffer yet: the place
  /// to put on or take off an outer header, whose bytes then count from here on.
  virtual void onIngress(Packet&, const Port*) {}
  /// The most that the hook adds to a packet.
  virtual int64_t overlayBytes() const { return 0; }
  /// The run is over: the rows of what is unfinished.
  virtual void onEnd() {}

 protected:
  Switch* switch_ = nullptr;
};

/// One per port and class: order, drop, mark.
class alignas(64) Queue : public Component {
 public:
  virtual void attach(Port& port, uint8_t) { port_ = &port; }
  /// False: the packet is not taken, the caller drops it. `backlog` is what waits here in bytes,
  /// without this packet.
  virtual bool enqueue(Packet* packet, int64_t backlog) = 0;
  /// Null when empty.
  virtual Packet* dequeue() = 0;

 private:
  friend class Port;  // which counts what waits
  uint32_t packets_ = 0;
  int64_t bytes_ = 0, maxBytes_ = 0;

 protected:
  Port* port_ = nullptr;
};

/// Any number per port: what is stamped or computed there.
class alignas(64) PortAgent : public Component {
 public:
  virtual void attach(Port& port, uint8_t index) {
    port_ = &port;
    index_ = index;
  }
  /// Which of the hooks below are to be called at all; asked once, at the start.
  virtual bool hooksEnqueue() const { return false; }
  virtual bool hooksDequeue() const { return false; }
  /// The packet has joined its egress queue; its wire length must stay as it is until it leaves.
  virtual void onEnqueue(Packet&) {}
  /// The packet has left its egress queue and goes on the wire now.
  virtual void onDequeue(Packet&) {}
  /// The packet waited in an egress queue of which onEnqueue was told, and is lost: its link is down.
  virtual void onDiscard(Packet&) {}

 protected:
  uint8_t index_ = 0;
  Port* port_ = nullptr;

 private:
  friend class Port;
  PortAgent *nextEnqueueHook_ = nullptr, *nextDequeueHook_ = nullptr;  // at the same port
};

/// What goes on from one message of a persistent connection to the next: a connection without messages
/// is no flow, only these bytes.
class Resumable {
 public:
  virtual ~Resumable() = default;
  /// How many they are for a flow or sub-flow; -1: the mechanism has no persistent connections.
  virtual int64_t keptBytes() const { return -1; }
  virtual void keep(Flow&, std::byte* /*to*/) {}
  /// After onFlowStart().
  virtual void resume(Flow&, const std::byte* /*from*/) {}
};

/// One per host: the reliability of its flows, at both ends. The host says when a packet may go and
/// starts and ends flows; the transport says which bytes go and what arrivals mean.
class Transport : public Component, public Resumable {
 public:
  virtual void attach(Host& host) { host_ = &host; }

  // At the sender.
  virtual void onFlowStart(Flow&) = 0;
  /// The sender is done and the receiver knows it; the flow is gone after this.
  virtual void onFlowEnd(Flow&) {}
  /// Whether the two ends of a flow know of each other only what packets say: neither looks at or changes
  /// what the other one does within a link's delay. Then nodes can be run one behind the other.
  virtual bool endsApart() const { return false; }
  /// The flow was stopped: nothing goes that has not been sent once. True if that ends it at once; the
  /// caller then does.
  virtual bool onStop(Flow&) = 0;
  /// Whether there is something to send that the window lets go.
  virtual bool maySend(const Flow&) const = 0;
  /// A packet goes on the wire now: which bytes it carries (seq, payload, last). Only if maySend(). The
  /// flow whose bytes they are: of a connection's the message.
  virtual Flow& fill(Flow&, Packet&) = 0;
  /// An ACK or a NACK is here. False: the flow has ended and is gone.
  virtual bool onAck(Flow&, const Packet&) = 0;
  /// flow.retransmitEvent has fired.
  virtual void onTimer(Flow&) = 0;

  // At the receiver.
  /// A data packet is here; the packet is the transport's now.
  virtual void onData(Flow&, Packet*) = 0;

  // Persistent connections: see Resumable.
  /// A message has come, which the connection sends behind those that it has.
  virtual void append(Flow& /*connection*/, Flow& /*message*/) {}
  /// Whether a packet of another number than the flow's is of one of the connection's messages.
  virtual bool carries(const Flow& /*connection*/, const Packet&) const { return false; }

 protected:
  Host* host_ = nullptr;
};

/// What an ACK says to the congestion control of a byte stream.
struct Acked {
  uint64_t bytes = 0;         // that were not acknowledged before, by the cumulative ACK
  uint64_t peak = 0;          // most bytes in flight over the last round trip: how much of the window was used
  Time rtt = Time{-1};        // a sample of the round trip, -1 = none
  Time srtt;                  // smoothed, 0 before the first sample
  bool echo = false;          // the ACK echoes a mark
  bool recovering = false;    // fast recovery is under way
  bool afterTimeout = false;  // what the last timeout took for lost is not all acknowledged yet
};

/// How a receiver echoes marks: until the sender has reacted (RFC 3168), or packet by packet (RFC 8257).
enum class EcnEcho : uint8_t { Sticky, Exact };

/// One per host: window and pacing rate of its flows.
class CongestionControl : public Component, public Resumable {
 public:
  virtual void attach(Host& host) { host_ = &host; }
  virtual void onFlowStart(Flow& flow) = 0;
  virtual void onFlowEnd(Flow&) {}
  /// A data packet goes on the wire now; the mechanism may add its header's bytes.
  virtual void onSend(Flow&, Packet&) {}
  /// An ACK has moved flow.sndUna already.
  virtual void onAck(Flow&, const Packet&) {}
  virtual void onCnp(Flow&, const Packet&) {}
  /// The sender goes back to flow.sndUna.
  virtual void onLoss(Flow&) {}

  // From transports of byte streams only (TCP). `flight` is what was sent and not acknowledged.
  virtual void onAcked(Flow&, const Acked&) {}
  /// A loss is certain and fast recovery begins.
  virtual void onRecovery(Flow&, uint64_t /*flight*/) {}
  /// The retransmission timer has expired; `again`: once more for the same data.
  virtual void onTimeout(Flow&, uint64_t /*flight*/, bool /*again*/) {}
  /// An ACK echoes a mark for the first time in this round trip (EcnEcho::Sticky).
  virtual void onEcnEcho(Flow&, uint64_t /*flight*/) {}
  virtual EcnEcho ecnEcho() const { return EcnEcho::Sticky; }
  /// The sender had nothing in flight and is about to send again; `restart`: after so long that what it
  /// knows of the path has grown old.
  virtual void onIdle(Flow&, bool /*restart*/) {}

  /// Whether data packets say that ECN marks reach the sender.
  virtual bool ecnCapable() const { return false; }

 protected:
  Host* host_ = nullptr;
};

/// Any number per host: what the receiver says to senders.
class ReceiverAgent : public Component {
 public:
  virtual void attach(Host& host) { host_ = &host; }
  /// The receiver's first packet of the flow is here.
  virtual void onFlowStart(Flow&) {}
  virtual void onFlowEnd(Flow&) {}
  /// A data packet has arrived, in order or not.
  virtual void onData(Flow&, const Packet&) {}
  /// `packet` was a data packet and is on its way to become the ACK; extensions are still the data's. Of
  /// several that one ACK answers it is the last, whether another one's arrival or a timer sends the ACK.
  virtual void onAck(Flow&, Packet&) {}

 protected:
  Host* host_ = nullptr;
};

}  // namespace fabric
