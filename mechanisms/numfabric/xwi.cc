#include "mechanisms/numfabric/xwi.h"

#include <algorithm>

#include "mechanisms/core/report.h"
#include "mechanisms/core/utility.h"

namespace fabric {

const Description& Xwi::describe() {
  static const Description d = [] {
    Describe<Xwi> b("xwi", Kind::PortAgent, "xWI: link prices from residuals");
    b.help(
         "Data packets bring the normalised residual of their flow and take the sum of prices with them. At the end of "
         "an interval: new = max(price + least residual - eta (1 - u) price, 0), price = beta price + (1 - beta) new, "
         "with u the share of the link that was used, at most 1.")
        .source("NUMFabric, SIGCOMM 2016, section 4.2, equations 9 to 11, and Figure 3");
    shared(b, Time::Us(30), "time between two price updates, at the same instants at all ports",
           "NUMFabric Table 2: 30 us, about 2 RTT; section 6.2: 60 us for alpha below 0.5 or above 2")
        .param("eta", &Xwi::eta_, 5, "how fast the price of a link that is not full falls", "NUMFabric Table 2: 5")
        .range(0, 1000)
        .live()
        .param("beta", &Xwi::beta_, 0.5, "share of the price before in the new one", "NUMFabric Table 2: 0.5")
        .range(0, 0.999)
        .live()
        .param("guard", &Xwi::guard_, Time{0},
               "for this time after an update neither residuals nor bytes count; u is of the rest of the interval",
               "NUMFabric: 0; its authors' simulator: 3 us, in its dynamic runs 6 us")
        .range(0, 1e12)
        .param("extra_bytes", &Xwi::extra_, Bytes{0}, "counted on top of the bytes of each interval",
               "NUMFabric: 0; its authors' simulator: one packet of 1500 B")
        .range(0, 1e9)
        .live();
    return b.done();
  }();
  return d;
}
FABRIC_REGISTER(Xwi);

void Xwi::check(const Network&, Report& report) const {
  if (guard_ < interval_) return;
  report.refuse("xwi.guard is " + toText(guard_) + ", not below xwi.interval, which is " + toText(interval_) +
                    "; nothing of the interval would be left to count in",
                {{*this, "guard"}, {*this, "interval"}});
}

void Xwi::arrives(const Packet&, const NumHeader* header) {
  if (header == nullptr || !header->hasResidual || guarded()) return;
  minResidual_ = any_ ? std::min(minResidual_, header->residual) : header->residual;
  any_ = true;
}

void Xwi::leaves(const Packet& packet) {
  if (!guarded()) serviced_ += packet.wireBytes;
}

void Xwi::update() {
  load_ = rateOf(serviced_ + extra_.n, interval_ - guard_) / capacity();
  const double unused = std::max(1 - load_, 0.0);
  const double next = std::max(price_ + (any_ ? minResidual_ : 0) - eta_ * unused * price_, 0.0);
  price_ = std::min(beta_ * price_ + (1 - beta_) * next, Utility::kMostPrice);
  if (price_ < Utility::kLeastPrice) price_ = 0;
  serviced_ = 0;
  any_ = false;
}

}  // namespace fabric
