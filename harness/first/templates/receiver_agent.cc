#include "NAME.h"

namespace fabric {

const Description& CLASS::describe() {
  static const Description d = Describe<CLASS>("NAME", Kind::ReceiverAgent, "TITLE")
                                   .help("Of the ECN marks that a host receives, the sender hears of every n-th.")
                                   .source("chosen")
                                   .param("keep", &CLASS::keep_, 1, "one of so many marks is kept", "chosen")
                                   .range(1, 1e9)
                                   .live()
                                   .done();
  return d;
}
FABRIC_REGISTER(CLASS);

void CLASS::onData(Flow&, Packet& packet) {
  if (packet.marked) packet.marked = ++marks_ % keep_ == 0;
}

}  // namespace fabric
