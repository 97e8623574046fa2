// ExpressPass at a port: credits are throttled so that the data they call for fills the link the other way.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class CreditQueue final : public Queue {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  /// Credits make room for data packets of one size.
  void checkPacket(const Host& host, Report& report) const;
  int64_t dropsAbove() const override { return limit_.n; }
  bool enqueue(Packet* packet, int64_t backlog) override;
  Packet* dequeue() override;
  bool holdsBack() const override { return true; }
  Time readyAt() const override;

 private:
  void onStart(Network& network) override;
  void onChange() override;
  void throttle();

  Engine* engine_ = nullptr;
  PacketList list_;
  Rate rate_;       // of credits
  Time emptyAt_;    // tokens have come in at rate_ since then, up to burst_
  Time burstTime_;  // what burst_ takes to come in
  Bytes limit_, burst_, creditBytes_, dataBytes_;
};

}  // namespace fabric
