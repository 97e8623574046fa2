#include "mechanisms/dcqcn/dcqcn.h"

namespace fabric {

const Description& Dcqcn::describe() {
  static const Description d = [] {
    Describe<Dcqcn> description("dcqcn", Kind::CongestionControl, "DCQCN: rate control by ECN marks");
    description
        .help(
            "A congestion notice cuts the rate; a timer and a byte counter raise it again, first back to where it "
            "was, then additively, then fast.")
        .source("DCQCN, SIGCOMM 2015, section 3.1 and Figure 7");
    return shared(description).done();
  }();
  return d;
}
FABRIC_REGISTER(Dcqcn);

}  // namespace fabric
