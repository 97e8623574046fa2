#include "mechanisms/numfabric/numfabric.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/portable_math.h"
#include "mechanisms/core/report.h"
#include "mechanisms/numfabric/num_flows.h"

namespace fabric {

const Description& NumFabric::describe() {
  static const Description d =
      Describe<NumFabric>("numfabric", Kind::CongestionControl, "NUMFabric: Swift and xWI at the sender")
          .help(
              "Window R (d0 + dt), with R the average of bytes over the time between two packets at the receiver. The "
              "weight is the rate at which U' is the price of the path, the virtual length of a packet its length over "
              "the weight, and its residual what U'(R) is above the price, divided by the links of the path.")
          .source("NUMFabric, SIGCOMM 2016, sections 4 and 5")
          .needs("stfq")
          .needs("num_echo")
          .needsWhile("weights", "price", "xwi")
          .param("ewma_time", &NumFabric::ewmaTime_, Time::Us(20), "time constant of the average R",
                 "NUMFabric Table 2: 20 us; section 6.2: 40 us for alpha below 0.5 or above 2")
          .range(1000, 1e12)
          .live()
          .param("base_rtt", &NumFabric::baseRtt_, Time{0},
                 "d0, or the smallest round trip that the flow has seen, if that is shorter; 0: host.base_rtt",
                 "NUMFabric section 4.1: fabric RTT without queues; section 6: 16 us")
          .range(0, 1e12)
          .live()
          .param("slack", &NumFabric::slack_, Time::Us(6), "dt: how much longer than d0 the window lasts",
                 "NUMFabric Table 2: 6 us")
          .range(0, 1e12)
          .live()
          .param("initial_window", &NumFabric::initialWindow_, 3, "packets that go before the first ACK",
                 "NUMFabric section 4.1: 3; for short flows one bandwidth-delay product (footnote 7)")
          .range(1, 1 << 20)
          .param("reset_after", &NumFabric::resetAfter_, Time::Ms(8),
                 "after such a gap between packets the average R starts anew with the next packet",
                 "NUMFabric's authors' simulator: 8 ms")
          .range(1000, 1e15)
          .live()
          .param("weights", &NumFabric::weights_, {"price", "flow"}, "price",
                 "price: from the price of the path (xWI); flow: the flow's own weight, all the time (Swift alone)",
                 "NUMFabric section 4.1 and 4.2")
          .param("pooling", &NumFabric::pooling_, true,
                 "sub-flows of a flow share the utility of the sum of their rates; false: each has its own",
                 "NUMFabric sections 2 and 6.3: resource pooling")
          .param("least_share", &NumFabric::leastShare_, 0.01,
                 "with pooling: the least share of its flow's weight that a sub-flow has",
                 "chosen; NUMFabric gives none, and a sub-flow without weight would never again have a rate")
          .range(0, 1)
          .live()
          .param(
              "most_weight", &NumFabric::mostWeight_, 0.0,
              "the largest weight as a multiple of the line rate. It is also that of a flow whose path has no price, "
              "or none that it knows. 0: no limit, and packets of such a flow go first",
              "NUMFabric: none; its authors' simulator writes 1.5, which by its units never acts")
          .range(0, 1000)
          .live()
          .param("header_bytes", &NumFabric::headerBytes_, Bytes{0},
                 "wire bytes on data packets; 0: host.header_bytes has them",
                 "NUMFabric's authors' simulator: 1410 B of 1500 B are payload, with all headers")
          .range(0, 256)
          .extension(NumHeader::kName, sizeof(NumHeader), 256, "header_bytes")
          .table(numFlows())
          .done();
  return d;
}
FABRIC_REGISTER(NumFabric);

void NumFabric::check(const Network&, Report& report) const {
  if (weights_.index == 0 && host_->utility() == nullptr) {
    report.refuse(
        "numfabric.weights is price, and a host has no utility to compute weights from; add one, such as "
        "utility: alpha_fair",
        {{*this, "weights"}, Spot::slot("utility")});
  }
  if (baseRtt_.ps == 0 && host_->baseRtt().ps <= 0) {
    report.refuse("numfabric.base_rtt and host.base_rtt are 0; set one (the harness derives the latter)",
                  {{*this, "base_rtt"}, {*host_, "base_rtt"}});
  }
}

void NumFabric::onStart(Network& network) {
  network_ = &network;
  table_ = network.trace().find(numFlows());
  header_ = network.packets().reserve<NumHeader>(NumHeader::kName);
  state_ = network.flows().reserve<State>("numfabric");
  utility_ = host_->utility();
  lineRate_ = static_cast<double>(host_->lineRate().bps) * 1e-6;
  fullFrame_ = host_->mtu() + headerBytes_.n;
}

void NumFabric::onFlowStart(Flow& flow) {
  State& s = state_.make(flow);
  s.weight = weights_.index == 1 ? std::clamp(flow.spec.weight, Utility::kLeastWeight, Utility::kMostWeight)
                                 : mostWeight_ * lineRate_;
  flow.window = initialWindow_ * host_->payloadPerPacket();
}

void NumFabric::onSend(Flow& flow, Packet& packet) {
  const State& s = state_(flow);
  packet.wireBytes += static_cast<uint32_t>(headerBytes_.n);
  NumHeader& h = header_.fill(packet);
  h.virtualLength = s.weight > 0 ? packet.wireBytes / s.weight : 0;
  h.hasResidual = weights_.index == 0 && s.rate > 0 && s.hops > 0;
  h.residual = s.residual;
  if (flow.spec.stop.ps >= 0 && host_->transport().endsAtStop()) h.stop = flow.spec.stop;
}

void NumFabric::onAck(Flow& flow, const Packet& ack) {
  State& s = state_(flow);
  const NumHeader& h = header_(ack);
  s.smallestRtt = std::min(s.smallestRtt, network_->engine().now() - ack.sentAt);
  s.price = h.price;
  s.hops = h.hops;
  measure(s, h);
  if (flow.sndUna > 0) setWindow(flow, s);  // not for the answer to a handshake
  if (weights_.index == 0) weigh(flow, s);
}

/// R: an average in continuous time of what pairs of packets say.
void NumFabric::measure(State& s, const NumHeader& h) const {
  if (h.interval.ps <= 0) return;
  const double sample = std::min(static_cast<double>(h.bytes) * 8e6 / static_cast<double>(h.interval.ps), lineRate_);
  if (s.rate == 0 || h.interval > resetAfter_) {
    s.rate = sample;
    return;
  }
  const double kept = portable::exp(-static_cast<double>(h.interval.ps) / static_cast<double>(ewmaTime_.ps));
  s.rate = kept * s.rate + (1 - kept) * sample;
}

/// Whole packets, at least one. While nothing is measured the first ACK lets nothing go: the burst is on its way.
void NumFabric::setWindow(Flow& flow, const State& s) const {
  int64_t packets = 1;
  if (s.rate > 0) {
    const Time d0 = std::min(baseRtt_.ps > 0 ? baseRtt_ : host_->baseRtt(), s.smallestRtt);
    const double bytes = s.rate * static_cast<double>((d0 + slack_).ps) / 8e6;
    packets = std::max<int64_t>(1, (static_cast<int64_t>(bytes) + fullFrame_ - 1) / fullFrame_);
  }
  flow.window = packets * host_->payloadPerPacket();
}

void NumFabric::weigh(Flow& flow, State& s) const {
  const UtilityFlow u = UtilityFlow::of(flow.spec);
  double total = s.rate;
  size_t parts = 1;
  if (pooling_ && flow.connection->nextSubflow != nullptr) {
    total = 0;
    parts = 0;
    for (Flow* p = flow.connection; p != nullptr; p = p->nextSubflow) {
      total += state_(*p).rate;
      ++parts;
    }
  }
  const double most = mostWeight_ * lineRate_;
  s.weight = s.price > 0 ? utility_->rateAt(s.price, u) : most;
  if (parts > 1) s.weight *= subflowShare(s.rate, total, parts, leastShare_);
  if (most > 0) s.weight = std::min(s.weight, most);
  s.residual = s.hops > 0 ? (utility_->marginal(total, u) - s.price) / s.hops : 0;
}

void NumFabric::onSample(int) {
  sampleNumFlows(*network_, table_, *host_, [this](Flow& f) {
    const State& s = state_(f);
    return NumFlowRow{s.rate, s.weight, s.price, s.hops};
  });
}

}  // namespace fabric
