#include "mechanisms/numfabric/num_fifo.h"

#include <algorithm>

#include "mechanisms/core/network.h"

namespace fabric {

const Description& NumFifo::describe() {
  static const Description d =
      Describe<NumFifo>("num_fifo", Kind::Queue, "First in, first out; what a stopped flow has waiting leaves")
          .help(
              "For DGD and RCP*. What waits of a flow that has stopped is discarded when the port next has a turn, if "
              "the flow's transport ends it then; in all else it is fifo.")
          .source("NUMFabric's authors' simulator")
          .param("limit", &NumFifo::limit_, Bytes{0}, "length at which packets are dropped; 0 = no limit", "chosen")
          .live()
          .extension(NumHeader::kName, sizeof(NumHeader), 0, "in the header of the sender")
          .done();
  return d;
}
FABRIC_REGISTER(NumFifo);

void NumFifo::onStart(Network& network) { header_ = network.packets().reserve<NumHeader>(NumHeader::kName); }

bool NumFifo::enqueue(Packet* packet, int64_t backlog) {
  if (limit_.n != 0 && backlog + packet->wireBytes > limit_.n) return false;
  list_.push(packet);
  nextStop_ = std::min(nextStop_, stopOf(*packet));
  return true;
}

Packet* NumFifo::dequeue() {
  if (nextStop_ != Time::Max() && nextStop_ <= port_->engine().now()) purge();
  return list_.empty() ? nullptr : list_.pop();
}

/// An ACK still has what its data said, and is of use.
Time NumFifo::stopOf(const Packet& packet) const {
  const NumHeader* h = packet.kind == PacketKind::Data ? header_.of(packet) : nullptr;
  return h != nullptr ? h->stop : Time::Max();
}

void NumFifo::purge() {
  const Time now = port_->engine().now();
  PacketList kept;
  nextStop_ = Time::Max();
  while (!list_.empty()) {
    Packet* p = list_.pop();
    const Time stop = stopOf(*p);
    if (stop <= now) {
      discard(p, DropReason::FlowStopped);
    } else {
      kept.push(p);
      nextStop_ = std::min(nextStop_, stop);
    }
  }
  list_ = kept;
}

}  // namespace fabric
