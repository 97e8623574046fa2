#include "NAME.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

const Description& CLASS::describe() {
  static const Description d =
      Describe<CLASS>("NAME", Kind::CongestionControl, "TITLE")
          .help("Switches write what they carry into data packets, ACKs return it, and the window follows it.")
          .source("chosen")
          .needs("hpcc_int")   // writes a record at each hop
          .needs("hpcc_echo")  // returns them in the ACK
          .param("target", &CLASS::target_, 0.95, "load of the fullest hop that is aimed at", "chosen")
          .range(0.01, 1)
          .live()
          .param("increase", &CLASS::increase_, Bytes{1000}, "growth per round trip", "chosen")
          .range(0, 1e9)
          .live()
          .extension(IntStack::kName, sizeof(IntStack), IntStack::kMostWireBytes, "2 B + 8 B per hop")
          .done();
  return d;
}
FABRIC_REGISTER(CLASS);

void CLASS::onStart(Network& network) {
  stack_ = network.packets().reserve<IntStack>(IntStack::kName);
  state_ = network.flows().reserve<State>("NAME");
}

void CLASS::onFlowStart(Flow& flow) {
  State& s = state_.make(flow);
  s.window = static_cast<double>(host_->bandwidthDelayProduct());
  apply(flow, s);
}

void CLASS::onSend(Flow&, Packet& packet) {
  stack_.claim(packet).count = 0;  // room that the switches fill
  packet.wireBytes += 2;           // the header; each record adds its own bytes
}

void CLASS::onAck(Flow& flow, const Packet& ack) {
  State& s = state_(flow);
  const IntStack* now = stack_.of(ack);
  if (now == nullptr || ack.seq <= s.updated) return;
  double fullest = 0;
  for (int i = 0; now->count == s.last.count && i < now->count; ++i) {
    fullest = std::max(fullest, load(s.last.hops[i], now->hops[i]));
  }
  if (fullest > 0) {
    s.window = s.window * std::clamp(target_ / fullest, 0.5, 2.0) + static_cast<double>(increase_.n);
    apply(flow, s);
  }
  s.last = *now;
  s.updated = flow.sndNxt;
}

double CLASS::load(const IntRecord& before, const IntRecord& now) const {
  const double seconds = static_cast<double>(now.ts.ps - before.ts.ps) / 1e12;
  if (seconds <= 0) return 0;
  const double bytesPerSecond = static_cast<double>(now.rate.bps) / 8;
  const double roundTrip = static_cast<double>(host_->baseRtt().ps) / 1e12;
  const double sent = static_cast<double>(now.txBytes - before.txBytes) / seconds;
  return (sent + static_cast<double>(now.qlen) / roundTrip) / bytesPerSecond;
}

void CLASS::apply(Flow& flow, State& s) const {
  const auto least = static_cast<double>(host_->payloadPerPacket());
  const auto most = std::max(least, static_cast<double>(host_->bandwidthDelayProduct()));
  s.window = std::clamp(s.window, least, most);
  flow.window = static_cast<int64_t>(s.window);
}

}  // namespace fabric
