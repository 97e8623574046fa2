#include "mechanisms/queue/fifo.h"

namespace fabric {

const Description& Fifo::describe() {
  static const Description d =
      Describe<Fifo>("fifo", Kind::Queue, "First in, first out")
          .help("Drops only where it has a limit of its own; the switch's shared buffer limits all queues together.")
          .source("FNCC section 5")
          .param("limit", &Fifo::limit_, Bytes{0}, "length at which packets are dropped; 0 = no limit", "chosen")
          .live()
          .done();
  return d;
}
FABRIC_REGISTER(Fifo);

bool Fifo::enqueue(Packet* packet, int64_t backlog) {
  if (limit_.n != 0 && backlog + packet->wireBytes > limit_.n) return false;
  list_.push(packet);
  return true;
}

}  // namespace fabric
