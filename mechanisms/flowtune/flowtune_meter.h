// Flowtune's messages on a link.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

/// Counts the frames between servers and the allocator, those sent again included, their acknowledgements, and the others.
class FlowtuneMeter final : public PortAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool hooksDequeue() const override { return true; }
  void onDequeue(Packet& packet) override;
  void onSample(int table) override;

 private:
  /// Time, node, port; bytes to and from the allocator, of their ACKs, other bytes.
  using Traffic = Table<Time, NodeId, uint16_t, uint64_t, uint64_t, uint64_t, uint64_t>;
  static const Traffic& traffic();
  void onStart(Network& network) override;

  Network* network_ = nullptr;
  Traffic::Id table_;
  uint32_t allocator_ = 0;
  uint64_t to_ = 0, from_ = 0, acks_ = 0, other_ = 0;  // bytes on the wire
};

}  // namespace fabric
