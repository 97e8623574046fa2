// InfiniBand's congestion marking at a switch port: forward explicit congestion notification (FECN).
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class FecnQueue final : public Queue {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  bool enqueue(Packet* packet, int64_t backlog) override;
  Packet* dequeue() override { return list_.empty() ? nullptr : list_.pop(); }
  const Packet* front() const override { return list_.front(); }

 private:
  PacketList list_;
  Bytes threshold_, packetSize_;
  int64_t markingRate_ = 0;
  int64_t unmarked_ = 0;  // eligible packets that go without a mark before the next one
  bool victimMask_ = false;
};

}  // namespace fabric
