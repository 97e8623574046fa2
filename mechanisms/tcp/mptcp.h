// MPTCP: a connection over several TCP sub-flows, each with its own ports and so its own path.
#pragma once

#include "mechanisms/tcp/tcp.h"

namespace fabric {

/// What an ACK says of the connection as a whole, where there is a receive window (RFC 8684 section 3.3.1).
struct DataAck {
  static constexpr const char* kName = "mptcp_data_ack";
  uint64_t next = 0;  // the first byte of the connection that is missing
};

/// A sub-flow is a flow of its own at the NIC and in the network; the first is the connection itself.
class Mptcp final : public Tcp {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void append(Flow& connection, Flow& message) override;
  bool maySend(const Flow& flow) const override;
  Flow& fill(Flow& flow, Packet& packet) override;
  bool onAck(Flow& flow, const Packet& ack) override;
  void onTimer(Flow& flow) override;
  uint32_t parts() const override { return static_cast<uint32_t>(subflows_); }

 private:
  /// Of a sub-flow: the connection's byte with which each segment begins, from the first one on that is
  /// missing at the receiver.
  struct Subflow {
    SegmentNumbers begins;
  };
  void onStart(Network& network) override;
  void beforeAck(Flow& flow, Packet& packet) override;
  bool takeDataAck(Flow& flow, const Packet& ack);
  Subflow& subflow(Flow& flow) const { return subflow_(flow); }
  bool inTurn() const { return scheduler_.index == 0; }
  Flow* next(const Flow& flow) const;
  void passTurn(Flow& flow);

  int64_t subflows_ = 8;
  Bytes receiveWindow_;
  FlowState<Subflow> subflow_;
  PacketExtension<DataAck> dataAck_;
  Choice scheduler_;
};

}  // namespace fabric
