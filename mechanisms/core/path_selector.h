// Which of the equal-cost ports a packet takes.
#pragma once

#include "mechanisms/core/component.h"
#include "mechanisms/core/packet.h"

namespace fabric {

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
  /// Chooses one of several next hops. With a single next hop it is asked only if the switch calls onIngress. It may
  /// write into the packet, but not change its length.
  virtual uint16_t select(Packet& packet, NextHops hops) = 0;

  /// Whether this switch has the hook below called at all; asked once, at the start.
  virtual bool hooksIngress() const { return false; }
  /// A packet has come in by `in` (null: the switch made it) and is not in the buffer yet. An outer header is put on or
  /// taken off here; its bytes count from here on.
  virtual void onIngress(Packet&, const Port*) {}
  /// The most that the hook adds to a packet.
  virtual int64_t overlayBytes() const { return 0; }
  /// Whether no packet of a flow overtakes another one where every switch has this selector: a check of every run.
  virtual bool keepsOrder() const { return false; }

 protected:
  Switch* switch_ = nullptr;
};

}  // namespace fabric
