// XCP's router: the efficiency and the fairness controller of a port.
#pragma once

#include "mechanisms/core/engine.h"
#include "mechanisms/core/kinds.h"
#include "mechanisms/xcp/xcp_header.h"

namespace fabric {

class XcpRouter final : public PortAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void attach(Port& port, uint8_t index) override;
  bool hooksEnqueue() const override { return true; }
  bool hooksDequeue() const override { return true; }
  void onEnqueue(Packet& packet) override;
  void onDequeue(Packet& packet) override;

  // For tests.
  double meanRtt() const { return rtt_; }
  /// What was to be shared out at the last control interval, in bytes: phi.
  double aggregate() const { return aggregate_; }
  double persistentQueue() const { return queue_; }

 private:
  void onStart(Network& network) override;
  void onChange() override;
  void control();
  void look();
  double waiting() const;
  static Time time(double seconds) { return Time{static_cast<int64_t>(seconds * 1e12 + 0.5)}; }

  Engine* engine_ = nullptr;
  PacketExtension<XcpHeader> header_;
  double capacity_ = 0;  // bytes per second

  // Of the control interval that is under way.
  double input_ = 0;          // bytes that came, of all packets
  double data_ = 0;           // of these with a header and a round trip
  double rttPerWindow_ = 0;   // sum of rtt s / cwnd
  double rtt2PerWindow_ = 0;  // sum of rtt^2 s / cwnd
  Time began_;

  // Of the last one.
  double rtt_ = 0;                        // mean, s
  double aggregate_ = 0;                  // phi, bytes
  double perWindow_ = 0, perPacket_ = 0;  // xi_p, xi_n
  double up_ = 0, down_ = 0;              // what is left to be given and taken

  // The queue that does not drain within a round trip.
  double least_ = 0, queue_ = 0;
  bool running_ = false;
  EventOf<XcpRouter, &XcpRouter::control> controlTimer_{this};
  EventOf<XcpRouter, &XcpRouter::look> queueTimer_{this};

  double alpha_ = 0, beta_ = 0, gamma_ = 0;
  Time initialInterval_;
};

}  // namespace fabric
