#include "NAME.h"

namespace fabric {

const Description& CLASS::describe() {
  static const Description d = Describe<CLASS>("NAME", Kind::PortAgent, "TITLE")
                                   .help("Every n-th data packet that joins a queue of the port gets an ECN mark.")
                                   .source("chosen")
                                   .param("every", &CLASS::every_, 100, "packets from mark to mark", "chosen")
                                   .range(1, 1e9)
                                   .live()
                                   .done();
  return d;
}
FABRIC_REGISTER(CLASS);

void CLASS::onEnqueue(Packet& packet) {
  if (packet.kind != PacketKind::Data || ++seen_ < every_) return;
  packet.marked = true;
  seen_ = 0;
}

}  // namespace fabric
