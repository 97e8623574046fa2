// Start-time fair queueing by the virtual lengths that packets carry.
#pragma once

#include <vector>

#include "mechanisms/core/kinds.h"
#include "mechanisms/numfabric/num_header.h"

namespace fabric {

class Stfq final : public Queue {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  int64_t dropsAbove() const override { return limitOf(limit_); }
  bool enqueue(Packet* packet, int64_t backlog) override;
  Packet* dequeue() override;

  /// V: start tag of the packet that left last.
  double virtualTime() const { return virtualTime_; }
  /// Flows whose virtual finish time is remembered.
  size_t flows() const { return known_; }

 private:
  struct Waiting {
    double start;     // S
    uint64_t number;  // of equal ones the older goes first
    Packet* packet;
  };
  /// F of a flow's last packet; an empty place has a finish below 0.
  struct Finish {
    uint64_t flow = 0;
    double finish = -1;
  };
  void onStart(Network& network) override;
  void purge();
  Time stopOf(const Packet& data) const;
  static bool later(const Waiting& a, const Waiting& b) {
    return a.start > b.start || (a.start == b.start && a.number > b.number);
  }
  Finish& finishOf(uint64_t flow);
  void grow();
  void rebase();

  PacketExtension<NumHeader> header_;
  PacketList control_;
  std::vector<Waiting> heap_;
  std::vector<Finish> finish_;  // a power of two of places
  size_t known_ = 0;
  uint64_t arrivals_ = 0;
  Time nextStop_ = Time::Max();  // the first of the flows that have packets here
  double virtualTime_ = 0;
  Bytes limit_;
};

}  // namespace fabric
