// Order, drops and marks of the packets that wait in a port's class.
#pragma once

#include <limits>

#include "mechanisms/core/component.h"
#include "mechanisms/core/packet.h"

namespace fabric {

class Port;

/// One per port and class: order, drops, marks, and when something may leave. With a first-in first-out list it fills
/// one line of the cache.
class alignas(64) Queue : public Component {
 public:
  virtual void attach(Port& port, uint8_t cls) {
    port_ = &port;
    class_ = cls;
  }
  /// False: the packet is not taken, the caller drops it. `backlog` is what waits here in bytes, without this packet.
  virtual bool enqueue(Packet* packet, int64_t backlog) = 0;
  /// The next packet; null when none is left. Not called before readyAt().
  virtual Packet* dequeue() = 0;
  /// That packet; its `next` leads through all waiting packets in order, and packets leave at the front only. Null if
  /// the queue does not know its order.
  virtual const Packet* front() const { return nullptr; }

  /// How many bytes may wait before it drops; 0: it drops by another rule, kTakesAll: never.
  virtual int64_t dropsAbove() const { return kTakesAll; }
  static constexpr int64_t kTakesAll = std::numeric_limits<int64_t>::max();

  /// Whether packets may have to wait although the wire is free (a shaper, a credit queue); asked once, at the start.
  virtual bool holdsBack() const { return false; }
  /// From when on the next packet may leave, while some wait; asked where holdsBack().
  virtual Time readyAt() const { return Time{0}; }

 protected:
  /// Of a parameter of which 0 is no limit.
  static int64_t limitOf(Bytes limit) { return limit.n != 0 ? limit.n : kTakesAll; }

  uint8_t class_ = 0;

 private:
  friend class Port;  // which counts what waits
  uint32_t packets_ = 0;
  int64_t bytes_ = 0, maxBytes_ = 0;

 protected:
  Port* port_ = nullptr;

  /// Drops a packet that waited here, from within enqueue() or dequeue(): it is in no list of this queue any more.
  void discard(Packet* packet, DropReason reason);
  /// Marks a packet that leaves, from within dequeue(). What enqueue() marks is seen by the port itself.
  void markLeaving(Packet& packet);
};

}  // namespace fabric
