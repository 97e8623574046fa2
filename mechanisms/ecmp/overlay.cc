#include "mechanisms/ecmp/overlay.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/switch.h"

namespace fabric {

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
  leavesAgree(network);
  leafOf_.assign(network.nodes().size(), kNowhere);
  for (const Node* n : network.nodes()) {
    const auto* h = dynamic_cast<const Host*>(n);
    if (h == nullptr) continue;
    if (hooksIngress()) hasOneLeaf(*h);
    leafOf_[h->id()] = number[h->nic().peer().node().id()];
  }
  for (const Port* p : switch_->ports()) fromFabric_.push_back(p->leadsToSwitch());
}

/// What one leaf puts on another one takes off.
void OverlaySelector::leavesAgree(const Network& network) const {
  for (const uint32_t id : nodes_) {
    const auto& other = static_cast<const Switch&>(*network.nodes()[id]);
    if (other.overlayBytes() == overlayBytes()) continue;
    throw ParamError(description().name + ".overlay_bytes: it is " + std::to_string(overlayBytes()) + " at " +
                     switch_->name() + ", and packets from there come to " + other.name() + ", where it is " +
                     std::to_string(other.overlayBytes()) + "; give all switches with hosts the same outer header");
  }
}

/// At a second leaf nobody would take the outer header off.
void OverlaySelector::hasOneLeaf(const Host& host) const {
  const Node& first = host.ports().front()->peer().node();
  for (const Port* p : host.ports()) {
    const Node& other = p->peer().node();
    if (&other == &first) continue;
    throw ParamError(description().name + ": " + host.name() + " has links to " + first.name() + " and to " +
                     other.name() + ", and an outer header ends at one leaf; give the host links to one switch only, " +
                     "or take a path selector without an outer header (ecmp with overlay_bytes 0)");
  }
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
