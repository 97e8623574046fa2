// DASR: the receiver's set and its states, walked by hand; the sender's share; both on a network.
#include "mechanisms/dart/dasr.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "mechanisms/core/random.h"
#include "mechanisms/dart/dasr_receiver.h"
#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/count_new.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;
using State = DasrReceiver::State;

namespace {

Config dasr() {
  Config c;
  c.cc = "dasr";
  c.receivers = {"dasr_receiver", "cnp_generator"};
  c.queues = {"fifo", "red"};
  return c.set("red.kmin", int64_t{22500}).set("red.kmax", int64_t{22500}).set("red.pmax", 1.0);
}

const test::Control kDasr(dasr());

DasrReceiver& receiverOf(const Host& host) { return static_cast<DasrReceiver&>(*host.receiverAgents()[0]); }

}  // namespace

TEST(NumberTable, FindsWhatIsThereAfterAnyOrderOfAddingAndRemoving) {
  NumberTable<int, uint64_t> table;
  std::vector<bool> in(500, false);
  uint64_t random = 1;
  for (int i = 0; i < 20000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const auto n = static_cast<uint32_t>(random >> 33) % 500;
    const uint64_t number = uint64_t{n % 20} << 32 | n / 20 * 64;
    const uint32_t place = table.find(number);
    ASSERT_EQ(place != table.kNone, in[n]);
    if (in[n]) {
      ASSERT_EQ(table[place], static_cast<int>(n));
      ASSERT_EQ(table.number(place), number);
      table.remove(place);
    } else {
      table[table.add(number)] = static_cast<int>(n);
    }
    in[n] = !in[n];
    ASSERT_EQ(table.size(), static_cast<uint32_t>(std::count(in.begin(), in.end(), true)));
  }
}

// ---------------------------------------------------------------- the receiver, by hand

/// Messages and packets made by hand at the receiver of a network in which nothing else happens. 100 Gb/s.
struct DasrReceiverTest : testing::Test {
  /// Hosts that a look-ahead names here are none of the network, so nobody is told.
  explicit DasrReceiverTest(Config c = dasr()) : net(c.set("dasr_receiver.tell_ahead", false), 1, 1) {
    net.run({});
    agent = &receiverOf(net.receiver());
    header = *net.network.packets().find<DasrHeader>(DasrHeader::kName);
  }
  static constexpr uint32_t kPayload = 1456, kWire = 1518;

  Flow& message(uint32_t id, uint32_t sender, uint32_t packets, uint32_t group = 0) {
    Flow& f = *net.network.flows().get({});
    f.spec.id = id;
    f.spec.src = sender;
    f.spec.dst = net.receiver().id();
    f.spec.size = uint64_t{packets} * kPayload;
    f.spec.group = group;
    agent->onFlowStart(f);
    return f;
  }
  void at(double us) { net.engine.setNow(Time::Ps(static_cast<int64_t>(us * 1e6))); }
  /// The i-th packet of a message arrives; says whether it is still marked then.
  bool packet(Flow& f, uint32_t i, bool marked = false, FlowGroups::Members members = {}) {
    Packet* p = net.network.packets().fresh();
    p->flowId = f.spec.id;
    p->seq = uint64_t{i} * kPayload;
    p->payload = kPayload;
    p->wireBytes = kWire;
    p->marked = marked;
    p->last = p->seq + kPayload == f.spec.size;
    header.fill(*p).members = members;
    if (!fromDasr) p->filled = 0;
    agent->onData(f, *p);
    if (p->seq == f.rcvNxt) f.rcvNxt += kPayload;
    agent->onAck(f, *p);
    said = header(*p).senders;
    const bool stillMarked = p->marked;
    net.network.packets().put(p);
    return stillMarked;
  }
  /// So many packets of a message, from the i-th on, this many ns apart, the first one now; how many stay marked.
  int train(Flow& f, uint32_t i, int count, double ns, bool marked) {
    int stay = 0;
    for (int k = 0; k < count; ++k) {
      stay += packet(f, i + static_cast<uint32_t>(k), marked);
      net.engine.setNow(net.engine.now() + Time::Ps(static_cast<int64_t>(ns * 1e3)));
    }
    return stay;
  }

  Chain net;
  DasrReceiver* agent;
  PacketExtension<DasrHeader> header;
  uint32_t said = 0;     // n of the last ACK
  bool fromDasr = true;  // else what a header has is from when the packet was another flow's
};

constexpr double kLine = 121.44;  // ns that a full packet takes at 100 Gb/s

TEST_F(DasrReceiverTest, CountsHostsWithMessagesUnderWay) {
  Flow &a = message(0, 10, 3), &b = message(1, 11, 2);
  packet(a, 0);
  EXPECT_EQ(said, 1u);
  packet(b, 0);
  EXPECT_EQ(said, 2u);
  packet(a, 1);
  EXPECT_EQ(said, 2u);
  packet(b, 1);  // its last
  EXPECT_EQ(said, 1u);
  packet(a, 2);
  EXPECT_EQ(agent->senders(), 0u);
  EXPECT_EQ(said, 1u);  // n is never 0
  agent->onFlowEnd(a);
  agent->onFlowEnd(b);
  EXPECT_EQ(agent->senders(), 0u);
}

TEST_F(DasrReceiverTest, MessagesOfOneHostThatOverlapCountOnce) {
  Flow &a = message(0, 10, 2), &b = message(1, 10, 2), &c = message(2, 11, 9);
  packet(c, 0);
  packet(a, 0);
  packet(b, 0);
  EXPECT_EQ(agent->messagesOf(10), 2u);
  EXPECT_EQ(said, 2u);
  packet(a, 1);
  EXPECT_EQ(agent->messagesOf(10), 1u);
  EXPECT_EQ(said, 2u);  // until the last one of it ends
  packet(b, 1);
  EXPECT_EQ(agent->messagesOf(10), 0u);
  EXPECT_EQ(said, 1u);
}

