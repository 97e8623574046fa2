// Fetching ahead: while one event runs, the memory that the next ones look at first is fetched into the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mechanisms/core/flow.h"
#include "mechanisms/core/port.h"
#include "mechanisms/core/processor.h"
#include "mechanisms/core/route_table.h"

namespace fabric {

/// In a large network nearly everything that an event looks at is out of the cache. Engines know which events come
/// next, so they fetch for them in two steps: packet() and arrival(), then Node::fetchAhead(). Each step finds in the
/// cache what the one before has fetched. No result depends on it. docs/performance.md says what each use gains.
class FetchAhead {
 public:
  enum class For { Writing, Reading };
  template <For kFor = For::Writing>
  static void memory(const void* at, size_t bytes = 1) {
    // A function that only fetches has no effect that GCC knows of, and it drops the calls of such functions. This is
    // an effect.
    asm volatile("");
    const auto* byte = static_cast<const std::byte*>(at);
    for (size_t i = 0; i < bytes; i += sizeof(CacheLine)) {
      kFor == For::Writing ? prefetchToWrite(byte + i) : __builtin_prefetch(byte + i, 0);
    }
  }

  /// What everybody looks at of a packet.
  static void packet(const Packet& packet) { memory(&packet, 2 * sizeof(CacheLine)); }
  /// What is looked at when a packet arrives at a port.
  static void arrival(const Port& port) {
    memory(&port.node_);
    memory(&port.pfc_);
  }

  /// Where the next node writes in an extension that grows on the way.
  static void growth(const Packet& packet) { memory(line(packet, packet.grownTo)); }
  /// What the nodes on the way have written.
  static void grown(const Packet& packet) {
    for (size_t i = 2; i <= packet.grownTo; ++i) memory(line(packet, i));
  }
  template <class Route>
  static void route(const RouteTable<Route>& routes, uint32_t dst) {
    memory<For::Reading>(routes.at(dst));
  }
  /// The two ends may be in two lanes, so each lets the other's lines be: both read the beginning, and write only what
  /// is their own.
  static void flow(const FlowPool& pool, const Flow& flow, bool atReceiver) {
    const std::byte* begin = reinterpret_cast<const std::byte*>(&flow) - FlowPool::kFront;
    constexpr size_t kReceiver = 4, kLine = sizeof(CacheLine);
    memory<For::Reading>(begin, 2 * kLine);
    if (atReceiver) {
      memory(begin + kReceiver * kLine);
      memory(begin - pool.bytesOf(FlowEnd::Receiver), pool.bytesOf(FlowEnd::Receiver));
    } else {
      memory(begin + 2 * kLine, (kReceiver - 2) * kLine);
      memory(begin + (kReceiver + 1) * kLine,
             pool.bytesOf(FlowEnd::Sender) + FlowPool::kFront - (kReceiver + 1) * kLine);
    }
  }

 private:
  static const void* line(const Packet& packet, size_t number) {
    return reinterpret_cast<const CacheLine*>(&packet) + number;
  }
};

/// The lines of the cache that each node looks at whatever comes to it. They stay where they are once the network has
/// started, so they are listed then: to follow pointers to them at each turn would wait for each pointer.
class NodeMemory {
 public:
  /// The memory of the next node.
  template <class Node>
  void add(const Node& node) {
    first_.push_back(lines_.size());
    node.listMemory([this](const void* at, size_t bytes) {
      if (at == nullptr) return;
      const auto begin = reinterpret_cast<uintptr_t>(at);
      for (uintptr_t line = begin / kLine; line * kLine < begin + bytes; ++line) lines_.push_back(line * kLine);
    });
    const auto own = lines_.begin() + static_cast<std::ptrdiff_t>(first_.back());
    std::sort(own, lines_.end());
    lines_.erase(std::unique(own, lines_.end()), lines_.end());
  }
  /// That of the `number`-th node, counted from 0.
  void fetch(size_t number) const {
    const uintptr_t* line = lines_.data() + first_[number];
    const uintptr_t* end =
        number + 1 < first_.size() ? lines_.data() + first_[number + 1] : lines_.data() + lines_.size();
#pragma GCC unroll 8
    for (; line != end; ++line) FetchAhead::memory(reinterpret_cast<const void*>(*line));
  }

 private:
  static constexpr size_t kLine = sizeof(CacheLine);
  std::vector<uintptr_t> lines_;  // one node's behind the other's
  std::vector<size_t> first_;     // by node
};

}  // namespace fabric
