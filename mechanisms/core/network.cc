#include "mechanisms/core/network.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "mechanisms/core/component.h"
#include "mechanisms/core/fetch_ahead.h"
#include "mechanisms/core/host.h"
#include "mechanisms/core/own_checks.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"

namespace fabric {

/// Fires at every multiple of its table's interval, after everything else at that time.
struct Network::Sampler final : Event {
  Sampler(Network& network, int table, std::function<void()> sample)
      : Event(eventKey(kLastNode, EventKind::Sample, static_cast<uint32_t>(table))),
        network(network),
        table(table),
        sample(std::move(sample)) {}

  void arm(Time at) {
    if (at <= network.trace_.filter(table).to) network.engine_.schedule(*this, at);
  }
  void fire() override {
    const Time next = at() + network.trace_.filter(table).interval;
    network.trace_.stopHolding();  // all rows from before are out, and none from later is there
    sample();
    arm(next);
  }

  Network& network;
  int table;
  std::function<void()> sample;
};

/// A flow that will start. It is an event of its sender's node.
struct Network::Start final : Event {
  explicit Start(Network& network) : network(network) {}
  void arm(Time at) {
    setKey(eventKey(keyNode(spec.src), EventKind::FlowSource, spec.id));
    network.engine_.schedule(*this, at);
  }
  void fire() override {
    spec.start = network.engine_.now();
    network.idleStarts_.here().push_back(this);
    if (network.dependencies_ != nullptr) network.notBegun_[spec.id] = nullptr;
    Host& sender = network.host(spec.src);
    if (Dependencies::isTask(spec)) {
      network.flowOverAt(sender, spec);
    } else {
      sender.arrive(spec, network.host(spec.dst));
    }
  }

