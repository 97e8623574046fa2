#include "mechanisms/dcqcn/dcqcn.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

const Description& Dcqcn::describe() {
  static const Description d =
      Describe<Dcqcn>("dcqcn", Kind::CongestionControl, "DCQCN: rate control by ECN marks")
          .help(
              "A congestion notice cuts the rate; a timer and a byte counter raise it again, first back to where it "
              "was, then additively, then fast.")
          .source("DCQCN, SIGCOMM 2015, section 3.1 and Figure 7")
          .param("g", &Dcqcn::g_, 1.0 / 256, "gain of the congestion estimate alpha", "DCQCN section 5.2: 1/256")
          .range(1e-6, 1)
          .live()
          .param("alpha_timer", &Dcqcn::alphaTimer_, Time::Us(55), "alpha decays when no notice came for so long",
                 "DCQCN section 5.2: 55 us")
          .range(1, 1e15)
          .live()
          .param("increase_timer", &Dcqcn::increaseTimer_, Time::Us(55), "period of the increase timer",
                 "DCQCN section 5.2: 55 us")
          .range(1, 1e15)
          .live()
          .param("byte_counter", &Dcqcn::byteCounter_, Bytes{10000000}, "bytes per byte-counter event; 0 = none",
                 "DCQCN section 5.2: 10 MB")
          .live()
          .param("fast_recovery", &Dcqcn::fastRecovery_, 5, "F: increase events of fast recovery",
                 "DCQCN section 3.1: 5")
          .range(1, 1000)
          .live()
          .param("rate_ai", &Dcqcn::ai_, Rate::Mbps(40), "R_AI, additive increase", "DCQCN section 5.2: 40 Mb/s")
          .live()
          .param("rate_hai", &Dcqcn::hai_, Rate::Mbps(200), "R_HAI, hyper increase", "the authors' public simulator")
          .live()
          .param("min_rate", &Dcqcn::minRate_, Rate::Mbps(100), "smallest rate", "chosen")
          .range(1, 1e12)
          .live()
          .param("decrease_interval", &Dcqcn::decreaseInterval_, Time{0}, "cut at most once in this time; 0 = always",
                 "chosen: the notices' own spacing limits cuts")
          .live()
          .param("first_cut", &Dcqcn::firstCut_, true,
                 "whether a flow's first notice cuts its rate, or only sets alpha to 1; not with polled", "chosen")
          .live()
          .param("notice", &Dcqcn::noticeBy_, {"cnp", "ack"}, "cnp",
                 "what counts as a congestion notice: a CNP, or a marked packet's ACK",
                 "DCQCN section 3.1: CNP; HPCC's public simulator: ACK")
          .param("polled", &Dcqcn::polled_, false,
                 "from a flow's first notice on, look every alpha_timer and every decrease_interval whether a notice "
                 "came since, in place of acting on each one",
                 "HPCC's public simulator: yes")
          .added()
          .param("clamp_target", &Dcqcn::clampTarget_, true,
                 "whether a cut that no increase lies before takes the rate as the new target, too",
                 "DCQCN section 3.1: yes; HPCC's public simulator, CLAMP_TARGET_RATE: no")
          .added()
          .live()
          .param("timer_stages", &Dcqcn::timerStages_, false,
                 "stages go by the timer alone: fast recovery up to its event F, then one additive increase, then "
                 "hyper increase by rate_hai each",
                 "HPCC's public simulator: yes")
          .added()
          .live()
          .done();
  return d;
}
FABRIC_REGISTER(Dcqcn);

void Dcqcn::onStart(Network& network) {
  engine_ = &network.engine();
  state_ = network.flows().reserve<State>("dcqcn");
  alphaKey_ = network.flowTimer("dcqcn alpha");
  increaseKey_ = network.flowTimer("dcqcn increase");
  if (!polled_) return;
  pollKey_ = network.flowTimer("dcqcn poll");
  if (decreaseInterval_.ps == 0)
    throw ParamError("dcqcn.decrease_interval: it is 0, but dcqcn.polled looks every so long; set it, such as 4us");
}

Dcqcn::State::State(Dcqcn& owner, Flow& flow)
    : owner(owner),
      flow(flow),
      current(static_cast<double>(owner.host_->lineRate().bps)),
      target(current),
      lastCut(Time{-kLongestTime.ps}),
      alphaTimer(*owner.engine_, *this, &State::alphaExpired, owner.alphaKey_.senderKey(flow)),
      increaseTimer(*owner.engine_, *this, &State::increaseExpired, owner.increaseKey_.senderKey(flow)),
      pollTimer(*owner.engine_, *this, &State::polled, owner.pollKey_.senderKey(flow)) {}

void Dcqcn::onFlowStart(Flow& flow) { state_.make(flow, *this, flow); }

void Dcqcn::onFlowEnd(Flow& flow) { state_.drop(flow); }

void Dcqcn::onCnp(Flow& flow, const Packet&) {
  if (noticeBy_.index == 0) notice(flow);
}

void Dcqcn::onAck(Flow& flow, const Packet& ack) {
  if (noticeBy_.index == 1 && ack.marked) notice(flow);
}

void Dcqcn::notice(Flow& flow) {
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

void Dcqcn::cut(State& s) {
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
void Dcqcn::noticePolled(State& s) {
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

void Dcqcn::countPeriods(State& s) const {
  const int64_t over = (engine_->now().ps - s.first.ps) / alphaTimer_.ps;
  for (; s.alphaPeriods < over; ++s.alphaPeriods) {
    s.alpha = (1 - g_) * s.alpha + (s.inPeriod ? g_ : 0);
    s.inPeriod = false;
  }
}

void Dcqcn::State::polled() {
  owner.countPeriods(*this);
  owner.cut(*this);
  owner.host_->rateChanged(flow);
}

// ---------------------------------------------------------------- increase

void Dcqcn::State::alphaExpired() {
  alpha *= 1 - owner.g_;
  alphaTimer.restart(owner.engine_->now() + owner.alphaTimer_);
}

void Dcqcn::State::increaseExpired() {
  ++timerStage;
  increaseTimer.restart(owner.engine_->now() + owner.increaseTimer_);
  owner.increase(*this);
  owner.host_->rateChanged(flow);
}

void Dcqcn::onSend(Flow& flow, Packet& packet) {
  State& s = state(flow);
  if (byteCounter_.n == 0 || !s.increaseTimer.running()) return;
  s.bytes += packet.wireBytes;
  if (s.bytes < byteCounter_.n) return;
  s.bytes -= byteCounter_.n;
  ++s.byteStage;
  increase(s);
}

void Dcqcn::increase(State& s) {
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

void Dcqcn::apply(State& s) {
  const double line = static_cast<double>(host_->lineRate().bps);
  s.current = std::clamp(s.current, std::min(static_cast<double>(minRate_.bps), line), line);
  s.flow.rate = Rate{static_cast<int64_t>(s.current)};
}

}  // namespace fabric
