#include "mechanisms/tools/flowtune_alone.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanisms/core/random.h"
#include "mechanisms/ecmp/ecmp.h"

namespace fabric::flowtune {

namespace {

constexpr double kGbps = 1e9;
constexpr double kSettled = 1e-6;  // residual of an optimum

const IterationsTable kIterations{
    "iterations",
    "What an iteration of the allocator came to",
    Scope::Node,
    false,
    {"iteration", "1", "from 0"},
    {"time_ps", "when it was made"},
    {"flows", "1", "that it allocated to"},
    {"rate_bps", "bit/s", "sum of all rates before the normaliser"},
    {"allocated_bps", "bit/s", "sum of all rates handed out"},
    {"over_bps", "bit/s", "sum over all links of what rates before the normaliser exceed capacities by"},
    {"fullest", "1", "largest load over capacity before the normaliser"},
    {"residual", "1", "how far the prices that it left are from the optimum, part of a capacity"},
    {"optimum_bps", "bit/s", "sum of the optimal rates; 0 if it was not asked for"}};

const AllocationsTable kAllocations{"allocations",
                                    "Rates of a flow at an iteration",
                                    Scope::Flow,
                                    false,
                                    {"iteration", "1", "from 0"},
                                    {"time_ps", "when it was made"},
                                    {"flow", "1", "flow id"},
                                    {"rate_bps", "bit/s", "before the normaliser"},
                                    {"allocated_bps", "bit/s", "handed out"}};

const PricesTable kPrices{"prices",
                          "Price and load of a link at an iteration",
                          Scope::Port,
                          false,
                          {"iteration", "1", "from 0"},
                          {"time_ps", "when it was made"},
                          {"node", "node the link leaves"},
                          {"port", "1", "port of the node"},
                          {"price", "s/Gbit", "for the next iteration, for weights of 1"},
                          {"load_bps", "bit/s", "sum of the rates before the normaliser"}};

}  // namespace

Paths::Paths(const Scenario& scenario, const std::vector<ScenarioRoute>& routes) {
  bool first = true;
  for (uint32_t n = 0; n < scenario.nodes.size(); ++n) {
    if (scenario.nodes[n].isHost) continue;
    const ComponentSpec& selector = scenario.at(n).in("path_selector").front();
    if (selector.type != "ecmp") {
      throw InputError("the path selector is " + selector.type +
                       ", whose paths the allocator cannot know before packets are sent; it must be ecmp");
    }
    bool symmetric = true;  // the default
    for (const auto& [name, value] : selector.params) {
      if (name == "symmetric") symmetric = std::get<bool>(value);
      if (name == "salt" && std::get<int64_t>(value) != 0) {
        throw InputError("ecmp.salt is set; alone, the allocator knows the paths of salt 0 only");
      }
    }
    if (!first && symmetric != symmetric_) {
      throw InputError("ecmp.symmetric differs between switches; alone, the allocator takes one value for all");
    }
    symmetric_ = symmetric;
    first = false;
  }
  if (!scenario.linkEvents.empty() || !scenario.rateEvents.empty() || !scenario.routeChanges.empty()) {
    throw InputError(
        "links fail or change their rate in this scenario, or routes change; alone, the allocator has one network");
  }
  for (const ScenarioNode& n : scenario.nodes) nodes_.push_back({n.name, n.hashSalt, {}, {}});
  for (const ScenarioLink& l : scenario.links) {
    const double capacity = static_cast<double>(l.rate.bps) / kGbps;
    const auto place = [&](uint32_t node, uint16_t port, uint32_t peer) {
      auto& ports = nodes_[node].links;
      if (ports.size() <= port) ports.resize(port + size_t{1});
      ports[port] = static_cast<uint32_t>(links_.size());
      links_.push_back({node, port, peer, capacity});
    };
    place(l.a, l.aPort, l.b);
    place(l.b, l.bPort, l.a);
  }
  for (const ScenarioRoute& r : routes) {
    if (r.node >= nodes_.size() || r.dst >= nodes_.size()) throw InputError("a route is of a node that there is not");
    auto& table = nodes_[r.node].routes;
    if (table.size() <= r.dst) table.resize(r.dst + size_t{1});
    table[r.dst] = r.ports;
  }
}

std::vector<uint32_t> Paths::of(const FlowSpec& flow) const {
  const uint64_t a = endpoint(hashName(nodes_.at(flow.src).name), flow.srcPort);
  const uint64_t b = endpoint(hashName(nodes_.at(flow.dst).name), flow.dstPort);
  const uint64_t hash = symmetric_ ? pairHash(std::min(a, b), std::max(a, b)) : pairHash(a, b);
  std::vector<uint32_t> path{nodes_.at(flow.src).links.at(0)};
  for (uint32_t at = links_[path[0]].peer; at != flow.dst; at = links_[path.back()].peer) {
    const Node& node = nodes_[at];
    if (flow.dst >= node.routes.size() || node.routes[flow.dst].empty() || path.size() > nodes_.size()) {
      throw InputError("flow " + std::to_string(flow.id) + ": there is no way from " + node.name + " to node " +
                       std::to_string(flow.dst));
    }
    const auto& ports = node.routes[flow.dst];
    path.push_back(node.links.at(ports[Ecmp::choice(hash, node.salt, static_cast<uint16_t>(ports.size()))]));
  }
  return path;
}

StandAlone::StandAlone(const Paths& paths, uint32_t longestPath, const StandAloneSettings& settings, TraceBus& bus)
    : paths_(paths), settings_(settings), bus_(bus), handedOut_(paths.links().size()) {
  bus.add(kIterations);
  bus.add(kAllocations);
  bus.add(kPrices);
  iterationsTable_ = bus.find(kIterations);
  allocationsTable_ = bus.find(kAllocations);
  pricesTable_ = bus.find(kPrices);
  std::vector<double> capacities;
  for (const Paths::Port& l : paths.links()) capacities.push_back(l.capacity);
  const Links links = Links::flat(capacities, longestPath);
  allocator_ = Allocator::make(links, settings.allocator);
  if (settings.optimum) {
    Settings s;
    s.gamma = std::min(s.gamma, 1.6 / longestPath);  // converges for paths of any length
    s.normaliser = Normaliser::None;
    best_ = Allocator::make(links, s);
  }
}

void StandAlone::start(const FlowSpec& spec) {
  if (spec.closedLoop) {
    throw InputError("flow " + std::to_string(spec.id) +
                     " waits for the one before it (closed loop), which needs a simulator");
  }
  Flow f{spec, paths_.of(spec), 0, 0, std::numeric_limits<double>::infinity()};
  if (spec.size > 0) f.left = static_cast<double>(spec.size);
  f.handle = allocator_->add(f.path, spec.weight);
  if (best_) f.optimal = best_->add(f.path, spec.weight);
  flows_.push_back(std::move(f));
  ++outcome_.added;
}

void StandAlone::end(const Flow& flow) {
  allocator_->remove(flow.handle);
  if (best_) best_->remove(flow.optimal);
  ++outcome_.ended;
}

Outcome StandAlone::run(FlowFeed& flows, Time stop, bool withFlows) {
  if (flows.hasDependencies()) {
    throw InputError("flows of this scenario wait for each other; alone, the allocator starts each at its time");
  }
  outcome_ = {};
  Time at;
  for (uint64_t i = 0; at <= stop && (settings_.iterations == 0 || i < settings_.iterations); ++i) {
    const auto over = [&](const Flow& f) { return f.left <= 0 || (f.spec.stop.ps >= 0 && f.spec.stop <= at); };
    for (const Flow& f : flows_) {
      if (over(f)) end(f);
    }
    flows_.erase(std::remove_if(flows_.begin(), flows_.end(), over), flows_.end());
    for (const FlowSpec* next = flows.peek(); next != nullptr && next->start <= at; next = flows.peek()) {
      start(*next);
      flows.pop();
    }
    if (withFlows && flows_.empty() && flows.peek() == nullptr) break;
    allocator_->iterate();
    record(i, at);
    const double factor = static_cast<double>(settings_.interval.ps) / 8000;  // bytes that 1 Gb/s moves
    for (Flow& f : flows_) f.left -= passes(f) * factor;
    at = at + settings_.interval;
    ++outcome_.iterations;
  }
  return outcome_;
}

double StandAlone::passes(const Flow& flow) const {
  double rate = allocator_->allocated(flow.handle), most = 1;
  for (const uint32_t l : flow.path) most = std::max(most, handedOut_[l] / paths_.links()[l].capacity);
  return rate / most;
}

double StandAlone::optimum() {
  constexpr int kMost = 50000, kStep = 50;
  for (int n = 0; n < kMost; n += kStep) {
    best_->iterate(kStep);
    if (best_->residual() < kSettled) break;
    if (n + kStep >= kMost) ++outcome_.unsettled;
  }
  double sum = 0;
  for (const Flow& f : flows_) sum += best_->rate(f.optimal);
  return sum;
}

void StandAlone::record(uint64_t iteration, Time at) {
  std::fill(handedOut_.begin(), handedOut_.end(), 0);
  double rates = 0, allocated = 0;
  for (const Flow& f : flows_) {
    const double rate = allocator_->rate(f.handle), given = allocator_->allocated(f.handle);
    rates += rate;
    allocated += given;
    for (const uint32_t l : f.path) handedOut_[l] += given;
    if (bus_.on(allocationsTable_)) {
      bus_.emit(allocationsTable_, iteration, at, f.spec.id, rate * kGbps, given * kGbps);
    }
  }
  double over = 0, fullest = 0;
  for (uint32_t l = 0; l < handedOut_.size(); ++l) {
    const Paths::Port& link = paths_.links()[l];
    const double load = allocator_->load(l);
    over += std::max(0.0, load - link.capacity);
    fullest = std::max(fullest, load / link.capacity);
    outcome_.largestExcess = std::max(outcome_.largestExcess, handedOut_[l] / link.capacity - 1);
    if (bus_.on(pricesTable_)) {
      bus_.emit(pricesTable_, iteration, at, NodeId{link.node}, link.port, allocator_->price(l), load * kGbps);
    }
  }
  if (bus_.on(iterationsTable_)) {
    bus_.emit(iterationsTable_, iteration, at, static_cast<uint32_t>(flows_.size()), rates * kGbps, allocated * kGbps,
              over * kGbps, fullest, allocator_->residual(), best_ ? optimum() * kGbps : 0.0);
  }
}

}  // namespace fabric::flowtune
