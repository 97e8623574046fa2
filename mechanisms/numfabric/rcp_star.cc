#include "mechanisms/numfabric/rcp_star.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/portable_math.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/utility.h"
#include "mechanisms/numfabric/rcp_star_rate.h"
#include "mechanisms/utility/alpha_fair.h"

namespace fabric {

const Description& RcpStar::describe() {
  static const Description d = [] {
    Describe<RcpStar> b("rcp_star", Kind::CongestionControl, "RCP*: rates from the fair shares of a path");
    b.help("Paced at w (sum of R^-alpha over the links)^(-1/alpha), with a window that bounds what is on the way.")
        .source("NUMFabric, SIGCOMM 2016, section 6, equation 16; the weight w of a flow: chosen")
        .needs("rcp_star_rate")
        .needs("num_echo")
        .needs("alpha_fair");
    shared(b)
        .param("alpha", &RcpStar::alpha_, 1, "of alpha-fairness; rcp_star_rate.alpha is the same",
               "NUMFabric section 6.1: 1")
        .range(0.1, 16)
        .param("wait_counts", &RcpStar::waitCounts_, true,
               "the round trips that packets say begin when the window has room for a packet, so that its wait for its "
               "turn at the rate counts. false: when it goes on the wire",
               "NUMFabric's authors' simulator: packets wait below TCP, which takes the time");
    return b.done();
  }();
  return d;
}
FABRIC_REGISTER(RcpStar);

void RcpStar::check(const Network& network, Report& report) const {
  sameAlpha(*this, network.first<RcpStar>(), "all links have rates by one alpha", report);
  const auto* utility = dynamic_cast<const AlphaFair*>(host_->utility());
  sameAlpha(*this, utility, "these rates are optimal for no other utility", report);
}

void RcpStar::sameAlpha(const Component& one, const Component* other, const char* why, Report& report) {
  if (other == nullptr || other->get("alpha") == one.get("alpha")) return;
  const auto named = [](const Component& c) { return c.description().name + ".alpha is " + toText(c.get("alpha")); };
  report.refuse(named(one) + ", and " + named(*other) + ": " + why + "; give both the same value",
                {{one, "alpha"}, {*other, "alpha"}});
}

double RcpStar::rateAt(double price, const Flow& flow) const {
  if (!(price > 0)) return Utility::kMostRate;
  return flow.spec.weight * (alpha_ == 1 ? 1 / price : portable::pow(price, -1 / alpha_));
}

}  // namespace fabric
