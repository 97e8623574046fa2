// The side of a port that faces the link.
#pragma once

#include "event_module.h"
#include "mechanisms/core/port.h"

namespace fabriclab {

class FabricLink;

class MacModule final : public EventModule {
 public:
  /// The link behind this port; throws where there is none, or another kind of channel.
  FabricLink& link();
  /// The port at its other end.
  MacModule& peer();
  /// To be called when all ports have their numbers.
  void connect(fabric::Port& port);
  fabric::Port& port() const { return *port_; }

  void transmit(FabricFrame& frame, omnetpp::simtime_t duration);

 protected:
  void receive(FabricFrame& frame) override;

 private:
  omnetpp::cGate* out_ = nullptr;
  fabric::Port* port_ = nullptr;
  uint64_t arrivalKey_ = 0;  // of frames at the other end
  Wire wire_;                // the way there
};

}  // namespace fabriclab
