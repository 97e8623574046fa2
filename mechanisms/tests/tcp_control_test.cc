// TCP's congestion controls against hand computation: windows after chosen ACKs, losses and times.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/tcp/cubic.h"
#include "mechanisms/tcp/dctcp.h"
#include "mechanisms/tests/controls.h"
#include "mechanisms/tests/net.h"

namespace fabric {

using test::Config;
using test::Net;

namespace {

constexpr int64_t kSegment = 1448;

const test::Control kNewReno(test::lossyTcp("newreno"));
const test::Control kCubic(test::lossyTcp("cubic"));
const test::Control kDctcp(
    test::lossyTcp("dctcp", "tcp", "red").set("red.kmin", int64_t{15000}).set("red.kmax", int64_t{15000}));

/// A flow whose congestion control is told by hand what ACKs say; nothing is sent.
struct ByHand : Net {
  explicit ByHand(const std::string& cc, const std::string& transport = "tcp", Config c = {})
      : Net(configure(std::move(c), cc, transport)) {
    host();
    host();
    sw();
    link(*hosts[0], *switches[0]);
    link(*hosts[1], *switches[0]);
    FlowSpec f;
    f.src = hosts[0]->id();
    f.dst = hosts[1]->id();
    f.cls = 0;
    f.srcPort = 1000;
    f.dstPort = 80;
    flow(f);
    run(Time{});
  }
  static Config configure(Config c, const std::string& cc, const std::string& transport) {
    c.transport = transport;
    c.cc = cc;
    c.queues = {"fifo"};
    return c.set("host.classes", int64_t{1}).set("host.header_bytes", int64_t{70});
  }
  Flow& flow0() { return active(*hosts[0], 0); }
  using Net::flow;
  CongestionControl& control() { return hosts[0]->congestionControl(); }
  /// An ACK of `segments`, with the window in full use.
  void ack(Flow& f, double segments, bool echo = false, Time srtt = Time::Us(100)) {
    Acked a;
    a.bytes = static_cast<uint64_t>(segments * kSegment);
    a.peak = static_cast<uint64_t>(f.window);
    a.srtt = a.rtt = srtt;
    a.echo = echo;
    control().onAcked(f, a);
  }
};

}  // namespace

TEST(NewReno, NeedsAByteStream) { EXPECT_THROW(ByHand("newreno", "go_back_n"), ParamError); }

TEST(NewReno, InitialWindowIsTenSegments) {
  ByHand net("newreno");
  EXPECT_EQ(net.flow0().window, 10 * kSegment);
}

/// A window of ACKs doubles the window, ACK by ACK or two segments at a time; an ACK of more counts two.
TEST(NewReno, SlowStartDoubles) {
  ByHand net("newreno");
  Flow& f = net.flow0();
  for (int i = 0; i < 10; ++i) net.ack(f, 1);
  EXPECT_EQ(f.window, 20 * kSegment);
  for (int i = 0; i < 10; ++i) net.ack(f, 2);
  EXPECT_EQ(f.window, 40 * kSegment);
  net.ack(f, 5);
  EXPECT_EQ(f.window, 42 * kSegment);
}

TEST(NewReno, CongestionAvoidanceAddsASegmentPerWindow) {
  ByHand net("newreno", "tcp", Config().set("newreno.initial_window", int64_t{20}));
  Flow& f = net.flow0();
  net.control().onRecovery(f, 20 * kSegment);
  EXPECT_EQ(f.window, 10 * kSegment);
  for (int i = 0; i < 9; ++i) net.ack(f, 1);
  EXPECT_EQ(f.window, 10 * kSegment);
  net.ack(f, 1);
  EXPECT_EQ(f.window, 11 * kSegment);
  for (int i = 0; i < 11; ++i) net.ack(f, 1);
  EXPECT_EQ(f.window, 12 * kSegment);
}

TEST(NewReno, LossesAndTimeouts) {
  ByHand recovery("newreno");
  recovery.control().onRecovery(recovery.flow0(), 7 * kSegment);
  EXPECT_EQ(recovery.flow0().window, 7 * kSegment / 2);
  ByHand net("newreno");
  Flow& f = net.flow0();
  net.control().onTimeout(f, 8 * kSegment, false);
  EXPECT_EQ(f.window, kSegment);
  net.control().onTimeout(f, 2 * kSegment, true);  // once more for the same data: ssthresh stays 4
  for (int i = 0; i < 3; ++i) net.ack(f, 1);
  EXPECT_EQ(f.window, 4 * kSegment);
  net.ack(f, 1);  // congestion avoidance
  EXPECT_EQ(f.window, 4 * kSegment);
  net.control().onRecovery(f, kSegment);
  EXPECT_EQ(f.window, 2 * kSegment);  // never below two
}

/// What is SACKed behind a hole is outstanding and not in the network: 100 segments with a window of 10
/// leave half of 10, not of 100, whether a recovery or a timeout ends it.
TEST(NewReno, AReductionIsOneOfTheWindow) {
  ByHand net("newreno");
  Flow& f = net.flow0();
  net.control().onTimeout(f, 100 * kSegment, false);
  EXPECT_EQ(f.window, kSegment);
  for (int i = 0; i < 4; ++i) net.ack(f, 1);  // 2, 3, 4 and 5, where slow start ends
  EXPECT_EQ(f.window, 5 * kSegment);
  for (int i = 0; i < 4; ++i) net.ack(f, 1);
  EXPECT_EQ(f.window, 5 * kSegment);
  net.control().onRecovery(f, 100 * kSegment);
  EXPECT_EQ(f.window, 5 * kSegment / 2);
}

TEST(NewReno, AWindowThatIsNotUsedDoesNotGrow) {
  ByHand net("newreno", "tcp", Config().set("newreno.initial_window", int64_t{20}));
  Flow& f = net.flow0();
  Acked a;
  a.bytes = kSegment;
  a.peak = 4 * kSegment;
  net.control().onAcked(f, a);
  EXPECT_EQ(f.window, 20 * kSegment);
  net.control().onRecovery(f, 20 * kSegment);
  for (int i = 0; i < 20; ++i) net.control().onAcked(f, a);
  EXPECT_EQ(f.window, 10 * kSegment);
}

/// Slow start on a real path: 10, 20 and 40 segments in the first three round trips.
TEST(NewReno, RoundTripsDouble) {
  Config c;
  c.transport = "tcp";
  c.cc = "newreno";
  c.queues = {"fifo"};
  c.set("host.classes", int64_t{1}).set("host.header_bytes", int64_t{70});
  test::Chain net(c, 1, 1, Rate::Gbps(100), Time::Us(500));
  FlowSpec f;
  f.src = net.sender(0).id();
  f.dst = net.receiver().id();
  f.cls = 0;
  f.srcPort = 1;
  f.dstPort = 2;
  net.flow(f);
  const uint64_t expected[] = {10, 30, 70, 150};
  for (int i = 0; i < 4; ++i) {
    net.run(Time::Us(1900 + 2003 * i));
    EXPECT_EQ(net.active(net.sender(0), 0).packets, expected[i]) << i;
  }
}

/// RFC 8257 by hand, g = 1/16: alpha 1 -> 15/16 without marks, then 15/16 * 15/16 + 1/16 * 1/2.
TEST(Dctcp, AlphaAndCut) {
  ByHand net("dctcp");
  Flow& f = net.flow0();
  auto& cc = static_cast<Dctcp&>(net.control());
  EXPECT_EQ(cc.alpha(f), 1);
  f.sndNxt = 10 * kSegment;
  f.sndUna = kSegment;
  net.ack(f, 1);
  EXPECT_DOUBLE_EQ(cc.alpha(f), 15.0 / 16);  // the first ACK ends the window before the first
  f.sndUna = 6 * kSegment;
  net.ack(f, 5);
  EXPECT_DOUBLE_EQ(cc.alpha(f), 15.0 / 16);
  const int64_t before = f.window;
  f.sndUna = 11 * kSegment;
  f.sndNxt = 21 * kSegment;
  net.ack(f, 5, true);
  const double alpha = 15.0 / 16 * 15 / 16 + 1.0 / 16 * 0.5;
  EXPECT_DOUBLE_EQ(cc.alpha(f), alpha);
  EXPECT_EQ(f.window, static_cast<int64_t>(static_cast<double>(before) * (1 - alpha / 2)));
  // One cut per window of data, and marked ACKs do not make the window grow.
  const int64_t cut = f.window;
  f.sndUna = 15 * kSegment;
  net.ack(f, 4, true);
  EXPECT_EQ(f.window, cut);
  f.sndUna = 21 * kSegment;
  f.sndNxt = 30 * kSegment;
  net.ack(f, 6, true);
  EXPECT_LT(f.window, cut);
}

/// After a loss at 100 segments the window follows C (t - K)^3 + 100 from 70 on, K = cbrt(30 / 0.4). Every
/// ACK looks a round trip ahead, so the window at t is the curve's at t + RTT, a window of ACKs later.
TEST(Cubic, FollowsTheCurve) {
  Config c;
  c.set("cubic.reno_friendly", false).set("cubic.initial_window", int64_t{100});
  ByHand net("cubic", "tcp", c);
  Flow& f = net.flow0();
  ASSERT_EQ(f.window, 100 * kSegment);
  net.control().onRecovery(f, 100 * kSegment);
  ASSERT_EQ(f.window, 70 * kSegment);
  const double k = std::cbrt(30 / 0.4);
  const double rtt = 0.01;
  double t = 0;
  for (int round = 0; round < 800; ++round) {
    const int segments = static_cast<int>(f.window / kSegment);
    for (int i = 0; i < segments; ++i) {
      net.engine.setNow(Time{static_cast<int64_t>((t + rtt * i / segments) * 1e12)});
      net.ack(f, 1, false, Time::Ms(10));
    }
    t += rtt;
    for (const double at : {1.0, 3.0, k, 6.0, 8.0}) {
      if (std::abs(t - at) > rtt / 2) continue;
      const double curve = 0.4 * (t - k) * (t - k) * (t - k) + 100;
      EXPECT_NEAR(static_cast<double>(f.window) / kSegment, curve, 0.01 * curve) << at;
    }
  }
  EXPECT_GT(t, 7.9);
}

/// Short round trips: Reno's window is the larger one, alpha = 3 * 0.3 / 1.7 per window until it is where
/// the loss was, then 1.
TEST(Cubic, IsNeverBelowReno) {
  Config c;
  c.set("cubic.initial_window", int64_t{100});
  ByHand net("cubic", "tcp", c);
  Flow& f = net.flow0();
  net.control().onRecovery(f, 100 * kSegment);
  double reno = 70;
  for (int i = 0; i < 2000; ++i) {
    net.engine.setNow(Time::Us(i));
    const double cwnd = static_cast<double>(f.window) / kSegment;
    reno += (reno >= 100 ? 1 : 3 * 0.3 / 1.7) / cwnd;
    net.ack(f, 1, false, Time::Us(50));
  }
  EXPECT_GT(reno, 80);
  EXPECT_NEAR(static_cast<double>(f.window) / kSegment, reno, 0.01);
}

/// RFC 9438 section 4.8: behind a timeout K is 0 and W_max where slow start ends, 70 of 100 here. With
/// the 100 of before, the window would be 79 after a second.
TEST(Cubic, ATimeoutBeginsAFlatCurve) {
  Config c;
  c.set("cubic.reno_friendly", false).set("cubic.initial_window", int64_t{100});
  ByHand net("cubic", "tcp", c);
  Flow& f = net.flow0();
  net.control().onTimeout(f, 100 * kSegment, false);
  for (int i = 0; i < 69; ++i) net.ack(f, 1);
  ASSERT_EQ(f.window, 70 * kSegment);
  for (int ms = 0; ms <= 1000; ++ms) {
    net.engine.setNow(Time::Ms(ms));
    for (int i = 0; i < 70; ++i) net.ack(f, 1, false, Time::Ms(1));
  }
  EXPECT_NEAR(static_cast<double>(f.window) / kSegment, 70 + 0.4, 0.01);
}

TEST(Cubic, FastConvergence) {
  Config c;
  c.set("cubic.reno_friendly", false).set("cubic.initial_window", int64_t{100});
  ByHand net("cubic", "tcp", c);
  Flow& f = net.flow0();
  net.control().onRecovery(f, 100 * kSegment);  // 70, W_max 100
  net.control().onRecovery(f, 70 * kSegment);   // 49, W_max 70 * 1.7 / 2 = 59.5
  ASSERT_EQ(f.window, 49 * kSegment);
  // At K the curve is at W_max: a second loss below the first leaves less.
  const double k = std::cbrt((59.5 - 49) / 0.4), rtt = 0.001;
  net.ack(f, 1, false, Time::Ms(1));
  for (double t = 0; t < k - rtt; t += 0.00005) {
    net.engine.setNow(Time{static_cast<int64_t>(t * 1e12)});
    net.ack(f, 1, false, Time::Ms(1));
  }
  EXPECT_NEAR(static_cast<double>(f.window) / kSegment, 59.5, 0.2);
}

/// Sub-flows of 10 and 20 segments with round trips of 1 and 2 ms: alpha = 30 * max(10, 20/4) /
/// (10 + 10)^2 = 0.75, so an ACK of a segment adds min(0.75 / 30, 1 / 10) and min(0.75 / 30, 1 / 20), 0.025 of one.
TEST(Lia, TwoSubflowsByHand) {
  Config c;
  c.set("mptcp.subflows", int64_t{2}).set("lia.initial_window", int64_t{40});
  ByHand net("lia", "mptcp", c);
  Flow& a = net.flow0();
  ASSERT_NE(a.nextSubflow, nullptr);
  Flow& b = *a.nextSubflow;
  EXPECT_EQ(b.nextSubflow, nullptr);
  net.control().onRecovery(a, 20 * kSegment);
  net.control().onRecovery(b, 40 * kSegment);
  ASSERT_EQ(a.window, 10 * kSegment);
  ASSERT_EQ(b.window, 20 * kSegment);
  // The first ACK of b finds no round trip of a: alone it is NewReno, 1/20 of a segment.
  net.ack(b, 1, false, Time::Ms(2));
  EXPECT_EQ(b.window - 20 * kSegment, kSegment / 20);
  net.ack(a, 1, false, Time::Ms(1));
  EXPECT_NEAR(static_cast<double>(a.window - 10 * kSegment), 0.025 * kSegment, 1.5);
  const int64_t before = b.window;
  net.ack(b, 1, false, Time::Ms(2));
  EXPECT_NEAR(static_cast<double>(b.window - before), 0.025 * kSegment, 1.5);
}

}  // namespace fabric
