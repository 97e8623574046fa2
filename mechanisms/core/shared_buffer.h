// A switch's shared packet buffer with PFC: who may enter, and whom to pause.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "mechanisms/core/own_lines.h"
#include "mechanisms/core/port.h"

namespace fabric {

/// Counts every byte against the port it came in by. A counter fills its reserve first, then the
/// shared pool up to the port's threshold, then the headroom; leaving bytes empty it the other way
/// round. Above the threshold the upstream port is paused.
///
/// With egress accounting an *egress* queue above the threshold pauses every ingress that adds to it, until the queue
/// is below the XON level. An ingress that is in its headroom because the pool is full is paused, too. (Papers call the
/// thresholds of either kind PFC thresholds.)
class SharedBuffer {
 public:
  struct Limits {
    int64_t total = 0;
    int64_t reserve = 0;  // per ingress port and class
    bool egressAccounting = false;
  };

  /// `headroom` is taken from the total for each port with PFC and each class.
  void start(const Limits& limits, const std::vector<Port*>& ports);

  /// Makes room for a packet that came in by `in`; false: there is none.
  bool admit(const Port& in, uint8_t cls, int64_t bytes);
  // A packet may leave in another class than it came in: its bytes are held against the port and class it came by.
  /// After the packet has joined the queue of `out`: pauses upstream where due.
  void afterEnqueue(Port& in, uint8_t inClass, Port& out, uint8_t outClass);
  /// It leaves: gives room back, resumes upstream where due.
  void release(Port& in, uint8_t inClass, Port& out, uint8_t outClass, int64_t bytes);

  int64_t used() const { return used_; }
  int64_t counted(const Port& in, uint8_t cls) const { return at(in, cls).bytes + at(in, cls).headroom; }
  bool pausing(const Port& in, uint8_t cls) const { return at(in, cls).pausers > 0; }
  /// When its upstream was paused last.
  Time pausingSince(const Port& in, uint8_t cls) const { return since_[place(in, cls)]; }
  /// Whether its paused upstream stays paused after everything has left that can: `left` bytes of each counter stay,
  /// and nothing leaves the `held` queues.
  bool staysPaused(const Port& in, uint8_t cls, const std::function<int64_t(const Port&, uint8_t)>& left,
                   const std::function<bool(const Port&, uint8_t)>& held) const;
  /// XOFF threshold now.
  int64_t threshold(const Port& port) const;
  /// Sum of all ingress counters.
  int64_t counted() const;
  void listMemory(const MemoryList& list) const { list(ingress_.data(), ingress_.size() * sizeof(Ingress)); }
  /// For the check at the end: the counters add up, and none has run below zero.
  bool consistent() const;

 private:
  struct Ingress {
    int64_t bytes = 0;     // in the reserve and the shared pool
    int64_t headroom = 0;  // beyond the threshold
    int pausers = 0;       // reasons for which upstream is paused
    bool over = false;     // one of them: its own counter
  };
  struct Paused {
    uint16_t port;
    uint8_t cls;
  };
  struct Egress {
    std::vector<Paused> paused;  // whom this queue holds
  };

  size_t place(const Port& p, uint8_t cls) const { return static_cast<size_t>(p.index() * classes_ + cls); }
  Ingress& at(const Port& p, uint8_t cls) { return ingress_[place(p, cls)]; }
  const Ingress& at(const Port& p, uint8_t cls) const { return ingress_[place(p, cls)]; }
  int64_t sharedPart(int64_t bytes) const { return bytes > limits_.reserve ? bytes - limits_.reserve : 0; }
  void pause(Port& in, uint8_t cls);
  void resume(Port& in, uint8_t cls);
  // With egress accounting: a queue of `out` pauses an ingress if it is long enough, or resumes all that it has paused
  // if it is short enough.
  FABRIC_RARE void hold(Port& in, uint8_t inClass, Port& out, uint8_t outClass);
  FABRIC_RARE void letGo(Port& out, uint8_t outClass);

  Limits limits_;
  std::vector<Port*> ports_;
  int64_t shared_ = 0;  // size of the shared pool
  int64_t used_ = 0;
  int64_t sharedUsed_ = 0;
  int classes_ = 0;  // of each port
  OwnVector<Ingress> ingress_;
  OwnVector<Time> since_;  // beside ingress_: when upstream was paused last
  OwnVector<Egress> egress_;
};

// What every packet passes at every switch.

inline int64_t SharedBuffer::threshold(const Port& port) const {
  if (!port.pfcDynamic()) return port.pfcXoff();
  return static_cast<int64_t>(port.pfcAlpha() * static_cast<double>(std::max<int64_t>(0, shared_ - sharedUsed_)));
}

inline bool SharedBuffer::admit(const Port& in, uint8_t cls, int64_t bytes) {
  Ingress& g = at(in, cls);
  const int64_t grown = sharedPart(g.bytes + bytes) - sharedPart(g.bytes);
  const bool fits = sharedUsed_ + grown <= shared_;
  const bool below = limits_.egressAccounting || !in.pfc() || sharedPart(g.bytes + bytes) <= threshold(in);
  if (fits && below && g.headroom == 0) {
    g.bytes += bytes;
    sharedUsed_ += grown;
  } else if (in.pfc() && g.headroom + bytes <= in.headroom()) {
    g.headroom += bytes;
  } else {
    return false;
  }
  used_ += bytes;
  return true;
}

inline void SharedBuffer::afterEnqueue(Port& in, uint8_t cls, Port& out, uint8_t outClass) {
  if (!in.pfc()) return;
  Ingress& g = at(in, cls);
  if (!g.over && (g.headroom > 0 || (!limits_.egressAccounting && sharedPart(g.bytes) > threshold(in)))) {
    g.over = true;
    pause(in, cls);
  }
  if (limits_.egressAccounting) hold(in, cls, out, outClass);
}

inline void SharedBuffer::release(Port& in, uint8_t cls, Port& out, uint8_t outClass, int64_t bytes) {
  Ingress& g = at(in, cls);
  used_ -= bytes;
  const int64_t fromHeadroom = std::min(g.headroom, bytes);
  g.headroom -= fromHeadroom;
  const int64_t before = sharedPart(g.bytes);
  g.bytes -= bytes - fromHeadroom;
  sharedUsed_ -= before - sharedPart(g.bytes);
  if (g.over && g.headroom == 0) {
    const int64_t counted = sharedPart(g.bytes);
    if (limits_.egressAccounting || counted == 0 || counted <= threshold(in) - in.pfcXonOffset()) {
      g.over = false;
      resume(in, cls);
    }
  }
  if (limits_.egressAccounting) letGo(out, outClass);
}

}  // namespace fabric
