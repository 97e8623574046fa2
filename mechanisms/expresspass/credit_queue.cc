#include "mechanisms/expresspass/credit_queue.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/port.h"
#include "mechanisms/core/report.h"
#include "mechanisms/expresspass/expresspass.h"

namespace fabric {

const Description& CreditQueue::describe() {
  static const Description d =
      Describe<CreditQueue>("credit_queue", Kind::Queue, "ExpressPass's queue of credits")
          .help(
              "First in, first out, with room for a few credits. A token bucket lets out as many as there can be data "
              "packets on the link in the other direction, each behind its credit.")
          .source("ExpressPass, SIGCOMM 2017, sections 3.1 and 3.2 (recalled); kaist-ina/ns2-xpass, xpass-drop-tail.cc")
          .param("limit", &CreditQueue::limit_, Bytes{8 * 84}, "drop what would exceed this",
                 "ExpressPass section 3.1: 8 credits")
          .range(1, 1e12)
          .live()
          .param("burst", &CreditQueue::burst_, Bytes{2 * 84}, "most that the bucket holds",
                 "kaist-ina/ns2-xpass, its scripts: 2 credits")
          .range(1, 1e9)
          .param("credit_bytes", &CreditQueue::creditBytes_, Bytes{84},
                 "a credit on the wire: the share of the link that credits have is this over this and data_bytes",
                 "ExpressPass section 3.1: 84 B, gap and preamble included")
          .range(1, 1e6)
          .param("data_bytes", &CreditQueue::dataBytes_, Bytes{1518}, "the data packet that a credit calls for",
                 "host.mtu; ExpressPass section 3.1: 1538 B, gap and preamble included")
          .range(1, 1e6)
          .done();
  return d;
}
FABRIC_REGISTER(CreditQueue);

void CreditQueue::check(const Network& network, Report& report) const {
  if (const auto* host = network.first<Host>()) checkPacket(*host, report);
  for (const ExpressPass* transport : network.variants<ExpressPass>()) {
    const Bytes credit{transport->largestCredit()};
    if (credit.n <= burst_.n) continue;
    report.refuse("expresspass.credit_most is " + toText(credit) + ", above credit_queue.burst, which is " +
                      toText(burst_) + ": such a credit never leaves a port; make it smaller or the bucket larger",
                  {{*transport, "credit_most"}, {*this, "burst"}});
  }
}

void CreditQueue::checkPacket(const Host& host, Report& report) const {
  if (host.mtu() == dataBytes_.n) return;
  report.refuse("credit_queue.data_bytes is " + toText(dataBytes_) + ", and host.mtu is " + toText(Bytes{host.mtu()}) +
                    ": credits make room for data packets of that size; give both the same value",
                {{*this, "data_bytes"}, {host, "mtu"}});
}

void CreditQueue::onStart(Network& network) {
  engine_ = &network.engine();
  throttle();
}

/// The bucket keeps what is in it.
void CreditQueue::onChange() {
  const Rate before = rate_;
  const Time since = std::min(engine_->now() - emptyAt_, burstTime_);
  throttle();
  emptyAt_ = engine_->now() - Time{static_cast<int64_t>(static_cast<int128>(since.ps) * before.bps / rate_.bps)};
}

void CreditQueue::throttle() {
  const int128 bits = static_cast<int128>(port_->rate().bps) * creditBytes_.n;
  rate_ = Rate{std::max<int64_t>(static_cast<int64_t>(bits / (creditBytes_.n + dataBytes_.n)), 1)};
  burstTime_ = transmissionTime(burst_.n, rate_);
}

bool CreditQueue::enqueue(Packet* packet, int64_t backlog) {
  if (backlog + packet->wireBytes > limit_.n || packet->wireBytes > burst_.n) return false;
  list_.push(packet);
  return true;
}

Time CreditQueue::readyAt() const { return emptyAt_ + transmissionTime(list_.front()->wireBytes, rate_); }

Packet* CreditQueue::dequeue() {
  if (list_.empty()) return nullptr;
  Packet* packet = list_.pop();
  emptyAt_ = std::max(emptyAt_, engine_->now() - burstTime_) + transmissionTime(packet->wireBytes, rate_);
  return packet;
}

}  // namespace fabric
