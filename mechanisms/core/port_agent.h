// What is stamped or computed at a port.
#pragma once

#include "mechanisms/core/component.h"
#include "mechanisms/core/packet.h"

namespace fabric {

class Port;

/// Any number per port: what is stamped or computed there.
class alignas(64) PortAgent : public Component {
 public:
  /// `index`: which of the port's agents it is.
  virtual void attach(Port& port, uint8_t index) {
    port_ = &port;
    index_ = index;
  }
  /// Which of the hooks below are to be called at all; asked once, at the start.
  virtual bool hooksEnqueue() const { return false; }
  virtual bool hooksDequeue() const { return false; }
  /// The packet has joined its egress queue; its wire length must stay as it is until it leaves. Data of a host
  /// that does not wait at its NIC joins and leaves at once.
  virtual void onEnqueue(Packet&) {}
  /// The packet has left its egress queue and goes on the wire now.
  virtual void onDequeue(Packet&) {}
  /// A packet that onEnqueue was told of is lost while it waits: its link is down, or the queue has discarded it.
  /// Called where hooksEnqueue().
  virtual void onDiscard(Packet&) {}

 protected:
  uint8_t index_ = 0;
  Port* port_ = nullptr;

 private:
  friend class Port;
  PortAgent *nextEnqueueHook_ = nullptr, *nextDequeueHook_ = nullptr;  // at the same port
};

}  // namespace fabric