  Network& network;
  FlowSpec spec;
};

/// A deadlock stays: when exactly it is found does not matter much.
constexpr Time kDeadlockInterval = Time::Us(100);

namespace {
/// The networks by their numbers, which are used again.
std::vector<const Network*>& numbered() {
  static std::vector<const Network*> all;
  return all;
}
}  // namespace

Network::Number::Number(const Network& network) {
  auto& all = numbered();
  auto place = std::find(all.begin(), all.end(), nullptr);
  if (place == all.end()) {
    if (all.size() == UINT8_MAX) throw std::length_error("there are 255 networks; let one go before the next is made");
    place = all.insert(all.end(), nullptr);
  }
  *place = &network;
  value = static_cast<uint8_t>(place - all.begin() + 1);
}

Network::Number::~Number() { numbered()[value - 1] = nullptr; }

Network::Network(Engine& engine, uint64_t seed) : engine_(engine), seed_(seed), stops_(engine, &Host::onStop) {
  for (const Description* d : Registry::all()) {
    for (const TableDesc& t : d->tables) trace_.add(t);
  }
}

Network::~Network() = default;

const Network* Network::of(uint8_t number) { return numbered()[number - 1]; }

void Network::add(Node& node) {
  if (node.id() != nodes_.size()) {
    throw std::invalid_argument("node " + node.name() + " has number " + std::to_string(node.id()) + ", expected " +
                                std::to_string(nodes_.size()));
  }
  if (!names_.insert(node.name()).second) {
    throw std::invalid_argument("two nodes are called " + node.name() + ": nodes are told apart, and draw their " +
                                "random numbers, by their names; give one of them another name");
  }
  nodes_.push_back(&node);
}

Host& Network::host(uint32_t id) const {
  if (id >= nodes_.size() || &nodes_[id]->description() != &Host::describe()) {
    throw std::invalid_argument("node " + std::to_string(id) + " is not a host of this network");
  }
  return static_cast<Host&>(*nodes_[id]);
}

void Network::start() {
  if (started_) throw std::logic_error("the network has started already");
  started_ = true;
  if (stopAtDeadlock_ && stopAt_ == Time::Max()) {
    throw std::logic_error("the run is to end at a deadlock, and never ends without one; set a time for its end, too");
  }
  Report report;
  check(report);
  if (!report.empty()) throw ParamError(report.text(*this));
  for (Node* n : nodes_) n->start(*this);
  shortestDelay_ = Time::Max();
  for (const Node* n : nodes_) {
    for (const Port* p : n->ports()) shortestDelay_ = std::min(shortestDelay_, p->delay());
    const auto* h = dynamic_cast<const Host*>(n);
    foreign_ |= h != nullptr && h->hasForeignStack();
  }
  if (shortestDelay_ == Time::Max()) shortestDelay_ = Time{0};
  for (const Node* n : nodes_) nodeMemory_.add(*n);
  startTracing();
  prepareDependencies();
  scheduleFlows();
  scheduleLinks();
  if (stopAt_ != Time::Max()) {
    engine_.schedule(stopEvent_, stopAt_);
    engine_.schedule(noteEvent_, Time{stopAt_.ps / 2});
  }
  if (stopAtDeadlock_) engine_.schedule(watchEvent_, kDeadlockInterval);
}

std::vector<Component*> Network::components() const {
  std::vector<Component*> list;
  for (const Node* n : nodes_) {
    for (const Plugged& p : n->plugged()) list.push_back(p.component);
    for (const Port* port : n->ports()) {
      for (const Plugged& p : port->plugged()) list.push_back(p.component);
    }
  }
  return list;
}

/// A packet may carry every extension that some component fills, each once.
int64_t Network::computeLargestFrame() const {
  std::map<std::string, int64_t> extensions;
  for (const Component* c : components()) {
    for (const Extension& e : c->description().extensions) {
      extensions[e.name] = std::max(extensions[e.name], e.wireBytes);
    }
  }
  int64_t mtu = 0, overlay = 0, added = 0;
  for (const auto& [name, bytes] : extensions) added += bytes;
  for (const Node* n : nodes_) {
    if (const auto* h = dynamic_cast<const Host*>(n)) mtu = std::max(mtu, h->mtu());
    if (const auto* s = dynamic_cast<const Switch*>(n)) overlay = std::max(overlay, s->overlayBytes());
  }
  return mtu + added + overlay;
}

FlowTimer Network::flowTimer(const std::string& name) {
  auto it = std::find(flowTimers_.begin(), flowTimers_.end(), name);
  if (it == flowTimers_.end()) {
    if (flowTimers_.size() == kFlowTimers) {
      throw std::logic_error("flow timer " + name + ": there are " + std::to_string(kFlowTimers) + " already");
    }
    it = flowTimers_.insert(it, name);
  }
  return FlowTimer(static_cast<uint8_t>(it - flowTimers_.begin()));
}

// ---------------------------------------------------------------- links and routes

namespace {

/// The next event is the last one.
template <class E>
void insertByTime(std::vector<E>& events, E event) {
  const auto later = [](const E& x, const E& y) { return y.at < x.at; };
  events.insert(std::upper_bound(events.begin(), events.end(), event, later), std::move(event));
}

}  // namespace

void Network::addLinkEvent(Time at, Port& end, bool up) { insertByTime(linkEvents_, {at, &end, up}); }

void Network::addRateChange(Time at, Port& end, Rate rate) { insertByTime(rateChanges_, {at, &end, rate}); }

/// Ports keep headroom for every rate that their link will have.
void Network::expectRates() {
  for (const RateChange& change : rateChanges_) {
    for (Port* end : {change.end, &change.end->peer()}) end->expectRate(change.rate);
  }
}

void Network::addHostEvent(Time at, Host& host, bool up) { insertByTime(hostEvents_, {at, &host, up}); }

void Network::addRouteChange(Time at, std::vector<RouteEntry> routes) {
  for (const RouteEntry& r : routes) {
    if (r.node >= nodes_.size() || dynamic_cast<Switch*>(nodes_[r.node]) == nullptr) {
      throw std::invalid_argument("routes: node " + std::to_string(r.node) + " is not a switch of this network");
    }
  }
  insertByTime(routeChanges_, {at, std::move(routes)});
}

void Network::scheduleLinks() {
  Time next = Time::Max();
  if (!linkEvents_.empty()) next = std::min(next, linkEvents_.back().at);
  if (!rateChanges_.empty()) next = std::min(next, rateChanges_.back().at);
  if (!hostEvents_.empty()) next = std::min(next, hostEvents_.back().at);
  if (!routeChanges_.empty()) next = std::min(next, routeChanges_.back().at);
  if (next != Time::Max()) engine_.schedule(linkEvent_, next);
}

void Network::changeLink(Port& end, bool up) {
  if (up) {
    end.bringUp();
    end.peer().bringUp();
    end.kick();
    end.peer().kick();
  } else {
    end.takeDown();
    end.peer().takeDown();
  }
}

void Network::changeLinks() {
  const Time now = engine_.now();
  for (; !linkEvents_.empty() && linkEvents_.back().at == now; linkEvents_.pop_back()) {
    changeLink(*linkEvents_.back().end, linkEvents_.back().up);
  }
  for (; !rateChanges_.empty() && rateChanges_.back().at == now; rateChanges_.pop_back()) {
    const RateChange& change = rateChanges_.back();
    for (Port* end : {change.end, &change.end->peer()}) end->changeRate(change.rate);
    for (Port* end : {change.end, &change.end->peer()}) end->kick();
  }
  for (; !hostEvents_.empty() && hostEvents_.back().at == now; hostEvents_.pop_back()) {
    const HostEvent e = hostEvents_.back();
    for (Port* port : e.host->ports()) changeLink(*port, e.up);
    e.host->setUp(e.up);
  }
  for (; !routeChanges_.empty() && routeChanges_.back().at == now; routeChanges_.pop_back()) {
    for (Node* n : nodes_) {
      if (auto* s = dynamic_cast<Switch*>(n)) s->clearRoutes();
    }
    for (const RouteEntry& r : routeChanges_.back().routes) {
      static_cast<Switch*>(nodes_[r.node])->setRoute(r.dst, r.ports);
    }
    routesChanged_ = true;
  }
  scheduleLinks();
}

// ---------------------------------------------------------------- flows

void Network::prepareDependencies() {
  if (feed_ == nullptr || !feed_->hasDependencies()) return;
  dependencies_ = std::make_unique<Dependencies>(*feed_->again());
  notBegun_.resize(dependencies_->flows());
}

void Network::stop() { engine_.stop(); }

void Network::noteWaiting() { standstill_.note(nodes_, engine_.now()); }

void Network::scheduleFlows() {
  if (feed_ == nullptr) return;
  if (const FlowSpec* next = feed_->peek()) engine_.schedule(flowEvent_, next->start);
}

const FlowGroups& Network::groups() {
  std::call_once(groupsRead_,
                 [this] { groups_ = std::make_unique<FlowGroups>(feed_ != nullptr ? feed_->again() : nullptr); });
  return *groups_;
}

/// Takes the flows of the next while from the list.
void Network::startFlows() {
  constexpr Time kWhile = Time::Us(10);
  while (const FlowSpec* next = feed_->peek()) {
    if (next->start >= engine_.now() + kWhile) break;
    host(next->src);  // throws where it is no host, before an engine looks for its node
    start(*next);
    feed_->pop();
  }
  scheduleFlows();
}

/// The flow starts when its time has come and what it waits for is over.
void Network::start(const FlowSpec& flow) {
  std::vector<Start*>& idle = idleStarts_.here();
  if (idle.empty()) {
    starts_.push_back(std::make_unique<Start>(*this));
    idle.push_back(starts_.back().get());
  }
  Start& start = *idle.back();
  idle.pop_back();
  start.spec = flow;
  measuredTaken_ += flow.measured ? 1 : 0;
  flowsStop_ |= flow.stop.ps >= 0;
  if (stopsAtOnce(flow) && flow.measured) ++counters().measuredAllSent;
  if (dependencies_ == nullptr) {
    start.arm(flow.start);
    return;
  }
  notBegun_[flow.id] = &start;
  if (dependencies_->mayStart(flow.id)) start.arm(dependencies_->startOf(flow.id));
}

void Network::flowOverAt(const Host& host, const FlowSpec& flow) {
  if (dependencies_ == nullptr || flow.message != nullptr) return;
  dependencies_->onOver(flow.id, host.id(), engine_.now(), [this](uint32_t next) {
    if (notBegun_[next] == nullptr) return;  // its time in the flow list is still to come
    notBegun_[next]->arm(dependencies_->startOf(next));
  });
}

Network::Counters Network::total() const {
  static_assert(std::is_trivially_copyable_v<Counters> && sizeof(Counters) % sizeof(uint64_t) == 0);
  std::array<uint64_t, sizeof(Counters) / sizeof(uint64_t)> sum{}, one;
  for (uint32_t lane = 0; lane < lanes_; ++lane) {
    std::memcpy(one.data(), &counters_[lane], sizeof one);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += one[i];
  }
  Counters all;
  std::memcpy(static_cast<void*>(&all), sum.data(), sizeof all);
  return all;
}

uint64_t Network::total(uint64_t Counters::*counter) const {
  uint64_t sum = 0;
  for (uint32_t lane = 0; lane < lanes_; ++lane) sum += counters_[lane].*counter;
  return sum;
}

void Network::flowAllSent(Flow& flow) {
  flow.allSent = true;
  if (flow.spec.measured) ++counters().measuredAllSent;
}

Time Network::nextWindow() {
  catchUp();
  inWindows_ = !mustKeepOrder();
  if (!inWindows_) {
    trace_.stopHolding();
    return Time{0};
  }
  trace_.release();
  trace_.hold(engine_);
  return shortestDelay_;
}

/// The last measured flow must not end, nor a flow be stopped, before this is asked again. Flows are taken from the
/// list by events that belong to no node.
uint32_t Network::windowsAhead() const {
  constexpr uint32_t kMany = 64;
  const bool mayEnd = stopWhenFlowsFinish_ && (feed_ == nullptr || measuredTaken_ == feed_->measured());
  return mayEnd || flowsStop_ ? 1 : kMany;
}

void Network::inOrder(uint32_t node, std::function<void()> deed) {
  if (inWindows_) {
    std::vector<Deed>& here = deeds_.here();
    here.push_back({engine_.now(), node, static_cast<uint32_t>(here.size()), std::move(deed)});
  } else {
    deed();
  }
}

void Network::catchUp() {
  std::vector<Deed>& all = deeds_[0];
  for (uint32_t i = 1; i < lanes_; ++i) {
    std::move(deeds_[i].begin(), deeds_[i].end(), std::back_inserter(all));
    deeds_[i].clear();
  }
  if (all.empty()) return;
  std::sort(all.begin(), all.end(), [](const Deed& a, const Deed& b) {
    return std::tie(a.at.ps, a.node, a.turn) < std::tie(b.at.ps, b.node, b.turn);
  });
  for (const Deed& d : all) d.call();
  all.clear();
}

void Network::setLanes(uint32_t count) {
  lanes_ = count;
  trace_.setLanes(count);
}

void Network::part() {
  apart_ = true;
  engine_.part();
}

void Network::meet() {
  apart_ = false;
  stops_.meet(lanes_);
  flows_.meet(lanes_);
  packets_.evenOut(lanes_);
  messages_.evenOut(lanes_);
  engine_.meet(lanes_);
  std::vector<Start*>& idle = idleStarts_[0];
  for (uint32_t i = 1; i < lanes_; ++i) {
    idle.insert(idle.end(), idleStarts_[i].begin(), idleStarts_[i].end());
    idleStarts_[i].clear();
  }
}

namespace {

/// That of a host, or the node itself.
const Node& switchOf(const Node& n) {
  if (dynamic_cast<const Host*>(&n) == nullptr || n.ports().empty()) return n;
  const Port& p = *n.ports().front();
  return p.connected() && dynamic_cast<const Switch*>(&p.peer().node()) != nullptr ? p.peer().node() : n;
}

}  // namespace

/// A host's place is its number among the hosts, that of a switch the mean of what it is linked to below it. So a
/// leaf is near its hosts, and what a pod has is together.
std::vector<std::vector<uint32_t>> Network::byPlace() const {
  constexpr double kNowhere = -1;
  std::vector<double> places(nodes_.size(), kNowhere);
  std::vector<uint32_t> layer;
  for (const Node* n : nodes_) {
    if (dynamic_cast<const Host*>(n) == nullptr) continue;
    places[n->id()] = static_cast<double>(layer.size());
    layer.push_back(n->id());
  }
  while (!layer.empty()) {
    std::map<uint32_t, std::pair<double, double>> above;  // by node: sum and count of the places below
    for (const uint32_t id : layer) {
      for (const Port* p : nodes_[id]->ports()) {
        const uint32_t peer = p->peer().node().id();
        if (places[peer] != kNowhere) continue;
        above[peer].first += places[id];
        above[peer].second += 1;
      }
    }
    layer.clear();
    for (const auto& [id, sum] : above) {
      places[id] = sum.first / sum.second;
      layer.push_back(id);
    }
  }
  std::vector<std::vector<uint32_t>> units(nodes_.size());
  for (const Node* n : nodes_) units[switchOf(*n).id()].push_back(n->id());
  std::vector<uint32_t> order(nodes_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return std::tie(places[a], a) < std::tie(places[b], b); });
  std::vector<std::vector<uint32_t>> byPlace;
  for (const uint32_t id : order) {
    if (!units[id].empty()) byPlace.push_back(std::move(units[id]));
  }
  return byPlace;
}

