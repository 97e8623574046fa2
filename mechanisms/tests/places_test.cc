// The places where a mechanism plugs in, each with a mechanism that exists only here: a kind of its own, a queue that
// holds back and one that discards, agents and queues at NICs, applications, control packets, hosts with two links.
#include <gtest/gtest.h>

#include "mechanisms/core/own_checks.h"
#include "mechanisms/core/slots.h"
#include "mechanisms/tests/leaf_spine.h"
#include "mechanisms/tests/net.h"

namespace fabric {
namespace {

using test::Chain;
using test::Config;
using test::LeafSpine;
using test::Net;
using test::refusalOf;
using test::Rows;
using test::with;

// ---------------------------------------------------------------- a kind of its own

/// A kind that the core knows nothing of: it counts at a switch.
class Counter : public Component {
 public:
  static constexpr Kind kKind{"counter"};
  virtual uint64_t count() const = 0;
};

class TickCounter final : public Counter, public OwnChecks {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<TickCounter>("tick_counter", Counter::kKind, "counts ticks")
            .help("For tests.")
            .source("test")
            .param("period", &TickCounter::period_, Time::Us(1), "time between two ticks", "test")
            .range(1, 1e15)
            .table(ticks())
            .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  uint64_t count() const override { return ticks_; }
  void attach(Switch& node) { node_ = &node; }
  void addChecks(std::vector<Network::Check>& checks) const override {
    checks.push_back({"ticked", ticks_ > 0, std::to_string(ticks_) + " ticks"});
  }

 private:
  using Ticks = Table<Time, NodeId, uint64_t>;
  static const Ticks& ticks() {
    static const Ticks table{"ticks",
                             "ticks",
                             Scope::Node,
                             true,
                             {"time_ps", "simulated time"},
                             {"node", "switch"},
                             {"ticks", "1", "so far"}};
    return table;
  }
  void onStart(Network& network) override {
    network_ = &network;
    table_ = network.trace().find(ticks());
    timer_.setKey(node_->timerKey());
    network.engine().schedule(timer_, period_);
  }
  void onSample(int) override { network_->trace().emit(table_, network_->engine().now(), NodeId{node_->id()}, ticks_); }
  void tick() {
    ++ticks_;
    network_->engine().schedule(timer_, network_->engine().now() + period_);
  }

