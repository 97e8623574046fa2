// A port of 1 Gb/s with one queue, and packets that come when a test says.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/core/random.h"
#include "mechanisms/tests/net.h"

namespace fabric::test {

class QueueBench {
 public:
  struct Arrival {
    Time at;
    uint32_t flow, bytes;
  };
  using Params = std::vector<std::pair<std::string, Value>>;

  QueueBench(const std::string& queue, const Params& params)
      : packets(10), drops(8), net(config(queue, params), 1, 1, kRate, kFar) {
    for (const auto& [table, rows] : {std::pair<int, Rows*>{kPackets, &packets}, {kDrops, &drops}}) {
      net.network.trace().enable(table, {});
      net.network.trace().addSink(table, rows);
    }
    net.start();
  }

  void at(Time time, uint32_t flow, uint32_t bytes) { arrivals.push_back({time, flow, bytes}); }

  /// Packets are numbered in the order of their arrival (`seq`); of those that come at one time the first is on the
  /// wire when the second comes.
  void run(Time until) {
    uint64_t number = 0;
    for (const Arrival& a : arrivals) {
      net.engine.run(a.at);
      Packet* p = net.network.packets().fresh();
      p->kind = PacketKind::Data;
      p->flowId = a.flow;
      p->hash = mix64(a.flow);
      p->wireBytes = a.bytes;
      p->seq = number++;
      p->dst = net.receiver().id();
      p->ingress = kOwnPacket;
      if (port().enqueue(p)) {
        port().kick();
      } else {
        net.network.packets().put(p);
      }
    }
    net.engine.run(until);
  }

  /// When which packet went on the wire, was dropped, ….
  std::vector<std::pair<int64_t, uint64_t>> events(PacketEvent event) const {
    std::vector<std::pair<int64_t, uint64_t>> list;
    for (const auto& r : packets.rows) {
      if (r[3] == static_cast<int>(event)) list.emplace_back(r[0], static_cast<uint64_t>(r[6]));
    }
    return list;
  }
  std::vector<uint32_t> flowsInOrder() const {
    std::vector<uint32_t> list;
    for (const auto& e : events(PacketEvent::Dequeue)) list.push_back(arrivals[e.second].flow);
    return list;
  }
  std::vector<uint64_t> dropped() const {
    std::vector<uint64_t> list;
    for (const auto& e : events(PacketEvent::Drop)) list.push_back(e.second);
    return list;
  }

  Port& port() { return net.lastHop(); }

  std::vector<Arrival> arrivals;
  Rows packets, drops;

 private:
  static constexpr Rate kRate = Rate::Gbps(1);
  static constexpr Time kFar = Time::Ms(100000);  // nothing gets to the receiver, which knows none of these flows
  static Config config(const std::string& queue, const Params& params) {
    Config c;
    c.queues = {queue};
    c.set("host.classes", int64_t{1}).set("port.pfc", false);
    for (const auto& [name, value] : params) c.set(name, value);
    return c;
  }

  Chain net;
};

}  // namespace fabric::test
