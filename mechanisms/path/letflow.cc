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
    return parameters(description).done();
  }();
  return d;
}
FABRIC_REGISTER(LetFlow);

}  // namespace fabric
