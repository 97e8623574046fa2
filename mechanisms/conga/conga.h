// CONGA at the leaf switches: flowlets take the path with the least congestion from leaf to leaf.
#pragma once

#include <array>
#include <vector>

#include "mechanisms/conga/feedback.h"
#include "mechanisms/dre/dre.h"
#include "mechanisms/headers/conga_header.h"
#include "mechanisms/path/flowlets.h"

namespace fabric {

class Conga final : public FlowletSelector {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;

  /// Its fields travel even where the outer header is taken to cost nothing.
  bool encapsulates() const override { return true; }

  /// Congestion-To-Leaf for the leaf of `host` by the uplink `port`, as it is now.
  uint8_t congestionToLeaf(uint32_t host, uint16_t port) const;

 private:
  /// Time, node, port, flow, leaf of the receiver; local, remote and worst metric, kept.
  using Decisions = Table<Time, NodeId, uint16_t, uint32_t, NodeId, uint8_t, uint8_t, uint8_t, bool>;
  static const Decisions& decisions();
  void onStart(Network& network) override;
  bool decidesFor(const Packet& packet, NextHops hops) const override;
  uint16_t decide(const Packet& packet, NextHops hops, int previous) override;
  void onSelect(Packet& packet, uint16_t port) override;
  void onEncapsulate(Packet& packet, uint32_t leaf) override;
  void onDecapsulate(Packet& packet) override;
  void emit(const Packet& packet, NextHops hops, int previous, uint16_t chosen);

  PacketExtension<CongaHeader> header_;
  std::vector<Dre*> dre_;                                         // by port
  std::vector<uint8_t> tagOf_;                                    // by port: LBTag of an uplink
  std::vector<std::array<HeardMetric, FromLeaf::kTags>> toLeaf_;  // Congestion-To-Leaf, by leaf and tag
  std::vector<FromLeaf> fromLeaf_;                                // Congestion-From-Leaf, by leaf
  Decisions::Id traceTable_;

  Time aging_, agingStep_;
  int64_t tagBits_ = 0;
};

}  // namespace fabric
