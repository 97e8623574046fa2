#include "mechanisms/codel/fq_codel.h"

#include "mechanisms/core/node.h"
#include "mechanisms/core/random.h"

namespace fabric {

const Description& FqCoDel::describe() {
  static const Description d = [] {
    Describe<FqCoDel> description("fq_codel", Kind::Queue, "FQ-CoDel");
    description
        .help(
            "Flows are hashed into bins that take turns, those that have just begun first. Each bin drops by CoDel's "
            "law.")
        .source("RFC 8290; with quantum 0 Nichols' sfqcodel");
    return law(description)
        .param("flows", &FqCoDel::flows_, 1024, "number of bins",
               "RFC 8290 section 5.2 (recalled): 1024; sfqcodel: 1024")
        .range(1, 1 << 20)
        .param("quantum", &FqCoDel::quantum_, Bytes{1514},
               "bytes that a bin sends in its turn; 0 = one packet, whatever its length",
               "RFC 8290 section 5.2 (recalled): 1514 B; sfqcodel: packet by packet")
        .range(0, 1e9)
        .param("limit", &FqCoDel::limit_, Bytes{10240 * 1518},
               "with more than this in all bins packets are dropped from the head of the longest; 0 = no limit",
               "RFC 8290 section 5.2 (recalled): 10240 packets")
        .live()
        .param("drop_batch", &FqCoDel::dropBatch_, 64, "most packets dropped then; at most half of the bin",
               "RFC 8290 section 5.2 (recalled): 64")
        .range(1, 1 << 20)
        .live()
        .done();
  }();
  return d;
}
FABRIC_REGISTER(FqCoDel);

void FqCoDel::onStart(Network& network) {
  CoDelSettings::onStart(network);
  salt_ = mix64(port_->nameHash() + class_ + network.seed() * kGolden);
  binOfHash_.assign(static_cast<size_t>(flows_), kNone);
}

uint32_t FqCoDel::binOf(const Packet& packet) {
  uint32_t& bin = binOfHash_[mix64(packet.hash ^ salt_) % static_cast<uint64_t>(flows_)];
  if (bin == kNone) {
    bin = static_cast<uint32_t>(bins_.size());
    bins_.emplace_back();
  }
  return bin;
}

void FqCoDel::push(Turns& turns, uint32_t bin) {
  bins_[bin].next = kNone;
  (turns.first == kNone ? turns.first : bins_[turns.last].next) = bin;
  turns.last = bin;
}

void FqCoDel::pop(Turns& turns) { turns.first = bins_[turns.first].next; }

Packet* FqCoDel::take(Bin& bin) {
  if (bin.list.empty()) return nullptr;
  Packet* p = bin.list.pop();
  bin.bytes -= p->wireBytes;
  bytes_ -= p->wireBytes;
  return p;
}

/// The port does not ask an empty queue. RFC 8290 and its implementations do when a frame has been sent, and find out
/// that no bin has anything: whoever comes next is new.
void FqCoDel::forgetTurns() {
  for (const Turns* turns : {&new_, &old_}) {
    for (uint32_t b = turns->first; b != kNone; b = bins_[b].next) bins_[b].scheduled = false;
  }
  new_ = old_ = {};
}

bool FqCoDel::enqueue(Packet* packet, int64_t) {
  if (bytes_ == 0 && !port_->busy()) forgetTurns();
  const uint32_t number = binOf(*packet);
  Bin& bin = bins_[number];
  joined_(*packet).at = now();
  bin.list.push(packet);
  bin.bytes += packet->wireBytes;
  bytes_ += packet->wireBytes;
  if (!bin.scheduled) {
    bin.scheduled = true;
    bin.deficit = quantum_.n != 0 ? quantum_.n : 1;
    push(new_, number);
  }
  if (limit_.n != 0 && bytes_ > limit_.n) dropFromLongest();
  return true;
}

/// RFC 8290: many at a time, because the search is long.
void FqCoDel::dropFromLongest() {
  Bin* longest = &bins_.front();
  for (Bin& bin : bins_) {
    if (bin.bytes > longest->bytes) longest = &bin;
  }
  const int64_t half = longest->bytes / 2;
  int64_t dropped = 0;
  for (int64_t n = 0; n == 0 || (n < dropBatch_ && dropped < half); ++n) {
    Packet* p = take(*longest);
    dropped += p->wireBytes;
    discard(p, DropReason::QueueFull);
  }
}

uint32_t FqCoDel::turn(Turns*& of) {
  for (;;) {
    of = new_.first != kNone ? &new_ : &old_;
    const uint32_t number = of->first;
    if (number == kNone || bins_[number].deficit > 0) return number;
    bins_[number].deficit += quantum_.n != 0 ? quantum_.n : 1;
    pop(*of);
    push(old_, number);
  }
}

/// RFC 8290 section 4.
Packet* FqCoDel::dequeue() {
  Turns* of = nullptr;
  for (uint32_t number = turn(of); number != kNone; number = turn(of)) {
    Bin& bin = bins_[number];
    struct Source {
      FqCoDel& queue;
      Bin& bin;
      Packet* pop() { return queue.take(bin); }
      int64_t bytes() const { return bin.bytes; }
      Time joined(const Packet& p) const { return queue.joined_(p).at; }
      void drop(Packet* p) { queue.discard(p, DropReason::QueueManagement); }
    } source{*this, bin};
    if (Packet* p = bin.law.next(source, settings_, now())) {
      bin.deficit -= quantum_.n != 0 ? static_cast<int64_t>(p->wireBytes) : 1;
      return p;
    }
    pop(*of);
    if (of == &new_) {
      push(old_, number);  // it waits for a round, so that it is not new again with its next packet
    } else {
      bin.scheduled = false;
    }
  }
  return nullptr;
}

}  // namespace fabric
