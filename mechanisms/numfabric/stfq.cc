#include "mechanisms/numfabric/stfq.h"

#include <algorithm>

#include "mechanisms/core/network.h"

namespace fabric {

namespace {
/// From here on the steps of the fastest flows would be lost in the rounding of virtual times.
constexpr double kLargestTime = 1e12;
/// Of data without a weight, in Mb/s.
constexpr double kPlainWeight = 1;
}  // namespace

const Description& Stfq::describe() {
  static const Description d =
      Describe<Stfq>("stfq", Kind::Queue, "Start-time fair queueing with weights from packets")
          .help(
              "A data packet starts at S = max(V, F of the flow's packet before) and finishes at F = S + L / w, which "
              "its sender computes and puts into it. The smallest S goes first, and is V from then on. Everything that "
              "is no data (ACKs, control packets, foreign ones) goes before. What waits of a flow that has stopped is "
              "discarded when the port next has a turn, if the flow's transport ends it then.")
          .source("NUMFabric, SIGCOMM 2016, section 5, equations 12 and 13; Goyal, Vin and Cheng 1997")
          .param("limit", &Stfq::limit_, Bytes{0}, "length at which packets are dropped; 0 = no limit",
                 "NUMFabric section 6: 1 MB per port; its authors' simulator: no drops")
          .live()
          .extension(NumHeader::kName, sizeof(NumHeader), 0, "in the header of numfabric")
          .done();
  return d;
}
FABRIC_REGISTER(Stfq);

void Stfq::onStart(Network& network) {
  header_ = network.packets().reserve<NumHeader>(NumHeader::kName);
  finish_.resize(16);
  heap_.reserve(64);
}

bool Stfq::enqueue(Packet* packet, int64_t backlog) {
  if (limit_.n != 0 && backlog + packet->wireBytes > limit_.n) return false;
  if (packet->kind != PacketKind::Data) {
    control_.push(packet);
    return true;
  }
  const NumHeader* h = header_.of(*packet);
  const double length = h != nullptr ? h->virtualLength : packet->wireBytes / kPlainWeight;
  Finish& last = finishOf(packet->hash);
  const double start = std::max(virtualTime_, last.finish);
  last.finish = start + length;
  heap_.push_back({start, arrivals_++, packet});
  std::push_heap(heap_.begin(), heap_.end(), later);
  nextStop_ = std::min(nextStop_, stopOf(*packet));
  return true;
}

Packet* Stfq::dequeue() {
  if (nextStop_ != Time::Max() && nextStop_ <= port_->engine().now()) purge();
  if (!control_.empty()) return control_.pop();
  if (heap_.empty()) return nullptr;
  std::pop_heap(heap_.begin(), heap_.end(), later);
  const Waiting next = heap_.back();
  heap_.pop_back();
  virtualTime_ = next.start;
  if (virtualTime_ > kLargestTime) rebase();
  return next.packet;
}

Time Stfq::stopOf(const Packet& data) const {
  const NumHeader* h = header_.of(data);
  return h != nullptr ? h->stop : Time::Max();
}

/// Discards what waits of flows that have stopped. V stays: nothing of it was served.
void Stfq::purge() {
  const Time now = port_->engine().now();
  const auto gone =
      std::partition(heap_.begin(), heap_.end(), [&](const Waiting& w) { return stopOf(*w.packet) > now; });
  std::sort(gone, heap_.end(), [](const Waiting& a, const Waiting& b) { return a.number < b.number; });
  for (auto w = gone; w != heap_.end(); ++w) discard(w->packet, DropReason::FlowStopped);
  heap_.erase(gone, heap_.end());
  std::make_heap(heap_.begin(), heap_.end(), later);
  nextStop_ = Time::Max();
  for (const Waiting& w : heap_) nextStop_ = std::min(nextStop_, stopOf(*w.packet));
}

/// The place of a flow, known or new. A new one's first packet starts at V.
Stfq::Finish& Stfq::finishOf(uint64_t flow) {
  const size_t mask = finish_.size() - 1;
  for (size_t i = flow & mask;; i = (i + 1) & mask) {
    Finish& f = finish_[i];
    if (f.finish < 0) {
      if (2 * (known_ + 1) > finish_.size()) {
        grow();
        return finishOf(flow);
      }
      ++known_;
      f = {flow, virtualTime_};
      return f;
    }
    if (f.flow == flow) return f;
  }
}

/// Forgets flows whose last packet finished before V: they start at V, as new ones do.
void Stfq::grow() {
  std::vector<Finish> before(finish_.size());
  before.swap(finish_);
  const auto due = [this](const Finish& f) { return f.finish > virtualTime_; };
  const auto kept = static_cast<size_t>(std::count_if(before.begin(), before.end(), due));
  if (4 * kept > finish_.size()) finish_.resize(2 * finish_.size());
  known_ = 0;
  for (const Finish& f : before) {
    if (due(f)) finishOf(f.flow).finish = f.finish;
  }
}

/// Moves the zero of virtual time to V. Only differences count, and no order changes.
void Stfq::rebase() {
  for (Waiting& w : heap_) w.start -= virtualTime_;
  for (Finish& f : finish_) {
    if (f.finish >= 0) f.finish = std::max(f.finish - virtualTime_, 0.0);
  }
  virtualTime_ = 0;
}

}  // namespace fabric
