// DASR at the receiver: who sends to it now, and what kind of congestion it sees.
#pragma once

#include <array>
#include <vector>

#include "mechanisms/core/kinds.h"
#include "mechanisms/dart/dasr_header.h"
#include "mechanisms/dart/number_table.h"

namespace fabric {

class DasrReceiver final : public ReceiverAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  void checkFlow(const FlowSpec& flow, const Host& receiver, Report& report) const override;
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
  /// Packets that told hosts n ahead of their messages.
  uint64_t told() const { return told_; }

 private:
  static constexpr uint32_t kNobody = NumberTable<int>::kNone;
  /// A host in the Active Unique Sender Set.
  struct Sender {
    uint32_t messages = 0;  // that have begun or that a look-ahead named
    uint32_t prev = kNobody, next = kNobody;
    Time lastAt;
    uint64_t stay = 0;  // a number of its own for each time that a host is in the set
  };
  struct Message {
    uint64_t stay = 0;  // of the sender when the message was counted; 0: it is not counted
    bool over = false;
    bool met = false;  // it has been found to be one of an announced group
  };
  /// A group that a look-ahead named, by its number. It is known until all of its messages have begun, so that it is
  /// announced once.
  struct Group {
    FlowGroups::Members members;
    uint32_t missing = 0;  // messages that have not begun
    uint32_t prev = kNobody, next = kNobody;
    Time since;
    bool awaited = true;  // it has not timed out
  };
  /// Messages of a group and host that count although they have not begun.
  struct Announced {
    uint32_t messages = 0;
    uint64_t stay = 0;  // of the sender with which they were counted
  };
  static constexpr int kMostPackets = 64;

  /// Time, receiver; senders, n, state, suppressed and passed marks, packets that tell n ahead and their bytes.
  using Known = Table<Time, NodeId, uint32_t, uint32_t, uint8_t, uint64_t, uint64_t, uint64_t, uint64_t>;
  static const Known& known();
  void onStart(Network& network) override;
  void onChange() override;
  void count(const Flow& flow, Message& m);
  void endMessage(Flow& flow, Message& m);
  void uncount(uint32_t host, uint64_t stay, uint32_t messages);
  /// True: the message is the first of its group, whose members are announced now.
  bool meetGroup(const Flow& flow, Message& m, const FlowGroups::Members& members);
  void tell(const FlowGroups::Members& members);
  uint32_t announce(uint32_t number, const FlowGroups::Members& members);
  void takeBack(uint32_t number, uint32_t host, uint32_t most);
  void expire(uint32_t group);
  uint32_t enter(uint32_t host);
  void leave(uint32_t place);
  void forgetSilent();
  void observe(const Packet& packet);
  bool atLineRate() const;

  Network* network_ = nullptr;
  Engine* engine_ = nullptr;
  PacketExtension<DasrHeader> header_;
  FlowState<Message> message_;
  Known::Id table_;

  NumberTable<Sender> senders_;
  TableRow<Sender> silent_{senders_};  // all of them, the longest silent first
  uint64_t stays_ = 0;
  NumberTable<Group> groups_;
  TableRow<Group> awaited_{groups_};            // those that have not timed out, the oldest first
  NumberTable<Announced, uint64_t> announced_;  // by group and host

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
  uint64_t suppressed_ = 0, passed_ = 0, told_ = 0, toldBytes_ = 0;
  uint8_t ahead_ = 0;  // type of the control packets

  Time timeout_, calm_;
  int64_t packets_ = 0;
  double lineShare_ = 0;
  Bytes ackBytes_;
  Choice says_;
  bool suppress_ = true, tellAhead_ = true;
};

}  // namespace fabric
