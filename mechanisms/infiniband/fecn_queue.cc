#include "mechanisms/infiniband/fecn_queue.h"

#include "mechanisms/core/port.h"
#include "mechanisms/core/reach.h"

namespace fabric {

const Description& FecnQueue::describe() {
  static const Description d =
      Describe<FecnQueue>("fecn_queue", Kind::Queue, "First in, first out, with InfiniBand's marks")
          .help(
              "Packets that find more than a threshold waiting are marked where the port is a root of congestion: "
              "where it may send. A port that is paused has victims waiting, which are marked only if told so.")
          .source("InfiniBand Architecture Specification, volume 1, annex A10 (recalled)")
          .param("threshold", &FecnQueue::threshold_, Bytes{16384}, "mark packets that find more waiting",
                 "chosen; annex A10 has weights from 0 to 15 instead of bytes")
          .live()
          .param("packet_size", &FecnQueue::packetSize_, Bytes{0}, "shorter packets are not marked",
                 "annex A10: Packet_Size; 0 in Gran et al., IPDPS 2010 (recalled)")
          .live()
          .param("marking_rate", &FecnQueue::markingRate_, 0, "packets left unmarked between two marks",
                 "annex A10: Marking_Rate; 0 in Gran et al., IPDPS 2010 (recalled)")
          .range(0, 65535)
          .live()
          .param("victim_mask", &FecnQueue::victimMask_, false, "mark at a port that is paused, too",
                 "annex A10: Victim_Mask, meant for ports to hosts; chosen")
          .live()
          .done();
  return d;
}
FABRIC_REGISTER(FecnQueue);

void FecnQueue::check(const Network& network, Report& report) const {
  refuseUnreached(*this, "threshold", threshold_.n, Acts::FromHere, *port_, class_, network, report);
}

bool FecnQueue::enqueue(Packet* packet, int64_t backlog) {
  list_.push(packet);
  const bool root = victimMask_ || !port_->paused(class_);
  if (!packet->ect || backlog <= threshold_.n || packet->wireBytes < packetSize_.n || !root) return true;
  if (unmarked_ > 0) {
    --unmarked_;
    return true;
  }
  packet->marked = true;
  unmarked_ = markingRate_;
  return true;
}

}  // namespace fabric
