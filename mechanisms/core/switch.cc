#include "mechanisms/core/switch.h"

#include <algorithm>
#include <stdexcept>

#include "mechanisms/core/fetch_ahead.h"
#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"

namespace fabric {

const Description& Switch::describe() {
  static const Description d =
      Describe<Switch>("switch", Kind::Node, "Switch: shared buffer")
          .help("Store and forward. Room in the buffer is given back when a frame leaves its egress queue.")
          .source("FNCC section 5.1")
          .param("buffer", &Switch::bufferBytes_, Bytes{32000000}, "shared packet buffer, headroom included",
                 "chosen; HPCC's public simulator: 32 MiB")
          .range(1, 1e12)
          .param("reserve", &Switch::reserve_, Bytes{0}, "buffer of its own per ingress port and class",
                 "chosen; HPCC's public simulator: 4 KiB")
          .range(0, 1e12)
          .param("pfc_accounting", &Switch::accounting_, {"ingress", "egress"}, "ingress",
                 "what is held against the PFC threshold: the bytes that came in by a port, or the egress "
                 "queue, which then pauses every port that adds to it",
                 "chosen; FNCC does not say")
          .done();
  return d;
}
FABRIC_REGISTER(Switch);

void Switch::setPathSelector(PathSelector& selector) {
  selector_ = &selector;
  selector.attach(*this);
}

void Switch::setRoute(uint32_t dst, const std::vector<uint16_t>& ports) {
  for (const uint16_t p : ports) {
    if (p >= this->ports().size()) {
      throw std::invalid_argument("route of " + name() + ": it has no port " + std::to_string(p));
    }
  }
  auto it = std::search(hops_.begin(), hops_.end(), ports.begin(), ports.end());
  if (it == hops_.end()) it = hops_.insert(hops_.end(), ports.begin(), ports.end());
  const auto first = static_cast<size_t>(it - hops_.begin());
  if (first >= 1u << 20 || ports.size() >= 1u << 12) {
    throw std::invalid_argument("routes of " + name() + ": too many different sets of next hops, or too many in one");
  }
  routes_.set(dst, {static_cast<uint32_t>(first), static_cast<uint32_t>(ports.size())});
}

void Switch::check(const Network& network, Report& report) const {
  int mostClasses = 1;
  for (const Host* h : network.variants<Host>()) mostClasses = std::max(mostClasses, h->classes());
  for (const Port* p : ports()) {
    if (p->classes() >= mostClasses) continue;
    report.refuse("hosts use " + std::to_string(mostClasses) + " classes, and ports of switches have queues for " +
                      std::to_string(p->classes()) + "; name one for each class",
                  {Spot::slot("queues")});
  }
  const int64_t taken = takenFromPool(network.largestFrame());
  if (taken < bufferBytes_.n) {
    checkXoff(bufferBytes_.n - taken, report);
    return;
  }
  report.refuse("the " + std::to_string(ports().size()) + " ports of a switch take " + toText(Bytes{taken}) +
                    " of headroom and reserve, and switch.buffer is " + toText(bufferBytes_) +
                    "; raise switch.buffer, or set port.headroom",
                {{*this, "buffer"}, {*this, "reserve"}, {port(0), "headroom"}, Spot::topology()});
}

int64_t Switch::takenFromPool(int64_t largestFrame) const {
  int64_t taken = 0;
  for (const Port* p : ports()) {
    taken += (reserve_.n + (p->pfc() ? p->neededHeadroom(largestFrame) : 0)) * p->classes();
  }
  return taken;
}

int64_t Switch::mostUnderPfc(const Port& out, int first, int end, int64_t largestFrame) const {
  const int64_t shared = std::max<int64_t>(0, bufferBytes_.n - takenFromPool(largestFrame));
  // A path selector may move packets between classes of data.
  const int sources = first == 0 ? end : std::max(1, out.classes() - 1);
  // Dynamic thresholds that are filled one after the other each take their share of what is free by then. This is more
  // than they hold side by side.
  double notTaken = 1;
  int64_t fixed = 0, own = 0, late = 0;
  for (const Port* in : ports()) {
    if (in == &out) continue;
    if (!in->pfc()) return Queue::kTakesAll;
    for (int c = 0; c < sources; ++c) {
      if (in->pfcDynamic()) {
        notTaken /= 1 + in->pfcAlpha();
        late += static_cast<int64_t>(in->pfcAlpha() * static_cast<double>(largestFrame));
      } else {
        fixed += in->pfcXoff();
      }
      own += reserve_.n;
      late += std::max(in->neededHeadroom(largestFrame), in->arrivesAfterPause(largestFrame));
    }
  }
  const double free = static_cast<double>(shared);
  int64_t most = 0;
  if (accounting_.index == 0) {
    most = std::min(shared, static_cast<int64_t>(free * (1 - notTaken)) + fixed) + own;
  } else {  // each queue has the threshold
    const double share = out.pfcAlpha() / (1 + out.pfcAlpha());
    most = (end - first) *
           (out.pfcDynamic() ? static_cast<int64_t>(share * static_cast<double>(shared + own)) : out.pfcXoff());
  }
  return std::min(most + late, bufferBytes_.n);
}

/// An ingress counter grows no further than what all ports share, a queue no further than the buffer.
void Switch::checkXoff(int64_t shared, Report& report) const {
  const bool egress = accounting_.index == 1;
  const int64_t most = egress ? bufferBytes_.n : shared;
  for (const Port* p : ports()) {
    if (!p->pfc() || p->pfcDynamic() || p->pfcXoff() < most) continue;
    report.refuse("port.pfc_xoff is " + toText(Bytes{p->pfcXoff()}) + ", and " +
                      (egress ? "switch.buffer is " + toText(Bytes{most})
                              : "the ports of a switch share " + toText(Bytes{most}) +
                                    " (switch.buffer without headroom and reserve)") +
                      ", so it is never reached; make it smaller, or raise switch.buffer",
                  {{*p, "pfc_xoff"}, {*this, "buffer"}});
  }
}

void Switch::onStart(Network& network) {
  Node::onStart(network);
  if (selector_->hooksIngress()) ingressHook_ = selector_;
  buffer_.start({bufferBytes_.n, reserve_.n, accounting_.index == 1}, ports());
}

Port* Switch::route(Packet& packet) {
  const NextHops hops = nextHops(packet.dst);
  if (hops.count == 0) return nullptr;
  if (hops.count == 1 && ingressHook_ == nullptr) return &port(*hops.ports);
  return &port(selector_->select(packet, hops));
}

void Switch::fetchAhead(const Packet& packet) const {
  FetchAhead::route(routes_, packet.dst);
  FetchAhead::growth(packet);
}

void Switch::listMemory(const MemoryList& list) const {
  list(this, sizeof(*this));
  buffer_.listMemory(list);
  routes_.listMemory(list);
  list(hops_.data(), hops_.size() * sizeof(hops_[0]));
  Node::listMemory(list);
}

void Switch::receive(Port& in, Packet* packet) {
  if (in.faulty && in.lost(*packet)) {
    lose(in, packet);
    return;
  }
  if (packet->kind == PacketKind::Pause) {
    in.onPause(packet->cls, packet->seq != 0);
    network_->packets().put(packet);
    return;
  }
  if (in.traced(kPackets)) in.tracePacket(PacketEvent::Receive, *packet);
  packet->ingress = in.index();
  packet->ingressClass = packet->cls;
  if (ingressHook_ != nullptr) ingressHook_->onIngress(*packet, &in);
  Port* out = route(*packet);
  if (out == nullptr) {
    drop(in, packet, DropReason::NoRoute);
    return;
  }
  if (out->faulty && out->down()) {
    lose(*out, packet);
    return;
  }
  const uint8_t cls = packet->ingressClass;  // it may leave in another one
  const auto bytes = static_cast<int64_t>(packet->wireBytes);
  if (!buffer_.admit(in, cls, bytes)) {
    drop(*out, packet, DropReason::BufferFull);
    return;
  }
  const uint8_t egressClass = packet->cls;
  if (!out->enqueue(packet)) {
    buffer_.release(in, cls, *out, egressClass, bytes);
    drop(*out, packet, DropReason::QueueFull);
    return;
  }
  buffer_.afterEnqueue(in, cls, *out, egressClass);
  out->kick();
}

void Switch::onDequeue(Port& out, const Packet& packet) {
  if (packet.ingress != kOwnPacket) {
    buffer_.release(port(packet.ingress), packet.ingressClass, out, packet.cls, packet.wireBytes);
  }
}

void Switch::onLinkUp(Port& in) {
  // Frames that are sent before a pause frame could arrive would find no headroom left.
  for (int c = 0; c < in.classes(); ++c) {
    const auto cls = static_cast<uint8_t>(c);
    if (buffer_.pausing(in, cls)) in.carryPause(cls);
  }
}

void Switch::originate(Packet* packet) {
  packet->ingress = kOwnPacket;
  if (ingressHook_ != nullptr) ingressHook_->onIngress(*packet, nullptr);
  Port* out = route(*packet);
  if (out == nullptr) {
    throw std::logic_error("switch " + name() + " has no route to node " + std::to_string(packet->dst));
  }
  if (out->faulty && out->down()) {
    lose(*out, packet);
    return;
  }
  if (!out->enqueue(packet)) {
    drop(*out, packet, DropReason::QueueFull);
    return;
  }
  out->kick();
}

}  // namespace fabric
