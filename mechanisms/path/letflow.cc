#include "mechanisms/path/letflow.h"

namespace fabric {

const Description& LetFlow::describe() {
  static const Description d =
      Describe<LetFlow>("letflow", Kind::PathSelector, "LetFlow: a random port for every flowlet")
          .help(
              "Blind to load; a flow on a congested path has more gaps and so more flowlets, which moves traffic to "
              "the other paths.")
          .source("LetFlow, NSDI 2017 (recalled)")
          .param("flowlet_timeout", &LetFlow::timeout_, Time::Us(500),
                 "Tfl: a gap between one and two of it ends a flowlet", "CONGA (recalled): 500 us")
          .range(1000, 1e15)
          .param("flowlet_entries", &LetFlow::entries_, 65536, "entries of a switch's flowlet table",
                 "CONGA section 2.6: 64K")
          .range(1, 1 << 20)
          .param("overlay_bytes", &LetFlow::overlayParam_, Bytes{0},
                 "outer header between leaves; 50 = VXLAN, to compare with conga byte by byte", "chosen")
          .range(0, 256)
          .table(traceTable())
          .done();
  return d;
}
FABRIC_REGISTER(LetFlow);

}  // namespace fabric
