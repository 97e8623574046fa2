// An overlay (VXLAN) between the leaf switches: who hangs where, and the outer header.
#pragma once

#include <vector>

#include "mechanisms/core/kinds.h"

namespace fabric {

/// A path selector in whose network packets from one leaf to another carry an outer header. A leaf is
/// a switch with a host; the other switches neither put a header on nor take one off.
class OverlaySelector : public PathSelector {
 public:
  void check(const Network& network, Report& report) const override;
  bool hooksIngress() const override { return isLeaf_ && encapsulates(); }
  void onIngress(Packet& packet, const Port* in) final;
  int64_t overlayBytes() const override { return overlayParam_.n; }
  /// Whether leaves do something as packets come from hosts and go to them, be it with a header of 0 bytes.
  virtual bool encapsulates() const { return overlayParam_.n > 0; }

 protected:
  /// Ethernet 14, IPv4 20, UDP 8, VXLAN 8 (RFC 7348).
  static constexpr Bytes kVxlan{50};
  static constexpr uint32_t kNowhere = ~0u;

  void onStart(Network& network) override;
  bool isLeaf() const { return isLeaf_; }
  /// Leaves are numbered in the order of their nodes. This switch's number:
  uint32_t leaf() const { return self_; }
  uint32_t leaves() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t nodeOfLeaf(uint32_t leaf) const { return nodes_[leaf]; }
  uint32_t leafOfHost(uint32_t host) const { return leafOf_[host]; }

  /// The outer header has been put on, towards the leaf of that number.
  virtual void onEncapsulate(Packet&, uint32_t) {}
  /// The outer header has been taken off at its leaf.
  virtual void onDecapsulate(Packet&) {}

  Bytes overlayParam_;

 private:
  bool isLeaf_ = false;
  uint32_t self_ = kNowhere;
  std::vector<uint32_t> nodes_;   // by leaf
  std::vector<uint32_t> leafOf_;  // by host
  std::vector<bool> fromFabric_;  // by port
};

}  // namespace fabric
