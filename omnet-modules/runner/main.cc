// fabric-omnet: an OMNeT++ simulation program with the fabric's modules in it. With --scenario it writes
// the scenario as network.ned and omnetpp.ini beside the scenario file and runs these; with anything
// else it is like every other such program (-u, -f, -h …).
#include <omnetpp.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "generate.h"
#include "kernel.h"
#include "mechanisms/runner/catalog.h"
#include "mechanisms/runner/recorder.h"
#include "omnet-modules/src/names.h"
#include "omnet-modules/src/outcome.h"

// The entry point of OMNeT++'s own main(), in no public header.
namespace omnetpp::envir {
extern "C" int evMain(int argc, char* argv[]);
}

namespace {

using fabric::InputError;
namespace fs = std::filesystem;

constexpr const char* kUsage =
    "usage: fabric-omnet --scenario FILE [--trace FILE] [--summary FILE] [--progress-ms N] [--order node|time]\n"
    "                    [--omnet-results DIR]\n"
    "       fabric-omnet --kernel event|stock|gates    (what an event costs in OMNeT++ itself)\n"
    "       fabric-omnet --version\n"
    "       fabric-omnet -u Cmdenv -f omnetpp.ini      (an OMNeT++ program like others; -h for its options)";

struct Options {
  std::string scenario, trace, summary, results;
  long progressMs = 500;
  bool nodeByNode = true;
};

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (i + 1 == argc) throw InputError(arg + " needs a value, or is unknown\n" + kUsage);
    const std::string value = argv[++i];
    if (arg == "--scenario") {
      o.scenario = value;
    } else if (arg == "--trace") {
      o.trace = value;
    } else if (arg == "--summary") {
      o.summary = value;
    } else if (arg == "--omnet-results") {
      o.results = value;
    } else if (arg == "--order" && (value == "node" || value == "time")) {
      o.nodeByNode = value == "node";
    } else if (arg == "--progress-ms") {
      o.progressMs = std::strtol(value.c_str(), nullptr, 10);
    } else {
      throw InputError("unknown option " + arg + " " + value + "\n" + kUsage);
    }
  }
  return o;
}

/// The file is there when all of it is: another run of the same scenario may be reading it.
void write(const fs::path& file, const std::string& text) {
  const fs::path part = file.string() + "." + std::to_string(std::random_device()());
  std::ofstream out(part);
  out << text;
  out.close();
  std::error_code error;
  if (out) fs::rename(part, file, error);
  if (!out || error) {
    std::error_code ignored;
    fs::remove(part, ignored);
    throw InputError(file.string() + ": cannot be written" + (error ? " (" + error.message() + ")" : "") +
                     "; fabric-omnet keeps the OMNeT++ form of a scenario beside it, so let the folder be writable");
  }
}

int run(std::vector<std::string> args) {
  std::vector<char*> argv;
  for (std::string& a : args) argv.push_back(a.data());
  argv.push_back(nullptr);
  const int code = omnetpp::envir::evMain(static_cast<int>(args.size()), argv.data());
  const fabriclab::Outcome& outcome = fabriclab::outcome();
  if (!outcome.refused.empty()) {
    std::cerr << outcome.refused << std::endl;
    return fabric::kExitRefused;
  }
  return code != 0 ? code : outcome.exitCode;
}

int runScenario(const Options& o) {
  const fabric::Scenario scenario = fabric::Scenario::load(o.scenario);
  const fs::path folder = fs::absolute(o.scenario).parent_path();
  const std::string name = fs::path(o.scenario).filename().string();
  write(folder / "network.ned", fabriclab::networkNed(scenario, name));
  write(folder / "omnetpp.ini", fabriclab::omnetppIni(scenario, name));

  // Standard output is for the progress lines; what Cmdenv says goes to the log.
  std::cout.rdbuf(std::cerr.rdbuf());
  std::vector<std::string> args{"fabric-omnet",
                                "-u",
                                "Cmdenv",
                                "-f",
                                (folder / "omnetpp.ini").string(),
                                "--*.fabric.progressInterval=" + std::to_string(o.progressMs) + "ms"};
  if (!o.trace.empty()) args.push_back("--*.fabric.traceFile=" + fabriclab::quoted(o.trace));
  if (!o.summary.empty()) args.push_back("--*.fabric.summaryFile=" + fabriclab::quoted(o.summary));
  if (!o.nodeByNode || !o.results.empty()) args.push_back("--*.fabric.nodeByNode=false");
  if (!o.results.empty()) {
    args.push_back("--result-dir=" + o.results);
    args.push_back("--outputscalarmanager-class=omnetpp::envir::OmnetppOutputScalarManager");
    args.push_back("--**.result-recording-modes=all");
    for (const char* kind : {"statistic", "scalar", "vector", "param"}) {
      args.push_back(std::string("--**.") + kind + "-recording=true");
    }
  }
  return run(std::move(args));
}

int measureKernel(const std::string& which) {
  std::ostream out(std::cout.rdbuf(std::cerr.rdbuf()));  // as in runScenario()
  const int code = run(fabriclab::kernelArgs(which));
  if (code == 0) out << fabriclab::kernelCost() << std::endl;
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    const fabric::Json version{{"engine", "omnetpp"},
                               {"engine_version", FABRIC_OMNET_VERSION},
                               {"compiler", FABRIC_COMPILER},
                               {"build_type", FABRIC_BUILD_TYPE},
                               {"flags", FABRIC_FLAGS}};
    std::cout << version.dump() << std::endl;
    return 0;
  }
  bool scenario = false;
  for (int i = 1; i < argc; ++i) scenario |= std::strcmp(argv[i], "--scenario") == 0;
  try {
    if (argc == 3 && std::strcmp(argv[1], "--kernel") == 0) return measureKernel(argv[2]);
    return scenario ? runScenario(parse(argc, argv)) : run({argv, argv + argc});
  } catch (const InputError& e) {
    std::cerr << e.what() << std::endl;
    return fabric::kExitRefused;
  } catch (const std::exception& e) {
    std::cerr << "fabric-omnet: " << e.what() << std::endl;
    return 1;
  }
}