std::vector<bool> Network::early(const std::vector<uint8_t>& lanes) const {
  std::vector<bool> early(lanes.size(), true);
  std::vector<const Node*> late;
  for (const Node* n : nodes_) {
    if (dynamic_cast<const Host*>(n) != nullptr) late.push_back(n);
  }
  while (!late.empty()) {
    const Node& n = *late.back();
    late.pop_back();
    early[keyNode(n.id())] = false;
    for (const Port* p : n.ports()) {
      if (!p->connected()) continue;
      const Node& peer = p->peer().node();
      if (lanes[keyNode(peer.id())] != lanes[keyNode(n.id())] && early[keyNode(peer.id())]) late.push_back(&peer);
    }
  }
  return early;
}

void Network::setLaneOf(const std::vector<uint8_t>& lanes) {
  for (const Node* n : nodes_) {
    for (Port* p : n->ports()) {
      if (p->connected()) p->peerLane = lanes[keyNode(p->peer().node().id())];
    }
  }
}

void Network::fetch(uint32_t node) const { nodeMemory_.fetch(node - keyNode(0)); }

bool Network::mustKeepOrder() const {
  // Where the last flow ends, everything ends; a flow that has bytes to send does not end within a window.
  const bool lastOnes =
      stopWhenFlowsFinish_ && (feed_ == nullptr || total(&Counters::measuredAllSent) >= feed_->measured());
  return lastOnes || foreign_;
}

