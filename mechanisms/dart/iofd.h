// In-order flow deflection: short messages turn away from a long queue, all packets of a message alike.
#pragma once

#include <vector>

#include "mechanisms/core/path_selector.h"
#include "mechanisms/core/random.h"
#include "mechanisms/dart/iofd_header.h"

namespace fabric {

class Iofd final : public PathSelector {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  bool isLane(uint8_t cls) const { return cls == dataClass_ || cls == escapeClass_; }
  uint16_t select(Packet& packet, NextHops hops) override;
  bool hooksIngress() const override { return true; }
  void onIngress(Packet&, const Port* in) override { in_ = in; }
  bool keepsOrder() const override { return true; }

  uint64_t deflections() const { return deflections_; }
  size_t entriesInUse() const { return table_.size(); }
  /// Whether a port leads towards the top of the network.
  bool leadsUp(uint16_t port) const { return to_[port] == To::Up; }

 private:
  /// A message that was deflected here, and where to. One that comes by again has fewer tokens and is another one.
  struct Deflected {
    uint32_t message;
    uint8_t tokens;
    uint16_t port;
  };
  enum class To : uint8_t { Host, Down, Up };
  /// Time, switch, flow; port of the shortest path and port taken, queue at the former, tokens.
  using Deflections = Table<Time, NodeId, uint32_t, uint16_t, uint16_t, Bytes, uint8_t>;
  static const Deflections& deflectionRows();
  /// Time, flow; size, switches, deflections.
  using Paths = Table<Time, uint32_t, uint64_t, uint8_t, uint8_t>;
  static const Paths& paths();
  void onStart(Network& network) override;
  bool toHost(uint16_t port) const { return to_[port] == To::Host; }
  uint16_t deflect(const Packet& packet, IofdHeader& header, uint16_t shortest);
  /// Another port into the network than `avoided`; that one itself where there is none.
  uint16_t drawPort(uint16_t avoided);
  void changeLane(Packet& packet, uint16_t out) const;
  void tracePath(const Packet& packet, const IofdHeader& header) const;
  void traceDeflection(const Packet& packet, uint16_t from, uint16_t to) const;

  Network* network_ = nullptr;
  PacketExtension<IofdHeader> header_;
  RandomStream random_;
  const Port* in_ = nullptr;      // by which the packet came that is asked about
  std::vector<Deflected> table_;  // of at most entries_; a hardware CAM looks at all of them at once
  std::vector<uint16_t> fabric_;  // ports that lead to switches
  std::vector<To> to_;            // by port
  uint64_t deflections_ = 0;
  Deflections::Id deflectionTable_;
  Paths::Id pathTable_;

  int64_t entries_ = 0, dataClass_ = 0, escapeClass_ = 0;
  Bytes threshold_;
  bool lastHop_ = true, symmetric_ = true;
};

}  // namespace fabric
