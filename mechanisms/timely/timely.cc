#include "mechanisms/timely/timely.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"

namespace fabric {

const Description& Timely::describe() {
  static const Description d =
      Describe<Timely>("timely", Kind::CongestionControl, "TIMELY: rate control by round trips")
          .help(
              "Between two thresholds of the round trip the rate follows its gradient: additive increase while round "
              "trips do not grow, a cut in proportion to the gradient while they do. Below the lower threshold it "
              "always grows, above the upper one it is always cut.")
          .source("TIMELY, SIGCOMM 2015, section 4 and Algorithm 1 (recalled); Dart, section VI-A")
          .param("t_low", &Timely::low_, Time::Us(50), "below this round trip the rate always grows",
                 "TIMELY section 4.4: 50 us")
          .atMost("t_high", "the rate cannot grow and be cut at the same round trip")
          .live()
          .param("t_high", &Timely::high_, Time::Us(500), "above this round trip the rate is always cut",
                 "TIMELY section 4.4: 500 us")
          .range(1, 1e15)
          .live()
          .param("alpha", &Timely::alpha_, 0.875, "weight of a new sample in the smoothed difference of round trips",
                 "HPCC's public simulator: 0.875 (recalled of Zhu et al., CoNEXT 2016)")
          .range(1e-6, 1)
          .live()
          .param("beta", &Timely::beta_, 0.8, "strength of cuts", "TIMELY section 4.4: 0.8")
          .range(0, 1)
          .live()
          .param("delta", &Timely::delta_, Rate::Mbps(10), "additive increase", "TIMELY section 4.4: 10 Mb/s")
          .range(1, 1e12)
          .live()
          .param("min_rtt", &Timely::minRtt_, Time::Us(20), "the gradient is the smoothed difference over this",
                 "HPCC's public simulator: 20 us (recalled of TIMELY)")
          .range(1000, 1e12)
          .live()
          .param("hai_after", &Timely::haiAfter_, 5, "increases in a row before hyperactive increase; 0 = at once",
                 "TIMELY section 4.3: 5")
          .range(0, 1000000)
          .live()
          .param("hai_factor", &Timely::haiFactor_, 5, "N: a hyperactive increase is this many times delta",
                 "TIMELY section 4.3: 5")
          .range(1, 1000000)
          .live()
          .param("hai_below_low", &Timely::haiBelowLow_, false,
                 "whether increases below t_low count towards hyperactive increase and may be such",
                 "TIMELY Algorithm 1: no; HPCC's public simulator: yes")
          .live()
          .param("min_rate", &Timely::minRate_, Rate::Mbps(10), "smallest rate", "chosen: one increase")
          .range(1, 1e12)
          .live()
          .param("form", &Timely::form_, {"rate", "window"}, "rate",
                 "what is set: the pacing rate, or a window of that rate times the round trip",
                 "TIMELY section 4: rate; Dart section VI-A: window")
          .param("update", &Timely::updateBy_, {"round_trip", "ack"}, "round_trip",
                 "when the rate changes: once in a round trip, or with every ACK",
                 "HPCC's public simulator: round trip; TIMELY: with each segment, which is about one (64 KB)")
          .done();
  return d;
}
FABRIC_REGISTER(Timely);

void Timely::onStart(Network& network) {
  engine_ = &network.engine();
  state_ = network.flows().reserve<State>("timely");
}

void Timely::onFlowStart(Flow& flow) {
  State& s = state_.make(flow);
  s.rate = static_cast<double>(host_->lineRate().bps);
  apply(flow, s, host_->baseRtt().ps > 0 ? host_->baseRtt() : minRtt_);
}

void Timely::onAck(Flow& flow, const Packet& ack) {
  State& s = state_(flow);
  const bool first = s.rtt.ps < 0;
  if (!first && updateBy_.index == 0 && ack.seq <= s.updatedTo) return;
  const Time rtt = engine_->now() - ack.sentAt;
  if (!first) update(s, rtt);
  s.rtt = rtt;
  s.updatedTo = flow.sndNxt;
  apply(flow, s, rtt);
}

void Timely::update(State& s, Time rtt) const {
  s.rttDiff = (1 - alpha_) * s.rttDiff + alpha_ * static_cast<double>(rtt.ps - s.rtt.ps);
  const double gradient = s.rttDiff / static_cast<double>(minRtt_.ps);
  if (rtt < low_) {
    increase(s, haiBelowLow_);
  } else if (rtt > high_) {
    s.rate *= 1 - beta_ * (1 - static_cast<double>(high_.ps) / static_cast<double>(rtt.ps));
    s.increases = 0;
  } else if (gradient <= 0) {
    increase(s, true);
  } else {
    s.rate *= std::max(1 - beta_ * gradient, 0.0);
    s.increases = 0;
  }
  const auto line = static_cast<double>(host_->lineRate().bps);
  s.rate = std::clamp(s.rate, std::min(static_cast<double>(minRate_.bps), line), line);
}

void Timely::increase(State& s, bool counts) const {
  const bool hyper = counts && s.increases >= haiAfter_;
  s.rate += static_cast<double>(delta_.bps) * (hyper ? static_cast<double>(haiFactor_) : 1);
  if (counts) ++s.increases;
}

/// The rate is one of the wire, the window one of payload. The host lets one packet go whatever the window.
void Timely::apply(Flow& flow, const State& s, Time rtt) const {
  if (form_.index == 0) {
    flow.rate = Rate{static_cast<int64_t>(s.rate)};
    return;
  }
  const double payload = static_cast<double>(host_->payloadPerPacket()) / static_cast<double>(host_->mtu());
  const double bytes = s.rate * static_cast<double>(rtt.ps) / 8e12 * payload;
  flow.window = std::max<int64_t>(static_cast<int64_t>(bytes), 1);
}

}  // namespace fabric
