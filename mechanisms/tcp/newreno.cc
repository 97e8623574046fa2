#include "mechanisms/tcp/newreno.h"

namespace fabric {

const Description& NewReno::describe() {
  static const Description d = [] {
    Describe<NewReno> description("newreno", Kind::CongestionControl, "TCP NewReno");
    description.help("Slow start, then one segment per round trip; a loss halves the window, a timeout begins anew.")
        .source("RFC 5681, 3465; recovery: RFC 6675");
    return ecn(initialWindow(description)).done();
  }();
  return d;
}
FABRIC_REGISTER(NewReno);

}  // namespace fabric