void Network::flowEnded(bool measured) {
  ++counters().flowsEnded;
  if (measured) ++counters().measuredEnded;
  engine_.countFlowDone();
  if (!stopWhenFlowsFinish_ || !measured || apart_) return;  // the last one ends in the order of time
  const bool last = feed_ == nullptr ? total(&Counters::flowsEnded) == total(&Counters::flowsStarted)
                                     : total(&Counters::measuredEnded) == feed_->measured();
  if (last) engine_.stop();
}

void Network::lookForDeadlock() {
  if (Deadlock(nodes_).places().empty()) {
    engine_.schedule(watchEvent_, engine_.now() + kDeadlockInterval);
  } else {
    engine_.stop();
  }
}

/// Whether some link of the host will be up again.
bool Network::comesBack(const Host& host) const {
  const auto ofHost = [&](const LinkEvent& e) {
    return e.up && (&e.end->node() == &host || &e.end->peer().node() == &host);
  };
  const auto itself = [&](const HostEvent& e) { return e.up && e.host == &host; };
  return std::any_of(linkEvents_.begin(), linkEvents_.end(), ofHost) ||
         std::any_of(hostEvents_.begin(), hostEvents_.end(), itself);
}

void Network::finish() {
  catchUp();
  trace_.stopHolding();
  std::vector<const Flow*> rows;
  std::deque<Flow> notBegun;
  const auto addNotBegun = [&](const FlowSpec& message, Host& sender) {
    Flow& f = notBegun.emplace_back();
    f.spec = message;
    f.spec.start = Time{-1};  // that of the flow list is not when it starts
    f.sender = &sender;
    rows.push_back(&f);
  };
  for (Node* n : nodes_) {
    if (auto* h = dynamic_cast<Host*>(n)) {
      h->forEachActive([&](const Flow& f) { rows.push_back(&f); });
      h->forEachWaiting([&](const FlowSpec& message) { addNotBegun(message, *h); });
    }
  }
  for (const Start* start : notBegun_) {
    if (start == nullptr || start->spec.start > engine_.now() || Dependencies::isTask(start->spec)) continue;
    addNotBegun(start->spec, host(start->spec.src));
    if (start->spec.size != 0 && start->spec.measured) ++counters().measuredLimited;
  }
  for (const Flow* f : rows) f->sender->countFlow(*f);
  standstill_.find(nodes_, engine_.now(), rows, [this](const Host& h) { return comesBack(h); });
  for (Node* n : nodes_) {
    auto* h = dynamic_cast<Host*>(n);
    if (h == nullptr) continue;
    h->forEachClosing([&](const Flow& f) {
      if (!f.closed) rows.push_back(&f);
    });
  }
  std::sort(rows.begin(), rows.end(), [](const Flow* a, const Flow* b) { return a->spec.id < b->spec.id; });
  for (const Flow* f : rows) f->sender->emitFlow(*f);
  for (Component* component : components()) component->onFinish();
}

