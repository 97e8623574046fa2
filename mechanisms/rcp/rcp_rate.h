// RCP's router: one rate for all flows of a port.
#pragma once

#include "mechanisms/core/engine.h"
#include "mechanisms/core/kinds.h"
#include "mechanisms/rcp/rcp_header.h"

namespace fabric {

class RcpRate final : public PortAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void attach(Port& port, uint8_t index) override;
  bool hooksEnqueue() const override { return true; }
  bool hooksDequeue() const override { return true; }
  void onEnqueue(Packet& packet) override;
  void onDequeue(Packet& packet) override;

  // For tests.
  double rate() const { return rate_; }
  double meanRtt() const { return rtt_; }

 private:
  void onStart(Network& network) override;
  void onChange() override;
  void beginInterval();
  void update();
  void averageRtt();

  Engine* engine_ = nullptr;
  PacketExtension<RcpHeader> header_;
  double capacity_ = 0;  // gamma C, bit/s
  double rate_ = 0;      // R, bit/s
  double rtt_ = 0;       // d, s
  double interval_ = 0;  // T, s: of the update that comes next
  // Of the interval that is under way.
  int64_t arrived_ = 0;                  // bytes
  double rttBytes_ = 0, rttWeight_ = 0;  // of packets that name a round trip
  EventOf<RcpRate, &RcpRate::update> timer_{this};

  double a_ = 0, b_ = 0, gamma_ = 0, initialShare_ = 0;
  Time slot_, initialRtt_;
  Rate minRate_;
};

}  // namespace fabric
