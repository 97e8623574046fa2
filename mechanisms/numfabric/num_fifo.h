// First in, first out, but for packets of flows that have stopped.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/numfabric/num_header.h"

namespace fabric {

class NumFifo final : public Queue {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  int64_t dropsAbove() const override { return limitOf(limit_); }
  bool enqueue(Packet* packet, int64_t backlog) override;
  Packet* dequeue() override;
  const Packet* front() const override { return list_.front(); }

 private:
  void onStart(Network& network) override;
  void purge();
  Time stopOf(const Packet& packet) const;

  PacketList list_;
  PacketExtension<NumHeader> header_;
  Time nextStop_ = Time::Max();  // the first of the flows that have packets here
  Bytes limit_;
};

}  // namespace fabric
