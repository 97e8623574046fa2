#include "mechanisms/core/reach.h"

#include <algorithm>
#include <string>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"
#include "mechanisms/core/switch.h"

namespace fabric {

namespace {

struct Classes {
  int first = 0, end = 0;
};

/// No queue grows beyond it.
struct Bound {
  int64_t bytes = Queue::kTakesAll;
  std::string why;
};

/// Queues drop, or the switch does.
Bound dropsAbove(const Port& port, Classes classes) {
  Bound most{0, ""};
  for (int cls = classes.first; cls < classes.end; ++cls) {
    const Queue& queue = port.queue(static_cast<uint8_t>(cls));
    const int64_t limit = queue.dropsAbove() != 0 ? queue.dropsAbove() : Queue::kTakesAll;
    most.bytes = limit < Queue::kTakesAll - most.bytes ? most.bytes + limit : Queue::kTakesAll;
    most.why = queue.description().name + ".limit is " + toText(Bytes{limit});
  }
  if (classes.end - classes.first > 1) {
    most.why = "the limits of its queues are " + toText(Bytes{most.bytes}) + " in all";
  }
  const auto* node = dynamic_cast<const Switch*>(&port.node());
  if (node != nullptr && node->bufferBytes() < most.bytes) {
    most = {node->bufferBytes(), "switch.buffer is " + toText(Bytes{node->bufferBytes()})};
  }
  return most;
}

void refuseAbove(const Component& component, const char* param, int64_t length, Acts acts, const Port& port,
                 Classes classes, const Network& network, Report& report) {
  if (length == 0) return;
  const Param& of = *component.description().find(param);
  const Value value = component.get(of);
  std::string text = component.description().name + "." + param + " is " + toText(of, value);
  if (value != Value(length)) text += ", which is " + toText(Bytes{length}) + " at ports of " + toText(port.rate());
  const auto* host = network.first<Host>();
  const int64_t found = host != nullptr ? host->mtu() : 0;  // a packet that finds so much waiting is on top of it

  const Bound drops = dropsAbove(port, classes);
  if (drops.bytes != Queue::kTakesAll && length >= drops.bytes - found) {
    report.refuse(text + ", and " + drops.why +
                      ": packets are dropped before a queue is so long; make it smaller, or the queue larger",
                  {{component, param}});
    return;
  }
  if (dynamic_cast<const Switch*>(&port.node()) == nullptr) return;
  // Of all ports of this rate, where it is the same length: a switch with more ports lets more wait.
  const int64_t most = network.longestUnderPfc(port.rate(), classes.first, classes.end);
  if (length < most - found) return;
  const std::string threshold = port.pfcDynamic() ? "pfc_alpha" : "pfc_xoff";
  const Param& pauses = *port.description().find(threshold);
  text += ", and port." + threshold + " is " + toText(pauses, port.get(pauses)) +
          ": PFC pauses those who send before a queue is so long, " + toText(Bytes{most}) +
          " at the most; make it smaller, or raise port." + threshold;
  std::vector<Spot> places{{component, param}, {port, threshold.c_str()}};
  if (acts == Acts::FromHere) {
    report.refuse(std::move(text), std::move(places));
  } else {
    report.warn(std::move(text), std::move(places));
  }
}

}  // namespace

void refuseUnreached(const Component& component, const char* param, int64_t length, Acts acts, const Port& port,
                     uint8_t cls, const Network& network, Report& report) {
  refuseAbove(component, param, length, acts, port, {cls, cls + 1}, network, report);
}

void refuseUnreached(const Component& component, const char* param, int64_t length, Acts acts, const Port& port,
                     const Network& network, Report& report) {
  refuseAbove(component, param, length, acts, port, {port.classes() > 1 ? 1 : 0, port.classes()}, network, report);
}

}  // namespace fabric
