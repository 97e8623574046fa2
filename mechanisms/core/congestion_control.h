// Window and pacing rate of flows.
#pragma once

#include "mechanisms/core/component.h"
#include "mechanisms/core/flow.h"
#include "mechanisms/core/packet.h"
#include "mechanisms/core/resumable.h"

namespace fabric {

class Host;

/// What an ACK says to the congestion control of a byte stream.
struct Acked {
  uint64_t bytes = 0;         // newly acknowledged by the cumulative ACK
  uint64_t peak = 0;          // most bytes in flight over the last round trip: how much of the window was used
  Time rtt = Time{-1};        // a sample of the round trip, -1 = none
  Time srtt;                  // smoothed, 0 before the first sample
  bool echo = false;          // the ACK echoes a mark
  bool recovering = false;    // fast recovery is under way
  bool afterTimeout = false;  // some of what the last timeout took for lost is not acknowledged
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
  /// A sub-flow that delays its connection has to send less, though it lost nothing.
  virtual void onPenalty(Flow&) {}
  virtual EcnEcho ecnEcho() const { return EcnEcho::Sticky; }
  /// The sender was idle and is about to send again. `restart`: it was idle for so long that its knowledge of the path
  /// is out of date.
  virtual void onIdle(Flow&, bool /*restart*/) {}

  /// Whether data packets say that ECN marks reach the sender.
  virtual bool ecnCapable() const { return false; }

 protected:
  Host* host_ = nullptr;
};

}  // namespace fabric
