// Congestion controls and the hosts that they send to.
#include <gtest/gtest.h>

#include <string>

#include "mechanisms/tests/controls.h"

namespace fabric {

namespace {

bool isReceiverAgent(const std::string& component) {
  const Description* d = Registry::find(component);
  return d != nullptr && d->kind == Kind::ReceiverAgent;
}

/// The agent that a congestion control needs at receivers, and how it is set where it needs it; "": none.
std::string needed(const Description& control, test::Config& config) {
  for (const std::string& need : control.needs) {
    if (isReceiverAgent(need)) return need;
  }
  for (const NeedWhile& need : control.needsWhile) {
    if (!isReceiverAgent(need.what)) continue;
    config.set(control.name + "." + need.param, need.value);
    config.receivers = {need.what};
    return need.what;
  }
  return "";
}

}  // namespace

TEST(ReceiverNeeds, AFlowWhoseReceiverDoesNotAnswerIsRefused) {
  int tried = 0;
  for (auto [name, config] : test::controls()) {
    const std::string agent = needed(*Registry::find(name), config);
    if (agent.empty()) continue;
    ++tried;
    SCOPED_TRACE(name);
    test::Net net(config);
    Host& sender = net.host();
    net.setup.receivers.clear();
    Host& receiver = net.host();
    Switch& s = net.sw();
    for (Host* h : {&sender, &receiver}) net.link(*h, s);
    net.flow(0, sender, receiver, 1000);
    try {
      net.run(Time::Us(1));
      ADD_FAILURE() << "its ACKs say nothing";
    } catch (const std::invalid_argument& e) {
      const std::string expected = " needs " + agent + " at the receivers of its flows";
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos) << e.what();
    }
  }
  EXPECT_GE(tried, 8);  // fncc, hpcc, numfabric, dgd, rcp_star, dasr, dcqcn, ib_cc
}

}  // namespace fabric
