// Persistent connections of a host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace fabric {

class Flow;
class Host;
struct FlowSpec;

/// A connection is a flow while it has messages, and the few bytes that its transport and congestion control keep
/// (Resumable) while it has none. One that stays open is a flow from its first message on.
class Connections {
 public:
  explicit Connections(Host& sender) : sender_(sender) {}

  /// A connection among those of its sender.
  static uint64_t key(const FlowSpec& spec);
  /// The connection that a message goes over, as a flow.
  Flow& of(const FlowSpec& message, Host& receiver);
  /// The connection has no messages left: its flow is freed, and what the next message needs is kept.
  void park(Flow& connection);

 private:
  struct Connection {
    Flow* busy = nullptr;               // or open
    std::unique_ptr<std::byte[]> kept;  // by sub-flow: the transport's, the congestion control's
  };

  Host& sender_;
  std::unordered_map<uint64_t, Connection> all_;  // never walked through: its order is not fixed
};

}  // namespace fabric