  Switch* node_ = nullptr;
  Network* network_ = nullptr;
  Ticks::Id table_;
  Time period_;
  uint64_t ticks_ = 0;
  EventOf<TickCounter, &TickCounter::tick> timer_{this};
};
FABRIC_REGISTER(TickCounter);

FABRIC_SLOT(counters, {"counters", Counter::kKind, Where::Switch, Count::Many, "", "For tests.",
                       [](Component& place, Component& component, uint8_t) {
                         dynamic_cast<TickCounter&>(component).attach(dynamic_cast<Switch&>(place));
                       }});

TEST(Slots, AKindOfSomebodyElsesStandsStartsAndIsSampled) {
  Chain net(Config{}, 1, 1);
  auto& counter = net.own<TickCounter>("tick_counter");
  plug(*net.switches[0], "counters", counter);
  const int table = net.network.trace().find("ticks");
  ASSERT_GE(table, 0);
  TraceFilter filter;
  filter.interval = Time::Us(10);
  net.network.trace().enable(table, filter);
  Rows rows(3);
  net.network.trace().addSink(table, &rows);
  net.run(Time::Us(25));
  EXPECT_EQ(counter.count(), 25u);
  ASSERT_EQ(rows.rows.size(), 3u);  // at 0, 10 and 20 us
  EXPECT_EQ(rows.rows[2][2], 20);
  EXPECT_EQ(plugged(*net.switches[0], *Slots::find("counters")).size(), 1u);
  EXPECT_TRUE(net.check("ticked"));
}

TEST(Slots, AMechanismsOwnCheckFails) {
  Chain net(Config{}, 1, 1);
  plug(*net.switches[0], "counters", net.own<TickCounter>("tick_counter"));
  net.run(Time::Ns(1));
  EXPECT_FALSE(net.check("ticked"));
}

TEST(Slots, RefuseWhatHasNoPlaceThere) {
  Chain net(Config{}, 1, 1);
  EXPECT_THROW(plug(net.sender(0), "counters", net.own<TickCounter>("tick_counter")), ParamError);
  EXPECT_THROW(plug(*net.switches[0], "path_selector", net.own<Component>("fifo")), ParamError);
  EXPECT_THROW(plug(*net.switches[0], "path_selector", net.own<Component>("ecmp")), ParamError) << "there is one";
  EXPECT_THROW(plug(*net.switches[0], "nothing", net.own<Component>("ecmp")), ParamError);
  EXPECT_THROW(Slots::add({"queues", Kind::Queue, Where::Nic, Count::One, "", "", nullptr}), std::logic_error);
  EXPECT_THROW(Slots::add({"more_queues", Kind::Queue, Where::Nic, Count::One, "", "", nullptr}), std::logic_error);
}

// ---------------------------------------------------------------- state and extensions

struct One {
  int64_t n = 1;
};
struct Other {
  double x = 2;
};

/// Counts how many there are.
struct Counted {
  explicit Counted(int& alive) : alive(alive) { ++alive; }
  ~Counted() { --alive; }
  int& alive;
};

TEST(Handles, RefuseOneNameWithTwoTypes) {
  FlowPool flows;
  flows.reserve<One>("state");
  EXPECT_NO_THROW(flows.reserve<One>("state"));
  EXPECT_THROW(flows.reserve<Other>("state"), std::logic_error);
  PacketPool packets;
  packets.reserve<One>("extension");
  EXPECT_NO_THROW(packets.reserve<One>("extension"));
  EXPECT_THROW(packets.reserve<Other>("extension"), std::logic_error);
}

/// FetchAhead counts on the order of a flow's lines.
TEST(Handles, TheEndsOfAFlowShareNoLineThatTheyWrite) {
  FlowPool pool;
  const auto sender = pool.reserve<One>("sender");
  const auto receiver = pool.reserve<Other>("receiver", FlowEnd::Receiver);
  Flow& f = *pool.get({});
  const auto line = [](const void* at) { return reinterpret_cast<uintptr_t>(at) / sizeof(CacheLine); };
  const auto first = line(&f);
  EXPECT_EQ(first, line(reinterpret_cast<const std::byte*>(&f) - FlowPool::kFront)) << "the number's";
  EXPECT_LT(line(&receiver.make(f)), first);
  EXPECT_GT(line(&sender.make(f)), first + 4);
  EXPECT_EQ(line(&f.connection), first + 1) << "read by both";
  for (const void* own : {static_cast<void*>(&f.end), static_cast<void*>(&f.rate)}) EXPECT_EQ(line(own), first + 2);
  for (const void* own : {static_cast<void*>(&f.limit), static_cast<void*>(&f.nextActive)}) {
    EXPECT_EQ(line(own), first + 3);
  }
  for (const void* own : {static_cast<void*>(&f.rcvNxt), static_cast<void*>(&f.reordered)}) {
    EXPECT_EQ(line(own), first + 4) << "the receiver's";
  }
  pool.put(&f);
}

TEST(Handles, StateIsDestroyedWithTheFlowOrBefore) {
  FlowPool pool;
  const FlowState<Counted> state = pool.reserve<Counted>("counted");
  const FlowState<One> plain = pool.reserve<One>("plain");
  int alive = 0;
  Flow* a = pool.get({});
  Flow* b = pool.get({});
  state.make(*a, alive);
  state.make(*b, alive);
  EXPECT_EQ(plain.make(*a).n, 1);
  EXPECT_EQ(alive, 2);
  state.drop(*a);
  EXPECT_EQ(alive, 1);
  pool.put(a);
  EXPECT_EQ(alive, 1) << "not twice";
  pool.put(b);
  EXPECT_EQ(alive, 0);
}

// ---------------------------------------------------------------- queues

/// Lets a packet leave at whole multiples of a period only.
class Gate final : public Queue {
 public:
  static const Description& describe() {
    static const Description d = Describe<Gate>("gate", Kind::Queue, "gate")
                                     .help("For tests.")
                                     .source("test")
                                     .param("period", &Gate::period_, Time::Us(10), "time between packets", "test")
                                     .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool enqueue(Packet* p, int64_t) override { return list_.push(p), true; }
  Packet* dequeue() override {
    next_ = Time{(port_->engine().now().ps / period_.ps + 1) * period_.ps};
    return list_.pop();
  }
  bool holdsBack() const override { return true; }
  Time readyAt() const override { return next_; }

 private:
  PacketList list_;
  Time period_, next_;
};
FABRIC_REGISTER(Gate);

TEST(Queues, MayHoldBackAndThePortComesBackInTime) {
  Config c;
  c.queues = {"fifo", "gate"};
  Chain net(c, 1, 1);
  net.engine.recordSends = true;
  net.flow(0, net.sender(0), net.receiver(), 4 * 1456);
  net.finish(Time::Ms(1));
  std::vector<int64_t> at;
  for (const auto& s : net.engine.sends) {
    if (s.from == &net.lastHop() && s.kind == PacketKind::Data) at.push_back(s.at.ps);
  }
  ASSERT_EQ(at.size(), 4u);
  EXPECT_LT(at[0], Time::Us(10).ps);
  EXPECT_EQ((std::vector<int64_t>{at[1], at[2], at[3]}),
            (std::vector<int64_t>{Time::Us(10).ps, Time::Us(20).ps, Time::Us(30).ps}));
}

/// Has room for so many packets and drops the oldest for a new one.
class Front final : public Queue {
 public:
  static const Description& describe() {
    static const Description d = Describe<Front>("front", Kind::Queue, "drops at the front")
                                     .help("For tests.")
                                     .source("test")
                                     .param("room", &Front::room_, 2, "packets", "test")
                                     .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool enqueue(Packet* p, int64_t) override {
    list_.push(p);
    if (++size_ > room_) {
      --size_;
      discard(list_.pop(), DropReason::QueueManagement);
    }
    return true;
  }
  Packet* dequeue() override { return list_.empty() ? nullptr : (--size_, list_.pop()); }

 private:
  PacketList list_;
  int64_t room_ = 0, size_ = 0;
};
FABRIC_REGISTER(Front);

/// Notes what it is told.
class Witness final : public PortAgent {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<Witness>("witness", Kind::PortAgent, "witness").help("For tests.").source("test").done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool hooksEnqueue() const override { return true; }
  bool hooksDequeue() const override { return true; }
  void onEnqueue(Packet& p) override { joined += p.kind == PacketKind::Data; }
  void onDequeue(Packet& p) override { left += p.kind == PacketKind::Data; }
  void onDiscard(Packet& p) override { discarded += p.kind == PacketKind::Data; }
  uint64_t joined = 0, left = 0, discarded = 0;
};
FABRIC_REGISTER(Witness);

TEST(Queues, MayDiscardWhatWaits) {
  Config c;
  c.queues = {"fifo", "front"};
  c.agents = {"witness"};
  c.set("port.pfc", false);
  Chain net(c, 3, 1);
  Rows drops(8);
  net.network.trace().enable(kDrops, {});
  net.network.trace().addSink(kDrops, &drops);
  for (uint32_t i = 0; i < 3; ++i) net.flow(i, net.sender(static_cast<int>(i)), net.receiver(), 100000);
  net.finish(Time::Ms(100));
  ASSERT_GT(drops.rows.size(), 0u);
  EXPECT_EQ(drops.rows.size(), net.network.total().drops);
  for (const auto& r : drops.rows) EXPECT_EQ(r[7], static_cast<int64_t>(DropReason::QueueManagement));
  const auto& witness = *net.lastHop().agent<Witness>();
  EXPECT_EQ(witness.discarded, drops.rows.size());
  EXPECT_EQ(witness.joined, witness.left + witness.discarded);
  EXPECT_EQ(net.switches[0]->buffer().used(), 0);
  EXPECT_EQ(net.lastHop().queueBytes(1), 0);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(net.delivered(i), 100000);
}

// ---------------------------------------------------------------- NICs

TEST(Nics, HaveAgentsThatSeeData) {
  Config c;
  c.nicAgents = {"witness"};
  Chain net(c, 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 10 * 1456);
  net.finish(Time::Ms(1));
  EXPECT_EQ(net.sender(0).nic().agent<Witness>()->left, 10u);
  EXPECT_EQ(net.sender(0).nic().agent<Witness>()->joined, 10u);
}

TEST(Nics, LetDataWaitInTheirQueuesUpToTheBacklog) {
  Config c;
  c.nicQueues = {"fifo", "red"};
  c.cc = "dcqcn";
  c.receivers = {"cnp_generator"};
  c.set("round_robin.backlog", int64_t{30000}).set("red.kmin", int64_t{5000}).set("red.kmax", int64_t{6000});
  Chain net(c, 1, 1);
  for (uint32_t i = 0; i < 4; ++i) net.flow(i, net.sender(0), net.receiver(), 200000);
  net.run(Time::Us(5));
  EXPECT_GE(net.sender(0).nic().queueBytes(1), 30000 - 1518);
  EXPECT_LE(net.sender(0).nic().queueBytes(1), 30000 + 1518);
  net.finish(Time::Ms(100));
  EXPECT_GT(net.network.total().marks, 0u) << "marks at the source";
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(net.delivered(i), 200000);
}

TEST(Nics, SrptSendsTheShortestFirst) {
  Config c;
  c.scheduler = "srpt";
  Chain net(c, 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 500000);
  net.flow(1, net.sender(0), net.receiver(), 20000, Time::Us(1));
  net.flow(2, net.sender(0), net.receiver(), 100000, Time::Us(1));
  net.finish(Time::Ms(1));
  EXPECT_LT(net.end(1), net.end(2));
  EXPECT_LT(net.end(2), net.end(0));
  EXPECT_LT(net.end(1), Time::Us(8).ps) << "as if it were alone";
}

// ---------------------------------------------------------------- a frame at a time

/// Sends data from another switch back by the port that it came in by, once.
class Bounce final : public PathSelector {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<Bounce>("bounce", Kind::PathSelector, "bounce").help("For tests.").source("test").done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool hooksIngress() const override { return true; }
  uint16_t select(Packet& p, NextHops hops) override {
    if (p.kind != PacketKind::Data || p.ect || !switch_->port(p.ingress).leadsToSwitch()) return hops.ports[0];
    p.ect = true;
    return p.ingress;
  }
};
FABRIC_REGISTER(Bounce);

/// A packet leaves by the port it came in by, and its room in the buffer, given back, ends a pause of that port's
/// peer: the pause frame must wait for the packet.
TEST(Port, SendsOneFrameAtATime) {
  Config c;
  c.selector = "bounce";
  c.set("port.pfc_xoff", int64_t{2000}).set("port.pfc_xon_offset", int64_t{0});
  Chain net(c, 2, 2);
  for (uint32_t i = 0; i < 2; ++i) net.flow(i, net.sender(static_cast<int>(i)), net.receiver(), 50000);
  net.flow(2, net.receiver(), net.sender(0), 200000);
  net.run(Time::Us(200));
  net.network.finish();
  EXPECT_GT(net.network.total().xonSent, 0u);
  EXPECT_TRUE(net.check("one_frame_at_a_time"));
}

// ---------------------------------------------------------------- classes

/// Moves data to another class on its way.
class Mover final : public PathSelector {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<Mover>("mover", Kind::PathSelector, "mover").help("For tests.").source("test").done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool hooksIngress() const override { return true; }
  uint16_t select(Packet& p, NextHops hops) override {
    if (p.kind == PacketKind::Data) p.cls = 2;
    return hops.ports[0];
  }
};
FABRIC_REGISTER(Mover);

struct Classes : testing::TestWithParam<const char*> {};

TEST_P(Classes, APacketThatChangesClassIsHeldAgainstTheOneItCameIn) {
  Config c;
  c.selector = "mover";
  c.queues = {"fifo", "fifo", "fifo"};
  c.set("host.classes", int64_t{3}).set("port.pfc_xoff", int64_t{20000});
  c.set("switch.pfc_accounting", std::string(GetParam()));
  Chain net(c, 3, 1);
  Rows pauses(6);
  net.network.trace().enable(kPauses, {});
  net.network.trace().addSink(kPauses, &pauses);
  for (uint32_t i = 0; i < 3; ++i) net.flow(i, net.sender(static_cast<int>(i)), net.receiver(), 300000);
  net.run(Time::Us(20));
  EXPECT_GT(net.lastHop().queueBytes(2), 0);
  net.finish(Time::Ms(10));
  EXPECT_GT(pauses.rows.size(), 4u);
  for (const auto& r : pauses.rows) EXPECT_EQ(r[3], 1) << "the class in which the packets came";
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(net.delivered(i), 300000);
}

INSTANTIATE_TEST_SUITE_P(Accounting, Classes, testing::Values("ingress", "egress"));

// ---------------------------------------------------------------- applications and control packets

/// Tells a host of every flow's start and end, and has the flow paced as that host answers.
class Teller final : public Application {
 public:
  static constexpr uint16_t kPort = 7;
  static const Description& describe() {
    static const Description d =
        Describe<Teller>("teller", Kind::Application, "teller")
            .help("For tests.")
            .source("test")
            .param("to", &Teller::to_, 0, "number of the host that is told; it answers with a rate", "test")
            .param("rate", &Teller::rate_, Rate::Gbps(10), "the answer", "test")
            .range(1, 1e12)
            .param("class", &Teller::class_, 1, "class of its messages", "test")
            .done();
    return d;
  }
  const Description& description() const override { return describe(); }
  void onFlowStart(Flow& f) override {
    flow_ = &f;
    if (host_->id() != to_) send(static_cast<uint32_t>(to_), {f.spec.id}, 16);
  }
  void onFlowEnd(Flow&) override { ++ended, flow_ = nullptr; }
  void onMessage(const Message& m) override {
    if (m.port != kPort) return;
    heard.push_back(m.words);
    if (host_->id() == to_) {
      send(m.from, {m.words[0], static_cast<uint64_t>(rate_.bps)}, 6);
    } else if (flow_ != nullptr) {
      flow_->limit = Rate{static_cast<int64_t>(m.words[1])};
      host_->rateChanged(*flow_);
    }
  }
  void onDown() override { ++downs; }
  void onUp() override { ++ups; }