// ---------------------------------------------------------------- tracing

void Network::startTracing() {
  for (const int table : {int{kQueues}, int{kLinks}, int{kPauses}, int{kDrops}, int{kPackets}}) {
    if (!trace_.on(table)) continue;
    const auto& wanted = trace_.filter(table).ports;
    std::vector<Port*> ports;
    if (wanted.empty()) {
      for (const Node* n : nodes_) {
        const bool isSwitch = dynamic_cast<const Switch*>(n) != nullptr;
        if (!isSwitch && (table == kQueues || table == kLinks)) continue;
        ports.insert(ports.end(), n->ports().begin(), n->ports().end());
      }
    }
    for (const auto& w : wanted) {
      if (w.node >= nodes_.size() || w.port >= nodes_[w.node]->ports().size()) {
        throw std::invalid_argument("trace table " + trace_.desc(table).name + ": there is no port " +
                                    std::to_string(w.port) + " at node " + std::to_string(w.node));
      }
      ports.push_back(&nodes_[w.node]->port(w.port));
    }
    for (Port* p : ports) p->traceMask = static_cast<uint16_t>(p->traceMask | 1u << table);
    if (table == kQueues) queuePorts_ = ports;
    if (table == kLinks) linkPorts_ = ports;
  }
  const auto sampler = [this](int table, std::function<void()> sample) {
    if (!trace_.on(table)) return;
    const TraceFilter& f = trace_.filter(table);
    samplers_.push_back(std::make_unique<Sampler>(*this, table, std::move(sample)));
    const int64_t steps = (f.from.ps + f.interval.ps - 1) / f.interval.ps;
    samplers_.back()->arm(Time{steps * f.interval.ps});
  };
  sampler(kQueues, [this] { sampleQueues(); });
  sampler(kLinks, [this] { sampleLinks(); });
  sampler(kRates, [this] { sampleRates(); });
  sampler(kArrivals, [this] { sampleArrivals(); });
  countsArrivals_ = trace_.on(kArrivals);
  if (countsArrivals_) arrivals_ = flows_.reserve<Arrivals>("arrivals", FlowEnd::Receiver);
  for (int table = kStandardTables; table < trace_.size(); ++table) {
    if (!trace_.desc(table).sampled) continue;
    std::vector<Component*> makers;
    for (Component* c : components()) {
      const auto& tables = c->description().tables;
      const auto same = [&](const TableDesc& t) { return t.name == trace_.desc(table).name; };
      if (std::any_of(tables.begin(), tables.end(), same)) makers.push_back(c);
    }
    sampler(table, [makers, table] {
      for (Component* c : makers) c->onSample(table);
    });
  }
}

