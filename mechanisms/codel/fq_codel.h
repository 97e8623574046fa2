// FQ-CoDel: flows take turns, each with a CoDel queue of its own.
#pragma once

#include <vector>

#include "mechanisms/codel/codel_settings.h"

namespace fabric {

class FqCoDel final : public CoDelSettings {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  bool enqueue(Packet* packet, int64_t backlog) override;
  Packet* dequeue() override;

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Bin {
    PacketList list;
    int64_t bytes = 0;
    int64_t deficit = 0;
    CoDelLaw law;
    uint32_t next = kNone;  // in its list
    bool scheduled = false;
  };
  /// Bins in the order of their turns.
  struct Turns {
    uint32_t first = kNone, last = kNone;
  };

  void onStart(Network& network) override;
  uint32_t binOf(const Packet& packet);
  void push(Turns& turns, uint32_t bin);
  void pop(Turns& turns);
  Packet* take(Bin& bin);
  /// The bin whose turn it is, and the list that it leads; kNone if there is none.
  uint32_t turn(Turns*& of);
  void dropFromLongest();
  void forgetTurns();

  std::vector<uint32_t> binOfHash_;  // kNone: no packet has come for it
  std::vector<Bin> bins_;            // in the order in which they were first used
  Turns new_, old_;
  int64_t bytes_ = 0;
  uint64_t salt_ = 0;
  int64_t flows_ = 0, dropBatch_ = 0;
  Bytes quantum_, limit_;
};

}  // namespace fabric
