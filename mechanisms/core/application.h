// What lives at a host beside its flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mechanisms/core/component.h"
#include "mechanisms/core/flow.h"

namespace fabric {

class Host;

/// A message from one application to another: how many bytes it has on the wire, and what they mean. The host's
/// transport carries it as a flow in a class of its own: in packets with all headers, and sends again what is lost. It
/// is in no table of flows.
struct Message {
  uint32_t from = 0, to = 0;  // node ids of hosts
  uint64_t bytes = 0;         // at least 1
  uint8_t cls = 1;
  uint16_t port = 0;  // of the connection: both ends have it
  std::vector<uint64_t> words;
};

/// Any number per host: hears of the flows that start and end there, sets their rates, sends and receives messages.
class Application : public Component {
 public:
  virtual void attach(Host& host) { host_ = &host; }
  /// A flow of this host has started; it is about to send. Flow::limit is the application's to set.
  virtual void onFlowStart(Flow&) {}
  /// The sender is done; the flow is gone after this.
  virtual void onFlowEnd(Flow&) {}
  /// A message for this host has arrived in full. Every application of the host is shown it: look at its port.
  virtual void onMessage(const Message&) {}
  /// The host has died: nothing reaches it and nothing leaves it until it is back.
  virtual void onDown() {}
  virtual void onUp() {}

 protected:
  Host* host_ = nullptr;
};

}  // namespace fabric
