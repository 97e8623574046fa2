// fabric-allocate: Flowtune's allocator alone on a scenario's network and flow list (docs/formats.md).
#include <iostream>
#include <map>
#include <sstream>

#include "mechanisms/runner/catalog.h"
#include "mechanisms/runner/flowtune_alone.h"
#include "mechanisms/runner/options.h"
#include "mechanisms/runner/recorder.h"
#include "mechanisms/runner/trace_stream.h"

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

Settings settings(int argc, char** argv) {
  Settings s;
  flowtune::Settings& a = s.allocator;
  constexpr double kNoGamma = -1;
  a.gamma = kNoGamma;
  const std::map<std::string, Algorithm> algorithms{{"ned", Algorithm::Ned},
                                                    {"gradient", Algorithm::Gradient},
                                                    {"fgm", Algorithm::Fgm},
                                                    {"newton-like", Algorithm::NewtonLike}};
  const std::map<std::string, Normaliser> normalisers{
      {"f-norm", Normaliser::FNorm}, {"u-norm", Normaliser::UNorm}, {"none", Normaliser::None}};
  const auto choose = [](auto& variable, const auto& words) {
    return [&](const std::string& word) { variable = words.at(word); };
  };
  CLI::App app(kUsage);
  app.add_option("--scenario", s.scenario)->required();
  app.add_option("--trace", s.trace)->required();
  app.add_option("--tables", s.tables);
  app.add_option_function<std::string>("--algorithm", choose(a.algorithm, algorithms))
      ->check(CLI::IsMember(algorithms));
  app.add_option_function<std::string>("--normaliser", choose(a.normaliser, normalisers))
      ->check(CLI::IsMember(normalisers));
  app.add_option("--gamma", a.gamma)->check(CLI::Range(0.0, 1e9));
  app.add_option("--initial-price", a.initialPrice)->check(CLI::Range(0.0, 1e9));
  app.add_option("--measured-iterations", a.measuredIterations);
  app.add_option("--interval-ps", s.interval.ps)->check(CLI::Range(int64_t{1}, kLongestTime.ps));
  app.add_option("--iterations", s.iterations);
  app.add_flag("--rt", a.rt);
  app.add_flag("--one-sided", a.oneSided);
  app.add_flag("--optimum", s.optimum);
  fabric::parse(app, argc, argv);
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
    return run(settings(argc, argv));
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
