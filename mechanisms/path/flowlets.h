// Path selection by flowlets: a port is chosen at a flowlet's first packet, the others follow it.
#pragma once

#include <vector>

#include "mechanisms/core/random.h"
#include "mechanisms/core/trace.h"
#include "mechanisms/ecmp/overlay.h"
#include "mechanisms/path/flowlet_table.h"

namespace fabric {

class Engine;

class FlowletSelector : public OverlaySelector {
 public:
  uint16_t select(Packet& packet, NextHops hops) final;
  void onFinish() override;

  /// The trace table of flowlets, the same for all selectors of this kind.
  /// First packet, switch, port, flow; last packet, bytes, packets, gap to the next.
  using Flowlets = Table<Time, NodeId, uint16_t, uint32_t, Time, uint64_t, uint32_t, Time>;
  static const Flowlets& flowlets();

 protected:
  static constexpr int kNoPlace = -1;

  /// The parameters and the table of a selector that knows only its own switch.
  template <class C>
  static Describe<C>& parameters(Describe<C>& d);

  /// A new flowlet: the place in `hops` of the port to take. `previous` is that of the port which the
  /// flow's flowlet before took, kNoPlace if it had none or its port is not among the next hops.
  virtual uint16_t decide(const Packet& packet, NextHops hops, int previous) = 0;
  /// Whether this switch chooses for the packet; if not, ECMP does.
  virtual bool decidesFor(const Packet&, NextHops hops) const { return hops.count > 1; }
  /// Every packet that this switch chooses for, with the port it takes.
  virtual void onSelect(Packet&, uint16_t) {}

  void onStart(Network& network) override;
  /// The place with the least `metric(port)`; among equals `previous` if it is one, else a random one.
  template <class Metric>
  uint16_t least(NextHops hops, int previous, Metric&& metric);

  RandomStream random_;
  Engine* engine_ = nullptr;
  TraceBus* trace_ = nullptr;

  Time timeout_;
  int64_t entries_ = 0;
  Choice gap_;  // age_bit, exact

 private:
  /// What the trace table says of an entry's flowlet.
  struct Record {
    Time start;
    uint64_t bytes = 0;
    uint32_t packets = 0, flow = 0;
  };
  void open();
  void record(size_t index, const Packet& packet, Time now, bool fresh);
  void emit(size_t index, Time gap);

  FlowletTable table_;
  std::vector<Record> records_;  // by entry; empty while the table is off
  Flowlets::Id traceTable_;
};

template <class C>
Describe<C>& FlowletSelector::parameters(Describe<C>& d) {
  return d
      .param("flowlet_timeout", &FlowletSelector::timeout_, Time::Us(500),
             "Tfl: a gap between one and two of it ends a flowlet", "CONGA (recalled): 500 us")
      .range(1000, 1e15)
      .param("flowlet_entries", &FlowletSelector::entries_, 65536, "entries of a switch's flowlet table",
             "CONGA section 2.6: 64K")
      .range(1, 1 << 20)
      .param("overlay_bytes", &FlowletSelector::overlayParam_, Bytes{0},
             "outer header between leaves; 50 = VXLAN, to compare with conga byte by byte", "chosen")
      .range(0, 256)
      .table(flowlets());
}

template <class Metric>
uint16_t FlowletSelector::least(NextHops hops, int previous, Metric&& metric) {
  int best = 256;
  uint16_t equals = 0;
  uint16_t chosen = 0;
  bool previousIsBest = false;
  for (uint16_t i = 0; i < hops.count; ++i) {
    const int m = metric(hops.ports[i]);
    if (m < best) {
      best = m;
      equals = 0;
      previousIsBest = false;
    }
    if (m > best) continue;
    ++equals;
    chosen = i;
    previousIsBest |= i == previous;
  }
  if (previousIsBest) return static_cast<uint16_t>(previous);
  if (equals == 1) return chosen;
  // The k-th of the equals; there are few ports, and flowlets are rarer than packets.
  uint32_t k = random_.below(equals);
  for (uint16_t i = 0;; ++i) {
    if (metric(hops.ports[i]) == best && k-- == 0) return i;
  }
}

}  // namespace fabric
