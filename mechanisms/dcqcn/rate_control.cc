#include "mechanisms/dcqcn/rate_control.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"

namespace fabric {

void RateControl::check(const Network&, Report& report) const {
  if (!polled_ || decreaseInterval_.ps != 0) return;
  const std::string& name = description().name;
  report.refuse(name + ".decrease_interval is 0, but with " + name +
                    ".polled the sender looks every so long; set it, such as 4us",
                {{*this, "decrease_interval"}, {*this, "polled"}});
}

void RateControl::onStart(Network& network) {
  engine_ = &network.engine();
  state_ = network.flows().reserve<State>("dcqcn");
  alphaKey_ = network.flowTimer("dcqcn alpha");
  increaseKey_ = network.flowTimer("dcqcn increase");
  if (!polled_) return;
  pollKey_ = network.flowTimer("dcqcn poll");
}

RateControl::State::State(RateControl& owner, Flow& flow)
    : owner(owner),
      flow(flow),
      current(static_cast<double>(owner.host_->lineRate().bps)),
      target(current),
      ceiling(current),
      lastCut(Time{-kLongestTime.ps}),
      alphaTimer(*owner.engine_, *this, &State::alphaExpired, owner.alphaKey_.senderKey(flow)),
      increaseTimer(*owner.engine_, *this, &State::increaseExpired, owner.increaseKey_.senderKey(flow)),
      pollTimer(*owner.engine_, *this, &State::polled, owner.pollKey_.senderKey(flow)) {}

void RateControl::onFlowStart(Flow& flow) { state_.make(flow, *this, flow); }

void RateControl::onFlowEnd(Flow& flow) { state_.drop(flow); }

void RateControl::onCnp(Flow& flow, const Packet&) {
  if (noticeBy_.index == 0) notice(flow);
}

void RateControl::onAck(Flow& flow, const Packet& ack) {
  if (noticeBy_.index == 1 && ack.marked) notice(flow);
}

void RateControl::notice(Flow& flow) {
  State& s = state(flow);
  if (polled_) {
    noticePolled(s);
    return;
  }
  const Time now = engine_->now();
  const bool first = !s.noticed;
  s.noticed = true;
  s.alphaTimer.restart(now + alphaTimer_);
  if (first && !firstCut_) {
    s.alpha = 1;
    s.increaseTimer.restart(now + increaseTimer_);
    return;
  }
  if (now - s.lastCut >= decreaseInterval_) cut(s);
  s.alpha = (1 - g_) * s.alpha + g_;
}

void RateControl::cut(State& s) {
  if (clampTarget_ || s.timerStage != 0 || s.byteStage != 0) s.target = s.current;
  s.current *= 1 - s.alpha / 2;
  s.lastCut = engine_->now();
  s.timerStage = s.byteStage = 0;
  s.bytes = 0;
  s.increaseTimer.restart(s.lastCut + increaseTimer_);
  apply(s);
}

// ---------------------------------------------------------------- polled

namespace {
/// The rate is looked at just after alpha, not at the same time.
constexpr Time kAfterAlpha = Time::Ns(1);
}  // namespace

/// There is an event only where a look would find a notice; the others change nothing but alpha, which is made up for
/// when it is needed.
void RateControl::noticePolled(State& s) {
  const Time now = engine_->now();
  if (!s.noticed) {
    s.noticed = true;
    s.alpha = 1;
    s.first = now;
  } else {
    countPeriods(s);
    s.inPeriod = true;
  }
  if (s.pollTimer.running()) return;
  const int64_t since = now.ps - s.first.ps - kAfterAlpha.ps;
  const int64_t looks = since < 0 ? 0 : since / decreaseInterval_.ps;
  s.pollTimer.restart(s.first + kAfterAlpha + Time{(looks + 1) * decreaseInterval_.ps});
}

void RateControl::countPeriods(State& s) const {
  const int64_t over = (engine_->now().ps - s.first.ps) / alphaTimer_.ps;
  for (; s.alphaPeriods < over; ++s.alphaPeriods) {
    s.alpha = (1 - g_) * s.alpha + (s.inPeriod ? g_ : 0);
    s.inPeriod = false;
  }
}

void RateControl::State::polled() {
  owner.countPeriods(*this);
  owner.cut(*this);
  owner.host_->rateChanged(flow);
}

// ---------------------------------------------------------------- increase

void RateControl::State::alphaExpired() {
  alpha *= 1 - owner.g_;
  alphaTimer.restart(owner.engine_->now() + owner.alphaTimer_);
}

void RateControl::State::increaseExpired() {
  ++timerStage;
  increaseTimer.restart(owner.engine_->now() + owner.increaseTimer_);
  owner.increase(*this);
  owner.host_->rateChanged(flow);
}

void RateControl::onSend(Flow& flow, Packet& packet) {
  State& s = state(flow);
  if (byteCounter_.n == 0 || !s.increaseTimer.running()) return;
  s.bytes += packet.wireBytes;
  if (s.bytes < byteCounter_.n) return;
  s.bytes -= byteCounter_.n;
  ++s.byteStage;
  increase(s);
}

void RateControl::increase(State& s) {
  const int64_t most = std::max(s.timerStage, s.byteStage);
  const int64_t least = std::min(s.timerStage, s.byteStage);
  const double line = static_cast<double>(host_->lineRate().bps);
  if (timerStages_) {  // the event itself is not counted yet
    if (s.timerStage - 1 > fastRecovery_) {
      s.target += static_cast<double>(hai_.bps);
    } else if (s.timerStage - 1 == fastRecovery_) {
      s.target += static_cast<double>(ai_.bps);
    }
  } else if (least > fastRecovery_) {
    s.target += static_cast<double>(least - fastRecovery_ + 1) * static_cast<double>(hai_.bps);
  } else if (most >= fastRecovery_) {
    s.target += static_cast<double>(ai_.bps);
  }
  s.target = std::min(s.target, line);
  s.current = (s.target + s.current) / 2;
  if (line - s.current < 1) {  // the halves never quite meet
    s.current = s.target = line;
    s.increaseTimer.stop();  // nothing left to recover
  }
  apply(s);
}

void RateControl::apply(State& s) {
  const double line = static_cast<double>(host_->lineRate().bps);
  s.current = std::clamp(s.current, std::min(static_cast<double>(minRate_.bps), line), line);
  s.flow.rate = Rate{static_cast<int64_t>(std::min(s.current, s.ceiling))};
}

}  // namespace fabric
