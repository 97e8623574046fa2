// A switch: ingress -> path choice -> admission -> queue -> wire.
#pragma once

#include <vector>

#include "mechanisms/core/node.h"
#include "mechanisms/core/route_table.h"
#include "mechanisms/core/shared_buffer.h"

namespace fabric {

class Switch final : public Node {
 public:
  Switch() = default;
  static const Description& describe();
  const Description& description() const override { return describe(); }

  void check(const Network& network, Report& report) const override;
  /// `selector` stays the caller's.
  void setPathSelector(PathSelector& selector);
  bool hasPathSelector() const { return selector_ != nullptr; }
  PathSelector& pathSelector() const { return *selector_; }
  /// Salt of the switch's ECMP hash; switches of one tier share it so that symmetric ECMP holds.
  void setHashSalt(uint64_t salt) { hashSalt_ = salt; }
  uint64_t hashSalt() const { return hashSalt_; }
  /// Equal-cost egress ports towards a host.
  void setRoute(uint32_t dst, const std::vector<uint16_t>& ports);
  void clearRoutes() { routes_.clear(); }
  /// Those ports; none where there is no route.
  NextHops nextHops(uint32_t dst) const {
    const Route r = routes_.find(dst);
    return {hops_.data() + r.first, static_cast<uint16_t>(r.count)};
  }

  void receive(Port& port, Packet* packet) override;
  void fetchAhead(const Packet& packet) const override;
  void listMemory(const MemoryList& list) const override;
  void onDequeue(Port& port, const Packet& packet) override;
  void onLinkUp(Port& port) override;
  /// Sends a packet of the switch's own (RoCC's CNP) towards packet->dst.
  void originate(Packet* packet);

  const SharedBuffer& buffer() const { return buffer_; }
  int64_t bufferBytes() const { return bufferBytes_.n; }
  /// The most that PFC lets wait in queues `first` to `end` of a port, by the room that other ports have; kTakesAll:
  /// it is not on at one of them.
  int64_t mostUnderPfc(const Port& out, int first, int end, int64_t largestFrame) const;
  int64_t overlayBytes() const { return selector_ != nullptr ? selector_->overlayBytes() : 0; }

 private:
  void onStart(Network& network) override;
  void checkXoff(int64_t shared, Report& report) const;
  int64_t takenFromPool(int64_t largestFrame) const;
  /// Null: no route.
  Port* route(Packet& packet);

  PathSelector* selector_ = nullptr;
  PathSelector* ingressHook_ = nullptr;  // the selector, if it wants to see what comes in
  uint64_t hashSalt_ = 0;
  SharedBuffer buffer_;
  /// Next hops towards a host: so many from `first` on in hops_.
  struct Route {
    uint32_t first : 20;
    uint32_t count : 12;  // 0 = no route
    Route(uint32_t first = 0, uint32_t count = 0) : first(first), count(count) {}
    bool operator==(const Route& o) const { return first == o.first && count == o.count; }
  };
  RouteTable<Route> routes_;    // by host
  std::vector<uint16_t> hops_;  // sets of next hops, equal ones once

  Bytes bufferBytes_, reserve_;
  Choice accounting_;
};

/// Port number of packets that a switch made itself: they are not counted at any ingress.
inline constexpr uint16_t kOwnPacket = 0xffff;

}  // namespace fabric
