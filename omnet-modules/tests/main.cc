// Runs the tests inside an OMNeT++ kernel without a network.
#include <gtest/gtest.h>
#include <omnetpp.h>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  omnetpp::cStaticFlag alive;
  omnetpp::CodeFragments::executeAll(omnetpp::CodeFragments::STARTUP);
  omnetpp::SimTime::setScaleExp(omnetpp::SIMTIME_PS);
  auto* simulation = new omnetpp::cSimulation("tests", new omnetpp::cNullEnvir(0, nullptr, nullptr));
  omnetpp::cSimulation::setActiveSimulation(simulation);
  const int code = RUN_ALL_TESTS();
  omnetpp::cSimulation::setActiveSimulation(nullptr);
  delete simulation;
  omnetpp::CodeFragments::executeAll(omnetpp::CodeFragments::SHUTDOWN);
  return code;
}
