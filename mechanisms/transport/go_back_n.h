// Go-back-N, as RoCE NICs do it: the receiver takes packets in order only.
#pragma once

#include "mechanisms/core/kinds.h"

namespace fabric {

class GoBackN final : public Transport {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

  void check(const Network& network, Report& report) const override;
  void onFlowStart(Flow& flow) override;
  bool staysOpen() const override { return true; }
  void append(Flow& pair, Flow& message) override;
  bool onStop(Flow& flow) override;
  bool endsAtStop() const override { return atStop_.index == 1; }
  bool maySend(const Flow& flow) const override;
  Flow& fill(Flow& flow, Packet& packet) override;
  bool onAck(Flow& flow, const Packet& ack) override;
  void onTimer(Flow& flow) override;
  void onData(Flow& flow, Packet* packet) override;

 private:
  /// Of a sender: nothing was sent, the request that sets the connection up is on its way, data may go.
  enum class Phase : uint8_t { Closed, Opening, Open };
  struct State {
    Time lastProgressAt;
    Phase phase = Phase::Open;
    // Of a queue pair that stays open its messages that are not acknowledged to their end, in the order of posting, and
    // the one that is being sent, or one before it.
    Flow *first = nullptr, *last = nullptr, *sending = nullptr;
  };
  /// Of a message on such a queue pair.
  struct Message {
    uint64_t begin = 0;  // of the queue pair's bytes: its first one
    Flow* next = nullptr;
  };
  void onStart(Network& network) override;
  State& state(Flow& flow) const { return state_(flow); }
  Flow& sending(Flow& pair);
  uint64_t endOf(Flow& message) const { return message_(message).begin + message.end; }
  void finishMessages(Flow& pair);
  void goBack(Flow& flow, uint64_t seq);
  void arm(Flow& flow);

  FlowState<State> state_;
  FlowState<Message> message_;
  Engine* engine_ = nullptr;
  Network* network_ = nullptr;
  bool handshake_ = false;
  Choice atStop_;
};

}  // namespace fabric
