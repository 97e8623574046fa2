#include "mechanisms/hpcc/int_control.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"

namespace fabric {

namespace {
constexpr double kPsBits = 8e12;  // bytes to bits, seconds to picoseconds
}

IntControl::Windows IntControl::windows(const std::string& name) {
  return {name,
          "window computation, one row per ACK",
          Scope::Flow,
          false,
          {"time_ps", "simulated time"},
          {"flow", "", "number of the flow"},
          {"u_max", "1", "normalised bytes in flight of the most loaded hop in this ACK"},
          {"hop", "", "that hop's place among the records"},
          {"u", "1", "U, averaged"},
          {"wc_bytes", "B", "reference window"},
          {"w_bytes", "B", "window"}};
}

void IntControl::check(const Network&, Report& report) const {
  if (host_->baseRtt().ps > 0) return;
  report.refuse(
      description().name +
          " needs host.base_rtt, T of the network, which is 0; set it (the harness derives it from the topology)",
      {{*host_, "base_rtt"}, *this});
}

void IntControl::onStart(Network& network) {
  network_ = &network;
  stack_ = network.packets().reserve<IntStack>(IntStack::kName);
  state_ = network.flows().reserve<State>("int_control");
  table_ = network.trace().find(windows(description().name));
}

void IntControl::onFlowStart(Flow& flow) {
  State& s = state_.make(flow);
  s.u = uInitial_;
  // A flow starts at line rate with a window of one bandwidth-delay product (HPCC section 3.2).
  s.w = s.wc = static_cast<double>(host_->bandwidthDelayProduct());
  apply(flow, s);
}

IntControl::Measure IntControl::measure(const IntStack& last, const IntStack& now, Time baseRtt, HopLoads& hopU,
                                        double* rising) {
  Measure m;
  if (last.count != now.count) {  // the first ACK, or another path
    hopU.fill(0);
    return m;
  }
  for (int i = 0; i < now.count; ++i) {
    const IntRecord& a = last.hops[i];
    const IntRecord& b = now.hops[i];
    const int64_t dt = b.ts.ps - a.ts.ps;
    if (dt > 0) {  // else the port's table was not refreshed in between
      const double rate = static_cast<double>(b.rate.bps);
      const double txRate = static_cast<double>(b.txBytes - a.txBytes) * kPsBits / static_cast<double>(dt);
      hopU[i] = static_cast<double>(std::min(a.qlen, b.qlen)) * kPsBits / (rate * static_cast<double>(baseRtt.ps)) +
                txRate / rate;
    }
    if (hopU[i] <= m.max) continue;
    m = {true, hopU[i], i, Time{std::max<int64_t>(dt, 0)}};
    if (rising != nullptr) *rising = average(*rising, m, baseRtt);
  }
  return m;
}

double IntControl::average(double u, const Measure& m, Time baseRtt) {
  const double share = static_cast<double>(std::min(m.tau.ps, baseRtt.ps)) / static_cast<double>(baseRtt.ps);
  return (1 - share) * u + share * m.max;
}

double IntControl::computeWindow(State& s, double u, bool updateWc) const {
  double w;
  if (u >= eta_ || s.incStage >= maxStage_) {
    w = s.wc / (u / eta_) + static_cast<double>(wAi_.n);
    if (updateWc) {
      s.incStage = 0;
      s.wc = w;
    }
  } else {
    w = s.wc + static_cast<double>(wAi_.n);
    if (updateWc) {
      ++s.incStage;
      s.wc = w;
    }
  }
  return w;
}

void IntControl::apply(Flow& flow, State& s) const {
  const double t = static_cast<double>(host_->baseRtt().ps);
  const double largest = static_cast<double>(host_->lineRate().bps) * t / kPsBits;
  const double smallest = static_cast<double>(std::min(minRate_, host_->lineRate()).bps) * t / kPsBits;
  s.w = std::clamp(s.w, smallest, largest);
  s.wc = std::clamp(s.wc, smallest, largest);
  flow.window = window_ ? std::max<int64_t>(1, static_cast<int64_t>(s.w)) : -1;
  const auto bps = static_cast<int64_t>(s.w * kPsBits / t);
  flow.rate = std::clamp(Rate{bps}, Rate{1}, host_->lineRate());
}

void IntControl::onAck(Flow& flow, const Packet& ack) {
  State& s = state(flow);
  const IntStack* found = stack_.of(ack);
  if (found == nullptr) return;  // no switch on its way has told anything
  const IntStack& telemetry = *found;
  const Time baseRtt = host_->baseRtt();
  double u = s.u;
  const Measure m = measure(s.last, telemetry, baseRtt, s.hopU, averageInLoop_ ? &u : nullptr);
  s.last.count = telemetry.count;
  std::copy_n(telemetry.hops.begin(), telemetry.count, s.last.hops.begin());
  // Also the first ACK, which has nothing to compare with, begins a round trip.
  const bool updateWc = ack.seq > s.lastUpdateSeq;
  if (updateWc) s.lastUpdateSeq = flow.sndNxt;
  if (!m.valid) return;

  s.u = averageInLoop_ ? u : average(u, m, baseRtt);
  beforeWindow(s, m, telemetry, ack, updateWc);
  s.w = computeWindow(s, s.u, updateWc);
  apply(flow, s);
  TraceBus& trace = network_->trace();
  if (trace.on(table_) && trace.wantsFlow(table_, flow.spec.id) && trace.wantsTime(table_, network_->engine().now())) {
    trace.emit(table_, network_->engine().now(), flow.spec.id, m.max, static_cast<uint8_t>(m.hop), s.u, s.wc, s.w);
  }
}

}  // namespace fabric
