// Packets of the engine's own stack: through every mechanism unharmed, counted apart, given back once.
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "mechanisms/core/random.h"
#include "mechanisms/tests/net.h"

namespace fabric::test {
namespace {

/// What the packets of these tests carry; how often each was given back.
struct Handle {
  int released = 0;
};
void release(void* handle) { ++static_cast<Handle*>(handle)->released; }

/// Keeps what arrives at a host, and sends.
class Stack final : public ForeignStack {
 public:
  struct Arrival {
    uint32_t wireBytes;
    uint32_t src;
    bool ect, marked;
    Handle* handle;
    Time at;
  };
  explicit Stack(Net& net, Host& host, uint8_t cls = 1) : net_(net), host_(host) {
    net.network.packets().setForeignRelease(release);
    host.setForeignStack(*this, cls);
  }
  void onForeign(const Packet& p) override {
    EXPECT_EQ(p.flow, nullptr);
    auto* handle = static_cast<Handle*>(net_.network.packets().foreign(p));
    EXPECT_EQ(handle->released, 0);
    arrived.push_back({p.wireBytes, p.src, p.ect, p.marked, handle, net_.engine.now()});
  }
  void onForeignSent(const Packet& p) override {
    sent.push_back(static_cast<Handle*>(net_.network.packets().foreign(p)));
  }
  Handle& send(const Host& to, uint32_t bytes, bool ect = false, uint64_t hash = 7) {
    handles.emplace_back();
    Packet* p = host_.foreignPacket();
    p->dst = to.id();
    p->wireBytes = bytes;
    p->hash = p->symmetricHash = hash;
    p->ect = ect;
    net_.network.packets().foreign(*p) = &handles.back();
    host_.sendForeign(p);
    return handles.back();
  }
  std::vector<Arrival> arrived;
  std::vector<Handle*> sent;
  std::deque<Handle> handles;

