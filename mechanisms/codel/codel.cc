#include "mechanisms/codel/codel.h"

namespace fabric {

const Description& CoDel::describe() {
  static const Description d = [] {
    Describe<CoDel> description("codel", Kind::Queue, "CoDel");
    description.help("A FIFO that drops from its head while packets wait longer than target, ever faster.")
        .source("RFC 8289");
    return law(description)
        .param("limit", &CoDel::limit_, Bytes{0}, "length at which packets are dropped; 0 = no limit", "chosen")
        .live()
        .done();
  }();
  return d;
}
FABRIC_REGISTER(CoDel);

bool CoDel::enqueue(Packet* packet, int64_t backlog) {
  if (limit_.n != 0 && backlog + packet->wireBytes > limit_.n) return false;
  joined_(*packet).at = now();
  list_.push(packet);
  bytes_ += packet->wireBytes;
  return true;
}

Packet* CoDel::dequeue() {
  struct Source {
    CoDel& queue;
    Packet* pop() {
      if (queue.list_.empty()) return nullptr;
      Packet* p = queue.list_.pop();
      queue.bytes_ -= p->wireBytes;
      return p;
    }
    int64_t bytes() const { return queue.bytes_; }
    Time joined(const Packet& p) const { return queue.joined_(p).at; }
    void drop(Packet* p) { queue.discard(p, DropReason::QueueManagement); }
  } source{*this};
  return law_.next(source, settings_, now());
}

}  // namespace fabric
