// Control packets: small frames that mechanisms of hosts send each other (CNPs, credits).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fabric {

class Flow;
struct Packet;

/// Handles a control packet of one type at a host. `flow` is null where the packet is about no flow, or its flow has
/// ended. The packet goes back to the pool after the call.
struct ControlHandler {
  void (*call)(void* owner, Flow* flow, Packet& packet) = nullptr;
  void* owner = nullptr;
};

/// A handler that calls a member function, void (Flow*, Packet&).
template <auto Method, class Owner>
ControlHandler controlHandler(Owner& owner) {
  return {[](void* o, Flow* flow, Packet& packet) { (static_cast<Owner*>(o)->*Method)(flow, packet); }, &owner};
}

/// The types of control packets in one network, by name.
class ControlTypes {
 public:
  /// Congestion notifications: every network has them.
  static constexpr uint8_t kCnp = 0;

  /// The number of this type, the same for everyone who asks by this name.
  uint8_t add(const std::string& name);
  const std::string& name(uint8_t type) const { return names_[type]; }

 private:
  std::vector<std::string> names_{"cnp"};
};

}  // namespace fabric
