// pFabric's transport: line rate from the start, a fixed timeout and little else.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/pfabric/pfabric_header.h"
#include "mechanisms/pfabric/segment_ring.h"

namespace fabric {

/// Reliability and window in one: the window is no congestion control's business, because all it does is to back off
/// where losses persist. Windows are counted in segments of host.mtu's payload.
class PFabric final : public Transport {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;

  void onFlowStart(Flow& flow) override;
  bool onStop(Flow& flow) override;
  bool maySend(const Flow& flow) const override;
  Flow& fill(Flow& flow, Packet& packet) override;
  bool onAck(Flow& flow, const Packet& ack) override;
  void onTimer(Flow& flow) override;
  void onData(Flow& flow, Packet* packet) override;

  // For tests.
  int64_t window(Flow& flow) const { return sender_(flow).cwnd; }
  int64_t threshold(Flow& flow) const { return sender_(flow).ssthresh; }
  bool probing(Flow& flow) const { return sender_(flow).probing; }
  uint64_t left(Flow& flow) const { return flow.end - flow.sndUna - sender_(flow).sackedBytes; }

 private:
  enum class Phase : uint8_t { Closed, Opening, Open };
  struct Sender {
    SegmentRing sacked;
    uint32_t una = 0;     // the first segment that is not acknowledged
    uint32_t next = 0;    // the next to be sent, never one that is SACKed
    uint32_t limit = 0;   // behind the last that may be sent
    uint32_t sacks = 0;   // segments that are SACKed
    uint32_t silent = 0;  // timeouts since the last ACK
    uint64_t sackedBytes = 0;
    int64_t cwnd = 0, ssthresh = 0;  // segments
    int64_t counted = 0;             // ACKs towards the next segment of the window
    Time deadline = Time{-1};        // -1: nothing is in flight
    bool probing = false, probeDue = false;
    Phase phase = Phase::Open;
  };
  struct Receiver {
    SegmentRing got;
    uint32_t next = 0;  // the first segment that is missing
    uint64_t most = 0;  // behind the last byte that has come
  };

  void onStart(Network& network) override;
  Time timeout() const;
  uint64_t begins(uint32_t segment) const { return uint64_t{segment} * mss_; }
  uint32_t length(const Flow& flow, uint32_t segment) const;
  void sack(const Flow& flow, Sender& s, uint32_t segment) const;
  void advance(const Flow& flow, Sender& s, uint32_t una) const;
  void grow(Sender& s) const;
  /// What may be sent now is sent from the first missing segment on.
  void open(Flow& flow, Sender& s) const;
  void restartTimer(Flow& flow, Sender& s) const;

  FlowState<Sender> sender_;
  FlowState<Receiver> receiver_;
  PacketExtension<PFabricHeader> header_;
  Engine* engine_ = nullptr;
  Network* network_ = nullptr;
  uint32_t mss_ = 0;
  int64_t first_ = 0, most_ = 0;  // segments
  int64_t initialWindow_ = 0, maxWindow_ = 0, probeAfter_ = 0;
  Time rto_, rtoParam_;
  bool handshake_ = false;
};

}  // namespace fabric
