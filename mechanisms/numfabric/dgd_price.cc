#include "mechanisms/numfabric/dgd_price.h"

#include <algorithm>

namespace fabric {

const Description& DgdPrice::describe() {
  static const Description d = [] {
    Describe<DgdPrice> b("dgd_price", Kind::PortAgent, "DGD: link prices");
    b.help("p = p + a (y - C) + b q, at least 0: y is the rate at which bytes came to the port, q what waits there.")
        .source("NUMFabric, SIGCOMM 2016, section 6, equation 14; Low and Lapsley 1999");
    shared(b, Time::Us(16), "time between two price updates, at the same instants at all ports",
           "NUMFabric Table 2: 16 us")
        .param("a", &DgdPrice::a_, 4e-9, "gain of the rate beyond the capacity, per Mb/s", "NUMFabric Table 2: 4e-9")
        .range(0, 1e6)
        .live()
        .param("b", &DgdPrice::b_, 1.2e-10, "gain of the queue, per byte", "NUMFabric Table 2: 1.2e-10")
        .range(0, 1e6)
        .live()
        .param("max_price", &DgdPrice::maxPrice_, 1, "no price is higher", "NUMFabric's authors' simulator: 1")
        .range(0, 1e250)
        .live();
    return b.done();
  }();
  return d;
}
FABRIC_REGISTER(DgdPrice);

void DgdPrice::update() {
  const double rate = rateOf(arrived_, interval_);
  load_ = rate / capacity();
  const double step = a_ * (rate - capacity()) + b_ * static_cast<double>(port_->dataQueueBytes());
  price_ = std::clamp(price_ + step, 0.0, maxPrice_);
  arrived_ = 0;
}

}  // namespace fabric