  std::vector<std::vector<uint64_t>> heard;
  int ended = 0, downs = 0, ups = 0;

 private:
  void send(uint32_t to, std::vector<uint64_t> words, uint64_t bytes) {
    Message m;
    m.to = to;
    m.bytes = bytes;
    m.port = kPort;
    m.cls = static_cast<uint8_t>(class_);
    m.words = std::move(words);
    host_->sendMessage(std::move(m));
  }
  Flow* flow_ = nullptr;
  int64_t to_ = 0, class_ = 1;
  Rate rate_;
};
FABRIC_REGISTER(Teller);

struct Applications : testing::TestWithParam<const char*> {
  static Config config(const std::string& transport = GetParam()) {
    Config c;
    c.applications = {"teller"};
    if (transport == "tcp") {
      c.transport = "tcp";
      c.cc = "newreno";
    }
    return c;
  }
};

TEST_P(Applications, HearOfFlowsSendMessagesAndSetRates) {
  Chain net(config().set("teller.to", int64_t{2}), 2, 1);
  net.flow(0, net.sender(0), net.sender(1), 1456000, Time::Us(3));
  net.finish(Time::Ms(5));
  auto& asked = *net.hosts[2]->application<Teller>();
  auto& sender = *net.hosts[0]->application<Teller>();
  ASSERT_EQ(asked.heard.size(), 1u);
  EXPECT_EQ(asked.heard[0], std::vector<uint64_t>{0});
  ASSERT_EQ(sender.heard.size(), 1u);
  EXPECT_EQ(sender.ended, 1);
  EXPECT_EQ(net.delivered(0), 1456000);
  // 1000 frames of 1518 B at 10 Gb/s take 1.2 ms; the first ones went before the answer came.
  EXPECT_GT(net.end(0), Time::Us(1050).ps);
  EXPECT_LT(net.end(0), Time::Us(1300).ps);
  EXPECT_EQ(net.flowRows.rows.size(), 1u) << "messages are in no table of flows";
  EXPECT_EQ(net.network.total().flowsStarted, 1u);
}

TEST_P(Applications, ADeadHostHearsNothingAndFlowsGoOn) {
  Chain net(config().set("teller.to", int64_t{2}), 2, 1);
  net.network.addHostEvent(Time::Us(1), net.receiver(), false);
  net.network.addHostEvent(Time::Ms(20), net.receiver(), true);
  net.flow(0, net.sender(0), net.sender(1), 1456000, Time::Us(3));
  net.run(Time::Ms(10));
  auto& asked = *net.hosts[2]->application<Teller>();
  EXPECT_EQ(asked.downs, 1);
  EXPECT_EQ(asked.ups, 0);
  EXPECT_TRUE(asked.heard.empty());
  EXPECT_FALSE(net.receiver().up());
  EXPECT_EQ(net.delivered(0), 1456000) << "at the rate that its congestion control allows";
  net.finish(Time::Ms(10000));
  EXPECT_EQ(asked.ups, 1);
  EXPECT_EQ(asked.heard.size(), 1u) << "the message is sent again";
}

/// The receiver of messages need not be one of flows, of which the start of a run is sure.
TEST(Messages, ThatCannotArriveAreRefused) {
  const auto refused = [](Net& net) -> std::string {
    net.flow(0, *net.hosts[0], *net.hosts[1], 1000);
    try {
      net.run(Time::Us(1));
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  Chain high(Applications::config("tcp").set("teller.to", int64_t{2}).set("teller.class", int64_t{2}), 2, 1);
  EXPECT_EQ(refused(high),
            "host h0: a message of an application to h2 is of class 2, and there are 2 classes, numbered from 0; name "
            "one of them, or add a queue");
  Net mixed(Applications::config("tcp").set("teller.to", int64_t{2}));
  for (int i = 0; i < 2; ++i) mixed.host();
  mixed.setup.transport = "go_back_n";
  mixed.setup.cc = "none";
  mixed.host();
  Switch& s = mixed.sw();
  for (Host* h : mixed.hosts) mixed.link(*h, s);
  EXPECT_EQ(refused(mixed),
            "host h0: a message of an application to h2 goes from the transport tcp to go_back_n; give both hosts the "
            "same");
}

/// A message to a dead host goes again after the timers of messages, a flow after those of flows.
TEST(Messages, HaveTimersOfTheirOwnOverTcp) {
  Config c = Applications::config("tcp").set("teller.to", int64_t{2});
  c.set("tcp.min_rto", Time::Ms(1).ps).set("tcp.initial_rto", Time::Ms(1).ps);
  c.set("tcp.message_min_rto", Time::Us(20).ps).set("tcp.message_max_rto", Time::Us(30).ps);
  Chain net(c, 2, 1);
  net.engine.recordSends = true;
  net.network.addHostEvent(Time::Us(1), net.receiver(), false);
  net.network.addHostEvent(Time::Us(310), net.receiver(), true);
  net.flow(0, net.sender(0), net.sender(1), 1000, Time::Us(3));
  net.flow(1, net.sender(0), net.receiver(), 1000, Time::Us(3));
  net.finish(Time::Ms(10));
  EXPECT_EQ(net.hosts[2]->application<Teller>()->heard.size(), 2u);
  EXPECT_EQ(net.row(1)[15], 1) << "one timeout of 1 ms";
  const auto fromSender = std::count_if(net.engine.sends.begin(), net.engine.sends.end(), [&](const auto& s) {
    return s.from == &net.sender(0).nic() && s.kind == PacketKind::Data && s.bytes < 100 && s.at < Time::Us(320);
  });
  EXPECT_GE(fromSender, 10) << "every 30 us";
  EXPECT_LE(fromSender, 24);
}

INSTANTIATE_TEST_SUITE_P(Transports, Applications, testing::Values("go_back_n", "tcp"));

/// Answers every data packet with a credit of its own type, and counts those that come.
class Creditor final : public ReceiverAgent {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<Creditor>("creditor", Kind::ReceiverAgent, "creditor").help("For tests.").source("test").done();
    return d;
  }
  const Description& description() const override { return describe(); }
  void onData(Flow& f, Packet& p) override {
    if (p.marked) p.marked = false;
    Packet* credit = host_->controlFromReceiver(f, type_, 84);
    host_->sendControl(credit);
  }
  uint64_t credits = 0, lost = 0;

 private:
  void onStart(Network& network) override {
    type_ = network.controlTypes().add("credit");
    host_->onControl(type_, controlHandler<&Creditor::onCredit>(*this));
  }
  void onCredit(Flow* f, Packet& p) {
    EXPECT_EQ(p.wireBytes, 84u);
    ++(f != nullptr ? credits : lost);
  }
  uint8_t type_ = 0;
};
FABRIC_REGISTER(Creditor);

TEST(Control, PacketsOfAnOwnTypeReachTheirHandler) {
  Config c;
  c.receivers = {"creditor"};
  Chain net(c, 1, 1);
  net.flow(0, net.sender(0), net.receiver(), 20 * 1456);
  net.finish(Time::Ms(1));
  auto& creditor = dynamic_cast<Creditor&>(*net.sender(0).receiverAgents()[0]);
  EXPECT_EQ(creditor.credits + creditor.lost, 20u);
  EXPECT_GE(creditor.credits, 19u) << "the last may come when the sender is done";
}

// ---------------------------------------------------------------- hosts with several links

/// Two switches, a sender at each, and a host with a link to both.
struct TwoLinks : Net {
  explicit TwoLinks(const Config& c = {}) : Net(c) {
    for (int i = 0; i < 3; ++i) host();
    for (int i = 0; i < 2; ++i) sw();
    link(*hosts[0], *switches[0]);
    link(*hosts[1], *switches[1]);
    link(*switches[0], *switches[1]);
    for (int i = 0; i < 2; ++i) link(*hosts[2], *switches[i]);
  }
};

TEST(HostWithTwoLinks, UsesBothAndTheOtherWhereOneFails) {
  TwoLinks net;
  for (uint32_t i = 0; i < 16; ++i) net.flow(i, *net.hosts[2], *net.hosts[i % 2], 400000);
  net.run(Time::Us(20));
  EXPECT_GT(net.hosts[2]->port(0).sentDataBytes(), 0u);
  EXPECT_GT(net.hosts[2]->port(1).sentDataBytes(), 0u);
  net.network.finish();

  TwoLinks failing;
  for (uint32_t i = 0; i < 16; ++i) failing.flow(i, *failing.hosts[2], *failing.hosts[i % 2], 400000);
  failing.network.addLinkEvent(Time::Us(10), failing.hosts[2]->port(0), false);
  failing.finish(Time::Ms(100));
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(failing.delivered(i), 400000) << i;
}

TEST(HostWithTwoLinks, HasNoOverlay) {
  const Config conga = with(Config{}, "conga");
  for (const Config& c :
       {conga, Config(conga).set("conga.overlay_bytes", int64_t{0}), Config{}.set("ecmp.overlay_bytes", int64_t{50})}) {
    TwoLinks net(c);
    const std::string refusal = refusalOf(net);
    EXPECT_NE(refusal.find("a host has links to two switches"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("(s3, s4)"), std::string::npos) << refusal;
  }
}

TEST(HostWithTwoLinks, ToOneSwitchMayHaveLocalBalancingAndConga) {
  for (const char* selector : {"local", "conga"}) {
    Net net(with(Config{}, selector));
    for (int i = 0; i < 2; ++i) net.host();
    for (int i = 0; i < 2; ++i) net.sw();
    net.link(*net.hosts[0], *net.switches[0]);
    net.link(*net.switches[0], *net.switches[1]);
    for (int i = 0; i < 2; ++i) net.link(*net.hosts[1], *net.switches[1]);
    for (uint32_t i = 0; i < 16; ++i) net.flow(i, *net.hosts[0], *net.hosts[1], 400000);
    net.finish(Time::Ms(10));
    for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(net.delivered(i), 400000) << selector;
  }
}

}  // namespace
}  // namespace fabric
