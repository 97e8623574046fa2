// Small networks for unit tests: nodes, links and mechanisms by name, shortest-path routes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/core/component.h"
#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/shortest_paths.h"
#include "mechanisms/core/slots.h"
#include "mechanisms/core/switch.h"
#include "mechanisms/tests/test_engine.h"

namespace fabric::test {

/// Flows from a list, in the order of (start, id).
class ListFeed final : public FlowFeed {
 public:
  void add(const FlowSpec& f) { flows_.push_back(f); }
  /// The flow waits for another one.
  void wait(uint32_t flow, uint32_t on, Time delay) { after_[flow].push_back({on, delay}); }
  void sort() {
    std::sort(flows_.begin(), flows_.end(), [](const FlowSpec& a, const FlowSpec& b) {
      return std::make_pair(a.start.ps, a.id) < std::make_pair(b.start.ps, b.id);
    });
  }
  const FlowSpec* peek() override { return at_ < flows_.size() ? &flows_[at_] : nullptr; }
  void pop() override { ++at_; }
  uint64_t measured() const override {
    return static_cast<uint64_t>(
        std::count_if(flows_.begin(), flows_.end(), [](const FlowSpec& f) { return f.measured; }));
  }
  std::unique_ptr<FlowFeed> again() const override {
    auto copy = std::make_unique<ListFeed>(*this);
    copy->at_ = 0;
    return copy;
  }
  bool hasDependencies() const override { return !after_.empty(); }
  const std::vector<Dependency>& after() const override {
    const auto found = after_.find(flows_[at_].id);
    return found == after_.end() ? FlowFeed::after() : found->second;
  }

 private:
  std::vector<FlowSpec> flows_;
  std::map<uint32_t, std::vector<Dependency>> after_;
  size_t at_ = 0;
};

/// Keeps the rows of one table.
class Rows final : public RowSink {
 public:
  explicit Rows(size_t columns) : columns_(columns) {}
  void row(int, const Cell* cells) override {
    std::vector<int64_t> r(columns_);
    for (size_t i = 0; i < columns_; ++i) r[i] = cells[i].i64();
    rows.push_back(std::move(r));
  }
  std::vector<std::vector<int64_t>> rows;

 private:
  size_t columns_;
};

/// What to build the network from.
struct Config {
  std::string transport = "go_back_n";
  std::string cc = "none";
  std::string selector = "ecmp";
  std::vector<std::string> agents, receivers, applications, nicAgents, nicQueues;
  std::string scheduler;  // "": what stands there by default
  std::string utility;    // "": none
  std::vector<std::string> queues{"fifo", "fifo"};
  std::map<std::string, Value> params;  // by component.parameter
  uint64_t seed = 1;
  TestEngine::Options engine;

  Config& set(const std::string& name, Value v) {
    params[name] = std::move(v);
    return *this;
  }
  static Config hpcc() {
    Config s;
    s.cc = "hpcc";
    s.agents = {"hpcc_int"};
    s.receivers = {"hpcc_echo"};
    return s.set("host.base_rtt", int64_t{12900000});
  }
  static Config fncc() {
    Config s;
    s.cc = "fncc";
    s.agents = {"fncc_int"};
    s.receivers = {"fncc_receiver"};
    return s.set("host.base_rtt", int64_t{12900000});
  }
  static Config dcqcn() {
    Config s;
    s.cc = "dcqcn";
    s.receivers = {"cnp_generator"};
    s.queues = {"fifo", "red"};
    return s;
  }
  /// As preset numfabric, but for ACKs in a class of their own.
  static Config numfabric() {
    Config s;
    s.cc = "numfabric";
    s.queues = s.nicQueues = {"fifo", "stfq"};
    s.agents = s.nicAgents = {"xwi"};
    s.receivers = {"num_echo"};
    s.utility = "alpha_fair";
    s.set("host.mtu", int64_t{1500}).set("host.header_bytes", int64_t{90}).set("host.ack_bytes", int64_t{90});
    s.set("port.pfc", false).set("switch.buffer", int64_t{100000000}).set("round_robin.backlog", int64_t{1000000});
    s.set("numfabric.base_rtt", Time::Us(16).ps);
    return s.set("xwi.guard", Time::Us(3).ps).set("xwi.extra_bytes", int64_t{1500});
  }
  /// As preset dgd, but for ACKs in a class of their own.
  static Config dgd() {
    Config s = numfabric();
    s.cc = "dgd";
    s.queues = {"fifo", "fifo"};
    s.nicQueues.clear();
    s.agents = s.nicAgents = {"dgd_price"};
    return s.set("round_robin.backlog", int64_t{0});
  }
  /// As preset rcp-star.
  static Config rcpStar() {
    Config s = dgd();
    s.cc = "rcp_star";
    s.agents = s.nicAgents = {"rcp_star_rate"};
    return s;
  }
  static Config rocc() {
    Config s;
    s.cc = "rocc";
    s.agents = {"rocc_pi"};
    return s;
  }
};

class Net {
 public:
  explicit Net(Config s = {})
      : setup(std::move(s)),
        engine(setup.engine),
        network(engine, setup.seed),
        flowRows(standardTables()[kFlows].columns.size()) {
    network.trace().enable(kFlows, {});
    network.trace().addSink(kFlows, &flowRows);
  }

