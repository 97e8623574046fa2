#include "mechanisms/xcp/xcp_router.h"

#include <algorithm>

#include "mechanisms/core/network.h"
#include "mechanisms/core/port.h"

namespace fabric {

const Description& XcpRouter::describe() {
  static const Description d =
      Describe<XcpRouter>("xcp_router", Kind::PortAgent, "XCP's router")
          .help(
              "Once in a mean round trip of the flows the efficiency controller computes by how many bytes all windows "
              "together are to change, from spare bandwidth and standing queue; the fairness controller gives each "
              "packet its part, equal for all flows where it is more, in proportion to their rates where it is less.")
          .source("XCP, SIGCOMM 2002, section 3.5 and appendix A (recalled)")
          .param("alpha", &XcpRouter::alpha_, 0.4, "share of the spare bandwidth that is given in a round trip",
                 "XCP section 3.5.1: 0.4")
          .range(1e-3, 10)
          .live()
          .param("beta", &XcpRouter::beta_, 0.226, "share of the standing queue that is taken away in a round trip",
                 "XCP section 3.5.1: 0.226")
          .range(0, 10)
          .live()
          .param("gamma", &XcpRouter::gamma_, 0.1,
                 "share of the traffic that is at least moved from flow to flow in a round trip",
                 "XCP section 3.5.2: 0.1")
          .range(0, 1)
          .live()
          .param("initial_interval", &XcpRouter::initialInterval_, Time::Us(100),
                 "control interval before any packet has told of a round trip", "chosen: some round trips of a fabric")
          .range(1000, 60e12)
          .extension(XcpHeader::kName, sizeof(XcpHeader), 0, "its bytes are among host.header_bytes and host.ack_bytes")
          .done();
  return d;
}
FABRIC_REGISTER(XcpRouter);

void XcpRouter::attach(Port& port, uint8_t index) {
  PortAgent::attach(port, index);
  controlTimer_.setKey(port.timerKey());
  queueTimer_.setKey(port.timerKey());
}

void XcpRouter::onStart(Network& network) {
  engine_ = &network.engine();
  header_ = network.packets().reserve<XcpHeader>(XcpHeader::kName);
  rtt_ = static_cast<double>(initialInterval_.ps) * 1e-12;
  onChange();
}

void XcpRouter::onChange() { capacity_ = static_cast<double>(port_->rate().bps) / 8; }

double XcpRouter::waiting() const {
  int64_t bytes = 0;
  for (int c = 0; c < port_->classes(); ++c) bytes += port_->queueBytes(static_cast<uint8_t>(c));
  return static_cast<double>(bytes);
}

/// An interval begins with a packet where the one before had none: an idle port has no timers.
void XcpRouter::onEnqueue(Packet& p) {
  if (!running_) {
    running_ = true;
    began_ = engine_->now();
    least_ = waiting();
    engine_->schedule(controlTimer_, began_ + time(rtt_));
    engine_->schedule(queueTimer_, began_ + time(rtt_));
  }
  least_ = std::min(least_, std::max(0.0, waiting() - p.wireBytes));  // what it has found here
  input_ += p.wireBytes;
  const XcpHeader* h = p.kind == PacketKind::Data ? header_.of(p) : nullptr;
  if (h == nullptr || h->rtt.ps == 0) return;
  const double rtt = static_cast<double>(h->rtt.ps) * 1e-12;
  data_ += p.wireBytes;
  rttPerWindow_ += rtt * p.wireBytes / h->cwnd;
  rtt2PerWindow_ += rtt * rtt * p.wireBytes / h->cwnd;
}

/// The efficiency controller, section 3.5.1, and what the fairness controller needs of it.
void XcpRouter::control() {
  const Time now = engine_->now();
  const double interval = static_cast<double>((now - began_).ps) * 1e-12;
  if (input_ == 0) {
    perWindow_ = perPacket_ = up_ = down_ = aggregate_ = 0;
    running_ = false;
    engine_->cancel(queueTimer_);
    queue_ = 0;
    return;
  }
  if (rttPerWindow_ > 0) rtt_ = rtt2PerWindow_ / rttPerWindow_;
  const double rate = input_ / interval;
  aggregate_ = alpha_ * rtt_ * (capacity_ - rate) - beta_ * queue_;
  const double shuffled = std::max(0.0, gamma_ * rate * rtt_ - std::max(aggregate_, -aggregate_));
  up_ = shuffled + std::max(aggregate_, 0.0);
  down_ = shuffled + std::max(-aggregate_, 0.0);
  // Equations 6 and 8, for as many packets as there were in this interval.
  perWindow_ = rttPerWindow_ > 0 ? up_ / (rtt_ * rttPerWindow_ * (rtt_ / interval)) : 0;
  perPacket_ = data_ > 0 ? down_ / (rtt_ * data_ * (rtt_ / interval)) : 0;
  input_ = data_ = rttPerWindow_ = rtt2PerWindow_ = 0;
  began_ = now;
  engine_->schedule(controlTimer_, now + time(rtt_));
}

/// The queue that was there all the time over a round trip's propagation: the mean round trip without the wait here.
void XcpRouter::look() {
  queue_ = least_;
  least_ = waiting();
  const double propagation = std::max(rtt_ - queue_ / capacity_, rtt_ / 4);
  engine_->schedule(queueTimer_, engine_->now() + time(propagation));
}

/// The fairness controller, section 3.5.2 and appendix A: p of equation 4 and n of equation 7.
void XcpRouter::onDequeue(Packet& p) {
  XcpHeader* h = p.kind == PacketKind::Data ? header_.of(p) : nullptr;
  if (h == nullptr) return;
  const double rtt = static_cast<double>(h->rtt.ps) * 1e-12;
  const double more = std::min(up_, perWindow_ * rtt * rtt * p.wireBytes / h->cwnd);
  const double less = std::min(down_, perPacket_ * rtt * p.wireBytes);
  const double mine = more - less;
  if (h->feedback > mine) {
    h->feedback = mine;
    up_ -= more;
    down_ -= less;
  } else {
    // Another link, or the sender, lets it have less: this much goes to others.
    if (h->feedback > 0) {
      up_ -= h->feedback;
      down_ -= mine - h->feedback;
    } else {
      down_ += h->feedback;
      if (mine > 0) down_ -= mine;
    }
  }
  up_ = std::max(up_, 0.0);
  down_ = std::max(down_, 0.0);
}

}  // namespace fabric
