// CONGA's discounting rate estimator at a port: how loaded the link behind it is.
#pragma once

#include <vector>

#include "mechanisms/core/kinds.h"
#include "mechanisms/dre/discounted_rate.h"
#include "mechanisms/headers/conga_header.h"

namespace fabric {

class Engine;

class Dre final : public PortAgent {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  /// Links to hosts are not part of any path's metric.
  bool hooksDequeue() const override { return onFabric_; }
  void onDequeue(Packet& packet) override;

  /// The link's congestion metric now: X / (C tau) in `bits` bits, saturating.
  uint8_t metric();
  /// X now, in bytes.
  double load();
  int64_t bits() const { return bits_; }

  /// The estimators of a switch's ports to other switches, null at its other ports.
  static std::vector<Dre*> ofFabricPorts(const Switch& node);
  /// Refuses ports to other switches that have none; `user` is who needs them.
  static void checkFabricPorts(const Component& user, const Switch& node, Report& report);

 private:
  void onStart(Network& network) override;
  void onChange() override;

  Engine* engine_ = nullptr;
  DiscountedRate rate_;
  double perByte_ = 0;  // metric units per byte of X
  double most_ = 0;
  PacketExtension<CongaHeader> header_;
  bool onFabric_ = false;

  Time period_;
  double alpha_ = 0;
  int64_t bits_ = 0;
};

}  // namespace fabric
