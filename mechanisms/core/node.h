// A node: its number, its name, its ports.
#pragma once

#include <string>
#include <vector>

#include "mechanisms/core/packet.h"
#include "mechanisms/core/port.h"

namespace fabric {

class Network;

class Node : public Component {
 public:
  /// Joins the network; ports are added in the order of their numbers and stay the caller's.
  void join(Network& network, uint32_t id, std::string name);
  virtual void addPort(Port& port, Rate rate, Time delay);

  Network& network() const { return *network_; }
  uint32_t id() const { return id_; }
  const std::string& name() const { return name_; }
  /// For random streams and hashes: unlike the number it stays the same whatever other nodes there are.
  uint64_t nameHash() const { return nameHash_; }
  const std::vector<Port*>& ports() const { return ports_; }
  Port& port(uint16_t index) const { return *ports_[index]; }

  /// A packet has arrived in full at `port`. Its memory is the node's now.
  virtual void receive(Port& port, Packet* packet) = 0;
  /// `packet` arrives soon and is in the cache: fetches what receive() looks for, see FetchAhead.
  virtual void fetchAhead(const Packet& packet) const = 0;
  /// What it looks at whatever comes, its ports' part included: for NodeMemory.
  virtual void listMemory(const MemoryList& list) const;
  /// `packet` leaves the egress queue of `port`.
  virtual void onDequeue(Port& port, const Packet& packet) = 0;
  /// The link of `port` is back in service.
  virtual void onLinkUp(Port&) {}
  /// It is out of service, and what waited for it is lost.
  virtual void onLinkDown(Port&) {}
  /// `packet` is lost on the link of `port`, or on its way to it.
  void lose(Port& port, Packet* packet) { drop(port, packet, DropReason::LinkDown); }
  void drop(Port& port, Packet* packet, DropReason reason);

  const std::vector<Plugged>& plugged() const { return plugged_; }
  /// A key for a timer of one of this node's components; each call gives another.
  uint64_t timerKey() { return eventKey(keyNode(id_), EventKind::NodeTimer, timers_++); }

 protected:
  void onStart(Network& network) override;

  Network* network_ = nullptr;

 private:
  friend void plug(Component& place, const Slot& slot, Component& component);
  uint32_t id_ = 0;
  uint32_t timers_ = 0;  // keys given out
  std::string name_;
  uint64_t nameHash_ = 0;
  std::vector<Port*> ports_;
  std::vector<Plugged> plugged_;
};

}  // namespace fabric
