#include "mechanisms/ecmp/overlay.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"

namespace fabric {

/// What one leaf puts on another one takes off, and at a second leaf of a host nobody would take the outer header off.
void OverlaySelector::check(const Network& network, Report& report) const {
  const std::string& name = description().name;
  const auto& own = switch_->ports();
  if (std::all_of(own.begin(), own.end(), [](const Port* p) { return p->leadsToSwitch(); })) return;
  for (const Node* n : network.nodes()) {
    const auto& ports = n->ports();
    if (&n->description() == &Switch::describe()) {
      const auto& other = static_cast<const Switch&>(*n);
      if (other.overlayBytes() == overlayBytes()) continue;
      if (std::all_of(ports.begin(), ports.end(), [](const Port* p) { return p->leadsToSwitch(); })) continue;
      report.refuse(name + ".overlay_bytes is " + std::to_string(overlayBytes()) +
                        ", and packets come to a switch where " + other.pathSelector().description().name + " has " +
                        std::to_string(other.overlayBytes()) + "; give all switches with hosts the same outer header",
                    {{*this, "overlay_bytes"}, other.pathSelector()});
    } else if (encapsulates()) {
      const Node& first = ports.front()->peer().node();
      const auto same = [&](const Port* p) { return &p->peer().node() == &first; };
      if (std::all_of(ports.begin(), ports.end(), same)) continue;
      report.refuse(name + " has an outer header of " + toText(Bytes{overlayBytes()}) +
                        ", which ends at one leaf, and a host has links to two switches; give the host links to one "
                        "switch only, or take a path selector without an outer header (ecmp with overlay_bytes 0)",
                    {Spot::topology(), {*this, "overlay_bytes"}});
    }
  }
}

void OverlaySelector::onStart(Network& network) {
  std::vector<uint32_t> number(network.nodes().size(), kNowhere);  // of the leaves, by node
  for (const Node* n : network.nodes()) {
    if (dynamic_cast<const Switch*>(n) == nullptr) continue;
    const auto& ports = n->ports();
    if (std::all_of(ports.begin(), ports.end(), [](const Port* p) { return p->leadsToSwitch(); })) continue;
    number[n->id()] = leaves();
    nodes_.push_back(n->id());
  }
  self_ = number[switch_->id()];
  isLeaf_ = self_ != kNowhere;
  if (!isLeaf_) return;
  leafOf_.assign(network.nodes().size(), kNowhere);
  for (const Node* n : network.nodes()) {
    const auto* h = dynamic_cast<const Host*>(n);
    if (h == nullptr) continue;
    leafOf_[h->id()] = number[h->nic().peer().node().id()];
  }
  for (const Port* p : switch_->ports()) fromFabric_.push_back(p->leadsToSwitch());
}

void OverlaySelector::onIngress(Packet& p, const Port* in) {
  const uint32_t leaf = leafOf_[p.dst];
  if (leaf == kNowhere) return;
  if (leaf == self_) {
    if (!p.encapsulated) return;
    p.encapsulated = false;
    p.wireBytes -= p.overlayBytes;
    onDecapsulate(p);
  } else if (!p.encapsulated && (in == nullptr || !fromFabric_[in->index()])) {
    p.encapsulated = true;
    p.overlayBytes = static_cast<uint16_t>(overlayParam_.n);
    p.wireBytes += p.overlayBytes;
    onEncapsulate(p, leaf);
  }
}

}  // namespace fabric
