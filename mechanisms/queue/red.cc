#include "mechanisms/queue/red.h"

#include <algorithm>

#include "mechanisms/core/network.h"
#include "mechanisms/core/node.h"
#include "mechanisms/core/port.h"
#include "mechanisms/core/reach.h"
#include "mechanisms/core/report.h"

namespace fabric {

const Red::Marks& Red::marksSoFar() {
  static const Marks table{"marks",
                           "packets that queues have marked so far (red)",
                           Scope::Port,
                           true,
                           {"time_ps", "simulated time"},
                           {"node", "the node whose port it is"},
                           {"port", "", "number of the port at its node"},
                           {"class", "", "priority class, 0 the highest"},
                           {"marked", "1", "packets that were not marked before"}};
  return table;
}

const Description& Red::describe() {
  static const Description d =
      Describe<Red>("red", Kind::Queue, "FIFO with RED/ECN marking")
          .help(
              "Marks ECN-capable packets by the instantaneous length of the queue: as they join, by what is before "
              "them, or as they leave, by what stays.")
          .source("DCQCN, SIGCOMM 2015, section 3.1 (CP algorithm)")
          .param("kmin", &Red::kmin_, Bytes{5000}, "no marks up to this queue length", "DCQCN section 5.2: 5 KB")
          .atMost("kmax", "marks begin where none is certain yet")
          .live()
          .param("kmax", &Red::kmax_, Bytes{200000}, "probability pmax at, 1 above this queue length",
                 "DCQCN section 5.2: 200 KB")
          .live()
          .param("pmax", &Red::pmax_, 0.01, "marking probability at kmax", "DCQCN section 5.2: 1 %")
          .range(0, 1)
          .live()
          .param("per_rate", &Red::perRate_, Rate{0},
                 "kmin and kmax are for ports of this rate and scale with it; 0 = the same at any rate",
                 "HPCC section 5.1 scales with 25 Gb/s (recalled)")
          .live()
          .param("scale_from", &Red::scaleFrom_, Rate{0},
                 "with per_rate: slower ports have the thresholds of this rate", "chosen")
          .added()
          .live()
          .param("scale_to", &Red::scaleTo_, Rate{0},
                 "with per_rate: faster ports have the thresholds of this rate; 0 = none is too fast", "chosen")
          .added()
          .live()
          .param("limit", &Red::limit_, Bytes{0}, "length at which packets are dropped; 0 = no limit", "chosen")
          .live()
          .param("mark_leaving", &Red::markLeaving_, false,
                 "mark a packet as it leaves, by the queue that stays, not as it joins",
                 "DCQCN section 3.1: as it joins; HPCC's public simulator: as it leaves")
          .added()
          .live()
          .table(marksSoFar())
          .done();
  return d;
}
FABRIC_REGISTER(Red);

void Red::onStart(Network& network) {
  network_ = &network;
  table_ = network.trace().find(marksSoFar());
  random_ = RandomStream(network.seed(), "red", port_->nameHash() + class_);
  scale();
}

void Red::check(const Network& network, Report& report) const {
  if (scaleTo_.bps != 0 && scaleFrom_ > scaleTo_) {
    report.refuse("red.scale_from is " + toText(scaleFrom_) + ", above red.scale_to, which is " + toText(scaleTo_) +
                      "; make it smaller, or red.scale_to larger (0: no rate is too fast)",
                  {{*this, "scale_from"}, {*this, "scale_to"}});
  }
  refuseUnreached(*this, "kmin", scaled(kmin_), Acts::FromHere, *port_, class_, network, report);
  refuseUnreached(*this, "kmax", scaled(kmax_), Acts::InFull, *port_, class_, network, report);
}

int64_t Red::scaled(Bytes threshold) const {
  if (perRate_.bps == 0) return threshold.n;
  int64_t rate = std::max(port_->rate().bps, scaleFrom_.bps);
  if (scaleTo_.bps != 0) rate = std::min(rate, scaleTo_.bps);
  return static_cast<int64_t>(static_cast<int128>(threshold.n) * rate / perRate_.bps);
}

void Red::scale() {
  low_ = scaled(kmin_);
  high_ = scaled(kmax_);
  quiet_ = limit_.n == 0 && !markLeaving_ ? low_ : -1;
}

double Red::markProbability(int64_t backlog) const {
  if (backlog <= low_) return 0;
  if (backlog > high_) return 1;
  return pmax_ * static_cast<double>(backlog - low_) / static_cast<double>(high_ - low_);
}

bool Red::marks(const Packet& packet, int64_t backlog) {
  const bool yes = packet.ect && backlog > low_ && (backlog > high_ || random_.uniform() < markProbability(backlog));
  marked_ += yes && !packet.marked;
  return yes;
}

bool Red::enqueue(Packet* packet, int64_t backlog) {
  if (backlog > quiet_) {
    if (limit_.n != 0 && backlog + packet->wireBytes > limit_.n) return false;
    if (!markLeaving_ && marks(*packet, backlog)) packet->marked = true;
  }
  list_.push(packet);
  return true;
}

Packet* Red::dequeue() {
  if (list_.empty()) return nullptr;
  Packet* packet = list_.pop();
  // The port still counts the packet among those that wait.
  if (quiet_ < 0 && markLeaving_ && marks(*packet, port_->queueBytes(class_) - packet->wireBytes)) markLeaving(*packet);
  return packet;
}

void Red::onSample(int) {
  TraceBus& trace = network_->trace();
  const uint32_t node = port_->node().id();
  if (!trace.wantsPort(table_, node, port_->index()) || !trace.wantsClass(table_, class_)) return;
  trace.emit(table_, network_->engine().now(), NodeId{node}, port_->index(), class_, marked_);
}

}  // namespace fabric
