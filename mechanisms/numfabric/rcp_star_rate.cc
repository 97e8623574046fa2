#include "mechanisms/numfabric/rcp_star_rate.h"

#include <algorithm>

#include "mechanisms/core/network.h"
#include "mechanisms/core/portable_math.h"
#include "mechanisms/core/report.h"
#include "mechanisms/numfabric/rcp_star.h"

namespace fabric {

const Description& RcpStarRate::describe() {
  static const Description d = [] {
    Describe<RcpStarRate> b("rcp_star_rate", Kind::PortAgent, "RCP*: fair share rates of links");
    b.help(
         "R = R (1 + (T / d) (a (C - y) - b q / d) / C): y is the rate at which bytes came to the port, q what waits "
         "there, d a running average of the round trips that data packets say. A data packet takes the sum of "
         "R^-alpha with it.")
        .source("NUMFabric, SIGCOMM 2016, section 6, equation 15; RCP: Dukkipati 2007");
    shared(b, Time::Us(16), "T: time between two updates, at the same instants at all ports",
           "NUMFabric Table 2: 16 us")
        .param("a", &RcpStarRate::a_, 3.6, "gain of the rate that is left", "NUMFabric Table 2: 3.6")
        .range(0, 1e6)
        .live()
        .param("b", &RcpStarRate::b_, 1.8, "gain of the queue", "NUMFabric Table 2: 1.8")
        .range(0, 1e6)
        .live()
        .param("alpha", &RcpStarRate::alpha_, 1, "of alpha-fairness; rcp_star.alpha is the same",
               "NUMFabric section 6.1: 1")
        .range(0.1, 16)
        .param("base_rtt", &RcpStarRate::baseRtt_, Time::Us(16), "d at first; shorter samples do not count",
               "NUMFabric's authors' simulator: 16 us")
        .range(1000, 1e12)
        .param("min_rate", &RcpStarRate::minRate_, Rate::Mbps(120),
               "R is not below it; not above 2 C 4^(1 / alpha) either, 8 C for alpha 1",
               "NUMFabric's authors' simulator: 120 Mb/s")
        .range(1, 1e15);
    return b.done();
  }();
  return d;
}
FABRIC_REGISTER(RcpStarRate);

void RcpStarRate::check(const Network& network, Report& report) const {
  RcpStar::sameAlpha(*this, network.first<RcpStar>(), "the sender undoes the power of its path's links", report);
}

void RcpStarRate::onStart(Network& network) {
  PriceAgent::onStart(network);
  fairShare_ = capacity();
  bound();
  rttPs_ = static_cast<double>(baseRtt_.ps);
  advertise();
}

void RcpStarRate::onChange() {
  PriceAgent::onChange();
  bound();
  fairShare_ = std::min(fairShare_, most_);
  advertise();
}

void RcpStarRate::bound() {
  most_ = 2 * capacity() * portable::pow(4, 1 / alpha_);
  least_ = std::min(static_cast<double>(minRate_.bps) * 1e-6, most_);
}

void RcpStarRate::arrives(const Packet& packet, const NumHeader* header) {
  arrived_ += packet.wireBytes;
  if (header != nullptr && header->rtt >= baseRtt_) rttPs_ = (rttPs_ + static_cast<double>(header->rtt.ps)) / 2;
}

void RcpStarRate::update() {
  const double rate = rateOf(arrived_, interval_);
  load_ = rate / capacity();
  const double queueRate = static_cast<double>(port_->dataQueueBytes()) * 8e6 / rttPs_;
  const double share = (a_ * (capacity() - rate) - b_ * queueRate) / capacity();
  const double factor = 1 + static_cast<double>(interval_.ps) / rttPs_ * share;
  fairShare_ = std::clamp(fairShare_ * factor, least_, most_);
  arrived_ = 0;
  advertise();
}

void RcpStarRate::advertise() { price_ = alpha_ == 1 ? 1 / fairShare_ : portable::pow(fairShare_, -alpha_); }

}  // namespace fabric
