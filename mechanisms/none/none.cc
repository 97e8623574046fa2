#include "mechanisms/none/none.h"

namespace fabric {

const Description& NoControl::describe() {
  static const Description d =
      Describe<NoControl>("none", Kind::CongestionControl, "No congestion control")
          .help("Every flow sends at line rate without a window. A flow alone then takes its ideal FCT exactly.")
          .source("reference for FCT slowdown")
          .done();
  return d;
}
FABRIC_REGISTER(NoControl);

}  // namespace fabric
