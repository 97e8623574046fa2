#include "mechanisms/rcp/rcp_rate.h"

#include <algorithm>

#include "mechanisms/core/network.h"
#include "mechanisms/core/port.h"

namespace fabric {

const Description& RcpRate::describe() {
  static const Description d =
      Describe<RcpRate>("rcp_rate", Kind::PortAgent, "RCP's router: one rate for all flows of a port")
          .help(
              "R = R (1 + (T / d) (a (g C - y) - b q / d) / (g C)): y is the rate at which bytes came, q what waits, d "
              "the mean round trip that packets name. A data packet takes R with it where it is less than what it has.")
          .source(
              "RCP: Dukkipati et al., IWQoS 2005; Dukkipati's thesis, 2008 (recalled); its authors' router for ns-2")
          .param("alpha", &RcpRate::a_, 0.4, "a, gain of the rate that is left", "the authors' router for ns-2: 0.4")
          .range(0, 1e3)
          .live()
          .param("beta", &RcpRate::b_, 0.4, "b, gain of the queue", "the authors' router for ns-2: 0.4")
          .range(0, 1e3)
          .live()
          .param("gamma", &RcpRate::gamma_, 0.95, "g, share of the link that is given out",
                 "the authors' router for ns-2, PHI: 0.95")
          .range(0.01, 1)
          .param("initial_share", &RcpRate::initialShare_, 0.05, "first R, as a share of the link",
                 "the authors' router for ns-2, INIT_RATE_FACT: 0.05")
          .range(1e-6, 1)
          .param("slot", &RcpRate::slot_, Time::Us(10), "T is d, and at most this",
                 "chosen: one round trip of a fabric; the authors' router for ns-2: 10 ms, for the Internet")
          .range(1000, 1e15)
          .param("initial_rtt", &RcpRate::initialRtt_, Time::Us(10), "d before any packet has named a round trip",
                 "chosen: one round trip of a fabric")
          .range(1000, 1e15)
          .param("min_rate", &RcpRate::minRate_, Rate::Mbps(10), "R is not below it", "chosen")
          .range(1, 1e12)
          .extension(RcpHeader::kName, sizeof(RcpHeader), 0, "its bytes are among host.header_bytes and host.ack_bytes")
          .done();
  return d;
}
FABRIC_REGISTER(RcpRate);

void RcpRate::attach(Port& port, uint8_t index) {
  PortAgent::attach(port, index);
  timer_.setKey(port.timerKey());
}

void RcpRate::onStart(Network& network) {
  engine_ = &network.engine();
  header_ = network.packets().reserve<RcpHeader>(RcpHeader::kName);
  capacity_ = gamma_ * static_cast<double>(port_->rate().bps);
  rate_ = std::min(initialShare_ * static_cast<double>(port_->rate().bps), capacity_);
  rtt_ = static_cast<double>(initialRtt_.ps) * 1e-12;
}

/// R of an idle port that was all of the link grows with it.
void RcpRate::onChange() {
  capacity_ = gamma_ * static_cast<double>(port_->rate().bps);
  rate_ = std::min(rate_, capacity_);
  if (!timer_.pending()) beginInterval();
}

void RcpRate::beginInterval() {
  interval_ = std::min(rtt_, static_cast<double>(slot_.ps) * 1e-12);
  engine_->schedule(timer_, engine_->now() + Time{static_cast<int64_t>(interval_ * 1e12 + 0.5)});
}

/// An interval begins with a packet where the ones before left nothing to change: an idle port has no timer.
void RcpRate::onEnqueue(Packet& p) {
  if (!timer_.pending()) beginInterval();
  arrived_ += p.wireBytes;
  const RcpHeader* h = p.kind == PacketKind::Data ? header_.of(p) : nullptr;
  if (h == nullptr || h->rtt.ps == 0) return;
  rttBytes_ += static_cast<double>(h->rtt.ps) * 1e-12 * p.wireBytes;
  rttWeight_ += p.wireBytes;
}

void RcpRate::onDequeue(Packet& p) {
  if (p.kind != PacketKind::Data) return;
  if (RcpHeader* h = header_.of(p)) h->rate = std::min(h->rate, rate_);
}

/// As the authors' router: longer round trips count at once, shorter ones by the share of the link that a flow has.
void RcpRate::averageRtt() {
  if (rttWeight_ == 0) return;
  const double mean = rttBytes_ / rttWeight_;
  double gain = interval_ / rtt_;
  if (mean < rtt_) gain *= gamma_ * rate_ / capacity_ * mean / rtt_;
  rtt_ += gain * (mean - rtt_);
}

void RcpRate::update() {
  averageRtt();
  const bool idle = arrived_ == 0;
  const double input = static_cast<double>(arrived_) * 8 / interval_;
  const double queue = static_cast<double>(port_->dataQueueBytes()) * 8;
  const double change = a_ * (capacity_ - input) - b_ * queue / rtt_;
  rate_ *= 1 + interval_ / rtt_ * change / capacity_;
  rate_ = std::clamp(rate_, std::min(static_cast<double>(minRate_.bps), capacity_), capacity_);
  arrived_ = 0;
  rttBytes_ = rttWeight_ = 0;
  if (idle && queue == 0 && rate_ == capacity_) return;  // nothing would change
  beginInterval();
}

}  // namespace fabric
