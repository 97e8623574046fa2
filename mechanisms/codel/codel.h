// CoDel: a FIFO that drops by how long packets have waited.
#pragma once

#include "mechanisms/codel/codel_law.h"
#include "mechanisms/codel/codel_settings.h"
#include "mechanisms/core/kinds.h"

namespace fabric {

class CoDel final : public CoDelSettings {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool enqueue(Packet* packet, int64_t backlog) override;
  Packet* dequeue() override;

 private:
  PacketList list_;
  int64_t bytes_ = 0;
  CoDelLaw law_;
  Bytes limit_;
};

}  // namespace fabric