TEST_F(DasrReceiverTest, ADeadSenderLeavesAfterTwoSeconds) {
  Flow &a = message(0, 10, 9), &b = message(1, 11, 9);
  packet(a, 0);
  packet(b, 0);
  EXPECT_EQ(said, 2u);
  at(1e6);
  packet(a, 1);
  at(2e6 - 0.001);
  packet(a, 2);
  EXPECT_EQ(said, 2u);
  at(2e6);
  packet(a, 3);
  EXPECT_EQ(said, 1u) << "11 was silent for 2 s";
  at(3.5e6);
  packet(b, 1);  // it was not dead
  EXPECT_EQ(said, 2u);
  EXPECT_EQ(agent->messagesOf(11), 1u);
  Flow& c = message(2, 11, 2);
  packet(c, 0);
  EXPECT_EQ(agent->messagesOf(11), 2u);
}

TEST_F(DasrReceiverTest, MessagesFromBeforeATimeOutDoNotEndThoseAfterIt) {
  Flow &a = message(0, 10, 2), &b = message(1, 10, 3), &c = message(2, 11, 9);
  packet(a, 0);
  at(3e6);
  packet(c, 0);
  EXPECT_EQ(agent->messagesOf(10), 0u);
  packet(b, 0);
  EXPECT_EQ(agent->messagesOf(10), 1u);
  agent->onFlowEnd(a);  // the forgotten one is given up
  EXPECT_EQ(agent->messagesOf(10), 1u);
  EXPECT_EQ(agent->senders(), 2u);
}

TEST_F(DasrReceiverTest, ALostEndCountsUntilItComesAgain) {
  Flow &a = message(0, 10, 3), &b = message(1, 11, 99);
  packet(b, 0);
  packet(a, 0);
  packet(a, 2);  // the last, behind a gap: go-back-N drops it
  EXPECT_EQ(said, 2u);
  EXPECT_EQ(agent->messagesOf(10), 1u);
  at(1000);
  packet(a, 1);
  EXPECT_EQ(said, 2u);
  packet(a, 2);
  EXPECT_EQ(said, 1u);
  packet(a, 2);  // a duplicate: the message is over
  EXPECT_EQ(said, 1u);
  Flow& never = message(2, 12, 3);  // its end never comes
  packet(never, 0);
  EXPECT_EQ(said, 2u);
  at(2e6 + 2000);
  packet(b, 1);
  EXPECT_EQ(said, 1u);
}

TEST_F(DasrReceiverTest, AStoppedMessageHasNoLastPacket) {
  Flow& a = message(0, 10, 0);
  packet(a, 0);
  packet(a, 1);
  EXPECT_EQ(agent->senders(), 1u);
  agent->onFlowEnd(a);
  EXPECT_EQ(agent->senders(), 0u);
}

TEST_F(DasrReceiverTest, TenThousandSenders) {
  std::vector<Flow*> all;
  for (uint32_t i = 0; i < 10000; ++i) {
    all.push_back(&message(i, 1000 + i, 2));
    at(i * 0.2);
    packet(*all.back(), 0);
    ASSERT_EQ(said, i + 1);
  }
  for (uint32_t i = 0; i < 10000; i += 2) packet(*all[i], 1);
  EXPECT_EQ(said, 5000u);
  at(2e6 + 1000.05);  // those whose first packet came in the first 1000 us are silent for 2 s
  packet(*all[9999], 0);
  EXPECT_EQ(said, 2500u) << "the odd ones from 5001 on";
}

TEST_F(DasrReceiverTest, MarksAtLineRateAreItsOwnAndTakenAway) {
  Flow &a = message(0, 10, 0), &b = message(1, 11, 0);
  packet(b, 0);
  EXPECT_EQ(train(a, 0, 9, kLine, false), 0);
  EXPECT_EQ(agent->state(), State::NoCongestion);
  EXPECT_EQ(said, 2u);
  EXPECT_EQ(train(a, 9, 5, kLine, true), 0);
  EXPECT_EQ(agent->state(), State::ReceiverCongestion);
  EXPECT_EQ(said, 2u);
}

TEST_F(DasrReceiverTest, MarksBelowLineRateComeFromElsewhereAndPass) {
  Flow &a = message(0, 10, 0), &b = message(1, 11, 0);
  packet(b, 0);
  EXPECT_EQ(train(a, 0, 9, 2 * kLine, false), 0);
  EXPECT_EQ(train(a, 9, 5, 2 * kLine, true), 5);
  EXPECT_EQ(agent->state(), State::OtherCongestion);
  EXPECT_EQ(said, 1u) << "so that DASR does not come in DCQCN's way";
}

TEST_F(DasrReceiverTest, FromStateToState) {
  Flow &a = message(0, 10, 0), &b = message(1, 11, 0);
  packet(b, 0);
  train(a, 0, 12, kLine, true);
  EXPECT_EQ(agent->state(), State::ReceiverCongestion);
  // The senders' shares are not used up: the rate falls, and marks come.
  train(a, 12, 10, 1.5 * kLine, true);
  EXPECT_EQ(agent->state(), State::OtherCongestion);
  EXPECT_EQ(said, 1u);
  train(a, 22, 10, kLine, false);  // at line rate again, the last mark is not 50 us old
  EXPECT_EQ(agent->state(), State::ReceiverCongestion);
  EXPECT_EQ(said, 2u);
  net.engine.setNow(net.engine.now() + Time::Us(50));
  packet(a, 32);
  EXPECT_EQ(agent->state(), State::NoCongestion);
  EXPECT_EQ(said, 2u);
  EXPECT_TRUE(packet(a, 33, true));  // 50 us for eight packets is below line rate
  EXPECT_EQ(agent->state(), State::OtherCongestion);
  EXPECT_EQ(said, 1u);
  net.engine.setNow(net.engine.now() + Time::Us(50));
  packet(a, 34);
  EXPECT_EQ(agent->state(), State::NoCongestion);
  EXPECT_EQ(said, 2u);
}

