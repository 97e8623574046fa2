#include "mechanisms/path/letflow.h"

namespace fabric {

const Description& LetFlow::describe() {
  static const Description d = [] {
    Describe<LetFlow> description("letflow", Kind::PathSelector, "LetFlow: a random port for every flowlet");
    description
        .help(
            "Blind to load; a flow on a congested path has more gaps and so more flowlets, which moves traffic to "
            "the other paths.")
        .source("LetFlow, NSDI 2017 (recalled)");
    return parameters(description)
        .param("flowlet_gap", &LetFlow::gap_, {"age_bit", "exact"}, "age_bit",
               "the gap that ends a flowlet: with an age bit between one and two flowlet_timeout, as in CONGA's table; "
               "exact: more than one",
               "LetFlow (recalled): CONGA's table; exact: ns-3 models of it (snowzjx/ns3-load-balance)")
        .added()
        .done();
  }();
  return d;
}
FABRIC_REGISTER(LetFlow);

}  // namespace fabric
