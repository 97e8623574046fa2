// First in, first out.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class Fifo final : public Queue {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  int64_t dropsAbove() const override { return limitOf(limit_); }
  bool enqueue(Packet* packet, int64_t backlog) override;
  Packet* dequeue() override { return list_.empty() ? nullptr : list_.pop(); }
  const Packet* front() const override { return list_.front(); }

 private:
  PacketList list_;
  Bytes limit_;
};

}  // namespace fabric
