// What stays of a persistent connection while it has no messages.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fabric {

class Flow;

/// A transport has persistent connections in one of two ways, and a congestion control says which it goes along with. A
/// connection without messages is nothing but the bytes that are kept; or it stays open: its flow stays, with the state
/// and the timers of all mechanisms.
class Resumable {
 public:
  virtual ~Resumable() = default;
  /// How many bytes are kept of a flow or sub-flow; -1: the mechanism does not have this way.
  virtual int64_t keptBytes() const { return -1; }
  virtual void keep(Flow&, std::byte* /*to*/) {}
  /// After onFlowStart().
  virtual void resume(Flow&, const std::byte* /*from*/) {}
  /// Whether the mechanism has the way of connections that stay open: queue pairs.
  virtual bool staysOpen() const { return false; }
};

}  // namespace fabric
