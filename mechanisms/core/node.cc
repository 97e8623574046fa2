#include "mechanisms/core/node.h"

#include "mechanisms/core/network.h"
#include "mechanisms/core/random.h"

namespace fabric {

void Node::join(Network& network, uint32_t id, std::string name) {
  network_ = &network;
  id_ = id;
  name_ = std::move(name);
  nameHash_ = hashName(name_);
  network.add(*this);
}

void Node::addPort(Port& port, Rate rate, Time delay) {
  port.attach(*this, static_cast<uint16_t>(ports_.size()), rate, delay);
  ports_.push_back(&port);
}

void Node::onStart(Network& network) {
  for (Port* p : ports_) p->start(network);
  for (const Plugged& p : plugged_) p.component->start(network);
}

void Node::drop(Port& port, Packet* packet, DropReason reason) {
  Network::Counters& c = network_->counters();
  ++c.drops;
  if (reason == DropReason::LinkDown) ++c.linkDrops;
  if (reason == DropReason::FlowStopped) ++c.stoppedDrops;
  if (packet->kind == PacketKind::Data) c.dataBytesDropped += packet->payload;
  if (packet->kind == PacketKind::Foreign) ++c.foreignDropped;
  if (port.traced(kPackets)) port.tracePacket(PacketEvent::Drop, *packet);
  TraceBus& trace = network_->trace();
  const Time now = network_->engine().now();
  if (port.traced(kDrops) && trace.wantsTime(kDrops, now) && trace.wantsFlow(kDrops, packet->flowId)) {
    trace.emit(kDrops, now, NodeId{id_}, port.index(), packet->cls, packet->flowId, static_cast<uint8_t>(packet->kind),
               packet->wireBytes, static_cast<uint8_t>(reason));
  }
  network_->packets().put(packet);
}

void Node::listMemory(const MemoryList& list) const {
  list(ports_.data(), ports_.size() * sizeof(ports_[0]));
  for (const Plugged& p : plugged_) list(p.component, 2 * sizeof(CacheLine));
  for (const Port* p : ports_) p->listMemory(list);
}

}  // namespace fabric
