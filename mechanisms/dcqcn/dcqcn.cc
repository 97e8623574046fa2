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
                 "whether a flow's first notice cuts its rate, or only sets alpha to 1", "HPCC's public simulator: no")
          .live()
          .param("notice", &Dcqcn::noticeBy_, {"cnp", "ack"}, "cnp",
                 "what counts as a congestion notice: a CNP, or a marked packet's ACK",
                 "DCQCN section 3.1: CNP; HPCC's public simulator: ACK")
          .done();
  return d;
}
FABRIC_REGISTER(Dcqcn);

void Dcqcn::onStart(Network& network) {
  engine_ = &network.engine();
  state_ = network.flows().reserve<State>("dcqcn");
  alphaKey_ = network.flowTimer("dcqcn alpha");
  increaseKey_ = network.flowTimer("dcqcn increase");
}

Dcqcn::State::State(Dcqcn& owner, Flow& flow)
    : owner(owner),
      flow(flow),
      current(static_cast<double>(owner.host_->lineRate().bps)),
      target(current),
      lastCut(Time{-kLongestTime.ps}),
      alphaTimer(*owner.engine_, *this, &State::alphaExpired,
                 owner.alphaKey_.senderKey(flow)),
      increaseTimer(*owner.engine_, *this, &State::increaseExpired,
                    owner.increaseKey_.senderKey(flow)) {}

void Dcqcn::onFlowStart(Flow& flow) { state_.make(flow, *this, flow); }

void Dcqcn::onFlowEnd(Flow& flow) { state(flow).~State(); }

void Dcqcn::onCnp(Flow& flow, const Packet&) {
  if (noticeBy_.index == 0) notice(flow);
}

void Dcqcn::onAck(Flow& flow, const Packet& ack) {
  if (noticeBy_.index == 1 && ack.marked) notice(flow);
}

void Dcqcn::notice(Flow& flow) {
  State& s = state(flow);
  const Time now = engine_->now();
  const bool first = !s.noticed;
  s.noticed = true;
  s.alphaTimer.restart(now + alphaTimer_);
  if (first && !firstCut_) {
    s.alpha = 1;
    s.increaseTimer.restart(now + increaseTimer_);
    return;
  }
  const bool cut = now - s.lastCut >= decreaseInterval_;
  if (cut) {
    s.target = s.current;
    s.current *= 1 - s.alpha / 2;
    s.lastCut = now;
  }
  s.alpha = (1 - g_) * s.alpha + g_;
  if (cut) {
    s.timerStage = s.byteStage = 0;
    s.bytes = 0;
    s.increaseTimer.restart(now + increaseTimer_);
    apply(s);
  }
}

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
  if (least > fastRecovery_) {
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
