#include "mechanisms/path/flowlets.h"

#include "mechanisms/core/network.h"
#include "mechanisms/core/switch.h"
#include "mechanisms/ecmp/ecmp.h"

namespace fabric {

namespace {

/// Where the flowlet's port is among the next hops, or the other number if it is not.
int placeOf(const Flowlet& f, NextHops hops, int none) {
  if (f.last == Flowlet::kNever) return none;
  // Routes seldom change, so it is where it was.
  if (f.place < hops.count && hops.ports[f.place] == f.port) return f.place;
  for (uint16_t i = 0; i < hops.count; ++i) {
    if (hops.ports[i] == f.port) return i;
  }
  return none;
}

}  // namespace

const FlowletSelector::Flowlets& FlowletSelector::flowlets() {
  static const Flowlets table{"flowlets",
                              "flowlets, one row for each when the next one takes its entry or the run ends",
                              Scope::Port,
                              false,
                              {"time_ps", "its first packet"},
                              {"node", "the switch"},
                              {"port", "", "the port it took"},
                              {"flow", "", "the flow of its first packet"},
                              {"last_ps", "its last packet"},
                              {"bytes", "B", "payload"},
                              {"packets", "1", "packets, ACKs included"},
                              {"gap_ps", "from its last packet to the next flowlet; -1: there was none"}};
  return table;
}

void FlowletSelector::onStart(Network& network) {
  OverlaySelector::onStart(network);
  engine_ = &network.engine();
  trace_ = &network.trace();
  random_ = RandomStream(network.seed(), description().name, switch_->nameHash());
  traceTable_ = trace_->find(flowlets());
}

/// Switches that never choose need no table.
void FlowletSelector::open() {
  table_.configure(static_cast<size_t>(entries_), timeout_, gap_.index == 1);
  if (trace_->on(traceTable_)) records_.resize(table_.size());
}

uint16_t FlowletSelector::select(Packet& packet, NextHops hops) {
  if (!decidesFor(packet, hops)) {
    return hops.ports[hops.count == 1 ? 0 : Ecmp::choice(packet.hash, switch_->hashSalt(), hops.count)];
  }
  if (table_.size() == 0) open();
  const Time now = engine_->now();
  const size_t index = table_.index(packet.hash);
  Flowlet& f = table_[index];
  int place = placeOf(f, hops, kNoPlace);
  const bool fresh = place == kNoPlace || !table_.alive(f, now);
  if (!records_.empty()) record(index, packet, now, fresh);
  if (fresh) {
    place = decide(packet, hops, place);
    f.port = hops.ports[place];
    f.place = static_cast<uint16_t>(place);
  }
  f.last = now;
  onSelect(packet, f.port);
  return f.port;
}

void FlowletSelector::record(size_t index, const Packet& packet, Time now, bool fresh) {
  Record& r = records_[index];
  if (fresh) {
    if (r.packets > 0) emit(index, now - table_[index].last);
    r = {now, 0, 0, packet.flowId};
  }
  r.bytes += packet.payload;
  ++r.packets;
}

void FlowletSelector::emit(size_t index, Time gap) {
  const Record& r = records_[index];
  const Flowlet& f = table_[index];
  if (!trace_->wantsFlow(traceTable_, r.flow) || !trace_->wantsTime(traceTable_, r.start) ||
      !trace_->wantsPort(traceTable_, switch_->id(), f.port)) {
    return;
  }
  trace_->emit(traceTable_, r.start, NodeId{switch_->id()}, f.port, r.flow, f.last, r.bytes, r.packets, gap);
}

void FlowletSelector::onFinish() {
  for (size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].packets > 0) emit(i, Time{-1});
  }
}

}  // namespace fabric
