#include "mechanisms/infiniband/ib_cc.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"

namespace fabric {

const Description& IbCc::describe() {
  static const Description d =
      Describe<IbCc>("ib_cc", Kind::CongestionControl, "InfiniBand's congestion control: a table of delays")
          .help(
              "Each backward notification (BECN) moves a flow's index into a table of delays between packets up, a "
              "timer moves it down.")
          .source("InfiniBand Architecture Specification, volume 1, annex A10 (recalled)")
          .needsWhile("notice", "cnp", "cnp_generator")
          .param("notice", &IbCc::noticeBy_, {"ack", "cnp"}, "ack",
                 "where BECN comes: on the ACK of a marked packet, or in a packet of its own (cnp_generator)",
                 "annex A10: on ACKs of connected services, else in packets of its own")
          .param("ccti_increase", &IbCc::increase_, 1, "steps up with each BECN",
                 "annex A10: CCTI_Increase; 1 in Gran et al., IPDPS 2010 (recalled)")
          .range(1, 65535)
          .live()
          .param("ccti_timer", &IbCc::timer_, Time::Ps(153600000), "time between two steps down",
                 "annex A10: CCTI_Timer, in units of 1.024 us; 150 in Gran et al., IPDPS 2010 (recalled)")
          .range(1, 1e15)
          .live()
          .param("ccti_min", &IbCc::least_, 0, "the index is not below it", "annex A10: CCTI_Min")
          .range(0, 65535)
          .atMost("ccti_limit", "the table has no such entry")
          .param("ccti_limit", &IbCc::limit_, 127, "the index is not above it",
                 "annex A10: CCTI_Limit; 127 in Gran et al., IPDPS 2010 (recalled)")
          .range(0, 65535)
          .param(
              "cct_step", &IbCc::step_, 0.125,
              "the table: entry i delays the next packet by this many times its own time, times i, or i i with square",
              "chosen: the table's entries are free, 1/8 is the finest step that their format has")
          .range(1e-6, 16383)
          .live()
          .param("cct_curve", &IbCc::curve_, {"linear", "square"}, "linear", "how the table's delays grow with i",
                 "chosen; square in the tables that LLNL tried (opensm-cc-conf-gen.rb)")
          .added()
          .param("cct_shift", &IbCc::shift_, 3,
                 "delays are whole multiples of the packet's own time over 2 to the power of this; the rest is cut off",
                 "annex A10: CCT_Shift, 2 bits")
          .range(0, 3)
          .added()
          .done();
  return d;
}
FABRIC_REGISTER(IbCc);

/// The last entry of the table has its multiplier in 14 bits.
void IbCc::check(const Network&, Report& report) const {
  const auto limit = static_cast<double>(limit_);
  const bool square = curve_.index == 1;
  const double last = (square ? limit * limit : limit) * step_ * static_cast<double>(1 << shift_);
  if (last < 1 << 14) return;
  report.refuse(std::string("ib_cc.ccti_limit * ") + (square ? "ib_cc.ccti_limit * " : "") +
                    "ib_cc.cct_step * 2^ib_cc.cct_shift is " + toText(Value(last)) +
                    ", and it stays below 16384 with ib_cc.cct_curve: " + (square ? "square" : "linear") +
                    ", as the last entry of the table has its multiplier in 14 bits; make one of them smaller",
                {{*this, "ccti_limit"}, {*this, "cct_step"}, {*this, "cct_shift"}, {*this, "cct_curve"}});
}

void IbCc::onStart(Network& network) {
  engine_ = &network.engine();
  state_ = network.flows().reserve<State>("ib_cc");
  timerKey_ = network.flowTimer("ib_cc");
}

IbCc::State::State(IbCc& owner, Flow& flow)
    : owner(owner),
      flow(flow),
      index(owner.least_),
      timer(*owner.engine_, *this, &State::expired, owner.timerKey_.senderKey(flow)) {}

void IbCc::onFlowStart(Flow& flow) { apply(state_.make(flow, *this, flow)); }

void IbCc::onFlowEnd(Flow& flow) { state_.drop(flow); }

void IbCc::onAck(Flow& flow, const Packet& ack) {
  if (noticeBy_.index == 0 && ack.marked) notice(flow);
}

void IbCc::onCnp(Flow& flow, const Packet&) {
  if (noticeBy_.index == 1) notice(flow);
}

void IbCc::notice(Flow& flow) {
  State& s = state_(flow);
  s.index = std::min(s.index + increase_, limit_);
  apply(s);
  if (!s.timer.running()) s.timer.restart(engine_->now() + timer_);
}

void IbCc::State::expired() {
  index = std::max(index - 1, owner.least_);
  owner.apply(*this);
  if (index > owner.least_) timer.restart(owner.engine_->now() + owner.timer_);
  owner.host_->rateChanged(flow);
}

/// Of entry i of the table: the delay behind a packet is so many times the packet's own time over 2^shift_.
double IbCc::multiplier(int64_t i) const {
  const auto n = static_cast<double>(i);
  return std::floor((curve_.index == 0 ? n : n * n) * step_ * static_cast<double>(1 << shift_));
}

/// A packet of time t and a delay of n t behind it are a rate of 1 / (1 + n).
void IbCc::apply(State& s) const {
  const double delay = multiplier(s.index) / static_cast<double>(1 << shift_);
  const double rate = static_cast<double>(host_->lineRate().bps) / (1 + delay);
  s.flow.rate = Rate{std::max<int64_t>(static_cast<int64_t>(rate), 1)};
}

}  // namespace fabric
