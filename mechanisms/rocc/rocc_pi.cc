#include "mechanisms/rocc/rocc_pi.h"

#include <algorithm>
#include <utility>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/reach.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"

namespace fabric {

namespace {

constexpr double kQueueUnit = 600;  // bytes
constexpr double kRateUnit = 1e7;   // bit/s

/// How much larger thresholds are at a port than at one of 100 Gb/s.
double growth(const Port& port, bool scales, Rate to) {
  if (!scales) return 1;
  const int64_t rate = to.bps != 0 ? std::min(port.rate().bps, to.bps) : port.rate().bps;
  return static_cast<double>(rate) / 100e9;
}

}  // namespace

const RoccPi::Updates& RoccPi::updates() {
  static const Updates table{"rocc_pi",
                             "RoCC's controller, one row per update",
                             Scope::Port,
                             false,
                             {"time_ps", "simulated time"},
                             {"node", "the node whose port it is"},
                             {"port", "", "number of the port at its node"},
                             {"fair_rate_bps", "F"},
                             {"queue_bytes", "data waiting"},
                             {"flows", "1", "flows in the flow table"}};
  return table;
}

const Description& RoccPi::describe() {
  static const Description d =
      Describe<RoccPi>("rocc_pi", Kind::PortAgent, "RoCC's congestion point")
          .help(
              "Every period a PI controller computes the fair rate of the port from its queue and sends it to the "
              "senders of all flows that have packets in the queue.")
          .source("RoCC, CoNEXT 2020, Algorithm 1 and section 6")
          .param("period", &RoccPi::period_, Time::Us(40), "T: time between two updates", "RoCC section 6: 40 us")
          .range(1000, 1e15)
          .live()
          .param("q_ref", &RoccPi::qRef_, Bytes{300000}, "queue to hold, for a port of 100 Gb/s", "RoCC section 6")
          .live()
          .param("q_mid", &RoccPi::qMid_, Bytes{600000}, "growth per period that halves the rate, at 100 Gb/s",
                 "RoCC section 6")
          .live()
          .param("q_max", &RoccPi::qMax_, Bytes{660000}, "queue that sets the smallest rate, at 100 Gb/s",
                 "RoCC section 6")
          .live()
          .param("alpha", &RoccPi::a_, 0.45, "gain of the distance to q_ref", "RoCC section 6: 0.45 at 100 Gb/s")
          .range(0, 100)
          .live()
          .param("beta", &RoccPi::b_, 2.25, "gain of the growth", "RoCC section 6: 2.25 at 100 Gb/s")
          .range(0, 100)
          .live()
          .param("f_min", &RoccPi::fMin_, Rate::Mbps(100), "smallest fair rate", "RoCC section 6")
          .range(1e7, 1e12)
          .live()
          .param("scale", &RoccPi::scale_, true,
                 "thresholds grow with the port's rate over 100 Gb/s; false: as they are at any rate", "chosen")
          .live()
          .param("scale_to", &RoccPi::scaleTo_, Rate{0}, "thresholds grow up to this rate of a port; 0: without end",
                 "chosen")
          .added()
          .live()
          .param("cnp_bytes", &RoccPi::cnpBytes_, Bytes{78}, "CNP with the rate in its reserved bytes",
                 "RoCEv2 (chosen)")
          .range(64, 1518)
          .param("cnp_class", &RoccPi::cnpClass_, 0, "priority class of CNPs", "RoCC: CNPs are prioritised")
          .range(0, kMaxClasses - 1)
          .extension(RoccFeedback::kName, sizeof(RoccFeedback), 0, "in the CNP's reserved bytes")
          .table(updates())
          .done();
  return d;
}
FABRIC_REGISTER(RoccPi);

void RoccPi::attach(Port& port, uint8_t index) {
  PortAgent::attach(port, index);
  timer_.setKey(port.timerKey());
}

void RoccPi::check(const Network& network, Report& report) const {
  const double factor = growth(*port_, scale_, scaleTo_);
  const auto here = [&](Bytes length) { return static_cast<int64_t>(static_cast<double>(length.n) * factor); };
  refuseUnreached(*this, "q_ref", here(qRef_), Acts::FromHere, *port_, network, report);
  refuseUnreached(*this, "q_max", here(qMax_), Acts::InFull, *port_, network, report);
  if (cnpClass_ < port_->classes()) return;
  report.refuse("rocc_pi.cnp_class is " + std::to_string(cnpClass_) + ", and there are " +
                    std::to_string(port_->classes()) + " queues, one per class (0 to " +
                    std::to_string(port_->classes() - 1) + "); name one of these classes or add a queue",
                {{*this, "cnp_class"}, Spot::slot("queues")});
}

void RoccPi::onStart(Network& network) {
  network_ = &network;
  feedback_ = network.packets().reserve<RoccFeedback>(RoccFeedback::kName);
  traceTable_ = network.trace().find(updates());
  configure();
  pi_.f = pi_.fMax;
  pi_.qOld = 0;
}

void RoccPi::configure() {
  const double rate = static_cast<double>(port_->rate().bps);
  const double factor = growth(*port_, scale_, scaleTo_);
  pi_.qRef = static_cast<double>(qRef_.n) * factor / kQueueUnit;
  pi_.qMid = static_cast<double>(qMid_.n) * factor / kQueueUnit;
  pi_.qMax = static_cast<double>(qMax_.n) * factor / kQueueUnit;
  pi_.fMin = std::min(static_cast<double>(fMin_.bps), rate) / kRateUnit;
  pi_.fMax = rate / kRateUnit;
  pi_.a = a_;
  pi_.b = b_;
}

void RoccPi::Controller::update(double q) {
  if (q >= qMax && f > fMax / 8) {
    f = fMin;
  } else if (q - qOld >= qMid && f > fMax / 8) {
    f = f / 2;
  } else {
    double level = 2;
    while (f < fMax / level && level < 64) level *= 2;
    f = f - a / (level / 2) * (q - qRef) - b / (level / 2) * (q - qOld);
  }
  f = std::clamp(f, fMin, fMax);
  qOld = q;
}

size_t RoccPi::find(const Packet& packet) const {
  size_t i = 0;
  while (i < table_.size() && table_[i].flowId != packet.flowId) ++i;
  return i;
}

void RoccPi::onEnqueue(Packet& packet) {
  if (packet.kind != PacketKind::Data) return;
  const size_t i = find(packet);
  if (i == table_.size()) {
    table_.push_back({packet.flow, packet.flowId, packet.src, packet.dst, packet.hash, packet.symmetricHash, 0});
  }
  ++table_[i].packets;
  // Updates come on a fixed grid of times, and only while there is something to control.
  if (!timer_.pending()) {
    const int64_t now = network_->engine().now().ps;
    network_->engine().schedule(timer_, Time{(now / period_.ps + 1) * period_.ps});
  }
}

void RoccPi::onDequeue(Packet& packet) {
  if (packet.kind != PacketKind::Data) return;
  const size_t i = find(packet);
  if (--table_[i].packets == 0) {
    table_[i] = table_.back();
    table_.pop_back();
  }
}

void RoccPi::tick() {
  const int64_t queue = port_->dataQueueBytes();
  pi_.update(static_cast<double>(queue) / kQueueUnit);
  notify();
  TraceBus& trace = network_->trace();
  const Time now = network_->engine().now();
  if (trace.on(traceTable_) && trace.wantsTime(traceTable_, now) &&
      trace.wantsPort(traceTable_, port_->node().id(), port_->index())) {
    const Rate fair{static_cast<int64_t>(pi_.f * kRateUnit)};
    trace.emit(traceTable_, now, NodeId{port_->node().id()}, port_->index(), fair, Bytes{queue},
               static_cast<uint32_t>(table_.size()));
  }
  if (queue > 0 || pi_.f < pi_.fMax || pi_.qOld > 0) network_->engine().schedule(timer_, now + period_);
}

void RoccPi::notify() {
  auto& node = static_cast<Switch&>(port_->node());
  for (const Entry& e : table_) {
    Packet* p = network_->packets().fresh();
    p->kind = PacketKind::Cnp;
    p->flow = e.flow;
    p->flowId = e.flowId;
    p->src = e.dst;
    p->dst = e.src;
    p->hash = e.hash;
    p->symmetricHash = e.symmetricHash;
    p->wireBytes = static_cast<uint32_t>(cnpBytes_.n);
    p->cls = static_cast<uint8_t>(cnpClass_);
    feedback_(*p) = {Rate{static_cast<int64_t>(pi_.f * kRateUnit)}, uint64_t{node.id()} << 16 | port_->index()};
    ++network_->counters().cnpsSent;
    node.originate(p);
  }
}

}  // namespace fabric
