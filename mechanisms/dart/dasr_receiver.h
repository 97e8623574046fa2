// DASR at the receiver: who sends to it now, and what kind of congestion it sees.
#pragma once

#include <array>
#include <vector>

#include "mechanisms/core/kinds.h"
#include "mechanisms/dart/dasr_header.h"
#include "mechanisms/dart/host_table.h"

namespace fabric {

class DasrReceiver final : public ReceiverAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void onData(Flow& flow, Packet& packet) override;
  void onAck(Flow& flow, Packet& packet) override;
  void onSample(int table) override;

  /// Figure 5.
  enum class State : uint8_t { NoCongestion, ReceiverCongestion, OtherCongestion };
  State state() const { return state_; }
  /// Size of the set.
  uint32_t senders() const { return senders_.size(); }
  /// Messages under way of a host, announced ones among them; 0: it is not in the set.
  uint32_t messagesOf(uint32_t host) const;
  /// What ACKs say now.
  uint32_t n() const;

 private:
  /// A host in the Active Unique Sender Set. The set is a list, too, the longest silent first.
  struct Sender {
    uint32_t messages = 0;
    uint32_t announced = 0;  // of these, those that a look-ahead named and that have not begun
    uint32_t prev = kNobody, next = kNobody;
    Time lastAt;
    uint64_t stay = 0;  // a number of its own for each time that a host is in the set
  };
  struct Message {
    uint64_t stay = 0;  // of the sender when the message was counted; 0: it is not counted
    bool over = false;
  };
  /// A group that a look-ahead named, some of whose messages have not begun.
  struct Group {
    uint32_t number;
    uint32_t missing;
    Time since;
  };
  static constexpr uint32_t kNobody = HostTable<Sender>::kNone;
  static constexpr int kMostPackets = 64;

  void onStart(Network& network) override;
  void onChange() override;
  void beginMessage(Flow& flow, const FlowGroups::Members& members);
  void endMessage(Flow& flow, Message& m);
  void announce(const Flow& flow, const FlowGroups::Members& members);
  Group* announced(uint32_t group);
  uint32_t enter(uint32_t host);
  void leave(uint32_t place);
  void touch(uint32_t place);
  void append(uint32_t place);
  void detach(uint32_t place);
  void forgetSilent();
  void observe(const Packet& packet);
  bool atLineRate() const;

  Network* network_ = nullptr;
  Engine* engine_ = nullptr;
  PacketExtension<DasrHeader> header_;
  FlowState<Message> message_;
  int table_ = -1;

  HostTable<Sender> senders_;
  uint32_t longestSilent_ = kNobody, latest_ = kNobody;
  uint64_t stays_ = 0;
  std::vector<Group> groups_;

  State state_ = State::NoCongestion;
  struct Arrival {
    Time at;
    int64_t bytes = 0;
  };
  std::array<Arrival, kMostPackets> arrivals_;  // a ring of the last ones
  uint64_t arrived_ = 0;
  int64_t bytes_ = 0;  // of the last `packets` of them
  Time lastMark_;
  bool seesMarks_ = false;
  uint64_t suppressed_ = 0, passed_ = 0;

  Time timeout_, calm_;
  int64_t packets_ = 0;
  double lineShare_ = 0;
  Bytes ackBytes_;
  Choice says_;
  bool suppress_ = true;
};

}  // namespace fabric
