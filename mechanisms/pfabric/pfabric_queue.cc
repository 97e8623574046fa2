#include "mechanisms/pfabric/pfabric_queue.h"

#include <algorithm>
#include <limits>

#include "mechanisms/core/network.h"
#include "mechanisms/core/port.h"

namespace fabric {

const Description& PFabricQueue::describe() {
  static const Description d =
      Describe<PFabricQueue>("pfabric_queue", Kind::Queue, "pFabric's priority queue")
          .help(
              "The earliest packet of the flow that has the packet with the least left goes first. Where there is no "
              "room, the packet with the most left is dropped, whether it waits or has just come; of equal ones the "
              "latest. Data of hosts with another transport comes after pFabric's.")
          .source("pFabric, SIGCOMM 2013, section 4.1")
          .needs("pfabric")
          .param("limit", &PFabricQueue::limit_, Bytes{36864}, "room for packets that wait",
                 "pFabric section 5.1: 36 KB, two BDP (10 Gb/s); in bytes as YAPS has it")
          .range(1, 1e12)
          .live()
          .done();
  return d;
}
FABRIC_REGISTER(PFabricQueue);

void PFabricQueue::onStart(Network& network) {
  header_ = network.packets().reserve<PFabricHeader>(PFabricHeader::kName);
}

/// ACKs and control packets are short and clock the senders, so nothing goes before them.
uint64_t PFabricQueue::priority(const Packet& p) const {
  if (p.kind != PacketKind::Data) return 0;
  const PFabricHeader* h = header_.of(p);
  return h != nullptr ? h->priority : std::numeric_limits<uint64_t>::max();
}

bool PFabricQueue::enqueue(Packet* packet, int64_t backlog) {
  const uint64_t mine = priority(*packet);
  int64_t missing = backlog + packet->wireBytes - limit_.n;
  if (missing > 0 && !makeRoom(missing, mine)) return false;
  waiting_.push_back({mine, packet->flowId, packet});
  return true;
}

/// Drops what is worse than `mine`, the worst first; nothing if that would not be enough.
bool PFabricQueue::makeRoom(int64_t missing, uint64_t mine) {
  int64_t worse = 0;
  for (const Waiting& w : waiting_) worse += w.priority > mine ? w.packet->wireBytes : 0;
  if (worse < missing) return false;
  while (missing > 0) {
    const auto last = [](const Waiting& a, const Waiting& b) { return a.priority <= b.priority; };
    const auto worst = std::max_element(waiting_.begin(), waiting_.end(), last);
    missing -= worst->packet->wireBytes;
    discard(worst->packet, DropReason::QueueManagement);
    waiting_.erase(worst);
  }
  return true;
}

Packet* PFabricQueue::dequeue() {
  if (waiting_.empty()) return nullptr;
  const auto better = [](const Waiting& a, const Waiting& b) { return a.priority < b.priority; };
  const uint32_t flow = std::min_element(waiting_.begin(), waiting_.end(), better)->flow;
  const auto first =
      std::find_if(waiting_.begin(), waiting_.end(), [flow](const Waiting& w) { return w.flow == flow; });
  Packet* packet = first->packet;
  waiting_.erase(first);
  return packet;
}

}  // namespace fabric
