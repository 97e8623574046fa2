#include "mechanisms/core/reach.h"

#include <string>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"

namespace fabric {

namespace {

void refuseAbove(const Component& component, const char* param, int64_t length, const Port& port, int firstClass,
                 int endClass, const Network& network, Report& report) {
  if (length == 0) return;
  std::string why;
  int64_t most = 0;
  for (int cls = firstClass; cls < endClass; ++cls) {
    const Queue& queue = port.queue(static_cast<uint8_t>(cls));
    const int64_t limit = queue.dropsAbove() != 0 ? queue.dropsAbove() : Queue::kTakesAll;
    most = limit < Queue::kTakesAll - most ? most + limit : Queue::kTakesAll;
    why = queue.description().name + ".limit is " + toText(Bytes{limit});
  }
  if (endClass - firstClass > 1) why = "the limits of its queues are " + toText(Bytes{most}) + " in all";
  const auto* node = dynamic_cast<const Switch*>(&port.node());
  if (node != nullptr && node->bufferBytes() < most) {
    most = node->bufferBytes();
    why = "switch.buffer is " + toText(Bytes{most});
  }
  const auto* host = network.first<Host>();
  if (most == Queue::kTakesAll || length < most - (host != nullptr ? host->mtu() : 0)) return;
  const Param& of = *component.description().find(param);
  const Value value = component.get(of);
  std::string text = component.description().name + "." + param + " is " + toText(of, value);
  if (value != Value(length)) text += ", which is " + toText(Bytes{length}) + " at ports of " + toText(port.rate());
  report.refuse(text + ", and " + why + ": packets are dropped before a queue is so long; make it smaller, or the " +
                    "queue larger",
                {{component, param}});
}

}  // namespace

void refuseUnreached(const Component& component, const char* param, int64_t length, const Port& port, uint8_t cls,
                     const Network& network, Report& report) {
  refuseAbove(component, param, length, port, cls, cls + 1, network, report);
}

void refuseUnreached(const Component& component, const char* param, int64_t length, const Port& port,
                     const Network& network, Report& report) {
  refuseAbove(component, param, length, port, port.classes() > 1 ? 1 : 0, port.classes(), network, report);
}

}  // namespace fabric