 private:
  Net& net_;
  Host& host_;
};

class ForeignPreset : public testing::TestWithParam<const char*> {
 public:
  static Config config(const std::string& name) {
    if (name == "hpcc") return Config::hpcc();
    if (name == "fncc") return Config::fncc();
    if (name == "dcqcn") return Config::dcqcn();
    if (name == "rocc") return Config::rocc();
    Config c;
    if (name == "conga") {
      c.selector = "conga";
      c.agents = {"dre"};
    }
    return c;
  }
};

TEST_P(ForeignPreset, PacketsPassEveryMechanismUnharmedBesideItsFlows) {
  Chain c(config(GetParam()), 2, 3);
  Stack from(c, c.sender(0)), to(c, c.receiver());
  c.flow(0, c.sender(0), c.receiver(), 3000000);
  c.flow(1, c.sender(1), c.receiver(), 3000000);
  c.start();
  // Both directions, all the time, so that queues hold both kinds.
  for (int i = 0; i < 400; ++i) {
    c.run(Time::Us(i));
    from.send(c.receiver(), 1518, true);
    to.send(c.sender(0), 64);
  }
  c.finish(Time::Ms(3));
  EXPECT_TRUE(c.check("foreign_conserved"));
  ASSERT_EQ(to.arrived.size(), 400u);
  ASSERT_EQ(from.arrived.size(), 400u);
  for (size_t i = 0; i < 400; ++i) {  // in order, nothing stamped on them
    EXPECT_EQ(to.arrived[i].handle, &from.handles[i]);
    EXPECT_EQ(to.arrived[i].wireBytes, 1518u);
    EXPECT_EQ(to.arrived[i].src, c.sender(0).id());
    EXPECT_TRUE(to.arrived[i].ect);
    EXPECT_EQ(from.arrived[i].handle, &to.handles[i]);
    EXPECT_EQ(from.arrived[i].wireBytes, 64u);
    EXPECT_FALSE(from.arrived[i].marked);
  }
  for (const auto* s : {&from, &to}) {
    for (const Handle& h : s->handles) EXPECT_EQ(h.released, 1);
  }
  EXPECT_GT(c.end(0), 0);
  EXPECT_GT(c.end(1), 0);
  EXPECT_EQ(c.delivered(0), 3000000);
  EXPECT_EQ(c.delivered(1), 3000000);
}

INSTANTIATE_TEST_SUITE_P(Presets, ForeignPreset, testing::Values("none", "hpcc", "fncc", "dcqcn", "rocc", "conga"));

TEST(Foreign, TakesTurnsWithTheFlowsOfItsClass) {
  Chain c({}, 1, 1);
  Stack from(c, c.sender(0)), to(c, c.receiver());
  c.flow(0, c.sender(0), c.receiver(), 0);
  c.flow(1, c.sender(0), c.receiver(), 0);
  c.start();
  c.run(Time::Us(1));
  for (int i = 0; i < 100; ++i) from.send(c.receiver(), 1518);
  EXPECT_EQ(c.sender(0).foreignBytes(), 100 * 1518);
  // 100 Gb/s: a frame takes 121.44 ns. Three take turns, so 100 foreign ones need about 300 of them.
  c.run(Time::Us(1) + Time{121440 * 150});
  EXPECT_NEAR(static_cast<double>(from.sent.size()), 50, 1);
  c.run(Time::Us(1) + Time{121440 * 304});
  EXPECT_EQ(from.sent.size(), 100u);
  EXPECT_EQ(c.sender(0).foreignBytes(), 0);
  c.finish(Time::Us(60));
  EXPECT_EQ(to.arrived.size(), 100u);
}

TEST(Foreign, IsGivenBackWhenDroppedAndWhenTheNetworkEnds) {
  Handle* unroutable = nullptr;
  std::deque<Handle> handles;
  {
    Chain c(Config().set("port.pfc", false).set("fifo.limit", int64_t{3000}), 2, 1);
    Stack a(c, c.sender(0)), b(c, c.sender(1)), to(c, c.receiver());
    c.start();
    for (int i = 0; i < 10; ++i) {
      a.send(c.receiver(), 1500);
      b.send(c.receiver(), 1500);
    }
    unroutable = &a.send(*c.hosts[0], 1500);  // the switch sends it back where it came from
    c.run(Time::Us(100));
    EXPECT_EQ(unroutable->released, 1);
    const uint64_t dropped = c.network.total().foreignDropped;
    EXPECT_GT(dropped, 5u);  // two senders, one link of the same rate, room for two frames
    EXPECT_EQ(c.network.total().drops, dropped);
    EXPECT_EQ(to.arrived.size() + a.arrived.size() + dropped, 21u);
    for (const Handle& h : a.handles) EXPECT_EQ(h.released, 1);

    a.send(c.receiver(), 1500);  // on the wire
    a.send(c.receiver(), 1500);  // in the NIC
    EXPECT_TRUE(c.check("foreign_conserved"));
    EXPECT_EQ(a.handles.back().released, 0);
    handles.swap(a.handles);
  }
  for (const Handle& h : handles) EXPECT_EQ(h.released, 1);
}

TEST(Foreign, MarksAreSeenAtTheOtherEnd) {
  Config config = Config::dcqcn();
  config.set("red.kmin", int64_t{1000}).set("red.kmax", int64_t{1000}).set("red.pmax", 1.0);
  Chain c(config, 2, 1);
  Stack a(c, c.sender(0)), b(c, c.sender(1)), to(c, c.receiver());
  c.start();
  for (int i = 0; i < 20; ++i) {
    a.send(c.receiver(), 1500, true);
    b.send(c.receiver(), 1500, false);
  }
  c.finish(Time::Us(100));
  ASSERT_EQ(to.arrived.size(), 40u);
  int marked = 0;
  for (const auto& p : to.arrived) {
    marked += p.marked ? 1 : 0;
    EXPECT_FALSE(p.marked && p.src == c.sender(1).id());
  }
  EXPECT_GT(marked, 10);
  EXPECT_EQ(c.network.total().marks, static_cast<uint64_t>(marked));
}

TEST(Foreign, ShortFramesArePadded) {
  Chain c({}, 1, 1);
  Stack from(c, c.sender(0)), to(c, c.receiver());
  c.start();
  from.send(c.receiver(), 46);
  c.finish(Time::Us(10));
  ASSERT_EQ(to.arrived.size(), 1u);
  EXPECT_EQ(to.arrived[0].wireBytes, 64u);
}

TEST(Foreign, AClassThatIsNotThereIsRefusedByName) {
  Chain c({}, 1, 1);
  Stack from(c, c.sender(0), 5);
  try {
    c.start();
    FAIL() << "class 5 was taken";
  } catch (const ParamError& e) {
    EXPECT_NE(std::string(e.what()).find("foreign packets are of class 5"), std::string::npos);
  }
}

}  // namespace
}  // namespace fabric::test