TEST_F(DasrReceiverTest, LineRateIsNineTenthsOfIt) {
  Flow& a = message(0, 10, 0);
  train(a, 0, 9, kLine / 0.91, true);
  EXPECT_EQ(agent->state(), State::ReceiverCongestion);
  train(a, 9, 9, kLine / 0.89, true);
  EXPECT_EQ(agent->state(), State::OtherCongestion);
}

TEST_F(DasrReceiverTest, TheFirstPacketsHaveNoRate) {
  Flow& a = message(0, 10, 0);
  EXPECT_EQ(train(a, 0, 8, kLine, true), 8);
  EXPECT_EQ(train(a, 8, 1, kLine, true), 0);
  agent->set("packets", int64_t{16});
  EXPECT_EQ(train(a, 9, 1, kLine, true), 1);
  EXPECT_EQ(train(a, 10, 7, kLine, true), 6);  // the 17th has 16 before it
}

TEST(DasrReceiver, MaySayNInReceiverCongestionOnly) {
  struct Only : DasrReceiverTest {
    Only() : DasrReceiverTest(dasr().set("dasr_receiver.says", std::string("receiver_congestion"))) {}
    void TestBody() override {
      Flow &a = message(0, 10, 0), &b = message(1, 11, 0);
      packet(b, 0);
      train(a, 0, 9, kLine, false);
      EXPECT_EQ(said, 1u);
      train(a, 9, 1, kLine, true);
      EXPECT_EQ(said, 2u);
    }
  } test;
  test.TestBody();
}

TEST(DasrReceiver, MayLeaveMarksWhereTheyAre) {
  struct Leaves : DasrReceiverTest {
    Leaves() : DasrReceiverTest(dasr().set("dasr_receiver.suppress", false)) {}
    void TestBody() override {
      Flow& a = message(0, 10, 0);
      train(a, 0, 9, kLine, false);
      EXPECT_EQ(train(a, 9, 5, kLine, true), 5);
      EXPECT_EQ(agent->state(), State::ReceiverCongestion);
    }
  } test;
  test.TestBody();
}

// ---------------------------------------------------------------- look-ahead

TEST_F(DasrReceiverTest, AGroupEntersAtOnce) {
  const uint32_t ids[] = {10, 11, 12, 13};
  const FlowGroups::Members members{ids, 4};
  Flow& background = message(99, 7, 0);
  packet(background, 0);
  std::vector<Flow*> m;
  for (uint32_t i = 0; i < 4; ++i) m.push_back(&message(i, 10 + i, 2, 5));
  packet(*m[1], 0, false, members);
  EXPECT_EQ(said, 5u) << "all four, and the one in the background";
  packet(*m[0], 0, false, members);
  packet(*m[2], 0, false, members);
  EXPECT_EQ(said, 5u);
  for (const uint32_t id : ids) EXPECT_EQ(agent->messagesOf(id), 1u);
  packet(*m[1], 1);
  EXPECT_EQ(said, 4u);
  packet(*m[3], 0, false, members);
  packet(*m[3], 1);
  packet(*m[0], 1);
  packet(*m[2], 1);
  EXPECT_EQ(said, 1u);
  Flow& again = message(7, 10, 2, 6);  // the next group of the same hosts
  packet(again, 0, false, members);
  EXPECT_EQ(said, 5u);
}

TEST_F(DasrReceiverTest, GroupsThatOverlapCountEachHostOnce) {
  const uint32_t first[] = {10, 11, 12}, second[] = {11, 12, 13};
  Flow &a = message(0, 10, 2, 1), &b = message(1, 11, 2, 2);
  packet(a, 0, false, {first, 3});
  EXPECT_EQ(said, 3u);
  packet(b, 0, false, {second, 3});
  EXPECT_EQ(said, 4u);
  EXPECT_EQ(agent->messagesOf(11), 2u) << "one of each group";
  Flow& c = message(2, 11, 2, 1);
  packet(c, 0, false, {first, 3});
  EXPECT_EQ(agent->messagesOf(11), 2u) << "it was announced";
  packet(b, 1);
  EXPECT_EQ(agent->messagesOf(11), 1u);
  packet(c, 1);
  EXPECT_EQ(agent->messagesOf(11), 0u);
}

TEST_F(DasrReceiverTest, WhoIsAnnouncedAndNeverBeginsTimesOut) {
  const uint32_t ids[] = {10, 11, 12};
  Flow &a = message(0, 10, 0, 1), &b = message(1, 11, 2, 1);
  packet(a, 0, false, {ids, 3});
  EXPECT_EQ(said, 3u);
  at(1.5e6);
  packet(a, 1);
  at(2.1e6);
  packet(a, 2);
  EXPECT_EQ(said, 1u);
  packet(b, 0, false, {ids, 3});  // it has been waited for, and so has 12: a group is announced once
  EXPECT_EQ(said, 2u);
  EXPECT_EQ(agent->messagesOf(11), 1u);
  EXPECT_EQ(agent->messagesOf(12), 0u);
  at(2.1e6 + 1);
  packet(b, 1);
  EXPECT_EQ(agent->messagesOf(11), 0u);
  Flow& c = message(2, 12, 2, 1);  // and the last one of the group
  packet(c, 0, false, {ids, 3});
  EXPECT_EQ(said, 2u);
  packet(c, 1);
  EXPECT_EQ(said, 1u);
}

