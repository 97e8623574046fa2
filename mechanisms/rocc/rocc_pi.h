// RoCC at the switch: a PI controller per egress port computes the fair rate.
#pragma once

#include <vector>

#include "mechanisms/core/kinds.h"

namespace fabric {

/// The packet extension of RoCC's CNP.
struct RoccFeedback {
  static constexpr const char* kName = "rocc_feedback";
  Rate rate;
  uint64_t point = 0;  // the congestion point that says so
};

class RoccPi final : public PortAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  void attach(Port& port, uint8_t index) override;
  bool hooksEnqueue() const override { return true; }
  bool hooksDequeue() const override { return true; }
  void onEnqueue(Packet& packet) override;
  void onDequeue(Packet& packet) override;
  void onDiscard(Packet& packet) override { onDequeue(packet); }

  /// The controller alone, in the paper's units: queue in 600 B, rate in 10 Mb/s.
  struct Controller {
    double qRef, qMid, qMax;  // units of 600 B
    double fMin, fMax;        // units of 10 Mb/s
    double a, b;              // static gains (a~, b~)
    double f, qOld = 0;
    void update(double q);
  };
  const Controller& controller() const { return pi_; }
  size_t flows() const { return table_.size(); }

 private:
  struct Entry {
    Flow* flow;
    uint32_t flowId;
    uint32_t src, dst;  // of its data packets
    uint64_t hash, symmetricHash;
    uint32_t packets;
  };
  /// Time, node, port; fair rate, queue, flows.
  using Updates = Table<Time, NodeId, uint16_t, Rate, Bytes, uint32_t>;
  static const Updates& updates();
  void onStart(Network& network) override;
  void onChange() override { configure(); }
  void configure();
  void tick();
  void notify();
  size_t find(const Packet& packet) const;

  Network* network_ = nullptr;
  PacketExtension<RoccFeedback> feedback_;
  Updates::Id traceTable_;
  /// Flows that have packets in the queue; CNPs go out in its order. They are few, so it is searched from
  /// the front: 3 % of the CPU time on a fat-tree with k = 8 and 80 % load.
  std::vector<Entry> table_;
  Controller pi_{};
  EventOf<RoccPi, &RoccPi::tick> timer_{this};

  Time period_;
  Bytes qRef_, qMid_, qMax_, cnpBytes_;
  double a_ = 0, b_ = 0;
  Rate fMin_;
  bool scale_ = true;
  Rate scaleTo_;
  int64_t cnpClass_ = 0;
};

}  // namespace fabric
