#include "mechanisms/rocc/rocc.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/rocc/rocc_pi.h"

namespace fabric {

const Description& Rocc::describe() {
  static const Description d =
      Describe<Rocc>("rocc", Kind::CongestionControl, "RoCC: rate set by the switch")
          .help(
              "Takes the smallest fair rate it is told, and what the congestion point that set it says from then on. "
              "Without news the rate doubles until the limiter goes.")
          .source("RoCC, CoNEXT 2020, section 4")
          .needs("rocc_pi")
          .param("recovery_timer", &Rocc::recovery_, Time::Us(100), "the rate doubles after this time without a CNP",
                 "chosen: two and a half update periods; the paper gives no value")
          .range(1, 1e15)
          .live()
          .extension(RoccFeedback::kName, sizeof(RoccFeedback), 0, "in the CNP's reserved bytes")
          .done();
  return d;
}
FABRIC_REGISTER(Rocc);

void Rocc::onStart(Network& network) {
  engine_ = &network.engine();
  feedback_ = network.packets().reserve<RoccFeedback>(RoccFeedback::kName);
  state_ = network.flows().reserve<State>("rocc");
  timer_ = network.flowTimer("rocc recovery");
}

Rocc::State::State(Rocc& owner, Flow& flow)
    : owner(owner), flow(flow), timer(*owner.engine_, *this, &State::recover, owner.timer_.senderKey(flow)) {}

void Rocc::onFlowStart(Flow& flow) { state_.make(flow, *this, flow); }

void Rocc::onFlowEnd(Flow& flow) { state_.drop(flow); }

void Rocc::onCnp(Flow& flow, const Packet& cnp) {
  State& s = state_(flow);
  const auto& news = feedback_(cnp);
  if (!s.limited || news.rate <= flow.rate || news.point == s.point) {
    s.limited = true;
    s.point = news.point;
    flow.rate = std::clamp(news.rate, Rate{1}, host_->lineRate());
  }
  s.timer.restart(engine_->now() + recovery_);
}

void Rocc::State::recover() {
  const Rate line = owner.host_->lineRate();
  if (flow.rate.bps >= line.bps / 2) {
    flow.rate = line;
    limited = false;
  } else {
    flow.rate = Rate{flow.rate.bps * 2};
    timer.restart(owner.engine_->now() + owner.recovery_);
  }
  owner.host_->rateChanged(flow);
}

}  // namespace fabric
