// Fetching ahead: while one event runs, the memory that the next ones look at first is fetched into the cache.
#pragma once

#include <cstddef>

#include "mechanisms/core/flow.h"
#include "mechanisms/core/port.h"
#include "mechanisms/core/route_table.h"

namespace fabric {

/// In a large network nearly everything that an event looks at is out of the cache. Engines know which events come
/// next, so they fetch for them in two steps: packet() and arrival(), then Node::fetchAhead(). Each step finds in the
/// cache what the one before has fetched. No result depends on it. docs/performance.md says what each use gains.
class FetchAhead {
 public:
  static void memory(const void* at, size_t bytes = 1) {
    // A function that only fetches has no effect that GCC knows of, and it drops the calls of such functions. This is
    // an effect.
    asm volatile("");
    const auto* byte = static_cast<const std::byte*>(at);
    for (size_t i = 0; i < bytes; i += sizeof(CacheLine)) __builtin_prefetch(byte + i, 1);
  }

  /// What everybody looks at of a packet.
  static void packet(const Packet& packet) { memory(&packet, 2 * sizeof(CacheLine)); }
  /// What is looked at when a packet arrives at a port.
  static void arrival(const Port& port) {
    memory(&port.node_);
    memory(&port.pfc_);
  }

  /// What is looked at when a packet leaves by a port: first the port, then what it leads to.
  static void departure(const Port& port) {
    memory(&port.node_);
    memory(&port.delay_);
  }
  static void departureMore(const Port& port) {
    for (int c = 0; c < port.classes_; ++c) memory(port.queues_[c]);
    memory(port.wire);
    memory(port.firstDequeueHook_);
  }

  /// Where the next node writes in an extension that grows on the way.
  static void growth(const Packet& packet) { memory(line(packet, packet.grownTo)); }
  /// What the nodes on the way have written.
  static void grown(const Packet& packet) {
    for (size_t i = 2; i <= packet.grownTo; ++i) memory(line(packet, i));
  }
  template <class Route>
  static void route(const RouteTable<Route>& routes, uint32_t dst) {
    memory(routes.at(dst));
  }
  /// At the receiver's end an arrival looks at the beginning of a flow, else at all of it.
  static void flow(const FlowPool& pool, const Flow& flow, bool atReceiver) {
    memory(&flow, atReceiver ? 4 * sizeof(CacheLine) : pool.bytesPerFlow());
  }

 private:
  static const void* line(const Packet& packet, size_t number) {
    return reinterpret_cast<const CacheLine*>(&packet) + number;
  }
};

}  // namespace fabric