void Network::sampleQueues() {
  for (Port* p : queuePorts_) {
    for (int c = 0; c < p->classes(); ++c) {
      const auto cls = static_cast<uint8_t>(c);
      const int64_t max = p->takeMaxBytes(cls);
      if (!trace_.wantsClass(kQueues, cls)) continue;
      trace_.emit(kQueues, engine_.now(), NodeId{p->node().id()}, p->index(), cls,
                  static_cast<uint64_t>(p->queueBytes(cls)), p->queuePackets(cls), static_cast<uint64_t>(max));
    }
  }
}

void Network::sampleLinks() {
  for (const Port* p : linkPorts_) {
    trace_.emit(kLinks, engine_.now(), NodeId{p->node().id()}, p->index(), p->sentWireBytes(), p->sentDataBytes(),
                p->pausedTime());
  }
}

void Network::sampleRates() {
  for (const Node* n : nodes_) {
    const auto* h = dynamic_cast<const Host*>(n);
    if (h == nullptr) continue;
    h->forEachActive([&](const Flow& f) {
      if (!trace_.wantsFlow(kRates, f.spec.id)) return;
      // A stopped flow only waits for its last acknowledgements.
      const Rate rate = f.stopped ? Rate{0} : f.connection->rate;
      int64_t window = f.connection->window;
      for (const Flow* part = f.connection->nextSubflow; part != nullptr; part = part->nextSubflow) {
        window = window < 0 || part->window < 0 ? -1 : window + part->window;
      }
      uint64_t sent = f.sentWireBytes;
      for (const Flow* part = f.nextSubflow; part != nullptr; part = part->nextSubflow) sent += part->sentWireBytes;
      trace_.emit(kRates, engine_.now(), f.spec.id, NodeId{f.spec.src}, rate, Bytes{window}, sent,
                  h->transport().acked(f));
    });
  }
}

