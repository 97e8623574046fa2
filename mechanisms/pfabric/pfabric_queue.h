// pFabric's port: a tiny queue that sends the most urgent flow's packets and drops the least urgent packet.
#pragma once

#include <vector>

#include "mechanisms/core/kinds.h"
#include "mechanisms/pfabric/pfabric_header.h"

namespace fabric {

class PFabricQueue final : public Queue {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  int64_t dropsAbove() const override { return limit_.n; }
  bool enqueue(Packet* packet, int64_t backlog) override;
  Packet* dequeue() override;

 private:
  struct Waiting {
    uint64_t priority;  // the smaller the better
    uint32_t flow;
    Packet* packet;
  };
  void onStart(Network& network) override;
  uint64_t priority(const Packet& packet) const;
  bool makeRoom(int64_t missing, uint64_t mine);

  std::vector<Waiting> waiting_;  // in the order of arrival; a few dozen, which are searched as the paper's switch does
  PacketExtension<PFabricHeader> header_;
  Bytes limit_;
};

}  // namespace fabric
