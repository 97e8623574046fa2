// What a persistent connection keeps while it has no messages.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fabric {

class Flow;

/// The bytes that a persistent connection keeps from one message to the next. A connection without messages is nothing
/// but these bytes.
class Resumable {
 public:
  virtual ~Resumable() = default;
  /// How many they are for a flow or sub-flow; -1: the mechanism has no persistent connections.
  virtual int64_t keptBytes() const { return -1; }
  virtual void keep(Flow&, std::byte* /*to*/) {}
  /// After onFlowStart().
  virtual void resume(Flow&, const std::byte* /*from*/) {}
};

}  // namespace fabric
