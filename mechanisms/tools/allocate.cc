// fabric-allocate: Flowtune's allocator alone on a scenario's network and flow list (docs/formats.md).
#include <iostream>
#include <map>
#include <sstream>

#include "mechanisms/runner/flowtune_alone.h"
#include "mechanisms/runner/catalog.h"
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

struct Options {
  std::string scenario, trace, tables = "iterations,allocations";
  bool gamma = false;
  flowtune::StandAloneSettings settings;
};

template <class T>
T oneOf(const std::string& flag, const std::string& value, const std::map<std::string, T>& known) {
  const auto it = known.find(value);
  if (it == known.end()) throw InputError(flag + ": there is no " + value + "\n" + kUsage);
  return it->second;
}

template <class T>
T number(const std::string& flag, const std::string& value) {
  std::istringstream in(value);
  T n;
  if (!(in >> n) || !in.eof()) throw InputError(flag + ": " + value + " is no number that it takes\n" + kUsage);
  return n;
}

Options parse(int argc, char** argv) {
  Options o;
  flowtune::Settings& a = o.settings.allocator;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--rt") {
      a.rt = true;
      continue;
    }
    if (flag == "--one-sided") {
      a.oneSided = true;
      continue;
    }
    if (flag == "--optimum") {
      o.settings.optimum = true;
      continue;
    }
    if (i + 1 == argc) throw InputError(flag + " needs a value, or is unknown\n" + kUsage);
    const std::string value = argv[++i];
    if (flag == "--scenario") {
      o.scenario = value;
    } else if (flag == "--trace") {
      o.trace = value;
    } else if (flag == "--tables") {
      o.tables = value;
    } else if (flag == "--algorithm") {
      a.algorithm = oneOf<Algorithm>(flag, value,
                                     {{"ned", Algorithm::Ned},
                                      {"gradient", Algorithm::Gradient},
                                      {"fgm", Algorithm::Fgm},
                                      {"newton-like", Algorithm::NewtonLike}});
    } else if (flag == "--normaliser") {
      a.normaliser = oneOf<Normaliser>(
          flag, value, {{"f-norm", Normaliser::FNorm}, {"u-norm", Normaliser::UNorm}, {"none", Normaliser::None}});
    } else if (flag == "--gamma") {
      a.gamma = number<double>(flag, value);
      o.gamma = true;
    } else if (flag == "--initial-price") {
      a.initialPrice = number<double>(flag, value);
    } else if (flag == "--measured-iterations") {
      a.measuredIterations = number<uint32_t>(flag, value);
    } else if (flag == "--interval-ps") {
      o.settings.interval.ps = number<int64_t>(flag, value);
    } else if (flag == "--iterations") {
      o.settings.iterations = number<uint64_t>(flag, value);
    } else {
      throw InputError("unknown option " + flag + "\n" + kUsage);
    }
  }
  if (o.scenario.empty() || o.trace.empty()) {
    throw InputError(std::string("--scenario or --trace is missing\n") + kUsage);
  }
  if (o.settings.interval.ps <= 0) throw InputError("--interval-ps must be above 0");
  if (!o.gamma) a.gamma = flowtune::defaultGamma(a.algorithm);
  return o;
}

int run(const Options& o) {
  const Scenario s = Scenario::load(o.scenario);
  const flowtune::Paths paths(s, loadRoutes(s.routesFile));
  size_t longest = 1;
  for (FlowFile flows(s.flowsFile); flows.peek() != nullptr; flows.pop()) {
    longest = std::max(longest, paths.of(*flows.peek()).size());
  }
  TraceBus bus;
  flowtune::StandAlone alone(paths, static_cast<uint32_t>(longest), o.settings, bus);
  std::vector<ScenarioTable> tables;
  std::istringstream names(o.tables);
  for (std::string name; std::getline(names, name, ',');) tables.push_back({name, {}});
  enableTables(bus, tables);
  TraceStream trace(o.trace, bus);
  FlowFile flows(s.flowsFile);
  const flowtune::Outcome out = alone.run(flows, s.stop, s.stopWhenFlowsFinish);
  trace.close();
  std::cout << Json{{"iterations", out.iterations},
                    {"flows_added", out.added},
                    {"flows_ended", out.ended},
                    {"largest_excess", out.largestExcess},
                    {"gamma", o.settings.allocator.gamma},
                    {"optimum_not_found", out.unsettled}}
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
