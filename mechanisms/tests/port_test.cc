// The transmitter: priorities, when it looks again, and how many events that takes.
#include "mechanisms/core/port.h"

#include <gtest/gtest.h>

#include "mechanisms/tests/net.h"

namespace fabric {

using test::Chain;
using test::Config;
using test::Net;

/// Two hosts at a switch; frames are put into the switch's port towards the second by hand.
struct PortTest : testing::Test {
  PortTest() : net(Config(), 1, 1) {
    net.engine.recordSends = true;
    net.start();
  }
  Packet* packet(uint8_t cls, uint32_t bytes) {
    Packet* p = net.network.packets().fresh();
    p->kind = PacketKind::Control;
    p->cls = cls;
    p->wireBytes = bytes;
    p->ingress = kOwnPacket;
    p->flow = &dummy;
    return p;
  }
  void put(uint8_t cls, uint32_t bytes) {
    net.lastHop().enqueue(packet(cls, bytes));
    net.lastHop().kick();
  }
  std::vector<uint32_t> sizes() const {
    std::vector<uint32_t> list;
    for (const auto& s : net.engine.sends) list.push_back(s.bytes);
    return list;
  }
  Flow dummy;
  Chain net;
};

TEST_F(PortTest, StrictPriorityWithoutPreemption) {
  put(1, 1000);  // on the wire at once
  put(1, 1001);
  put(0, 100);
  put(1, 1002);
  put(0, 101);
  net.run(Time::Us(10));
  EXPECT_EQ(sizes(), (std::vector<uint32_t>{1000, 100, 101, 1001, 1002}));
  // Back to back: 80 ps per byte at 100 Gb/s.
  EXPECT_EQ(net.engine.sends[1].at.ps, 80000);
  EXPECT_EQ(net.engine.sends[4].at.ps, 80 * (1000 + 100 + 101 + 1001));
}

TEST_F(PortTest, PauseFramesGoAheadOfEverythingAndAreNeverPaused) {
  put(1, 1000);
  put(0, 100);
  net.lastHop().onPause(0, true);
  net.lastHop().onPause(1, true);
  net.lastHop().sendPause(1, true);
  net.run(Time::Us(10));
  EXPECT_EQ(sizes(), (std::vector<uint32_t>{1000, 64}));
  net.lastHop().onPause(0, false);
  net.run(Time::Us(20));
  EXPECT_EQ(sizes(), (std::vector<uint32_t>{1000, 64, 100}));
}

TEST_F(PortTest, PausedClassWaitsTheOtherDoesNotAndPausedTimeCounts) {
  Port& port = net.lastHop();
  port.onPause(1, true);
  put(1, 1000);
  put(0, 100);
  net.run(Time::Us(3));
  EXPECT_EQ(sizes(), (std::vector<uint32_t>{100}));
  EXPECT_EQ(port.pausedTime(), Time::Us(3));
  port.onPause(1, true);  // a second XOFF changes nothing
  net.run(Time::Us(5));
  port.onPause(1, false);
  EXPECT_EQ(net.engine.sends.back().at, Time::Us(5));
  net.run(Time::Us(9));
  EXPECT_EQ(port.pausedTime(), Time::Us(5));
  EXPECT_EQ(sizes(), (std::vector<uint32_t>{100, 1000}));
}

TEST_F(PortTest, AFrameBeingSentIsFinished) {
  put(1, 1000);
  put(1, 1001);
  net.run(Time::Ns(10));
  net.lastHop().onPause(1, true);
  net.run(Time::Us(10));
  EXPECT_EQ(sizes(), (std::vector<uint32_t>{1000}));
  EXPECT_EQ(net.lastHop().queueBytes(1), 1001);
}

TEST_F(PortTest, BacklogsAndTheirMaximum) {
  Port& port = net.lastHop();
  put(1, 1000);
  put(1, 500);
  put(1, 600);
  put(0, 70);
  EXPECT_EQ(port.queueBytes(1), 1100);
  EXPECT_EQ(port.queuePackets(1), 2u);
  EXPECT_EQ(port.queueBytes(0), 70);
  EXPECT_EQ(port.dataQueueBytes(), 1100);  // without the control class
  net.run(Time::Us(1));
  EXPECT_EQ(port.queueBytes(1), 0);
  EXPECT_EQ(port.takeMaxBytes(1), 1100);
  EXPECT_EQ(port.takeMaxBytes(1), 0);
  EXPECT_EQ(port.sentWireBytes(), 2170u);
}

TEST_F(PortTest, NothingIsArmedWhereNothingWaits) {
  const size_t before = net.engine.pending();
  put(1, 1000);
  EXPECT_EQ(net.engine.pending(), before + 1);  // the arrival at the other end
  put(1, 1000);
  EXPECT_EQ(net.engine.pending(), before + 2);  // and the end of the first frame
  put(1, 1000);
  EXPECT_EQ(net.engine.pending(), before + 2);
}

TEST(Port, OneEventPerPacketAndHopWhereNothingWaits) {
  // A flow at half the line's rate over five links: one event per hop, and one at the host to pace it.
  Config s;
  s.set("host.retransmit_timeout", int64_t{0});
  Chain net(s, 1, 4);
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run(Time::Us(1));
  net.active(net.sender(0), 0).rate = Rate::Gbps(50);
  net.run(Time::Us(100));
  const uint64_t events = net.engine.progress().events, hops = net.network.total().packetHops;
  const uint64_t packets = net.network.total().dataPacketsSent;
  net.run(Time::Us(2100));
  const uint64_t sent = net.network.total().dataPacketsSent - packets;
  EXPECT_NEAR(static_cast<double>(sent), 2e-3 * 50e9 / 8 / 1518, 2);
  EXPECT_NEAR(static_cast<double>(net.engine.progress().events - events),
              static_cast<double>(net.network.total().packetHops - hops + sent), 20);
}

TEST(Port, NeverMoreThanTwoEventsPerPacketAndHop) {
  Chain net(Config(), 4, 2);
  for (int i = 0; i < 4; ++i) net.flow(i, net.sender(i), net.receiver(), 1000000);
  net.run(Time::Ms(5));
  EXPECT_LE(net.engine.progress().events, 2 * net.network.total().packetHops);
}

TEST(Port, APacedFlowIsNotForgottenWhileTheWireIsBusyWithSomethingElse) {
  // The flow may send again at a time it learns of while a control frame is on the wire.
  Chain net(Config().set("host.retransmit_timeout", int64_t{0}), 1, 1);
  net.engine.recordSends = true;
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run(Time::Ns(1));
  Flow& f = net.active(net.sender(0), 0);
  f.window = 1;  // closed: one packet is in flight
  net.sender(0).rateChanged(f);
  net.run(Time::Ns(200));
  ASSERT_EQ(net.engine.sends.size(), 1u);
  Packet* control = net.network.packets().fresh();
  control->kind = PacketKind::Ack;
  control->flow = &f;
  control->flowId = 77;  // of a flow that has ended
  control->dst = net.receiver().id();
  control->wireBytes = 1500;
  net.sender(0).sendControl(control);  // on the wire for 120 ns
  net.run(Time::Ns(210));
  f.window = -1;
  f.rate = Rate::Gbps(25);  // next packet 485.76 ns after the first
  net.sender(0).rateChanged(f);
  net.run(Time::Us(1));
  ASSERT_GE(net.engine.sends.size(), 3u);
  std::vector<int64_t> data;
  for (const auto& s : net.engine.sends) {
    if (s.from == &net.sender(0).nic() && s.kind == PacketKind::Data) data.push_back(s.at.ps);
  }
  EXPECT_EQ(data, (std::vector<int64_t>{0, 485760, 971520}));
}

TEST(Port, APacedFlowThatBecomesFasterWhileTheWireIsBusyIsNotLate) {
  Chain net(Config().set("host.retransmit_timeout", int64_t{0}), 1, 1);
  net.engine.recordSends = true;
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run(Time::Ns(1));
  Flow& f = net.active(net.sender(0), 0);
  f.rate = Rate::Gbps(1);  // next packet after 12.144 us
  net.sender(0).rateChanged(f);
  net.run(Time::Ns(50));  // the first is still on the wire
  f.rate = Rate::Gbps(50);
  net.sender(0).rateChanged(f);
  net.run(Time::Ns(300));
  EXPECT_EQ(net.network.total().dataPacketsSent, 2u);
}

TEST(Port, ShortPauseFramesTakeTheirTimeOnTheWire) {
  Chain net(Config(), 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 0);
  net.run(Time::Us(10));
  // 64 B at 100 Gb/s are 5.12 ns, the link is 1.5 us long.
  Port& ingress = net.switches[0]->port(0);
  net.engine.recordSends = true;
  // ACKs share the wire; the pause frame leaves when the ACK being sent, if any, is out.
  ingress.sendPause(1, true);
  Time sent;
  for (int i = 0; i < 100 && sent == Time{}; ++i) {
    for (const auto& s : net.engine.sends) {
      if (s.kind == PacketKind::Pause) sent = s.at;
    }
    if (sent == Time{}) net.run(net.engine.now() + Time::Ns(1));
  }
  ASSERT_NE(sent, Time{});
  EXPECT_LE(sent, Time::Us(10) + Time::Ns(6));
  net.run(sent + Time::Ps(5120 + 1500000 - 1));
  EXPECT_FALSE(net.sender(0).nic().paused(1));
  net.run(sent + Time::Ps(5120 + 1500000));
  EXPECT_TRUE(net.sender(0).nic().paused(1));
  EXPECT_FALSE(net.sender(0).nic().paused(0));
}

}  // namespace fabric