TEST_F(DasrReceiverTest, WhoSendsOtherMessagesIsNotWaitedForLonger) {
  // The message of 11 that the group announces is stopped before its first byte; 11 sends another one all the time.
  const uint32_t ids[] = {10, 11};
  Flow &a = message(0, 10, 2, 1), &other = message(1, 11, 5);
  packet(other, 0);
  packet(a, 0, false, {ids, 2});
  EXPECT_EQ(agent->messagesOf(11), 2u);
  packet(a, 1);
  for (uint32_t i = 1; i < 4; ++i) {
    at(0.6e6 * i);
    packet(other, i);
    EXPECT_EQ(agent->messagesOf(11), 2u);
  }
  at(2e6);
  packet(other, 4);  // its last one
  EXPECT_EQ(agent->messagesOf(11), 0u);
  EXPECT_EQ(agent->senders(), 0u);
}

TEST_F(DasrReceiverTest, MembersThatEndedAreNotAnnouncedByOneThatComesLate) {
  const uint32_t ids[] = {10, 11, 12};
  Flow &a = message(0, 10, 1, 1), &b = message(1, 11, 1, 1), &c = message(2, 12, 2, 1);
  packet(a, 0, false, {ids, 3});
  packet(b, 0, false, {ids, 3});
  EXPECT_EQ(agent->senders(), 1u) << "12 is waited for";
  at(3e6);
  packet(c, 0, false, {ids, 3});
  EXPECT_EQ(said, 1u);
  packet(c, 1);
  EXPECT_EQ(agent->senders(), 0u);
}

TEST_F(DasrReceiverTest, AMessageWithoutItsFirstPacketCountsOnceNextToItsAnnouncement) {
  const uint32_t ids[] = {10, 11};
  Flow &a = message(0, 10, 3, 1), &b = message(1, 11, 2, 1);
  packet(a, 1);  // its first one is lost
  EXPECT_EQ(said, 1u);
  packet(b, 0, false, {ids, 2});
  EXPECT_EQ(said, 2u);
  packet(a, 2);
  EXPECT_EQ(agent->messagesOf(10), 1u) << "it has begun";
  packet(a, 0, false, {ids, 2});
  EXPECT_EQ(agent->messagesOf(10), 1u);
  packet(b, 1);
  packet(a, 1);
  packet(a, 2);
  EXPECT_EQ(agent->senders(), 0u);
  EXPECT_EQ(said, 1u);
}

TEST_F(DasrReceiverTest, AFirstPacketThatWasLostAnnouncesWhenItComesAgain) {
  const uint32_t ids[] = {10, 11};
  Flow &a = message(0, 10, 3, 1), &b = message(1, 11, 1, 1);
  packet(a, 1);
  packet(a, 0, false, {ids, 2});
  EXPECT_EQ(said, 2u);
  EXPECT_EQ(agent->messagesOf(10), 1u);
  packet(b, 0, false, {ids, 2});
  EXPECT_EQ(said, 1u);
  packet(a, 1);
  packet(a, 2);
  EXPECT_EQ(agent->senders(), 0u);
}

TEST_F(DasrReceiverTest, AStoppedMessageWithoutItsFirstPacketIsNotWaitedFor) {
  const uint32_t ids[] = {10, 11};
  Flow &a = message(0, 10, 3, 1), &b = message(1, 11, 2, 1);
  packet(a, 1);  // its first one is lost
  packet(b, 0, false, {ids, 2});
  agent->onFlowEnd(a);
  EXPECT_EQ(agent->messagesOf(10), 0u);
  packet(b, 1);
  EXPECT_EQ(agent->senders(), 0u);
}

TEST_F(DasrReceiverTest, AnAnnouncementFromBeforeATimeOutTakesNothingFromAfterIt) {
  const uint32_t ids[] = {10, 11};
  Flow &old = message(0, 11, 9), &a = message(1, 10, 0, 1), &next = message(2, 11, 2), &b = message(3, 11, 2, 1);
  packet(old, 0);
  at(1e6);
  packet(a, 0, false, {ids, 2});
  EXPECT_EQ(agent->messagesOf(11), 2u);
  at(2.5e6);
  packet(a, 1);
  EXPECT_EQ(agent->messagesOf(11), 0u) << "silent since 0";
  packet(next, 0);
  EXPECT_EQ(agent->messagesOf(11), 1u);
  packet(b, 0, false, {ids, 2});
  EXPECT_EQ(agent->messagesOf(11), 2u);
  packet(b, 1);
  EXPECT_EQ(agent->messagesOf(11), 1u);
  at(3.1e6);  // the group's time is over
  packet(a, 2);
  EXPECT_EQ(agent->messagesOf(11), 1u);
  EXPECT_EQ(said, 2u);
}

TEST_F(DasrReceiverTest, AFirstPacketThatComesAgainAnnouncesNothing) {
  const uint32_t ids[] = {10, 11};
  Flow &a = message(0, 10, 3, 1), &b = message(1, 11, 2, 1);
  packet(b, 0, false, {ids, 2});
  packet(b, 1);
  packet(a, 1);  // its first one is lost
  EXPECT_EQ(said, 1u);
  packet(a, 0, false, {ids, 2});
  EXPECT_EQ(said, 1u);
  EXPECT_EQ(agent->messagesOf(11), 0u);
}

TEST_F(DasrReceiverTest, TheHeaderOfAnotherOnesPacketNamesNobody) {
  const uint32_t ids[] = {10, 11, 12};
  Flow& a = message(0, 10, 2, 1);
  fromDasr = false;
  packet(a, 0, false, {ids, 3});
  EXPECT_EQ(agent->messagesOf(11), 0u);
  packet(a, 1);
  EXPECT_EQ(agent->senders(), 0u);
}

