#include "mechanisms/flowtune/flowtune_endpoint.h"

#include <algorithm>
#include <utility>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"
#include "mechanisms/flowtune/flowtune_allocator.h"
#include "mechanisms/flowtune/flowtune_tcp.h"

namespace fabric {

using flowtune::Notice;
using flowtune::RateLedger;
using flowtune::RateUpdate;

const Description& FlowtuneEndpoint::describe() {
  static const Description d =
      Describe<FlowtuneEndpoint>("flowtune_endpoint", Kind::Application, "Flowtune at a server")
          .help(
              "Tells the allocator when flowlets start and end. A flowlet starts as ordinary TCP; once a rate is here "
              "it is paced at that rate and its window stands open. Rates that are not renewed expire, and TCP goes on "
              "from them.")
          .source("Flowtune, NSDI 2017, sections 5.3 and 6")
          .needs("flowtune_allocator")
          .param("rate_lifetime", &FlowtuneEndpoint::lifetime_, Time::Us(300),
                 "rates expire after this time without a message from the allocator",
                 "chosen: three times flowtune_allocator.refresh; section 6: every few tens of microseconds")
          .range(1e6, 1e12)
          .param("batch", &FlowtuneEndpoint::batch_, Time::Us(1),
                 "least time between two messages to the allocator; notices meanwhile share one", "chosen")
          .range(0, 1e9)
          .done();
  return d;
}
FABRIC_REGISTER(FlowtuneEndpoint);

void FlowtuneEndpoint::check(const Network&, Report& report) const {
  const CongestionControl& cc = host_->congestionControl();
  if (dynamic_cast<const FlowtuneTcp*>(&cc) != nullptr) return;
  report.refuse("flowtune_endpoint needs the congestion control flowtune_tcp, and it is " + cc.description().name +
                    "; take flowtune_tcp",
                {cc, *this});
}

void FlowtuneEndpoint::checkFlow(const FlowSpec&, const Host&, Report& report) const {
  if (host_->transport().parts() == 1) return;
  report.refuse("flowtune_endpoint paces flows of one path, and those of " + host_->transport().description().name +
                    " have sub-flows; use the transport tcp",
                {host_->transport(), *this});
}

void FlowtuneEndpoint::onStart(Network& network) {
  network_ = &network;
  tcp_ = dynamic_cast<FlowtuneTcp*>(&host_->congestionControl());
  for (const Node* n : network.nodes()) {
    const auto* host = dynamic_cast<const Host*>(n);
    auto* found = host != nullptr ? host->application<FlowtuneAllocator>() : nullptr;
    if (found == nullptr) continue;
    allocator_ = found;
    allocatorId_ = host->id();
  }
  allocator_->expectLifetime(lifetime_);
  tcp_->setEndpoint(*this);
  sendTimer_.setKey(host_->timerKey());
  drainTimer_.setKey(host_->timerKey());
  expiry_.emplace(network.engine(), *this, &FlowtuneEndpoint::beginAnew, host_->timerKey());
}

Rate FlowtuneEndpoint::rate(uint32_t flow) const {
  const auto it = flowlets_.find(flow);
  return it == flowlets_.end() ? Rate{} : it->second.rate;
}

size_t FlowtuneEndpoint::flowlets() const {
  const auto under = [](const auto& known) { return !known.second.ended; };
  return static_cast<size_t>(std::count_if(flowlets_.begin(), flowlets_.end(), under));
}

// ---------------------------------------------------------------- to the allocator

void FlowtuneEndpoint::onFlowStart(Flow& f) {
  Flow& connection = *f.connection;
  Flowlet& flowlet = flowlets_[connection.spec.id];
  if (flowlet.open++ > 0 && !flowlet.ended) return;
  flowlet.flow = &connection;
  start(flowlet, f.spec.weight);
}

void FlowtuneEndpoint::onDrained(const Flow& f) {
  const auto it = flowlets_.find(f.connection->spec.id);
  if (it == flowlets_.end() || it->second.ended) return;
  drained_.push_back(it->first);
  if (!drainTimer_.pending()) network_->engine().schedule(drainTimer_, network_->engine().now());
}

/// The NIC is done with the last packets.
void FlowtuneEndpoint::endDrained() {
  for (const uint32_t id : drained_) {
    const auto it = flowlets_.find(id);
    if (it == flowlets_.end() || it->second.ended || it->second.flow->sndNxt < it->second.flow->end) continue;
    letGo(it->second);
    end(it->second);
  }
  drained_.clear();
}

void FlowtuneEndpoint::onFlowEnd(Flow& f) {
  const auto it = flowlets_.find(f.connection->spec.id);
  if (--it->second.open > 0) return;
  if (!it->second.ended) end(it->second);
  flowlets_.erase(it);
}

void FlowtuneEndpoint::start(Flowlet& flowlet, double weight) {
  const FlowSpec& s = flowlet.flow->spec;
  flowlet.number = ++numbers_;
  flowlet.told = round_;
  flowlet.ended = false;
  connections_[flowlet.number] = s.id;
  tell({flowlet.number, Notice::weightOf(weight), s.dst, s.srcPort, s.dstPort});
}

void FlowtuneEndpoint::end(Flowlet& flowlet) {
  flowlet.ended = true;
  connections_.erase(flowlet.number);
  allocator_->record(
      *host_, [key = key(flowlet), now = network_->engine().now()](RateLedger& ledger) { ledger.end(key, now); });
  tell({flowlet.number, 0, 0, 0, 0});
}

RateLedger::Key FlowtuneEndpoint::key(const Flowlet& flowlet) const {
  return RateLedger::key(host_->id(), flowlet.number);
}

void FlowtuneEndpoint::tell(const Notice& notice) {
  const auto room = static_cast<uint64_t>(host_->payloadPerPacket());
  if (outbox_.empty() || outbox_.back().bytes + notice.bytes() > room) {
    Message& m = outbox_.emplace_back();
    m.to = allocatorId_;
    m.cls = flowtune::messageClass(*host_);
    m.port = flowtune::kPort;
  }
  notice.write(outbox_.back().words);
  outbox_.back().bytes += notice.bytes();
  if (sendTimer_.pending()) return;
  if (nextSend_ <= network_->engine().now()) {
    send();
  } else {
    network_->engine().schedule(sendTimer_, nextSend_);
  }
}

void FlowtuneEndpoint::send() {
  nextSend_ = network_->engine().now() + batch_;
  for (Message& m : outbox_) host_->sendMessage(std::move(m));
  outbox_.clear();
}

// ---------------------------------------------------------------- from the allocator

void FlowtuneEndpoint::onMessage(const Message& m) {
  const uint32_t life = m.port - flowtune::kPort - 1u;
  if (m.from != allocatorId_ || life >= flowtune::kLives) return;
  const uint32_t ahead = (life + flowtune::kLives - life_) % flowtune::kLives;
  if (ahead >= flowtune::kLives / 2) return;  // from before the allocator's last death
  life_ = static_cast<uint16_t>(life);
  if (ahead > 0) beginAnew();
  const Time now = network_->engine().now();
  expiry_->restart(now + lifetime_);
  allocator_->record(
      *host_, [delay = now - Time{static_cast<int64_t>(m.words[0])}](RateLedger& ledger) { ledger.arrived(delay); });
  for (size_t i = 1; i < m.words.size(); ++i) {
    const RateUpdate update = RateUpdate::of(m.words[i]);
    const auto it = connections_.find(update.flowlet);
    if (it != connections_.end()) pace(flowlets_.at(it->second), flowtune::decode(update.code));  // else it has ended
  }
}

void FlowtuneEndpoint::pace(Flowlet& flowlet, Rate rate) {
  Flow& f = *flowlet.flow;
  flowlet.rate = f.limit = rate;
  tcp_->open(f);
  apply(flowlet, rate);
  host_->rateChanged(f);
}

void FlowtuneEndpoint::apply(const Flowlet& flowlet, Rate rate) {
  allocator_->record(*host_, [key = key(flowlet), rate, now = network_->engine().now()](RateLedger& ledger) {
    ledger.apply(key, rate, now);
  });
}

void FlowtuneEndpoint::letGo(Flowlet& flowlet) {
  if (flowlet.rate.bps == 0) return;
  Flow& f = *flowlet.flow;
  f.limit = Flow::kNoLimit;
  tcp_->close(f, std::exchange(flowlet.rate, Rate{}));
  apply(flowlet, Rate{});
  host_->rateChanged(f);
}

/// Nothing was heard for so long that rates have expired, or the allocator has come back and knows of no flowlet: they
/// go on as TCP, and the allocator is told of all that there are, by new numbers: rates that are still on their way, or
/// wait in the connections of a dead allocator, find none.
void FlowtuneEndpoint::beginAnew() {
  ++round_;
  host_->forEachActive([&](const Flow& f) {
    const auto it = flowlets_.find(f.connection->spec.id);
    if (it == flowlets_.end() || it->second.ended || it->second.told == round_) return;
    letGo(it->second);
    end(it->second);
    start(it->second, f.spec.weight);
  });
}

}  // namespace fabric
