#include "mechanisms/core/slots.h"

#include <algorithm>
#include <stdexcept>

#include "mechanisms/core/host.h"
#include "mechanisms/core/switch.h"
#include "mechanisms/core/utility.h"

namespace fabric {

namespace {

template <class T>
T& as(Component& component) {
  auto* found = dynamic_cast<T*>(&component);
  if (found == nullptr) {
    throw std::logic_error(component.description().name + " says that it is a " + component.description().kind.name +
                           ", but does not implement its interface");
  }
  return *found;
}

std::vector<Slot>& table() {
  static std::vector<Slot> slots{
      {"transport", Kind::Transport, Where::Host, Count::One, "go_back_n",
       "which bytes of a flow go next, what an ACK means, what the receiver answers",
       [](Component& p, Component& c, uint8_t) { as<Host>(p).setTransport(as<Transport>(c)); }},
      {"congestion_control", Kind::CongestionControl, Where::Host, Count::One, "none",
       "window and pacing rate of the host's flows",
       [](Component& p, Component& c, uint8_t) { as<Host>(p).setCongestionControl(as<CongestionControl>(c)); }},
      {"receiver_agents", Kind::ReceiverAgent, Where::Host, Count::Many, "",
       "what the host says to senders in ACKs and CNPs; it may change what it is shown",
       [](Component& p, Component& c, uint8_t) { as<Host>(p).addReceiverAgent(as<ReceiverAgent>(c)); }},
      {"applications", Kind::Application, Where::Host, Count::Many, "",
       "what lives at the host beside its flows, hears of them, and sends messages of its own",
       [](Component& p, Component& c, uint8_t) { as<Host>(p).addApplication(as<Application>(c)); }},
      {"utility", Kind::Utility, Where::Host, Count::One, "", "what a rate is worth to the host's flows",
       [](Component& p, Component& c, uint8_t) { as<Host>(p).setUtility(as<Utility>(c)); }},
      {"flow_scheduler", Kind::FlowScheduler, Where::Nic, Count::One, "round_robin",
       "which of the flows that may send now goes next",
       [](Component& p, Component& c, uint8_t) { as<Port>(p).setFlowScheduler(as<FlowScheduler>(c)); }},
      {"nic_queues", Kind::Queue, Where::Nic, Count::PerClass, "fifo",
       "a host's egress queues: control packets, and data where the flow scheduler's backlog lets it wait there",
       [](Component& p, Component& c, uint8_t i) { as<Port>(p).setQueue(i, as<Queue>(c)); }},
      {"nic_agents", Kind::PortAgent, Where::Nic, Count::Many, "",
       "what is stamped or computed at a host's port on enqueue, dequeue or a timer",
       [](Component& p, Component& c, uint8_t i) { as<Port>(p).addAgent(as<PortAgent>(c), i); }},
      {"path_selector", Kind::PathSelector, Where::Switch, Count::One, "ecmp",
       "which of the equal-cost ports a packet takes",
       [](Component& p, Component& c, uint8_t) { as<Switch>(p).setPathSelector(as<PathSelector>(c)); }},
      {"queues", Kind::Queue, Where::SwitchPort, Count::PerClass, "fifo",
       "a switch's egress queues: order, drops, marks, and when something may leave",
       [](Component& p, Component& c, uint8_t i) { as<Port>(p).setQueue(i, as<Queue>(c)); }},
      {"port_agents", Kind::PortAgent, Where::SwitchPort, Count::Many, "",
       "what is stamped or computed at a switch's port on enqueue, dequeue or a timer",
       [](Component& p, Component& c, uint8_t i) { as<Port>(p).addAgent(as<PortAgent>(c), i); }},
  };
  return slots;
}

const std::vector<Plugged>& pluggedAt(const Component& place) {
  if (const auto* port = dynamic_cast<const Port*>(&place)) return port->plugged();
  return dynamic_cast<const Node&>(place).plugged();
}

std::string nameOf(const Component& place) {
  if (const auto* port = dynamic_cast<const Port*>(&place)) {
    return "port " + std::to_string(port->index()) + " of " + port->node().name();
  }
  return dynamic_cast<const Node&>(place).name();
}

}  // namespace

const char* toString(Where where) {
  switch (where) {
    case Where::Host: return "host";
    case Where::Nic: return "nic";
    case Where::Switch: return "switch";
    case Where::SwitchPort: return "switch_port";
  }
  return "";
}

const char* toString(Count count) {
  switch (count) {
    case Count::One: return "one";
    case Count::Many: return "many";
    case Count::PerClass: return "per_class";
  }
  return "";
}

const std::vector<Slot>& Slots::all() { return table(); }

const Slot* Slots::find(const std::string& key) {
  const auto it = std::find_if(table().begin(), table().end(), [&](const Slot& s) { return s.key == key; });
  return it == table().end() ? nullptr : &*it;
}

void Slots::add(Slot slot) {
  for (const Slot& s : table()) {
    if (s.key == slot.key) throw std::logic_error("two slots are called " + slot.key);
    if (s.where == slot.where && s.kind == slot.kind) {
      throw std::logic_error("slot " + slot.key + ": a " + toString(slot.where) + " has a slot for a " +
                             slot.kind.name + " already, " + s.key);
    }
  }
  table().push_back(std::move(slot));
}

Where where(const Component& place) {
  if (dynamic_cast<const Host*>(&place) != nullptr) return Where::Host;
  if (dynamic_cast<const Switch*>(&place) != nullptr) return Where::Switch;
  return where(dynamic_cast<const Port&>(place).node()) == Where::Host ? Where::Nic : Where::SwitchPort;
}

std::vector<Component*> plugged(const Component& place, const Slot& slot) {
  std::vector<Component*> found;
  for (const Plugged& p : pluggedAt(place)) {
    if (p.slot == &slot) found.push_back(p.component);
  }
  return found;
}

void plug(Component& place, const Slot& slot, Component& component) {
  const Description& d = component.description();
  if (d.kind != slot.kind) {
    throw ParamError(slot.key + " of " + nameOf(place) + ": " + d.name + " is a " + d.kind.name + ", not a " +
                     slot.kind.name);
  }
  if (slot.where != where(place)) {
    throw ParamError(slot.key + ": " + nameOf(place) + " is a " + toString(where(place)) + "; this slot is one of a " +
                     toString(slot.where));
  }
  const std::vector<Component*> standing = plugged(place, slot);
  const size_t index = standing.size();
  if (index > 0 && slot.count == Count::One) {
    throw ParamError(slot.key + " of " + nameOf(place) + ": there is one already, " + d.name + " has no room");
  }
  if (index >= kMaxClasses && slot.count == Count::PerClass) {
    throw ParamError(slot.key + " of " + nameOf(place) + ": there are at most " + std::to_string(kMaxClasses) +
                     " classes");
  }
  slot.put(place, component, static_cast<uint8_t>(index));
  auto* port = dynamic_cast<Port*>(&place);
  (port != nullptr ? port->plugged_ : dynamic_cast<Node&>(place).plugged_).push_back({&slot, &component});
}

void plug(Component& place, const std::string& key, Component& component) {
  const Slot* slot = Slots::find(key);
  if (slot == nullptr) throw ParamError("there is no slot '" + key + "'");
  plug(place, *slot, component);
}

}  // namespace fabric
