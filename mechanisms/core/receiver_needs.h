// What a congestion control needs at the hosts that it sends to.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "mechanisms/core/congestion_control.h"
#include "mechanisms/core/host.h"

namespace fabric {

/// Refuses a flow whose receiver has no such agent: its ACKs would not say what `sender` goes by.
template <class Agent>
void needAtReceiver(const Flow& flow, const CongestionControl& sender) {
  const auto& agents = flow.receiver->receiverAgents();
  const auto answers = [](const ReceiverAgent* a) { return dynamic_cast<const Agent*>(a) != nullptr; };
  if (std::any_of(agents.begin(), agents.end(), answers)) return;
  const std::string agent = Agent::describe().name;
  throw std::invalid_argument("flow " + std::to_string(flow.spec.id) + ": its sender has " + sender.description().name +
                              " and its receiver " + flow.receiver->name() + " no " + agent +
                              "; add it to receiver_agents there");
}

}  // namespace fabric