void Network::sampleArrivals() {
  for (const Node* n : nodes_) {
    const auto* h = dynamic_cast<const Host*>(n);
    if (h == nullptr) continue;
    h->forEachActive([&](Flow& f) {
      // The packets of messages are those of their connection.
      if (f.connection != &f || !trace_.wantsFlow(kArrivals, f.spec.id)) return;
      uint64_t bytes = 0, packets = 0;
      Time last{-1};
      for (Flow* part = &f; part != nullptr; part = part->nextSubflow) {
        if (!part->receiverStarted) continue;
        const Arrivals& come = arrivals_(*part);
        bytes += come.wireBytes;
        packets += come.packets;
        last = std::max(last, come.lastAt);
      }
      trace_.emit(kArrivals, engine_.now(), f.spec.id, NodeId{f.spec.dst}, bytes, packets, last);
    });
  }
}

// ---------------------------------------------------------------- checks

std::vector<Network::Check> Network::checks() const {
  std::vector<Check> list;
  const Counters c = total();
  uint64_t inFlight = 0;
  packets_.forEachLive([&](const Packet& p) {
    if (p.kind == PacketKind::Data) inFlight += p.payload;
  });
  list.push_back({"bytes_conserved", c.dataBytesSent == c.dataBytesReceived + c.dataBytesDropped + inFlight,
                  "sent " + std::to_string(c.dataBytesSent) + " = received " + std::to_string(c.dataBytesReceived) +
                      " + dropped " + std::to_string(c.dataBytesDropped) + " + in flight " + std::to_string(inFlight) +
                      " B of payload"});

  if (c.foreignSent > 0) {
    uint64_t alive = 0;
    packets_.forEachLive([&](const Packet& p) { alive += p.kind == PacketKind::Foreign ? 1 : 0; });
    list.push_back({"foreign_conserved", c.foreignSent == c.foreignReceived + c.foreignDropped + alive,
                    "sent " + std::to_string(c.foreignSent) + " = received " + std::to_string(c.foreignReceived) +
                        " + dropped " + std::to_string(c.foreignDropped) + " + on their way " + std::to_string(alive) +
                        " packets of the engine's own stack"});
  }

  bool consistent = true, ordered = true;
  uint64_t pausing = 0;
  int64_t queued = 0, counted = 0, used = 0;
  for (const Node* n : nodes_) {
    const auto* s = dynamic_cast<const Switch*>(n);
    if (s == nullptr) continue;
    ordered &= s->pathSelector().keepsOrder();
    counted += s->buffer().counted();
    used += s->buffer().used();
    consistent &= s->buffer().consistent();
    for (const Port* p : s->ports()) {
      for (int cls = 0; cls < p->classes(); ++cls) {
        queued += p->queueBytes(static_cast<uint8_t>(cls));
        pausing += !p->down() && s->buffer().pausing(*p, static_cast<uint8_t>(cls));
      }
    }
  }
  if (lossless_) {
    const uint64_t lost = c.drops - c.linkDrops - c.stoppedDrops;
    list.push_back({"lossless", lost == 0, std::to_string(lost) + " packets dropped with PFC at every port"});
  }
  // As routes change, packets under way may be overtaken whatever path selectors do, and what is lost leaves a gap.
  if (ordered && !routesChanged_ && c.dataBytesDropped == 0) {
    list.push_back({"in_order", c.reordered == 0,
                    std::to_string(c.reordered) + " data packets overtook an earlier one of their flow"});
  }
  list.push_back({"pauses_paired",
                  static_cast<int64_t>(c.xoffSent) == static_cast<int64_t>(c.xonSent + pausing) + c.xoffForgotten,
                  "XOFF " + std::to_string(c.xoffSent) + " = XON " + std::to_string(c.xonSent) + " + now pausing " +
                      std::to_string(pausing) +
                      (c.xoffForgotten != 0 ? " + ended with their link " + std::to_string(c.xoffForgotten) : "")});
  list.push_back({"buffers_accounted", consistent && used <= queued,
                  "counted at ingress " + std::to_string(counted) + ", used " + std::to_string(used) + ", queued " +
                      std::to_string(queued) + " B"});
  list.push_back({"one_frame_at_a_time", c.overlaps == 0,
                  std::to_string(c.overlaps) + " frames were put on a wire that was not free"});
  list.push_back({"rates_in_bounds", c.boundViolations == 0,
                  std::to_string(c.boundViolations) + " times a rate or window was outside of what the line allows"});
  for (const Component* component : components()) {
    if (const auto* own = dynamic_cast<const OwnChecks*>(component)) own->addChecks(list);
  }
  return list;
}