TEST_F(DasrReceiverTest, WhatIsAnnouncedIsTakenBackWithItsGroup) {
  const uint32_t ids[] = {10, 11};
  Flow &a = message(0, 10, 1, 1), &b = message(1, 12, 1, 1);
  packet(a, 0, false, {ids, 2});
  EXPECT_EQ(agent->messagesOf(11), 1u);
  packet(b, 0, false, {ids, 2});  // 12 in place of 11
  EXPECT_EQ(agent->messagesOf(11), 0u);
  EXPECT_EQ(agent->senders(), 0u);
}

/// Groups in which some messages begin without their first packet. Every host leaves with its last message, and nothing
/// is allocated in steady state.
TEST_F(DasrReceiverTest, NobodyIsLeftWhenAGroupHasEnded) {
  RandomStream random(1, "groups", 0);
  Flow& background = message(1000000, 99, 0);
  packet(background, 0);
  uint64_t allocated = 0;
  for (uint32_t g = 1; g <= 2000; ++g) {
    if (g == 1000) allocated = test::allocations;
    at(3e3 * g);
    uint32_t ids[8];
    for (uint32_t& host : ids) host = 10 + random.below(20);
    Flow* flows[8];
    for (uint32_t i = 0; i < 8; ++i) flows[i] = &message(8 * g + i, ids[i], 2, g);
    for (Flow* f : flows) {
      if (random.below(4) == 0) packet(*f, 1);
      packet(*f, 0, false, {ids, 8});
    }
    EXPECT_LE(said, 9u);
    for (Flow* f : flows) {
      packet(*f, 1);
      agent->onFlowEnd(*f);
      net.network.flows().put(f);
    }
    packet(background, g);
    ASSERT_EQ(said, 1u) << "group " << g;
  }
  EXPECT_EQ(test::allocations - allocated, 0u);
}

/// The same with messages that never begin, some of them of hosts that send all the time.
TEST_F(DasrReceiverTest, NobodyIsLeftOfMessagesThatNeverBegin) {
  RandomStream random(2, "groups", 0);
  std::vector<std::array<uint32_t, 8>> ids(500);
  std::vector<Flow*> background;
  for (uint32_t host = 10; host < 20; ++host) background.push_back(&message(1000000 + host, host, 0));
  for (uint32_t g = 1; g <= 500; ++g) {
    at(3e4 * g);
    for (uint32_t& host : ids[g - 1]) host = 10 + random.below(20);
    for (Flow* f : background) packet(*f, g - 1);
    for (uint32_t i = 0; i < 8; ++i) {
      if (random.below(3) == 0) continue;
      Flow& f = message(8 * g + i, ids[g - 1][i], 1, g);
      packet(f, 0, false, {ids[g - 1].data(), 8});
      agent->onFlowEnd(f);
    }
  }
  at(3e4 * 500 + 1.9e6);
  for (Flow* f : background) packet(*f, 500);
  at(3e4 * 500 + 2e6);
  for (Flow* f : background) packet(*f, 501);
  EXPECT_EQ(said, 10u);
  for (Flow* f : background) {
    EXPECT_EQ(agent->messagesOf(f->spec.src), 1u);
    agent->onFlowEnd(*f);
  }
  EXPECT_EQ(agent->senders(), 0u);
}

TEST(FlowGroups, SendersOfAGroupToAReceiverOneForEachFlow) {
  auto feed = std::make_unique<test::ListFeed>();
  FlowSpec f;
  f.dst = 9;
  for (const auto& [src, group, dst] : std::vector<std::tuple<uint32_t, uint32_t, uint32_t>>{
           {3, 1, 9}, {2, 1, 9}, {3, 1, 9}, {4, 1, 8}, {5, 0, 9}, {6, 2, 9}}) {
    f.src = src;
    f.group = group;
    f.dst = dst;
    feed->add(f);
  }
  const FlowGroups groups(std::move(feed));
  const auto ids = [&](uint32_t group, uint32_t dst) {
    const auto m = groups.of(group, dst);
    return std::vector<uint32_t>(m.ids, m.ids + m.count);
  };
  EXPECT_EQ(ids(1, 9), (std::vector<uint32_t>{2, 3, 3}));
  EXPECT_EQ(ids(1, 8), std::vector<uint32_t>{4});
  EXPECT_EQ(ids(2, 9), std::vector<uint32_t>{6});
  EXPECT_EQ(groups.of(0, 9).count, 0u);
  EXPECT_EQ(groups.of(3, 9).count, 0u);
  EXPECT_EQ(FlowGroups(nullptr).of(1, 9).count, 0u);
}

// ---------------------------------------------------------------- the sender

/// One switch, 100 Gb/s; ACKs with any n are made by hand.
struct DasrSenderTest : testing::Test {
  explicit DasrSenderTest(Config c = dasr()) : net(std::move(c), 2, 1) {}
  void ack(Flow& f, uint32_t n) {
    Packet* p = net.network.packets().fresh();
    (*net.network.packets().find<DasrHeader>(DasrHeader::kName))(*p).senders = n;
    p->kind = PacketKind::Ack;
    p->flow = &f;
    p->flowId = f.spec.id;
    p->seq = f.sndUna;
    net.sender(0).receive(net.sender(0).nic(), p);
  }
  Chain net;
};

