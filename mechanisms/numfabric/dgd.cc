#include "mechanisms/numfabric/dgd.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/report.h"

namespace fabric {

const Description& Dgd::describe() {
  static const Description d = [] {
    Describe<Dgd> b("dgd", Kind::CongestionControl, "DGD: rates by dual gradient descent");
    b.help("Paced at the rate at which U' is the price of the path, with a window that bounds what is on the way.")
        .source("NUMFabric, SIGCOMM 2016, sections 3 and 6, equation 3; Low and Lapsley 1999")
        .needs("dgd_price")
        .needs("num_echo");
    return shared(b).done();
  }();
  return d;
}
FABRIC_REGISTER(Dgd);

void Dgd::check(const Network&, Report& report) const {
  if (host_->utility() != nullptr) return;
  report.refuse("dgd needs a utility, and a host has none; add one, such as utility: alpha_fair",
                {Spot::slot("utility"), *this});
}

void Dgd::onStart(Network& network) {
  PathRate::onStart(network);
  utility_ = host_->utility();
}

double Dgd::rateAt(double price, const Flow& flow) const { return utility_->rateAt(price, UtilityFlow::of(flow.spec)); }

}  // namespace fabric