  /// A component of this setup by its name.
  std::unique_ptr<Component> component(const std::string& name) {
    std::unique_ptr<Component> c = Registry::find(name)->create();
    for (const auto& [key, value] : setup.params) {
      if (key.rfind(name + ".", 0) == 0) c->set(key.substr(name.size() + 1), value);
    }
    return c;
  }
  template <class T>
  T& own(const std::string& name) {
    components_.push_back(component(name));
    return dynamic_cast<T&>(*components_.back());
  }

  Host& host() {
    auto& h = own<Host>("host");
    h.join(network, static_cast<uint32_t>(network.nodes().size()), "h" + std::to_string(network.nodes().size()));
    plug(h, "transport", own<Component>(setup.transport));
    plug(h, "congestion_control", own<Component>(setup.cc));
    for (const auto& r : setup.receivers) plug(h, "receiver_agents", own<Component>(r));
    for (const auto& a : setup.applications) plug(h, "applications", own<Component>(a));
    if (!setup.utility.empty()) plug(h, "utility", own<Component>(setup.utility));
    hosts.push_back(&h);
    return h;
  }
  Switch& sw(uint64_t salt = 0) {
    auto& s = own<Switch>("switch");
    s.join(network, static_cast<uint32_t>(network.nodes().size()), "s" + std::to_string(network.nodes().size()));
    plug(s, "path_selector", own<Component>(setup.selector));
    s.setHashSalt(salt);
    switches.push_back(&s);
    return s;
  }
  void link(Node& a, Node& b, Rate rate = Rate::Gbps(100), Time delay = Time::Ns(1500)) {
    Port& pa = own<Port>("port");
    Port& pb = own<Port>("port");
    a.addPort(pa, rate, delay);
    b.addPort(pb, rate, delay);
    engine.connect(pa, pb);
    peer[&pa] = &pb;
    peer[&pb] = &pa;
    for (Port* p : {&pa, &pb}) {
      const auto* host = dynamic_cast<Host*>(&p->node());
      const auto each = [&](const char* slot, const std::vector<std::string>& names) {
        for (const auto& name : names) plug(*p, slot, own<Component>(name));
      };
      if (host == nullptr) {
        each("queues", setup.queues);
        each("port_agents", setup.agents);
      } else {
        each("nic_queues", setup.nicQueues);
        each("nic_agents", setup.nicAgents);
        if (!setup.scheduler.empty()) plug(*p, "flow_scheduler", own<Component>(setup.scheduler));
        plugStandard(*p, host->classes(), [&](const Slot& s) -> Component& { return own<Component>(s.standard); });
      }
    }
  }
  void flow(uint32_t id, const Host& src, const Host& dst, uint64_t size, Time start = {}, Time stop = Time{-1}) {
    FlowSpec f;
    f.id = id;
    f.src = src.id();
    f.dst = dst.id();
    f.size = size;
    f.start = start;
    f.stop = stop;
    f.srcPort = static_cast<uint16_t>(1000 + id);
    f.dstPort = 4791;
    flow(f);
  }
  void flow(const FlowSpec& f) { feed.add(f); }

  void start() {
    setShortestPaths(network);
    feed.sort();
    network.setFlows(feed);
    network.start();
  }
  void run(Time until) {
    if (!network.started()) start();
    engine.run(until);
  }
  /// Runs to `until`, ends the run and expects every check to hold.
  void finish(Time until) {
    run(until);
    network.finish();
    for (const auto& c : network.checks()) EXPECT_TRUE(c.ok) << c.name << ": " << c.detail;
    EXPECT_EQ(engine.duplicateKeys, 0u);
  }