TEST_F(DasrSenderTest, LineRateOverN) {
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run({});
  Flow& f = net.active(net.sender(0), 0);
  EXPECT_EQ(f.rate, Rate::Gbps(100));
  ack(f, 4);
  EXPECT_EQ(f.rate, Rate::Gbps(25));
  ack(f, 10000);
  EXPECT_EQ(f.rate, Rate::Mbps(10));
  ack(f, 1);
  EXPECT_EQ(f.rate, Rate::Gbps(100));
}

TEST(DasrSender, MayShareLessThanTheLineRate) {
  struct Less : DasrSenderTest {
    Less() : DasrSenderTest(dasr().set("dasr.share", 0.9)) {}
    void TestBody() override {
      net.flow(0, net.sender(0), net.receiver(), 0);
      net.run({});
      Flow& f = net.active(net.sender(0), 0);
      ack(f, 4);
      EXPECT_EQ(f.rate, Rate::Mbps(22500));
      ack(f, 1);
      EXPECT_EQ(f.rate, Rate::Gbps(100)) << "who is alone shares with nobody";
    }
  } test;
  test.TestBody();
}

TEST_F(DasrSenderTest, TheSmallerOfDcqcnsRateAndTheShareHolds) {
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run({});
  Flow& f = net.active(net.sender(0), 0);
  auto& cc = static_cast<Dasr&>(net.sender(0).congestionControl());
  ack(f, 4);
  cc.onCnp(f, Packet());
  EXPECT_DOUBLE_EQ(cc.state(f).current, 50e9);
  EXPECT_EQ(f.rate, Rate::Gbps(25));
  ack(f, 1);
  EXPECT_EQ(f.rate, Rate::Gbps(50));
}

TEST_F(DasrSenderTest, MessagesForOneReceiverShareWhatItGives) {
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.flow(1, net.sender(0), net.receiver(), 0);
  net.flow(2, net.sender(0), net.sender(1), 0);  // another receiver
  net.run({});
  Flow &f = net.active(net.sender(0), 0), &g = net.active(net.sender(0), 1), &h = net.active(net.sender(0), 2);
  auto& cc = static_cast<Dasr&>(net.sender(0).congestionControl());
  EXPECT_EQ(cc.sendingTo(f), 2u);
  EXPECT_EQ(h.rate, Rate::Gbps(100));
  ack(f, 5);
  ack(g, 5);
  EXPECT_EQ(f.rate, Rate::Gbps(10));
  EXPECT_EQ(g.rate, Rate::Gbps(10));
  EXPECT_EQ(h.rate, Rate::Gbps(100));
}

TEST_F(DasrSenderTest, AMessageThatOnlyWaitsForAcksTakesNoShare) {
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.flow(1, net.sender(0), net.receiver(), 3000, Time::Us(1));
  net.run(Time::Us(1));
  auto& cc = static_cast<Dasr&>(net.sender(0).congestionControl());
  Flow& f = net.active(net.sender(0), 0);
  EXPECT_EQ(cc.sendingTo(f), 2u);
  net.run(Time::Us(3));  // all is sent, no ACK is back
  EXPECT_EQ(net.active(net.sender(0), 1).sndUna, 0u);
  EXPECT_EQ(cc.sendingTo(f), 1u);
  cc.onLoss(net.active(net.sender(0), 1));
  EXPECT_EQ(cc.sendingTo(f), 2u);
}

TEST_F(DasrSenderTest, TheListOfAGroupCostsTwoBytesForEachSender) {
  for (uint32_t i = 0; i < 2; ++i) {
    FlowSpec s;
    s.id = i;
    s.src = net.sender(static_cast<int>(i)).id();
    s.dst = net.receiver().id();
    s.size = 2 * 1456;
    s.group = 7;
    net.flow(s);
  }
  net.flow(2, net.sender(0), net.receiver(), 2 * 1456, Time::Us(50));  // of no group
  net.run(Time::Us(49));
  EXPECT_EQ(net.sender(0).nic().sentWireBytes(), 2u * 1518 + 2 * 2);
  net.finish(Time::Us(100));
  EXPECT_EQ(net.sender(0).nic().sentWireBytes(), 4u * 1518 + 2 * 2);
}

TEST(DasrSender, WhatOpensAConnectionCarriesNoList) {
  Chain net(dasr().set("go_back_n.handshake", true), 1, 1);
  FlowSpec s;
  s.src = net.sender(0).id();
  s.dst = net.receiver().id();
  s.size = 1456;
  s.group = 7;
  net.flow(s);
  net.finish(Time::Us(100));
  EXPECT_EQ(net.sender(0).nic().sentWireBytes(), 64u + 1518 + 2);
}

TEST_F(DasrSenderTest, AGroupWithMoreThanALookAheadNamesIsRefused) {
  for (uint32_t id = 0; id <= DasrHeader::kMostMembers; ++id) {
    FlowSpec s;
    s.id = id;
    s.src = net.sender(0).id();
    s.dst = net.receiver().id();
    s.size = 1000;
    s.group = 7;
    net.flow(s);
  }
  EXPECT_NE(refusalOf(net).find("a group has more than"), std::string::npos);
}

// ---------------------------------------------------------------- on a network

TEST(Dasr, NeedsItsReceiverAndItsPlace) {
  Config alone = dasr();
  alone.receivers = {"cnp_generator"};
  EXPECT_THROW(Chain(alone, 1, 1).start(), ParamError);
  Config silent = dasr();  // nobody would tell DCQCN below it
  silent.receivers = {"dasr_receiver"};
  EXPECT_THROW(Chain(silent, 1, 1).start(), ParamError);
  silent.set("dasr.notice", std::string("ack"));
  EXPECT_NO_THROW(Chain(silent, 1, 1).start());
  Config late = dasr();
  late.receivers = {"cnp_generator", "dasr_receiver"};
  EXPECT_THROW(Chain(late, 1, 1).start(), ParamError);
  Config bytes = dasr();
  bytes.transport = "tcp";
  EXPECT_THROW(Chain(bytes, 1, 1).start(), ParamError);
  Net mixed(dasr());  // go_back_n is in the network, but not where dasr is
  mixed.host();
  mixed.setup.transport = "tcp";
  mixed.host();
  Switch& s = mixed.sw();
  for (Host* h : mixed.hosts) mixed.link(*h, s);
  try {
    mixed.start();
    FAIL();
  } catch (const ParamError& e) {
    EXPECT_NE(std::string(e.what()).find("the transport is tcp"), std::string::npos) << e.what();
  }
}

