#include "mechanisms/numfabric/path_rate.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

void PathRate::onStart(Network& network) {
  network_ = &network;
  table_ = network.trace().find(numFlows());
  header_ = network.packets().reserve<NumHeader>(NumHeader::kName);
  state_ = network.flows().reserve<State>("path_rate");
}

void PathRate::onFlowStart(Flow& flow) {
  makeRoom(state_.make(flow));
  flow.window = std::min(initialWindow_, window_) * host_->payloadPerPacket();
}

void PathRate::onSend(Flow& flow, Packet& packet) {
  packet.wireBytes += static_cast<uint32_t>(headerBytes_.n);
  NumHeader& h = header_.fill(packet);
  h.rtt = state_(flow).rtt;
  if (flow.spec.stop.ps >= 0 && host_->transport().endsAtStop()) h.stop = flow.spec.stop;
}

void PathRate::onAck(Flow& flow, const Packet& ack) {
  State& s = state_(flow);
  const NumHeader& h = header_(ack);
  s.price = h.price;
  s.hops = h.hops;
  sampleRtt(s, flow, ack);
  const Rate line = host_->lineRate();
  // Compared as doubles: a price near 0 asks for more than an int64_t of bit/s holds.
  const double bps = std::min(rateAt(s.price, flow) * 1e6, static_cast<double>(line.bps));
  flow.rate = std::clamp(Rate{static_cast<int64_t>(bps)}, std::min(minRate_, line), line);
  flow.window = window_ * host_->payloadPerPacket();
}

void PathRate::sampleRtt(State& s, const Flow& flow, const Packet& ack) {
  const Time now = network_->engine().now();
  if (!waitCounts_ || flow.sndUna == 0) {  // or the answer to a handshake
    s.rtt = now - ack.sentAt;
    makeRoom(s);
    return;
  }
  const uint64_t acked = flow.sndUna / static_cast<uint64_t>(host_->payloadPerPacket());
  if (acked <= s.acked) return;
  std::vector<Time>& room = rooms_[static_cast<size_t>(s.room)];
  if (room.size() == static_cast<size_t>(window_)) {
    s.rtt = now - room[acked % room.size()];
    for (; s.acked < acked; ++s.acked) room[(s.acked + 1) % room.size()] = now;
  } else {
    s.acked = acked;
    makeRoom(s);  // for another window than before
  }
}

/// A packet's round trip lasts from the ACK that made room for it to its own. For a window of packets there is room
/// now.
void PathRate::makeRoom(State& s) {
  if (!waitCounts_) return;
  if (s.room < 0 && idleRooms_.empty()) {
    s.room = static_cast<int32_t>(rooms_.size());
    rooms_.emplace_back();
  } else if (s.room < 0) {
    s.room = idleRooms_.back();
    idleRooms_.pop_back();
  }
  rooms_[static_cast<size_t>(s.room)].assign(static_cast<size_t>(window_), network_->engine().now());
}

void PathRate::onFlowEnd(Flow& flow) {
  if (state_(flow).room >= 0) idleRooms_.push_back(state_(flow).room);
}

void PathRate::onSample(int) {
  sampleNumFlows(*network_, table_, *host_, [this](Flow& f) {
    const State& s = state_(f);
    const double rate = s.hops > 0 ? static_cast<double>(f.rate.bps) * 1e-6 : 0;
    return NumFlowRow{rate, rate, s.price, s.hops};
  });
}

}  // namespace fabric
