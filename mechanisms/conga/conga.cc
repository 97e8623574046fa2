#include "mechanisms/conga/conga.h"

#include <algorithm>

#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"

namespace fabric {

const Conga::Decisions& Conga::decisions() {
  static const Decisions table{"conga",
                               "CONGA's decisions, one row per flowlet",
                               Scope::Port,
                               false,
                               {"time_ps", "simulated time"},
                               {"node", "the source leaf"},
                               {"port", "", "the uplink chosen"},
                               {"flow", "", "the flow of the flowlet's first packet"},
                               {"leaf", "the destination leaf"},
                               {"local", "1", "metric of the uplink"},
                               {"remote", "1", "Congestion-To-Leaf of the uplink"},
                               {"worst", "1", "largest metric that an uplink to choose from had"},
                               {"kept", "the uplink of the flow's flowlet before"}};
  return table;
}

const Description& Conga::describe() {
  static const Description d =
      Describe<Conga>("conga", Kind::PathSelector, "CONGA: congestion-aware load balancing from leaf to leaf")
          .help(
              "At the leaf, the first packet of a flowlet takes the uplink with the smallest maximum of its own "
              "metric and what the destination leaf has fed back of the path behind it; other switches, and leaves "
              "in transit, use ECMP. Packets between leaves carry the overlay header.")
          .source("CONGA, SIGCOMM 2014, section 3")
          .param("flowlet_timeout", &Conga::timeout_, Time::Us(500),
                 "Tfl: a gap between one and two of it ends a flowlet; 13 ms = CONGA-Flow",
                 "CONGA (recalled): 500 us; CONGA-Flow 13 ms")
          .range(1000, 1e15)
          .param("flowlet_entries", &Conga::entries_, 65536, "entries of a leaf's flowlet table",
                 "CONGA section 2.6: 64K")
          .range(1, 1 << 20)
          .param("aging", &Conga::aging_, Time::Ms(10), "a metric without an update for this time begins to fade",
                 "CONGA section 3.3: 10 ms, for example")
          .range(1000, 1e15)
          .param("aging_step", &Conga::agingStep_, Time::Ms(1), "time in which a fading metric loses 1", "chosen")
          .range(1000, 1e15)
          .param("tag_bits", &Conga::tagBits_, 4, "bits of LBTag: 2 to this power is the most uplinks of a leaf",
                 "CONGA section 3.1: 4")
          .range(1, 5)
          .param("overlay_bytes", &Conga::overlayParam_, kVxlan,
                 "outer header between leaves: Ethernet 14, IPv4 20, UDP 8, VXLAN 8", "RFC 7348")
          .range(0, 256)
          .extension(CongaHeader::kName, sizeof(CongaHeader), 0,
                     "in the overlay header: LBTag, CE, FB_LBTag, FB_Metric")
          .table(flowlets())
          .table(decisions())
          .done();
  return d;
}
FABRIC_REGISTER(Conga);

void Conga::check(const Network& network, Report& report) const {
  FlowletSelector::check(network, report);
  Dre::checkFabricPorts(*this, *switch_, report);
  const auto& ports = switch_->ports();
  const auto uplinks = std::count_if(ports.begin(), ports.end(), [](const Port* p) { return p->leadsToSwitch(); });
  if (uplinks == static_cast<std::ptrdiff_t>(ports.size()) || uplinks <= 1 << tagBits_) return;
  report.refuse("conga.tag_bits is " + std::to_string(tagBits_) + ", which tells " + std::to_string(1 << tagBits_) +
                    " uplinks apart, and a leaf has " + std::to_string(uplinks) + "; raise conga.tag_bits (at most 5)",
                {{*this, "tag_bits"}, Spot::topology()});
}

void Conga::onStart(Network& network) {
  FlowletSelector::onStart(network);
  header_ = network.packets().reserve<CongaHeader>(CongaHeader::kName);
  traceTable_ = network.trace().find(decisions());
  dre_ = Dre::ofFabricPorts(*switch_);
  if (!isLeaf()) return;
  int uplinks = 0;
  for (const Dre* dre : dre_) tagOf_.push_back(static_cast<uint8_t>(dre != nullptr ? uplinks++ : 0));
  toLeaf_.resize(leaves());
  fromLeaf_.resize(leaves());
}

void Conga::onEncapsulate(Packet& packet, uint32_t destination) {
  const FromLeaf::Feedback f = fromLeaf_[destination].next(engine_->now(), aging_, agingStep_);
  header_.claim(packet) = {leaf(), 0, 0, f.some, f.tag, f.metric};
}

void Conga::onDecapsulate(Packet& packet) {
  const CongaHeader* h = header_.of(packet);
  // The leaf where it comes from has another path selector. An ACK may still have what this leaf put on its data.
  if (h == nullptr || h->sourceLeaf == leaf()) return;
  const Time now = engine_->now();
  fromLeaf_[h->sourceLeaf].hear(h->tag, h->ce, now);
  if (h->feedback) toLeaf_[h->sourceLeaf][h->feedbackTag] = {h->feedbackMetric, now};
}

bool Conga::decidesFor(const Packet& packet, NextHops) const {
  const CongaHeader* h = packet.encapsulated ? header_.of(packet) : nullptr;
  return h != nullptr && h->sourceLeaf == leaf();
}

uint8_t Conga::congestionToLeaf(uint32_t host, uint16_t port) const {
  return toLeaf_[leafOfHost(host)][tagOf_[port]].at(engine_->now(), aging_, agingStep_);
}

uint16_t Conga::decide(const Packet& packet, NextHops hops, int previous) {
  const uint16_t chosen = least(hops, previous, [&](uint16_t port) {
    return int{std::max(dre_[port]->metric(), congestionToLeaf(packet.dst, port))};
  });
  if (trace_->on(traceTable_)) emit(packet, hops, previous, chosen);
  return chosen;
}

void Conga::onSelect(Packet& packet, uint16_t port) { header_(packet).tag = tagOf_[port]; }

void Conga::emit(const Packet& packet, NextHops hops, int previous, uint16_t chosen) {
  const Time now = engine_->now();
  const uint16_t port = hops.ports[chosen];
  if (!trace_->wantsFlow(traceTable_, packet.flowId) || !trace_->wantsTime(traceTable_, now) ||
      !trace_->wantsPort(traceTable_, switch_->id(), port)) {
    return;
  }
  uint8_t worst = 0;
  for (uint16_t i = 0; i < hops.count; ++i) {
    worst = std::max({worst, dre_[hops.ports[i]]->metric(), congestionToLeaf(packet.dst, hops.ports[i])});
  }
  trace_->emit(traceTable_, now, NodeId{switch_->id()}, port, packet.flowId, NodeId{nodeOfLeaf(leafOfHost(packet.dst))},
               dre_[port]->metric(), congestionToLeaf(packet.dst, port), worst, previous == chosen);
}

}  // namespace fabric
