// fabric-plain: runs one scenario file (docs/formats.md) without a simulator.
#include <cstring>
#include <iostream>

#include "mechanisms/plain/shared_engine.h"
#include "mechanisms/runner/assembly.h"
#include "mechanisms/runner/options.h"
#include "mechanisms/runner/program.h"
#include "mechanisms/runner/recorder.h"

namespace {

constexpr const char* kUsage =
    "usage: fabric-plain --scenario FILE [--trace FILE] [--summary FILE] [--progress-ms N] [--order node|time]\n"
    "                    [--threads N]   (one thread runs in the order of time)\n"
    "       fabric-plain --version";

int run(int argc, char** argv) {
  fabric::RunOptions o;
  fabric::Options options(kUsage);
  o.addTo(options);
  options.parse(argc, argv);

  const auto s = fabric::Scenario::load(o.scenario);
  fabric::FlowFile flows(s.flowsFile);
  fabric::SharedEngine engine;
  fabric::Assembly built(engine, s, [&](fabric::Port& a, fabric::Port& b) { engine.connect(a, b); });
  fabric::Network& network = built.network();
  fabric::setRoutes(network, s.routesFile);
  for (const auto& change : s.routeChanges) fabric::addRouteChange(network, change.at, change.routesFile);
  network.setFlows(flows);
  network.stopAt(s.stop);
  network.stopWhenFlowsFinish(s.stopWhenFlowsFinish);
  network.stopAtDeadlock(s.stopAtDeadlock);
  fabric::enableTables(network.trace(), s.tables);
  fabric::Recorder recorder(network, {o.trace, o.summary, o.progressMs}, s.stop, flows.count());
  network.start();
  if (o.nodeByNode && o.threads > 1) {
    engine.run(network, o.threads, o.leastEvents);
  } else {
    engine.run();
  }
  if (engine.duplicateKeys > 0) {
    throw std::logic_error(std::to_string(engine.duplicateKeys) +
                           " times two events had the same time and key, so that the order of scheduling decided");
  }
  return recorder.finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    std::cout << fabric::versionLine("plain", "1") << std::endl;
    return 0;
  }
  return fabric::runProgram("fabric-plain", [&] { return run(argc, argv); });
}