TEST(Dasr, OneRoundTripToTheFairShareAndBack) {
  Chain net(dasr(), 2, 1);
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.flow(1, net.sender(1), net.receiver(), 1456 * 400, Time::Us(100));
  net.run(Time::Us(100));
  Flow& f = net.active(net.sender(0), 0);
  EXPECT_EQ(f.rate, Rate::Gbps(100));
  // The second sender's first packet takes 3.24 us, and the next ACK to the first one about 3 us.
  net.run(Time::Us(103));
  EXPECT_EQ(f.rate, Rate::Gbps(100));
  net.run(Time::Us(107));
  EXPECT_EQ(f.rate, Rate::Gbps(50));
  EXPECT_EQ(net.active(net.sender(1), 1).rate, Rate::Gbps(50));
  while (net.flowRows.rows.empty()) net.run(net.engine.now() + Time::Us(1));
  net.run(net.engine.now() + Time::Us(4));
  EXPECT_EQ(f.rate, Rate::Gbps(100));
  EXPECT_EQ(net.network.total().cnpsSent, 0u) << "the receiver's own congestion needs no DCQCN";
  EXPECT_NEAR(static_cast<double>(net.end(1) - Time::Us(100).ps), 1518. * 400 * 8 / 50 * 1e3, 5e6);
}

TEST(Dasr, CongestionElsewhereIsDcqcns) {
  // Two pairs over one link: neither receiver gets line rate, so marks pass.
  Net net(dasr());
  for (int i = 0; i < 4; ++i) net.host();
  Switch &a = net.sw(), &b = net.sw();
  for (int i = 0; i < 2; ++i) net.link(*net.hosts[static_cast<size_t>(i)], a);
  for (int i = 2; i < 4; ++i) net.link(*net.hosts[static_cast<size_t>(i)], b);
  net.link(a, b);
  for (uint32_t i = 0; i < 2; ++i) net.flow(i, *net.hosts[i], *net.hosts[i + 2], 0);
  net.finish(Time::Ms(5));
  EXPECT_GT(net.network.total().cnpsSent, 0u);
}

TEST(Dasr, NIsOneInOtherCongestionHoweverManyHostsSend) {
  // Two senders to one receiver and one to another, all over one link.
  Net net(dasr());
  for (int i = 0; i < 5; ++i) net.host();
  Switch &a = net.sw(), &b = net.sw();
  for (size_t i = 0; i < 3; ++i) net.link(*net.hosts[i], a);
  for (size_t i = 3; i < 5; ++i) net.link(*net.hosts[i], b);
  net.link(a, b);
  net.flow(0, *net.hosts[0], *net.hosts[3], 0);
  net.flow(1, *net.hosts[1], *net.hosts[3], 0);
  net.flow(2, *net.hosts[2], *net.hosts[4], 0);
  const DasrReceiver& receiver = receiverOf(*net.hosts[3]);
  int other = 0, rest = 0;
  for (int us = 100; us <= 3000; ++us) {
    net.run(Time::Us(us));
    ASSERT_EQ(receiver.senders(), 2u);
    const bool isOther = receiver.state() == State::OtherCongestion;
    EXPECT_EQ(receiver.n(), isOther ? 1u : 2u) << us << " us";
    ++(isOther ? other : rest);
  }
  EXPECT_GT(other, 100);
  EXPECT_GT(rest, 100);
  EXPECT_GT(net.network.total().cnpsSent, 0u);
}

TEST(Dasr, ANicMarksWhatWaitsInIt) {
  // One sender, two receivers: the congestion is at its NIC.
  Config c = dasr();
  c.nicQueues = {"fifo", "red"};
  c.set("round_robin.backlog", int64_t{30000});
  Net net(c);
  for (int i = 0; i < 3; ++i) net.host();
  Switch& s = net.sw();
  for (int i = 0; i < 3; ++i) net.link(*net.hosts[static_cast<size_t>(i)], s);
  for (uint32_t i = 0; i < 2; ++i) net.flow(i, *net.hosts[0], *net.hosts[i + 1], 0);
  net.finish(Time::Ms(1));
  EXPECT_GT(net.network.total().cnpsSent, 0u);
  double rates = 0;
  for (uint32_t i = 0; i < 2; ++i) rates += static_cast<double>(net.active(*net.hosts[0], i).rate.bps) / 1e9;
  EXPECT_LT(rates, 150);
}

TEST(Dasr, AHostMayHaveSeveralMessagesInAGroup) {
  // The second message of a host begins when every host of the group has begun one, and two have ended theirs.
  Chain net(dasr(), 3, 1);
  for (uint32_t i = 0; i < 4; ++i) {
    FlowSpec s;
    s.id = i;
    s.src = net.sender(static_cast<int>(i % 3)).id();
    s.dst = net.receiver().id();
    s.size = 2 * 1456;
    s.group = 7;
    s.start = Time::Us(i / 3 * 50);
    net.flow(s);
  }
  net.run(Time::Us(20));
  EXPECT_EQ(receiverOf(net.receiver()).senders(), 1u) << "it is announced";
  net.finish(Time::Ms(1));
  EXPECT_EQ(net.network.total().flowsFinished, 4u);
  EXPECT_EQ(receiverOf(net.receiver()).senders(), 0u);
}

