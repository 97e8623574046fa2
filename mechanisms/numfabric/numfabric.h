// NUMFabric at the sender: Swift's window from the rate that packet pairs measure, xWI's weight from the path price.
#pragma once

#include "mechanisms/core/kinds.h"
#include "mechanisms/core/utility.h"
#include "mechanisms/numfabric/num_flows.h"
#include "mechanisms/numfabric/num_header.h"

namespace fabric {

class NumFabric final : public CongestionControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  void onFlowStart(Flow& flow) override;
  void onSend(Flow& flow, Packet& packet) override;
  void onAck(Flow& flow, const Packet& ack) override;
  void onSample(int table) override;

  struct State {
    double rate = 0;      // R: measured, on the wire, in Mb/s; 0 = nothing is measured yet
    double weight = 0;    // w in Mb/s; 0: packets have no virtual length
    double price = 0;     // of the path
    double residual = 0;  // normalised
    Time smallestRtt = Time::Max();
    uint8_t hops = 0;  // 0: no ACK was here yet
  };
  const State& state(Flow& flow) const { return state_(flow); }

 private:
  void onStart(Network& network) override;
  void measure(State& s, const NumHeader& header) const;
  void setWindow(Flow& flow, const State& s) const;
  void weigh(Flow& flow, State& s) const;

  Network* network_ = nullptr;
  NumFlows::Id table_;
  PacketExtension<NumHeader> header_;
  FlowState<State> state_;
  const Utility* utility_ = nullptr;
  double lineRate_ = 0;    // Mb/s
  int64_t fullFrame_ = 0;  // bytes on the wire

  Time ewmaTime_, baseRtt_, slack_, resetAfter_;
  int64_t initialWindow_ = 0;
  Choice weights_;
  bool pooling_ = true;
  double leastShare_ = 0, mostWeight_ = 0;
  Bytes headerBytes_;
};

}  // namespace fabric
