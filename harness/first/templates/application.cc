#include "NAME.h"

namespace fabric {

const Description& CLASS::describe() {
  static const Description d = Describe<CLASS>("NAME", Kind::Application, "TITLE")
                                   .help("Every flow that starts at the host is paced to this rate at most.")
                                   .source("chosen")
                                   .param("most", &CLASS::most_, Rate::Gbps(50), "rate of a flow at most", "chosen")
                                   .range(1e6, 1e13)
                                   .done();
  return d;
}
FABRIC_REGISTER(CLASS);

}  // namespace fabric
