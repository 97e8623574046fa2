// DASR at the sender: line rate / n, over DCQCN.
#pragma once

#include "mechanisms/dart/dasr_header.h"
#include "mechanisms/dart/number_table.h"
#include "mechanisms/dcqcn/rate_control.h"

namespace fabric {

class Dasr final : public RateControl {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  void checkFlow(const FlowSpec& flow, const Host& receiver, Report& report) const override;
  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void onSend(Flow& flow, Packet& packet) override;
  void onAck(Flow& flow, const Packet& ack) override;
  void onLoss(Flow& flow) override;

  /// Messages of this host with something left to send to the receiver of this one.
  uint32_t sendingTo(Flow& flow) const { return receivers_[share_(flow).receiver].sending; }

 private:
  /// What this host knows of a receiver while it has messages for it, or was told n ahead of one.
  struct Receiver {
    uint32_t n = 1;         // as it said last
    uint32_t messages = 0;  // not acknowledged to their end
    uint32_t sending = 0;   // of these, those with something left to send
    uint32_t grouped = 0;   // of these, those of groups
    bool ahead = false;     // n came ahead of a message that has not begun
    Time until;             // and holds until then if there is no message
  };
  struct Share {
    uint32_t receiver = 0;  // place in receivers_
    bool sending = true;
  };
  void onStart(Network& network) override;
  void onAhead(Flow* flow, Packet& packet);
  uint32_t placeOf(uint32_t receiver);
  bool forgotten(const Receiver& receiver) const;
  void setSending(Flow& flow, bool sending);
  void limit(Flow& flow);

  Network* network_ = nullptr;
  PacketExtension<DasrHeader> header_;
  FlowState<Share> share_;
  NumberTable<Receiver> receivers_;
  bool lookAhead_ = true;
  Time patience_;
  double lineShare_ = 1;
};

}  // namespace fabric
