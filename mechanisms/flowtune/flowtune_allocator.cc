#include "mechanisms/flowtune/flowtune_allocator.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/random.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"
#include "mechanisms/ecmp/ecmp.h"
#include "mechanisms/flowtune/flowtune_endpoint.h"

namespace fabric {

using flowtune::Notice;
using flowtune::RateLedger;
using flowtune::RateUpdate;

namespace {

constexpr double kGbps = 1e9;

std::string number(const char* format, double x) {
  char text[32];
  std::snprintf(text, sizeof text, format, x);
  return text;
}
std::string micros(Time t) { return number("%.3f us", static_cast<double>(t.ps) * 1e-6); }

}  // namespace

const FlowtuneAllocator::Progress& FlowtuneAllocator::progress() {
  static const Progress table{
      "flowtune_allocator",
      "Flowtune's allocator, so far",
      Scope::Node,
      true,
      {"time_ps", "simulated time"},
      {"node", "its host"},
      {"iterations", "1", "iterations that began"},
      {"flowlets", "1", "flowlets that it knows of now"},
      {"starts", "1", "starts that it was told of"},
      {"ends", "1", "ends that it was told of"},
      {"updates", "1", "rates that it handed out"},
      {"over_bps", "bit/s",
       "of the last iteration: sum over all links of what rates before the normaliser exceed capacities by"},
      {"allocated_bps", "bit/s", "of the last iteration: sum of the rates after the normaliser"},
      {"u_norm_bps", "bit/s", "of the last iteration: sum of the rates, as U-NORM would have them"},
      {"optimum_bps", "bit/s", "sum of the optimal rates of these flowlets; 0 if they are not asked for"}};
  return table;
}

const Description& FlowtuneAllocator::describe() {
  static const Description d =
      Describe<FlowtuneAllocator>("flowtune_allocator", Kind::Application, "Flowtune's allocator")
          .help(
              "Every interval it makes one iteration of NED over the flowlets that endpoints told it of, normalises "
              "the rates, and sends those that changed by more than the threshold to their servers. It knows the path "
              "that ECMP gives a flow when it starts.")
          .source("Flowtune, NSDI 2017, sections 2, 3 and 5.3")
          .needs("flowtune_endpoint")
          .param("interval", &FlowtuneAllocator::interval_, Time::Us(10), "between the beginnings of two iterations",
                 "section 5.3: 10 us")
          .range(1000, 1e12)
          .param("iteration_time", &FlowtuneAllocator::iterationTime_, Time{0},
                 "time of an iteration: its rates leave so much later, and the next one begins no earlier",
                 "chosen: 0, as in section 5.3; section 5.2 measures 8.29 to 30.71 us")
          .range(0, 1e12)
          .param(
              "threshold", &FlowtuneAllocator::threshold_, 0.01,
              "a rate is sent when it has changed by more than this part of what was sent last; capacities are lowered "
              "by it",
              "section 5.3.2: 0.01")
          .range(0, 0.5)
          .param("reserve", &FlowtuneAllocator::reserve_, 0.0,
                 "share of the capacities that is kept free for ACKs, messages and flows without a rate",
                 "section 6: \"a small fraction\", which it does not name; section 5.3 names none: 0")
          .range(0, 0.5)
          .added()
          .param("ack_share", &FlowtuneAllocator::ackShare_, 0.0,
                 "what the ACKs of a flow take of the links of their way back, as a part of its rate. Capacities are "
                 "lowered by what the rates of the last iteration make of it. 0 = ACKs are not counted",
                 "chosen: 0, as section 5.3.2 lowers capacities by the threshold alone")
          .range(0, 0.5)
          .added()
          .param("rate_bound", &FlowtuneAllocator::rateBound_, 1.0,
                 "before the normaliser no rate is above so many times the smallest capacity of its path; 1e6 = as "
                 "good as none",
                 "chosen: 1; section 2 has no bound")
          .range(1, 1e6)
          .added()
          .param("refresh", &FlowtuneAllocator::refresh_, Time::Us(100),
                 "a server with flowlets gets one rate again after this time without a message",
                 "chosen; section 6: new rates must arrive every few tens of microseconds")
          .range(1e6, 1e12)
          .param("algorithm", &FlowtuneAllocator::algorithm_, {"ned", "gradient", "fgm", "newton-like"}, "ned",
                 "how prices change", "section 2")
          .param("gamma", &FlowtuneAllocator::gamma_, 0.4, "step of prices", "section 5.3: 0.4, and 0.2 to 1.5 similar")
          .range(1e-9, 100)
          .param("normaliser", &FlowtuneAllocator::normaliser_, {"f-norm", "u-norm", "none"}, "f-norm",
                 "how rates are brought within capacities", "section 3: F-NORM")
          .param("one_sided", &FlowtuneAllocator::oneSided_, false,
                 "the normaliser only scales down; Eqs. 5 and 6 also scale up", "chosen")
          .param("optimum", &FlowtuneAllocator::optimum_, false,
                 "for the table: a NED of its own finds the optimal rates at every sample; slow", "section 5.5")
          .param("initial_price", &FlowtuneAllocator::initialPrice_, 1, "of every link, for rates in Gbit/s",
                 "section 2: 1")
          .range(0, 1e6)
          .table(progress())
          .done();
  return d;
}
FABRIC_REGISTER(FlowtuneAllocator);

// ---------------------------------------------------------------- the network

void FlowtuneAllocator::check(const Network& network, Report& report) const {
  if (network.ratesChange()) {
    report.refuse(
        "flowtune_allocator knows the rates of all links from the start on, and some change during the run; "
        "take topology.capacity_changes out, or take another mechanism",
        {Spot::topology(), *this});
  }
  const Description& own = host_->transport().description();
  for (const Node* n : network.nodes()) {
    const auto* host = dynamic_cast<const Host*>(n);
    const auto* other = host != nullptr ? host->application<FlowtuneAllocator>() : nullptr;
    if (other != nullptr && other != this) {
      report.refuse("flowtune_allocator is at several hosts; one host of the network can have it", {*this});
    }
    if (host != nullptr && host->application<FlowtuneEndpoint>() != nullptr &&
        &host->transport().description() != &own) {
      report.refuse("flowtune_allocator is at a host with the transport " + own.name + ", and flowtune_endpoint at " +
                        "hosts with " + host->transport().description().name + "; their messages need the same",
                    {host_->transport(), host->transport(), *this});
    }
    const auto* s = dynamic_cast<const Switch*>(n);
    if (s == nullptr || dynamic_cast<const Ecmp*>(&s->pathSelector()) != nullptr) continue;
    report.refuse("flowtune_allocator cannot know the paths of " + s->pathSelector().description().name +
                      "; the path selector of all switches must be ecmp",
                  {s->pathSelector(), *this});
  }
}

void FlowtuneAllocator::onStart(Network& network) {
  network_ = &network;
  table_ = network.trace().find(progress());
  outboxTimer_.setKey(host_->timerKey());  // where an iteration ends as the next begins, it ends first
  iterationTimer_.setKey(host_->timerKey());
  std::vector<Rate> rates;
  for (const Node* n : network.nodes()) {
    firstLink_.push_back(static_cast<uint32_t>(ports_.size()));
    for (const Port* p : n->ports()) {
      ports_.push_back(p);
      rates.push_back(p->rate());
      capacities_.push_back(static_cast<double>(p->rate().bps) / kGbps * (1 - threshold_) * (1 - reserve_));
    }
  }
  links_ = flowtune::Links::flat(capacities_, longestPath());
  ledger_.start(rates);
  servers_.resize(network.nodes().size());
  begin();
}

/// Links between the two hosts that are furthest from each other.
uint32_t FlowtuneAllocator::longestPath() const {
  constexpr uint32_t kFar = ~uint32_t{0};
  uint32_t longest = 2;
  std::vector<uint32_t> distance;
  std::vector<const Node*> order;
  const auto leadsToHost = [](const Port* p) { return !p->leadsToSwitch(); };
  for (const Node* from : network_->nodes()) {
    const auto& ports = from->ports();
    if (dynamic_cast<const Switch*>(from) == nullptr || std::none_of(ports.begin(), ports.end(), leadsToHost)) continue;
    distance.assign(network_->nodes().size(), kFar);
    distance[from->id()] = 1;
    order = {from};
    for (size_t i = 0; i < order.size(); ++i) {
      for (const Port* p : order[i]->ports()) {
        const Node& next = p->peer().node();
        if (distance[next.id()] != kFar) continue;
        distance[next.id()] = distance[order[i]->id()] + 1;
        if (p->leadsToSwitch()) {
          order.push_back(&next);
        } else {
          longest = std::max(longest, distance[next.id()]);
        }
      }
    }
  }
  return longest;
}

/// The allocator begins, or begins anew, without flows.
void FlowtuneAllocator::begin() {
  flowtune::Settings s;
  s.algorithm = static_cast<flowtune::Algorithm>(algorithm_.index);
  constexpr flowtune::Normaliser kNormalisers[] = {flowtune::Normaliser::FNorm, flowtune::Normaliser::UNorm,
                                                   flowtune::Normaliser::None};
  s.normaliser = kNormalisers[normaliser_.index];
  s.gamma = gamma_;
  s.oneSided = oneSided_;
  s.initialPrice = initialPrice_;
  s.rateBound = rateBound_;
  allocator_ = flowtune::Allocator::make(links_, s);
  if (!optimum_) return;
  flowtune::Settings best;
  best.gamma = std::min(best.gamma, 1.6 / links_.longestPath);  // converges for paths of any length
  best.normaliser = flowtune::Normaliser::None;
  best_ = flowtune::Allocator::make(links_, best);
}

void FlowtuneAllocator::onDown() {
  Engine& engine = network_->engine();
  engine.cancel(iterationTimer_);
  engine.cancel(outboxTimer_);
  for (const Flowlet& f : flowlets_) {
    const auto key = RateLedger::key(f.server, f.number);
    record(*host_, [key, now = engine.now()](RateLedger& ledger) { ledger.lose(key, now); });
  }
  flowlets_.clear();
  places_.clear();
  outbox_.clear();
  for (Server& s : servers_) s = {};
  life_ = static_cast<uint16_t>((life_ + 1) % flowtune::kLives);
  begin();
}

// ---------------------------------------------------------------- from endpoints

void FlowtuneAllocator::onMessage(const Message& m) {
  if (m.port != flowtune::kPort) return;
  for (size_t at = 0; at < m.words.size();) {
    const Notice notice = Notice::read(m.words, at);
    if (notice.weight != 0) {
      add(notice, m.from);
    } else {
      remove(notice.flowlet, m.from);
    }
  }
  if (iterationTimer_.pending()) return;
  Engine& engine = network_->engine();
  const int64_t steps = (engine.now().ps + interval_.ps - 1) / interval_.ps;
  engine.schedule(iterationTimer_, Time{steps * interval_.ps});
}

void FlowtuneAllocator::add(const Notice& notice, uint32_t server) {
  ++starts_;
  const auto key = RateLedger::key(server, notice.flowlet);
  if (!findPath(notice, server)) return;
  std::vector<uint32_t> back;
  if (ackShare_ > 0) back = wayBack(notice, server);
  places_[key] = static_cast<uint32_t>(flowlets_.size());
  Flowlet& f = flowlets_.emplace_back();
  f.number = notice.flowlet;
  f.server = server;
  f.handle = allocator_->add(path_, notice.factor());
  f.back = std::move(back);
  if (best_) f.optimal = best_->add(path_, notice.factor());
  record(*host_,
         [key, path = path_, now = network_->engine().now()](RateLedger& ledger) { ledger.add(key, path, now); });
}

void FlowtuneAllocator::remove(uint32_t number, uint32_t server) {
  ++ends_;
  const auto key = RateLedger::key(server, number);
  const auto known = places_.find(key);
  if (known == places_.end()) return;  // it began in the allocator's last life, or has no path
  const uint32_t place = known->second;
  places_.erase(known);
  allocator_->remove(flowlets_[place].handle);
  if (best_) best_->remove(flowlets_[place].optimal);
  record(*host_, [key, now = network_->engine().now()](RateLedger& ledger) { ledger.remove(key, now); });
  if (place + 1 < flowlets_.size()) {
    flowlets_[place] = std::move(flowlets_.back());
    places_[RateLedger::key(flowlets_[place].server, flowlets_[place].number)] = place;
  }
  flowlets_.pop_back();
}

/// The links that the flow's data takes by the routes of now. False: there is no way of shortest length.
bool FlowtuneAllocator::findPath(const Notice& notice, uint32_t server) {
  const uint64_t a = endpoint(network_->host(server).nameHash(), notice.srcPort);
  const uint64_t b = endpoint(network_->host(notice.dst).nameHash(), notice.dstPort);
  return findPath(server, notice.dst, a, b);
}

/// Empty: there is none.
std::vector<uint32_t> FlowtuneAllocator::wayBack(const Notice& notice, uint32_t server) {
  const std::vector<uint32_t> there = path_;
  const uint64_t a = endpoint(network_->host(notice.dst).nameHash(), notice.dstPort);
  const uint64_t b = endpoint(network_->host(server).nameHash(), notice.srcPort);
  if (!findPath(notice.dst, server, a, b)) path_.clear();
  std::vector<uint32_t> back = path_;
  path_ = there;
  return back;
}

/// Into path_: the links that packets take between hosts whose ends are a and b.
bool FlowtuneAllocator::findPath(uint32_t src, uint32_t dst, uint64_t a, uint64_t b) {
  const uint64_t hash = pairHash(a, b), symmetric = pairHash(std::min(a, b), std::max(a, b));
  path_.clear();
  for (const Port* p = &network_->host(src).nicFor(hash).port();;) {
    path_.push_back(firstLink_[p->node().id()] + p->index());
    const Node& node = p->peer().node();
    if (node.id() == dst) return true;
    const auto* s = dynamic_cast<const Switch*>(&node);
    if (s == nullptr || path_.size() == links_.longestPath) return false;
    const NextHops hops = s->nextHops(dst);
    if (hops.count == 0) return false;
    p = &s->port(static_cast<const Ecmp&>(s->pathSelector()).port(hash, symmetric, hops));
  }
}

// ---------------------------------------------------------------- to endpoints

void FlowtuneAllocator::iterate() {
  Engine& engine = network_->engine();
  const Time now = engine.now();
  ++iterations_;
  if (ackShare_ > 0) makeRoomForAcks();
  allocator_->iterate();
  collect(now);
  engine.schedule(iterationTimer_, now + std::max(interval_, iterationTime_));
  if (iterationTime_.ps == 0) {
    handOut();
  } else {
    engine.schedule(outboxTimer_, now + iterationTime_);
  }
}

/// ACKs come as fast as the rates of the last iteration have it. Some of a link is always left to data.
void FlowtuneAllocator::makeRoomForAcks() {
  acks_.assign(capacities_.size(), 0);
  for (const Flowlet& f : flowlets_) {
    const double acks = ackShare_ * allocator_->allocated(f.handle);
    for (const uint32_t l : f.back) acks_[l] += acks;
  }
  for (uint32_t l = 0; l < capacities_.size(); ++l) {
    allocator_->setCapacity(l, std::max(capacities_[l] - acks_[l], capacities_[l] / 2));
  }
}

/// What the iteration changed by more than the threshold, and a rate for each server that waits for one.
void FlowtuneAllocator::collect(Time now) {
  for (Flowlet& f : flowlets_) {
    Server& server = servers_[f.server];
    const double rate = allocator_->allocated(f.handle) * kGbps, told = static_cast<double>(f.told.bps);
    const bool changed = rate > told * (1 + threshold_) || rate < told * (1 - threshold_);
    if (!changed && now - server.toldAt < refresh_) continue;
    if (server.rates.empty()) {
      addressees_.push_back(f.server);
      server.toldAt = now;
    }
    if (changed) {
      const uint16_t code = flowtune::encode(Rate{static_cast<int64_t>(rate)});
      f.told = flowtune::decode(code);
    }
    server.rates.push_back(RateUpdate{f.number, flowtune::encode(f.told)}.word());
  }
  std::sort(addressees_.begin(), addressees_.end());
  for (const uint32_t s : addressees_) outbox_.push_back({s, std::exchange(servers_[s].rates, {})});
  addressees_.clear();
}

/// In messages that are no longer than a frame takes: each is applied when it is there.
void FlowtuneAllocator::handOut() {
  const Time now = network_->engine().now();
  const auto most = static_cast<size_t>(host_->payloadPerPacket()) / flowtune::kRateBytes;
  for (const Batch& batch : outbox_) {
    for (size_t first = 0; first < batch.rates.size(); first += most) {
      const size_t count = std::min(most, batch.rates.size() - first);
      Message m;
      m.to = batch.server;
      m.bytes = count * flowtune::kRateBytes;
      m.cls = flowtune::messageClass(*host_);
      m.port = static_cast<uint16_t>(flowtune::kPort + 1 + life_);
      m.words = {static_cast<uint64_t>(now.ps)};
      for (size_t i = first; i < first + count; ++i) {
        const RateUpdate update = RateUpdate::of(batch.rates[i]);
        record(*host_, [key = RateLedger::key(batch.server, update.flowlet), rate = flowtune::decode(update.code),
                        now](RateLedger& ledger) { ledger.handOut(key, rate, now); });
        m.words.push_back(batch.rates[i]);
      }
      updates_ += count;
      host_->sendMessage(std::move(m));
    }
  }
  outbox_.clear();
  record(*host_, [](RateLedger& ledger) { ledger.settle(); });
}

// ---------------------------------------------------------------- what is measured

void FlowtuneAllocator::onSample(int) {
  double over = 0, fullest = 0, allocated = 0, rates = 0;
  for (uint32_t l = 0; l < capacities_.size(); ++l) {
    const double load = allocator_->load(l);
    over += std::max(0.0, load - capacities_[l]);
    fullest = std::max(fullest, load / capacities_[l]);
  }
  for (const Flowlet& f : flowlets_) {
    if (f.told.bps == 0) continue;  // it came after the iteration
    rates += allocator_->rate(f.handle);
    allocated += allocator_->allocated(f.handle);
  }
  const double uNorm = fullest > 0 ? rates / fullest : 0;
  network_->trace().emit(table_, network_->engine().now(), NodeId{host_->id()}, iterations_,
                         static_cast<uint32_t>(flowlets_.size()), starts_, ends_, updates_, over * kGbps,
                         allocated * kGbps, uNorm * kGbps, optimum() * kGbps);
}

double FlowtuneAllocator::optimum() {
  constexpr int kMost = 50000, kStep = 50;
  constexpr double kSettled = 1e-6;
  double sum = 0;
  if (!best_) return sum;
  for (int n = 0; n < kMost; n += kStep) {
    best_->iterate(kStep);
    if (best_->residual() < kSettled) break;
  }
  for (const Flowlet& f : flowlets_) {
    if (f.told.bps != 0) sum += best_->rate(f.optimal);
  }
  return sum;
}

void FlowtuneAllocator::addChecks(std::vector<Network::Check>& checks) const {
  const RateLedger::Findings f = ledger_.findings(network_->engine().now());
  std::string where;
  if (f.excess > 0) {
    const Port& p = *ports_[f.link];
    where = " (" + p.node().name() + "->" + p.peer().node().name() + ")";
  }
  const bool normalised = normaliser_.index != 2;
  checks.push_back({"rates_within_capacity", f.kept || !normalised,
                    "handed out at most " + number("%.3f %%", 100 * f.fullest) + " of a link's capacity" +
                        (normalised ? "" : " (without a normaliser)") + "; in force at most " +
                        number("%.3f %%", 100 * f.excess) + " above one" + where + ", for " + micros(f.longestExcess) +
                        " at most; a lower rate was on its way for " + micros(f.longestWay) +
                        " at most, a message for " + micros(f.longestDelay)});
}

}  // namespace fabric
