// The reliability of flows.
#pragma once

#include "mechanisms/core/component.h"
#include "mechanisms/core/flow.h"
#include "mechanisms/core/packet.h"
#include "mechanisms/core/resumable.h"

namespace fabric {

class Host;

/// One per host: the reliability of its flows, at both ends. The host says when a packet may go and
/// starts and ends flows; the transport says which bytes go and what arrivals mean. What one end of a flow knows of the
/// other one comes by packets alone: neither reads or changes the other one's state.
class Transport : public Component, public Resumable {
 public:
  virtual void attach(Host& host) { host_ = &host; }

  // At the sender.
  virtual void onFlowStart(Flow&) = 0;
  /// The sender is done: it sends nothing more of the flow, and hears nothing more of it.
  virtual void onSenderEnd(Flow&) {}
  /// The flow was stopped: only what has been sent once may be sent again. True if that ends the flow at once; the
  /// caller then ends it.
  virtual bool onStop(Flow&) = 0;
  /// Whether every flow ends when it is stopped. What waits of it is then of no use to anybody.
  virtual bool endsAtStop() const { return false; }
  /// Bytes of a flow that the sender knows to be at the receiver, over all its sub-flows.
  virtual uint64_t acked(const Flow& flow) const { return flow.sndUna; }
  /// Bytes of a flow that are in order at the receiver, over all its sub-flows.
  virtual uint64_t delivered(const Flow& flow) const { return flow.rcvNxt; }
  /// How many sub-flows a flow has. Each takes a path of its own.
  virtual uint32_t parts() const { return 1; }
  /// Whether there is something to send that the window lets go.
  virtual bool maySend(const Flow&) const = 0;
  /// A packet goes on the wire now: sets which bytes it carries (seq, payload, last). Called only if maySend(). Returns
  /// the flow whose bytes they are; for a connection, the message.
  virtual Flow& fill(Flow&, Packet&) = 0;
  /// An ACK or a NACK is here. False: the flow has ended and is gone.
  virtual bool onAck(Flow&, const Packet&) = 0;
  /// The flow has ended at the sender. True: packets that take its connection down are still under way. When all of
  /// that is over the transport calls Host::closedHere() at the receiver, and then Host::closed() at the sender.
  virtual bool close(Flow&) { return false; }
  /// flow.retransmitEvent has fired.
  virtual void onTimer(Flow&) = 0;

  // At the receiver.
  /// A data packet is here; the packet is the transport's now.
  virtual void onData(Flow&, Packet*) = 0;
  /// The sender is done and the receiver knows it; the flow is gone after this.
  virtual void onFlowEnd(Flow&) {}

  // Persistent connections: see Resumable. On those that stay open a packet's flow is the message whose bytes it has.
  /// A new message: the connection sends it behind those that it has.
  virtual void append(Flow& /*connection*/, Flow& /*message*/) {}
  /// Whether a packet of another number than the flow's is of one of the connection's messages.
  virtual bool carries(const Flow& /*connection*/, const Packet&) const { return false; }

 protected:
  Host* host_ = nullptr;
};

}  // namespace fabric
