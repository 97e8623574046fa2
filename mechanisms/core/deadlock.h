// PFC deadlock: ports that are paused for good, because they wait for each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mechanisms/core/types.h"

namespace fabric {

class Node;
class Port;

/// A port and a class that leaves by it.
struct Place {
  const Port* port;
  uint8_t cls;

  bool operator==(const Place& o) const { return port == o.port && cls == o.cls; }
};
/// "s1->s2 class 1"; of further links between the two nodes "s1->s2#1 class 1".
std::string nameOf(const Place& place);

/// A place is paused until the next switch has sent on enough of the bytes that came by it. It is paused for good if
/// too many of them wait at places that are themselves paused for good. Such places form cycles, or wait for one.
/// Packets that a queue may drop, and those in a queue that does not know its order (Queue::front()), count as able to
/// leave. So nothing is called a deadlock that may still end.
///
/// The search looks at all buffers and at what waits; nothing is kept up to date for it while packets pass.
class Deadlock {
 public:
  explicit Deadlock(const std::vector<Node*>& nodes);

  /// All that are paused for good, by node, port and class.
  const std::vector<Place>& places() const { return places_; }
  bool holds(const Place& place) const;

  struct Cycle {
    std::vector<Place> places;  // each waits for the next one, the last for the first
    Time since;                 // when the last of them was paused
  };
  const std::vector<Cycle>& cycles() const { return cycles_; }

 private:
  /// What waits at a switch, by where it came in and where it leaves.
  struct Waiting {
    uint16_t in, out;
    uint8_t inClass, outClass;
    int64_t bytes = 0;
  };
  uint8_t& held(const Port& port);
  bool held(const Port& port, uint8_t cls) const;
  const std::vector<Waiting>& waitingAt(uint32_t node);
  bool staysPaused(const Port& in, uint8_t cls);
  /// The place at the next switch for which most of what came by this one waits.
  Place next(const Place& place);
  void findCycles();

  const std::vector<Node*>& nodes_;
  std::vector<size_t> firstPort_;  // by node: place of its ports in held_
  std::vector<char> looked_;       // by node: waiting_ is known
  std::vector<std::vector<Waiting>> waiting_;
  std::vector<uint8_t> held_;  // by port: a bit for each class
  std::vector<Place> places_;
  std::vector<Cycle> cycles_;
};

}  // namespace fabric