  bool check(const std::string& name) const {
    for (const auto& c : network.checks()) {
      if (c.name == name) return c.ok;
    }
    ADD_FAILURE() << "no check called " << name;
    return false;
  }
  /// The row of a flow in the flow table.
  const std::vector<int64_t>& row(uint32_t id) const {
    for (const auto& r : flowRows.rows) {
      if (r[0] == id) return r;
    }
    static const std::vector<int64_t> none(standardTables()[kFlows].columns.size(), -2);
    ADD_FAILURE() << "flow " << id << " has no row";
    return none;
  }
  int64_t end(uint32_t id) const { return row(id)[8]; }
  int64_t senderEnd(uint32_t id) const { return row(id)[9]; }
  int64_t delivered(uint32_t id) const { return row(id)[10]; }
  int64_t connectionEnd(uint32_t id) const { return row(id)[17]; }
  int64_t retransmitted(uint32_t id) const { return row(id)[12]; }

  /// The active flow `id` at its sender.
  Flow& active(const Host& h, uint32_t id) const {
    Flow* found = nullptr;
    h.forEachActive([&](Flow& f) {
      if (f.spec.id == id) found = &f;
    });
    if (found == nullptr) throw std::runtime_error("flow " + std::to_string(id) + " is not active");
    return *found;
  }

  // Order matters: the network refers to the engine, the components to both.
  Config setup;
  TestEngine engine;
  Network network;
  ListFeed feed;
  Rows flowRows;
  std::vector<Host*> hosts;
  std::vector<Switch*> switches;
  std::map<Port*, Port*> peer;

 private:
  std::vector<std::unique_ptr<Component>> components_;
};

/// Senders and one receiver at a switch each end of a chain of `switches`, or at a single one.
struct Chain : Net {
  Chain(const Config& s, int senders, int switchCount, Rate rate = Rate::Gbps(100), Time delay = Time::Ns(1500))
      : Net(s) {
    for (int i = 0; i < senders; ++i) host();
    Host& r = host();
    for (int i = 0; i < switchCount; ++i) sw();
    for (int i = 0; i < senders; ++i) link(*hosts[i], *switches[0], rate, delay);
    for (int i = 0; i + 1 < switchCount; ++i) link(*switches[i], *switches[i + 1], rate, delay);
    link(*switches.back(), r, rate, delay);
  }
  Host& sender(int i) { return *hosts[i]; }
  Host& receiver() { return *hosts.back(); }
  /// The port of the last switch towards the receiver.
  Port& lastHop() { return *switches.back()->ports().back(); }
};

/// What the start of a network says; empty: it starts.
inline std::string refusalOf(Net& net) {
  try {
    net.start();
  } catch (const ParamError& e) {
    return e.what();
  }
  return "";
}
inline std::string refusalOf(const Config& c) {
  Chain net(c, 1, 1);
  return refusalOf(net);
}

/// A fat-tree with k = 4: 16 hosts; 8 edge, 8 aggregation and 4 core switches, a hash salt per tier.
struct FatTree : Net {
  explicit FatTree(const Config& c) : Net(c) {
    for (int i = 0; i < 16; ++i) host();
    for (int i = 0; i < 8; ++i) sw(0);
    for (int i = 0; i < 8; ++i) sw(1);
    for (int i = 0; i < 4; ++i) sw(2);
    const auto edge = [&](int pod, int i) -> Switch& { return *switches[pod * 2 + i]; };
    const auto agg = [&](int pod, int i) -> Switch& { return *switches[8 + pod * 2 + i]; };
    for (int pod = 0; pod < 4; ++pod) {
      for (int e = 0; e < 2; ++e) {
        for (int h = 0; h < 2; ++h) link(*hosts[pod * 4 + e * 2 + h], edge(pod, e));
        for (int a = 0; a < 2; ++a) link(edge(pod, e), agg(pod, a));
      }
    }
    for (int pod = 0; pod < 4; ++pod) {
      for (int a = 0; a < 2; ++a) {
        for (int core = 0; core < 2; ++core) link(agg(pod, a), *switches[16 + a * 2 + core]);
      }
    }
  }
};

}  // namespace fabric::test
