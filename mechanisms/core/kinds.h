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
  virtual void attach(Switch&) {}
  virtual uint16_t select(const Packet& packet, NextHops hops) = 0;
};

/// One per port and class: order, drop, mark.
class Queue : public Component {
 public:
  virtual void attach(Port& port, uint8_t) { port_ = &port; }
  /// False: the packet is not taken, the caller drops it. `backlog` is what waits here in bytes,
  /// without this packet.
  virtual bool enqueue(Packet* packet, int64_t backlog) = 0;
  /// Null when empty.
  virtual Packet* dequeue() = 0;

 protected:
  Port* port_ = nullptr;
};

/// Any number per port: what is stamped or computed there.
class PortAgent : public Component {
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

 protected:
  Port* port_ = nullptr;
  uint8_t index_ = 0;

 private:
  friend class Port;
  PortAgent *nextEnqueueHook_ = nullptr, *nextDequeueHook_ = nullptr;  // at the same port
};

/// One per host: window and pacing rate of its flows.
class CongestionControl : public Component {
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
  /// `packet` was a data packet and is on its way to become the ACK; extensions are still the data's.
  virtual void onAck(Flow&, Packet&) {}

 protected:
  Host* host_ = nullptr;
};

}  // namespace fabric
