#include "mechanisms/dart/iofd.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "mechanisms/core/network.h"
#include "mechanisms/core/reach.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"
#include "mechanisms/ecmp/ecmp.h"

namespace fabric {

namespace {

/// Switches between this node and the nearest host, itself included: 1 at a ToR.
int level(const Node& node, std::map<const Node*, int>& known) {
  const auto found = known.find(&node);
  if (found != known.end()) return found->second;
  std::vector<const Node*> here{&node}, next;
  std::map<const Node*, bool> seen{{&node, true}};
  for (int steps = 1; !here.empty(); ++steps, here.swap(next)) {
    next.clear();
    for (const Node* n : here) {
      for (const Port* p : n->ports()) {
        const Node& peer = p->peer().node();
        if (!p->leadsToSwitch()) return known[&node] = steps;
        if (seen.emplace(&peer, true).second) next.push_back(&peer);
      }
    }
  }
  return known[&node] = 0;
}

}  // namespace

const Iofd::Deflections& Iofd::deflectionRows() {
  static const Deflections table{"deflections",
                                 "messages that IOFD deflected",
                                 Scope::Node,
                                 false,
                                 {"time_ps", "simulated time"},
                                 {"node", "the switch"},
                                 {"flow", "", "number of the flow"},
                                 {"from_port", "", "port that the shortest path would have led to"},
                                 {"to_port", "", "port that it took"},
                                 {"queue_bytes", "data that waited at the former"},
                                 {"tokens", "1", "tokens that the message had before"}};
  return table;
}

const Iofd::Paths& Iofd::paths() {
  static const Paths table{
      "message_paths",
      "how far messages came, a row as a last packet comes to its last switch, one that is sent again included "
      "(IOFD)",
      Scope::Flow,
      false,
      {"time_ps", "simulated time"},
      {"flow", "", "number of the flow"},
      {"size_bytes", "B", "payload of the message"},
      {"links", "1", "links from host to host, counted on the way"},
      {"deflections", "1", "how often it was deflected"}};
  return table;
}

const Description& Iofd::describe() {
  static const Description d =
      Describe<Iofd>("iofd", Kind::PathSelector, "In-order flow deflection")
          .help(
              "As ecmp; but where the first packet of a message with tokens meets a long queue, it takes a random "
              "other port into the network, and a table entry has the message's other packets follow it, up to the "
              "last one. A message that turned from down to up goes on in the escape lane, in which nothing is "
              "deflected.")
          .source("Dart, section IV")
          .needs("iofd_tokens")
          .param("entries", &Iofd::entries_, 8, "messages that may be deflected at a switch at the same time",
                 "Dart section VI-A: 8")
          .range(1, 1024)
          .param("threshold", &Iofd::threshold_, Bytes{15000}, "deflect from queues above this, data of all lanes",
                 "Dart section VI-A: 15 KB")
          .live()
          .param("data_class", &Iofd::dataClass_, 2, "class of data between switches", "chosen")
          .range(1, kMaxClasses - 1)
          .param("escape_class", &Iofd::escapeClass_, 1,
                 "class of the escape lane between switches; hosts send data in it, too, which changes at the first "
                 "switch",
                 "chosen: before data_class, behind which it would wait for all long flows")
          .range(1, kMaxClasses - 1)
          .param("last_hop", &Iofd::lastHop_, true, "whether queues of ports to hosts are deflected from, too",
                 "Dart section IV-A: ToRs deflect back into the network; section I: what collides at a receiver should "
                 "not be deflected")
          .param("symmetric", &Iofd::symmetric_, true, "the shortest path is that of ecmp.symmetric", "as ecmp")
          .extension(IofdHeader::kName, sizeof(IofdHeader), 0, "tokens, in spare bits of the header (chosen)")
          .table(deflectionRows())
          .table(paths())
          .done();
  return d;
}
FABRIC_REGISTER(Iofd);

void Iofd::check(const Network& network, Report& report) const {
  for (const Port* p : switch_->ports()) {
    if (!lastHop_ && !p->leadsToSwitch()) continue;
    refuseUnreached(*this, "threshold", threshold_.n, Acts::FromHere, *p, network, report);
  }
  if (dataClass_ == escapeClass_) {
    report.refuse("iofd.escape_class is " + std::to_string(escapeClass_) +
                      ", as is iofd.data_class; the escape lane is a class of its own",
                  {{*this, "escape_class"}, {*this, "data_class"}});
  }
  for (const auto& [param, cls] :
       {std::make_pair("data_class", dataClass_), std::make_pair("escape_class", escapeClass_)}) {
    for (const Port* p : switch_->ports()) {
      if (cls < p->classes()) continue;
      report.refuse("iofd." + std::string(param) + " is " + std::to_string(cls) + ", and switches have " +
                        std::to_string(p->classes()) +
                        " classes, numbered from 0; name one of them, or add queues, such as [fifo, red, red]",
                    {{*this, param}, Spot::slot("queues")});
    }
  }
}

void Iofd::onStart(Network& network) {
  network_ = &network;
  header_ = network.packets().reserve<IofdHeader>(IofdHeader::kName);
  random_ = RandomStream(network.seed(), "iofd", switch_->nameHash());
  deflectionTable_ = network.trace().find(deflectionRows());
  pathTable_ = network.trace().find(paths());
  table_.reserve(static_cast<size_t>(entries_));
  std::map<const Node*, int> levels;
  const int own = level(*switch_, levels);
  for (const Port* p : switch_->ports()) {
    const bool toSwitch = p->leadsToSwitch();
    if (toSwitch) fabric_.push_back(p->index());
    const Node& peer = p->peer().node();
    // Up has an order in any network: to a higher level, in a level to a smaller number.
    const int there = toSwitch ? level(peer, levels) : 0;
    const bool up = there > own || (there == own && peer.id() < switch_->id());
    to_.push_back(!toSwitch ? To::Host : up ? To::Up : To::Down);
  }
}

uint16_t Iofd::select(Packet& packet, NextHops hops) {
  uint16_t out = hops.ports[0];
  if (hops.count > 1) {
    const uint64_t hash = symmetric_ ? packet.symmetricHash : packet.hash;
    out = hops.ports[Ecmp::choice(hash, switch_->hashSalt(), hops.count)];
  }
  if (packet.kind != PacketKind::Data) return out;
  IofdHeader* header = header_.of(packet);  // null where its host has no iofd_tokens
  if (in_ != nullptr && toHost(in_->index()) && packet.cls == escapeClass_) {
    packet.cls = static_cast<uint8_t>(dataClass_);
  }
  if (packet.cls == dataClass_) {
    if (header != nullptr && header->tokens != 0) out = deflect(packet, *header, out);
    changeLane(packet, out);
  }
  if (header == nullptr) return out;
  ++header->switches;
  if (packet.last && toHost(out) && network_->trace().on(pathTable_)) tracePath(packet, *header);
  return out;
}

/// Only the first packet of a message may begin a deflection, and only the last one ends it. So all of its packets take
/// the same ports, and the same lanes, and none overtakes another.
uint16_t Iofd::deflect(const Packet& packet, IofdHeader& header, uint16_t shortest) {
  uint16_t out = shortest;
  const auto entry = std::find_if(table_.begin(), table_.end(), [&](const Deflected& d) {
    return d.message == packet.flowId && d.tokens == header.tokens;
  });
  if (entry != table_.end()) {
    out = entry->port;
    if (packet.last) {
      *entry = table_.back();
      table_.pop_back();
    }
  } else {
    const bool mayBegin =
        packet.seq == 0 && table_.size() < static_cast<size_t>(entries_) && (lastHop_ || !toHost(shortest));
    if (!mayBegin || switch_->port(shortest).dataQueueBytes() <= threshold_.n) return shortest;
    out = drawPort(shortest);
    if (out == shortest) return shortest;
    ++deflections_;
    if (network_->trace().on(deflectionTable_)) traceDeflection(packet, shortest, out);
    if (!packet.last) table_.push_back({packet.flowId, header.tokens, out});
  }
  --header.tokens;
  ++header.deflections;
  return out;
}

uint16_t Iofd::drawPort(uint16_t avoided) {
  const auto takes = [&](uint16_t port) {
    return port != avoided && &switch_->port(port) != in_ && !switch_->port(port).down();
  };
  const auto choices = static_cast<uint32_t>(std::count_if(fabric_.begin(), fabric_.end(), takes));
  if (choices == 0) return avoided;
  uint32_t skip = random_.below(choices);
  for (const uint16_t port : fabric_) {
    if (takes(port) && skip-- == 0) return port;
  }
  return avoided;
}

/// In a lane packets only go up and then down, and from the escape lane none comes back: no packet waits for room that
/// waits for its own.
void Iofd::changeLane(Packet& packet, uint16_t out) const {
  const bool cameDown = in_ != nullptr && leadsUp(in_->index());
  if (cameDown && leadsUp(out)) packet.cls = static_cast<uint8_t>(escapeClass_);
}

void Iofd::traceDeflection(const Packet& packet, uint16_t from, uint16_t to) const {
  TraceBus& trace = network_->trace();
  const Time now = network_->engine().now();
  if (!trace.wantsTime(deflectionTable_, now) || !trace.wantsFlow(deflectionTable_, packet.flowId)) return;
  trace.emit(deflectionTable_, now, NodeId{switch_->id()}, packet.flowId, from, to,
             Bytes{switch_->port(from).dataQueueBytes()}, header_(packet).tokens);
}

void Iofd::tracePath(const Packet& packet, const IofdHeader& header) const {
  TraceBus& trace = network_->trace();
  const Time now = network_->engine().now();
  if (!trace.wantsTime(pathTable_, now) || !trace.wantsFlow(pathTable_, packet.flowId)) return;
  const uint64_t size = packet.seq + packet.payload;
  trace.emit(pathTable_, now, packet.flowId, size, static_cast<uint8_t>(header.switches + 1), header.deflections);
}

}  // namespace fabric
