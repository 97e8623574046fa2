// What a receiver says to senders.
#pragma once

#include "mechanisms/core/component.h"
#include "mechanisms/core/flow.h"
#include "mechanisms/core/packet.h"

namespace fabric {

class Host;

/// Any number per host: what the receiver says to senders.
class ReceiverAgent : public Component {
 public:
  virtual void attach(Host& host) { host_ = &host; }
  /// The receiver's first packet of the flow is here.
  virtual void onFlowStart(Flow&) {}
  virtual void onFlowEnd(Flow&) {}
  /// A data packet has arrived, in order or not. What the agent changes in it (a mark it takes away) is what later
  /// agents and the transport see.
  virtual void onData(Flow&, Packet&) {}
  /// `packet` was a data packet and is about to become the ACK; its extensions are still those of the data. Where one
  /// ACK answers several data packets it is the last of them, whether an arrival or a timer sends the ACK.
  virtual void onAck(Flow&, Packet&) {}

 protected:
  Host* host_ = nullptr;
};

}  // namespace fabric
