// A TCP sender and a receiver on a slow path that drops and reorders what a test says.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mechanisms/tcp/tcp.h"
#include "mechanisms/tests/net.h"

namespace fabric::test {

inline constexpr uint32_t kMss = 1518 - 70;

/// Drops the n-th sending of chosen bytes; swaps neighbours where told to.
class Bandit final : public Queue {
 public:
  static const Description& describe() {
    static const Description d =
        Describe<Bandit>("bandit", Kind::Queue, "bandit").help("For tests.").source("test").done();
    return d;
  }
  const Description& description() const override { return describe(); }
  bool enqueue(Packet* p, int64_t) override {
    if (p->kind == PacketKind::Data && p->ect && marks.erase(p->seq / kMss) > 0) p->marked = true;
    if (p->kind == PacketKind::Data) {
      const auto it = drops.find(p->seq / kMss);
      if (it != drops.end() && it->second > 0) {
        --it->second;
        return false;
      }
    }
    if (steals && steals(*p)) return false;
    if (loss > 0 && random.uniform() < loss) return false;
    // One packet in `late` goes behind the five that come next.
    if (late > 0 && held_ == nullptr && p->kind == PacketKind::Data && ++count_ % late == 0) {
      held_ = p;
      behind_ = 5;
      list_.push(p);
      return true;
    }
    list_.push(p);
    return true;
  }
  Packet* dequeue() override {
    if (list_.empty()) return nullptr;
    Packet* p = list_.pop();
    if (p == held_ && behind_ > 0 && !list_.empty()) {
      --behind_;
      Packet* other = list_.pop();
      PacketList rest;
      rest.push(p);
      while (!list_.empty()) rest.push(list_.pop());
      list_ = rest;
      return other;
    }
    if (p == held_) held_ = nullptr;
    return p;
  }

  std::map<uint64_t, int> drops;              // segment -> how many sendings of it
  std::set<uint64_t> marks;                   // segments of which one sending is marked
  std::function<bool(const Packet&)> steals;  // whatever it says
  double loss = 0;
  RandomStream random;
  uint64_t late = 0;

 private:
  PacketList list_;
  Packet* held_ = nullptr;
  uint64_t count_ = 0;
  int behind_ = 0;
};
inline Config tcp(const std::string& cc = "newreno") {
  Config c;
  c.transport = "tcp";
  c.cc = cc;
  c.queues = {"bandit"};
  return c.set("host.classes", int64_t{1})
      .set("host.header_bytes", int64_t{70})
      .set("host.ack_bytes", int64_t{70})
      .set("port.pfc", false);
}

/// A sender, a switch whose port to the receiver is ten times slower, and a receiver: ACKs come so far
/// apart that the sender has done all that one allows before the next is here.
struct Path : Net {
  explicit Path(const Config& c = tcp()) : Net(c), packets(10) {
    host();
    host();
    sw();
    link(*hosts[0], *switches[0], Rate::Gbps(100), Time::Us(10));
    link(*hosts[1], *switches[0], Rate::Gbps(10), Time::Us(10));
    network.trace().enable(kPackets, {});
    network.trace().addSink(kPackets, &packets);
  }
  Host& sender() { return *hosts[0]; }
  Host& receiver() { return *hosts[1]; }
  Bandit& data() { return *static_cast<Bandit*>(switches[0]->port(1).queues()[0]); }
  Bandit& acks() { return *static_cast<Bandit*>(switches[0]->port(0).queues()[0]); }
  void stream(uint32_t id, uint64_t size, Time start = {}) { flow(spec(id, size, start)); }
  /// On the connection of these ports, which stays open.
  void message(uint32_t id, uint64_t size, Time start = {}, Time stop = Time{-1}, uint16_t port = 1000) {
    FlowSpec f = spec(id, size, start);
    f.srcPort = port;
    f.stop = stop;
    f.persistent = true;
    flow(f);
  }
  FlowSpec spec(uint32_t id, uint64_t size, Time start) {
    FlowSpec f;
    f.id = id;
    f.src = sender().id();
    f.dst = receiver().id();
    f.size = size;
    f.start = start;
    f.srcPort = static_cast<uint16_t>(1000 + id);
    f.dstPort = 80;
    f.cls = 0;
    return f;
  }
  Tcp& transport() { return static_cast<Tcp&>(sender().transport()); }
  /// Segments in the order in which the sender put them on the wire, and when.
  struct Sent {
    Time at;
    int64_t segment;
  };
  std::vector<Sent> sent() const {
    std::vector<Sent> list;
    for (const auto& r : packets.rows) {
      if (r[1] == hosts[0]->id() && r[3] == static_cast<int>(PacketEvent::Dequeue) &&
          r[5] == static_cast<int>(PacketKind::Data)) {
        list.push_back({Time{r[0]}, r[6] / kMss});
      }
    }
    return list;
  }
  std::vector<int64_t> order() const {
    std::vector<int64_t> list;
    for (const Sent& s : sent()) list.push_back(s.segment);
    return list;
  }
  int64_t timeouts(uint32_t id) const { return row(id)[15]; }
  int64_t reordered(uint32_t id) const { return row(id)[16]; }

  Rows packets;
};

}  // namespace fabric::test
