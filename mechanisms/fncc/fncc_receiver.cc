#include "mechanisms/fncc/fncc_receiver.h"

#include <algorithm>

#include "mechanisms/core/network.h"

namespace fabric {

const Description& FnccReceiver::describe() {
  static const Description d =
      Describe<FnccReceiver>("fncc_receiver", Kind::ReceiverAgent, "FNCC's receiver: N in every ACK")
          .help(
              "N counts the queue pairs that send to this host: from their first data packet to their last, or "
              "until they are silent for the idle time-out.")
          .source("FNCC, section 3.2.3")
          .param("idle_timeout", &FnccReceiver::idleTimeout_, Time::Us(100),
                 "a queue pair that is silent for this time does not count; 0 = it counts until its last packet",
                 "chosen")
          .live()
          .param("header_bytes", &FnccReceiver::headerBytes_, Bytes{4},
                 "wire bytes before the records: nHop and pathID 16 bit, N 16 bit", "FNCC Figure 7, section 3.2.3")
          .range(0, 64)
          .extension(FnccCount::kName, sizeof(FnccCount), 2, "2 B on the ACK")
          .done();
  return d;
}
FABRIC_REGISTER(FnccReceiver);

void FnccReceiver::onStart(Network& network) {
  engine_ = &network.engine();
  n_ = network.packets().reserve<FnccCount>(FnccCount::kName);
  state_ = network.flows().reserve<State>("fncc_receiver", FlowEnd::Receiver);
}

void FnccReceiver::onFlowStart(Flow& flow) { state_.make(flow); }

void FnccReceiver::onFlowEnd(Flow& flow) { discount(flow); }

void FnccReceiver::count(Flow& flow) {
  State& s = state(flow);
  s.counted = true;
  s.prev = newest_;
  s.next = nullptr;
  (newest_ == nullptr ? oldest_ : state(*newest_).next) = &flow;
  newest_ = &flow;
  ++active_;
}

void FnccReceiver::discount(Flow& flow) {
  State& s = state(flow);
  if (!s.counted) return;
  s.counted = false;
  (s.prev == nullptr ? oldest_ : state(*s.prev).next) = s.next;
  (s.next == nullptr ? newest_ : state(*s.next).prev) = s.prev;
  --active_;
}

void FnccReceiver::onData(Flow& flow, Packet&) {
  discount(flow);
  state(flow).lastData = engine_->now();
  count(flow);
}

uint16_t FnccReceiver::concurrent() {
  while (idleTimeout_.ps > 0 && oldest_ != nullptr && engine_->now() - state(*oldest_).lastData > idleTimeout_) {
    discount(*oldest_);
  }
  return static_cast<uint16_t>(std::clamp<uint32_t>(active_, 1, 0xffff));
}

void FnccReceiver::onAck(Flow& flow, Packet& packet) {
  if (FnccCount* count = n_.of(packet)) {  // else the sender has another congestion control
    count->n = concurrent();
    packet.wireBytes += static_cast<uint32_t>(headerBytes_.n);
  }
  if (packet.last) discount(flow);  // the last ACK still counts its own flow
}

}  // namespace fabric
