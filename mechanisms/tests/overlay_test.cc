// What the core gives an overlay: both ends of a link know each other, and a selector sees what comes in.
#include <gtest/gtest.h>

#include "mechanisms/tests/net.h"

namespace fabric {

using test::Config;
using test::FatTree;
using test::Net;

namespace {

constexpr uint16_t kOuter = 100;

/// Puts an outer header on what comes from a host, takes it off where the next hop is one.
class Tunnel final : public PathSelector {
 public:
  static const Description& describe() {
    static const Description d = Describe<Tunnel>("test_tunnel", Kind::PathSelector, "An outer header between leaves")
                                     .help("Counts what it is called for.")
                                     .source("test")
                                     .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool hooksIngress() const override { return true; }
  int64_t overlayBytes() const override { return kOuter; }
  void onIngress(Packet& p, const Port* in) override {
    ++seen;
    own += in == nullptr;
    const bool local = &switch_->network().host(p.dst).nic().peer().node() == switch_;
    if (!local && !p.encapsulated) {
      p.encapsulated = true;
      p.wireBytes += kOuter;
    } else if (local && p.encapsulated) {
      p.encapsulated = false;
      p.wireBytes -= kOuter;
    }
  }
  uint16_t select(Packet&, NextHops hops) override {
    ++asked;
    return hops.ports[0];
  }
  void onFinish() override { ++ended; }
  static void reset() { seen = own = asked = ended = 0; }
  static int seen, own, asked, ended;
};
int Tunnel::seen, Tunnel::own, Tunnel::asked, Tunnel::ended;
FABRIC_REGISTER(Tunnel);

}  // namespace

TEST(Peer, BothEndsKnowEachOther) {
  FatTree net((Config()));
  net.start();
  for (const auto& [a, b] : net.peer) {
    EXPECT_EQ(&a->peer(), b);
    EXPECT_EQ(a->leadsToSwitch(), dynamic_cast<Switch*>(&b->node()) != nullptr);
  }
  EXPECT_TRUE(net.switches[0]->port(2).leadsToSwitch());
  EXPECT_FALSE(net.switches[0]->port(0).leadsToSwitch());
}

TEST(IngressHook, OuterBytesCountBetweenLeavesAndNowhereElse) {
  Config c = Config::rocc();  // its switches make packets of their own
  c.selector = "test_tunnel";
  c.set("rocc_pi.q_ref", int64_t{0});
  Net net(c);
  Host& a = net.host();
  Host& b = net.host();
  Host& r = net.host();
  Switch& left = net.sw();
  Switch& right = net.sw();
  net.link(a, left);
  net.link(b, left);
  net.link(left, right);
  net.link(right, r);
  net.flow(0, a, r, 300000);
  net.flow(1, b, r, 300000);
  net.engine.recordSends = true;
  Tunnel::reset();
  net.run(Time::Ms(5));

  uint64_t largest = 0;
  for (const auto& s : net.engine.sends) {
    if (s.kind == PacketKind::Pause) continue;
    const bool fabric = dynamic_cast<const Switch*>(&s.from->node()) != nullptr && s.from->leadsToSwitch();
    const uint32_t outer = fabric ? kOuter : 0;
    largest = std::max<uint64_t>(largest, s.bytes);
    if (s.kind == PacketKind::Ack) {
      EXPECT_EQ(s.bytes, 66u + outer);
    } else if (s.kind == PacketKind::Cnp) {
      EXPECT_EQ(s.bytes, 78u + outer);
    } else {
      EXPECT_LE(s.bytes, 1518u + outer);
      EXPECT_GE(s.bytes, 64u + outer);
    }
  }
  EXPECT_EQ(largest, 1518u + kOuter);
  EXPECT_GT(Tunnel::own, 0);
  EXPECT_EQ(Tunnel::asked, Tunnel::seen);  // for every packet, although there is never a choice
  net.network.finish();
  EXPECT_EQ(Tunnel::ended, 2);
  for (const auto& check : net.network.checks()) EXPECT_TRUE(check.ok) << check.name << ": " << check.detail;
}

TEST(IngressHook, HeadroomHasRoomForTheOuterHeader) {
  Config plain;
  Config tunnel;
  tunnel.selector = "test_tunnel";
  FatTree a(plain), b(tunnel);
  a.start();
  b.start();
  EXPECT_EQ(b.network.largestFrame(), a.network.largestFrame() + kOuter);
  EXPECT_EQ(b.switches[0]->port(0).headroom(), a.switches[0]->port(0).headroom() + 3 * kOuter);
}

TEST(IngressHook, ADroppedPacketsMemoryBeginsWithoutAnOuterHeader) {
  PacketPool pool;
  Packet* p = pool.get();
  p->encapsulated = true;
  pool.put(p);
  EXPECT_EQ(pool.get(), p);
  EXPECT_FALSE(p->encapsulated);
}

}  // namespace fabric
