#include "NAME.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

const Description& CLASS::describe() {
  static const Description d =
      Describe<CLASS>("NAME", Kind::CongestionControl, "TITLE")
          .help("The window grows by a fixed amount per round trip and is cut once per round trip that has a mark.")
          .source("chosen")
          .param("increase", &CLASS::increase_, Bytes{1456}, "growth per round trip", "chosen: one packet")
          .range(1, 1e9)
          .live()
          .param("decrease", &CLASS::decrease_, 0.5, "share of the window that a cut takes away", "chosen")
          .range(0.01, 0.99)
          .live()
          .done();
  return d;
}
FABRIC_REGISTER(CLASS);

void CLASS::onStart(Network& network) { state_ = network.flows().reserve<State>("NAME"); }

void CLASS::onFlowStart(Flow& flow) {
  State& s = state_.make(flow);
  s.window = static_cast<double>(host_->bandwidthDelayProduct());
  apply(flow, s);
}

void CLASS::onAck(Flow& flow, const Packet& ack) {
  State& s = state_(flow);
  if (!ack.marked) {
    s.window += static_cast<double>(increase_.n * host_->payloadPerPacket()) / s.window;
  } else if (ack.seq > s.cutUntil) {
    s.window *= 1 - decrease_;
    s.cutUntil = flow.sndNxt;
  }
  apply(flow, s);
}

void CLASS::apply(Flow& flow, State& s) const {
  const auto least = static_cast<double>(host_->payloadPerPacket());
  const auto most = std::max(least, static_cast<double>(host_->bandwidthDelayProduct()));
  s.window = std::clamp(s.window, least, most);
  flow.window = static_cast<int64_t>(s.window);
}

}  // namespace fabric