std::vector<std::string> Network::warnings() const {
  std::vector<std::string> list;
  const Counters c = total();
  if (c.flowsStarted == 0 && c.foreignSent > 0) {
    if (c.foreignReceived == 0) list.push_back("no packet of the engine's own stack was delivered");
  } else if (c.flowsStarted == 0) {
    list.push_back("no flow started: the flow list is empty or every start lies behind the end of the run");
  } else if (c.dataBytesDelivered == 0) {
    list.push_back(
        "no payload was delivered: the run ends before the first packet can arrive, or no route leads "
        "to the receivers");
  }
  for (std::string& sentence : standstill_.sentences()) list.push_back(std::move(sentence));
  if (c.flowsLimited > 0 && c.flowsFinished == 0 && !standstill_.any()) {
    list.push_back("no flow finished: the run ends before the shortest could be done, or the path is blocked");
  }
  if (stopWhenFlowsFinish_ && c.measuredFinished < c.measuredLimited) {
    list.push_back(std::to_string(c.measuredLimited - c.measuredFinished) + " of " + std::to_string(c.measuredLimited) +
                   " measured flows had not finished when the run ended" + standstill_.reasons());
  }
  for (int t = 0; t < trace_.size(); ++t) {
    if (trace_.on(t) && trace_.rows(t) == 0 && (trace_.desc(t).sampled || t == kFlows)) {
      list.push_back("table " + trace_.desc(t).name + " has no row: its filters leave nothing, or the run is shorter " +
                     "than one sampling interval");
    }
  }
  bool anyPfc = false;
  for (const Node* n : nodes_) {
    for (const Port* p : n->ports()) anyPfc |= p->pfc() && dynamic_cast<const Switch*>(n) != nullptr;
  }
  const uint64_t lost = c.drops - c.linkDrops - c.stoppedDrops;
  if (anyPfc && lost > 0) {
    list.push_back(std::to_string(lost) +
                   " packets were dropped although PFC is on: the headroom or the buffer is "
                   "too small (port.headroom, switch.buffer), a queue has a limit, or a route is missing");
  }
  if (anyPfc && c.drops == 0 && c.retransmittedBytes > 0) {
    list.push_back(
        std::to_string(c.retransmittedBytes) +
        " B were sent again although nothing was dropped: senders timed out while their packets waited for "
        "PFC pauses or in queues (make host.retransmit_timeout longer, or 0; under TCP tcp.min_rto), or packets "
        "overtook each other (spray, flowlets)");
  }
  return list;
}

}  // namespace fabric
