// FIFO with ECN marking by instantaneous queue length: DCQCN's congestion point.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/core/random.h"

namespace fabric {

class Red final : public Queue {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  int64_t dropsAbove() const override { return limitOf(limit_); }
  void check(const Network& network, Report& report) const override;
  bool enqueue(Packet* packet, int64_t backlog) override;
  Packet* dequeue() override;
  const Packet* front() const override { return list_.front(); }
  void onSample(int table) override;

  /// Probability of marking at this queue length: 0 up to kmin, linear to pmax at kmax, 1 above.
  double markProbability(int64_t backlog) const;

 private:
  /// Time, node, port, class; marked packets.
  using Marks = Table<Time, NodeId, uint16_t, uint8_t, uint64_t>;
  static const Marks& marksSoFar();
  void onStart(Network& network) override;
  void onChange() override { scale(); }
  void scale();
  /// A threshold at this port's rate.
  int64_t scaled(Bytes threshold) const;
  /// Whether a packet is to be marked; draws a random number where that is left to chance.
  bool marks(const Packet& packet, int64_t backlog);

  // The end of the first line of the cache: in a large network most packets look no further.
  PacketList list_;
  int64_t quiet_ = -1;  // up to this length a packet just joins, and just leaves at any; -1: everything has to be asked

  int64_t low_ = 0, high_ = 0;  // kmin and kmax at this port's rate
  Bytes limit_;
  bool markLeaving_ = false;
  Marks::Id table_;
  uint64_t marked_ = 0;
  double pmax_ = 0;
  RandomStream random_;
  Network* network_ = nullptr;
  Bytes kmin_, kmax_;
  Rate perRate_, scaleFrom_, scaleTo_;
};

}  // namespace fabric
