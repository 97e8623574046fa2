// fabric-allocate: Flowtune's allocator alone on a scenario's network and flow list (docs/formats.md).
#include <iostream>
#include <sstream>

#include "mechanisms/runner/catalog.h"
#include "mechanisms/runner/options.h"
#include "mechanisms/runner/recorder.h"
#include "mechanisms/runner/trace_stream.h"
#include "mechanisms/tools/flowtune_alone.h"

namespace {

using namespace fabric;
using flowtune::Algorithm;
using flowtune::Normaliser;

constexpr const char* kUsage =
    "usage: fabric-allocate --scenario FILE --trace FILE [--tables NAME,…] [--algorithm ned|gradient|fgm|newton-like]\n"
    "       [--gamma X] [--normaliser f-norm|u-norm|none] [--initial-price X] [--measured-iterations N]\n"
    "       [--interval-ps N] [--iterations N] [--rt] [--one-sided] [--optimum]";

struct Settings : flowtune::StandAloneSettings {
  std::string scenario, trace, tables = "iterations,allocations";
};

Settings parse(int argc, char** argv) {
  Settings s;
  flowtune::Settings& a = s.allocator;
  constexpr double kNoGamma = -1;
  a.gamma = kNoGamma;
  Options(kUsage)
      .text("--scenario", s.scenario)
      .required("--scenario")
      .text("--trace", s.trace)
      .required("--trace")
      .text("--tables", s.tables)
      .choice<Algorithm>("--algorithm", a.algorithm,
                         {{"ned", Algorithm::Ned},
                          {"gradient", Algorithm::Gradient},
                          {"fgm", Algorithm::Fgm},
                          {"newton-like", Algorithm::NewtonLike}})
      .choice<Normaliser>("--normaliser", a.normaliser,
                          {{"f-norm", Normaliser::FNorm}, {"u-norm", Normaliser::UNorm}, {"none", Normaliser::None}})
      .number("--gamma", a.gamma, 0.0)
      .number("--initial-price", a.initialPrice, 0.0)
      .number("--measured-iterations", a.measuredIterations, uint32_t{0})
      .number("--interval-ps", s.interval.ps, int64_t{1})
      .number("--iterations", s.iterations, uint64_t{0})
      .flag("--rt", a.rt)
      .flag("--one-sided", a.oneSided)
      .flag("--optimum", s.optimum)
      .parse(argc, argv);
  if (a.gamma == kNoGamma) a.gamma = flowtune::defaultGamma(a.algorithm);
  return s;
}

int run(const Settings& o) {
  const Scenario s = Scenario::load(o.scenario);
  const flowtune::Paths paths(s, loadRoutes(s.routesFile));
  size_t longest = 1;
  for (FlowFile flows(s.flowsFile); flows.peek() != nullptr; flows.pop()) {
    longest = std::max(longest, paths.of(*flows.peek()).size());
  }
  TraceBus bus;
  flowtune::StandAlone alone(paths, static_cast<uint32_t>(longest), o, bus);
  std::vector<ScenarioTable> tables;
  std::istringstream names(o.tables);
  for (std::string name; std::getline(names, name, ',');) tables.push_back({name, {}});
  enableTables(bus, tables);
  TraceStream trace(o.trace, bus);
  FlowFile flows(s.flowsFile);
  const flowtune::Outcome out = alone.run(flows, s.stop, s.stopWhenFlowsFinish);
  trace.close();
  std::cout << Json{{"iterations", out.iterations}, {"flows_added", out.added},
                    {"flows_ended", out.ended},     {"largest_excess", out.largestExcess},
                    {"gamma", o.allocator.gamma},   {"optimum_not_found", out.unsettled}}
                   .dump()
            << std::endl;
  return std::cout ? kExitOk : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const InputError& e) {
    std::cerr << e.what() << std::endl;
    return kExitRefused;
  } catch (const std::invalid_argument& e) {  // a setting that only the allocator judges
    std::cerr << e.what() << std::endl;
    return kExitRefused;
  } catch (const std::exception& e) {
    std::cerr << "fabric-allocate: " << e.what() << std::endl;
    return 1;
  }
}