// ---------------------------------------------------------------- n ahead of messages

/// A group of two messages of host 0 and one of each other host, of which one of host 0 begins at 0 and the others at
/// 50 us. One switch, 100 Gb/s: its first packet is at the receiver after 3.2 us, and what that says is back after 6.3.
struct DasrAhead : testing::Test {
  explicit DasrAhead(Config c = dasr()) : net(std::move(c), 4, 1) {
    for (uint32_t i = 0; i < 5; ++i) add(i, static_cast<int>(i % 4), Time::Us(i == 0 ? 0 : 50), 7);
  }
  void add(uint32_t id, int sender, Time start, uint32_t group = 0) {
    FlowSpec s;
    s.id = id;
    s.src = net.sender(sender).id();
    s.dst = net.receiver().id();
    s.size = 10 * 1456;
    s.group = group;
    s.start = start;
    net.flow(s);
  }
  Rate rate(uint32_t flow) { return net.active(net.sender(static_cast<int>(flow % 4)), flow).rate; }
  uint64_t told() { return receiverOf(net.receiver()).told(); }
  Chain net;
};
struct DasrNotAhead : DasrAhead {
  DasrNotAhead() : DasrAhead(dasr().set("dasr_receiver.tell_ahead", false)) {}
};
struct DasrAheadForTenMicroseconds : DasrAhead {
  DasrAheadForTenMicroseconds() : DasrAhead(dasr().set("dasr.patience", Time::Us(10).ps)) {}
};

TEST_F(DasrAhead, AllHostsOfAGroupKnowNBeforeTheySend) {
  net.run(Time::Us(40));
  EXPECT_EQ(told(), 4u) << "each host once";
  // Ten ACKs with n, and four packets of the same size.
  EXPECT_EQ(net.receiver().nic().sentWireBytes(), 14u * (66 + 2));
  net.run(Time::Us(50));
  for (uint32_t i = 1; i < 4; ++i) EXPECT_EQ(rate(i), Rate::Gbps(25)) << i;
  net.finish(Time::Ms(1));
  EXPECT_EQ(told(), 4u) << "a group is announced once";
  EXPECT_EQ(receiverOf(net.receiver()).senders(), 0u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

TEST_F(DasrNotAhead, NLeavesOnAcksAlone) {
  net.run(Time::Us(50));
  for (uint32_t i = 1; i < 4; ++i) EXPECT_EQ(rate(i), Rate::Gbps(100)) << i;
  EXPECT_EQ(told(), 0u);
}

TEST_F(DasrAhead, WhoHearsNothingStartsAtLineRateAndHearsByAcks) {
  net.network.addLinkEvent(Time::Us(4), net.sender(1).nic(), false);  // what is on its way to it is lost
  net.network.addLinkEvent(Time::Us(20), net.sender(1).nic(), true);
  net.run(Time::Us(50));
  EXPECT_EQ(rate(1), Rate::Gbps(100));
  EXPECT_EQ(rate(2), Rate::Gbps(25));
  net.run(Time::Us(57));
  EXPECT_EQ(rate(1), Rate::Gbps(25));
  net.finish(Time::Ms(1));
  EXPECT_EQ(net.network.total().flowsFinished, 5u);
}

TEST_F(DasrAheadForTenMicroseconds, NIsForgottenWhereTheMessageDoesNotCome) {
  net.run(Time::Us(50));
  EXPECT_EQ(rate(1), Rate::Gbps(100));
}

TEST_F(DasrAhead, NEndsWithTheMessageItWasFor) {
  add(5, 1, Time::Us(500));
  net.run(Time::Us(500));
  EXPECT_EQ(rate(5), Rate::Gbps(100));
}

TEST_F(DasrAhead, AnotherMessageInTheMeantimeKeepsN) {
  add(6, 2, Time::Us(10));  // of no group: it ends before that of the group begins
  net.run(Time::Us(10));
  EXPECT_EQ(rate(6), Rate::Gbps(25)) << "the receiver counts the host already";
  net.run(Time::Us(49));
  ASSERT_EQ(net.flowRows.rows.size(), 2u);
  net.run(Time::Us(50));
  EXPECT_EQ(rate(2), Rate::Gbps(25));
}

TEST_F(DasrAhead, WhoHasBegunAlreadyIsSlowedAtOnce) {
  add(6, 2, Time::Us(2), 8);  // of another group: it is under way when host 2 hears of the first one
  net.run(Time::Ns(6200));
  EXPECT_EQ(rate(6), Rate::Gbps(100));
  net.run(Time::Ns(6500));
  EXPECT_EQ(rate(6), Rate::Gbps(25));
}

TEST(Dasr, NothingIsLeftWhenAllMessagesHaveEnded) {
  Chain net(dasr(), 8, 1);
  for (uint32_t i = 0; i < 200; ++i) {
    FlowSpec s;
    s.id = i;
    s.src = net.sender(static_cast<int>(i % 8)).id();
    s.dst = net.receiver().id();
    s.size = 1 + 997 * (i % 40);
    s.group = i / 8;
    s.start = Time::Us(i / 8 * 3);
    s.srcPort = static_cast<uint16_t>(1000 + i);
    net.flow(s);
  }
  net.finish(Time::Ms(50));
  EXPECT_EQ(net.network.total().flowsFinished, 200u);
  EXPECT_EQ(receiverOf(net.receiver()).senders(), 0u);
  EXPECT_EQ(net.engine.pending(), 0u);
  EXPECT_EQ(net.network.packets().live(), 0u);
}

}  // namespace fabric
