// fabric-omnet: an OMNeT++ simulation program with the fabric's modules in it. With --scenario it writes
// the scenario as network.ned and omnetpp.ini beside the scenario file and runs these; with anything
// else it is like every other such program (-u, -f, -h …).
#include <omnetpp.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <streambuf>
#include <string>
#include <vector>

#include "generate.h"
#include "kernel.h"
#include "mechanisms/runner/options.h"
#include "mechanisms/runner/program.h"
#include "mechanisms/runner/recorder.h"
#include "omnet-modules/src/names.h"
#include "omnet-modules/src/outcome.h"
#include "own_types.h"

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
    "       fabric-omnet --ned PACKAGE LIBRARY...      (the NED types of the mechanisms in libraries of your own)\n"
    "       fabric-omnet --version\n"
    "       fabric-omnet -u Cmdenv -f omnetpp.ini      (an OMNeT++ program like others; -h for its options)";

struct Options : fabric::RunOptions {
  std::string results;
};

Options parse(int argc, char** argv) {
  Options o;
  fabric::Options options(kUsage);
  o.addTo(options);
  options.text("--omnet-results", o.results).parse(argc, argv);
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

/// Passes on what Cmdenv says and keeps the error in it, which is followed by an empty line and "End.".
class ErrorKeeper : public std::streambuf {
 public:
  explicit ErrorKeeper(std::streambuf* out) : out_(out) {}
  const std::string& error() const { return error_; }

 protected:
  int overflow(int c) override {
    if (c == traits_type::eof()) return out_->pubsync();
    if (c == '\n') {
      if (line_.compare(0, kMark.size(), kMark) == 0) error_ = line_.substr(kMark.size());
      line_.clear();
    } else {
      line_ += static_cast<char>(c);
    }
    return out_->sputc(static_cast<char>(c));
  }
  int sync() override { return out_->pubsync(); }

 private:
  const std::string kMark = "<!> Error: ";
  std::streambuf* out_;
  std::string line_, error_;
};

int run(std::vector<std::string> args) {
  std::vector<char*> argv;
  for (std::string& a : args) argv.push_back(a.data());
  argv.push_back(nullptr);
  ErrorKeeper out(std::cout.rdbuf()), err(std::cerr.rdbuf());
  std::streambuf* const plainOut = std::cout.rdbuf(&out);
  std::streambuf* const plainErr = std::cerr.rdbuf(&err);
  const int code = omnetpp::envir::evMain(static_cast<int>(args.size()), argv.data());
  std::cout.rdbuf(plainOut);
  std::cerr.rdbuf(plainErr);
  const fabriclab::Outcome& outcome = fabriclab::outcome();
  if (!outcome.refused.empty()) {
    std::cerr << outcome.refused << std::endl;
    return fabric::kExitRefused;
  }
  if (code == 0) return outcome.exitCode;
  // The last line on standard error says why (docs/formats.md).
  const std::string& reason = err.error().empty() ? out.error() : err.error();
  if (!reason.empty()) std::cerr << "OMNeT++: " << reason << std::endl;
  return code;
}

int runScenario(const Options& o) {
  const fabric::Scenario scenario = fabric::Scenario::load(o.scenario);
  const fs::path folder = fs::absolute(o.scenario).parent_path();
  const std::string name = fs::path(o.scenario).filename().string();
  write(folder / "network.ned", fabriclab::networkNed(scenario, name));
  write(folder / "omnetpp.ini", fabriclab::omnetppIni(scenario, name));

  // Standard output is for the progress lines; what Cmdenv says goes to the log.
  std::cout.rdbuf(std::cerr.rdbuf());
  std::vector<std::string> args{
      "fabric-omnet", "-u", "Cmdenv", "-f",
      "omnetpp.ini",  "-n", ".",      "--*.fabric.progressInterval=" + std::to_string(o.progressMs) + "ms"};
  const auto absolute = [](const std::string& path) { return fs::absolute(path).string(); };
  if (!o.trace.empty()) args.push_back("--*.fabric.traceFile=" + fabriclab::quoted(absolute(o.trace)));
  if (!o.summary.empty()) args.push_back("--*.fabric.summaryFile=" + fabriclab::quoted(absolute(o.summary)));
  if (!o.nodeByNode || !o.results.empty()) args.push_back("--*.fabric.nodeByNode=false");
  fabriclab::nothingToRecord() = o.results.empty();
  if (!o.results.empty()) {
    args.push_back("--result-dir=" + absolute(o.results));
    args.push_back("--outputscalarmanager-class=omnetpp::envir::OmnetppOutputScalarManager");
    args.push_back("--**.result-recording-modes=all");
    for (const char* kind : {"statistic", "scalar", "vector", "param"}) {
      args.push_back(std::string("--**.") + kind + "-recording=true");
    }
  }
  // In that folder, whose path may have a ; or a : in it, which separate the folders of a NED path.
  fs::current_path(folder);
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
    std::cout << fabric::versionLine("omnetpp", FABRIC_OMNET_VERSION) << std::endl;
    return 0;
  }
  bool scenario = false;
  for (int i = 1; i < argc; ++i) scenario |= std::strcmp(argv[i], "--scenario") == 0;
  return fabric::runProgram("fabric-omnet", [&] {
    if (argc == 3 && std::strcmp(argv[1], "--kernel") == 0) return measureKernel(argv[2]);
    if (argc > 3 && std::strcmp(argv[1], "--ned") == 0) {
      fabriclab::printOwnTypes(std::cout, argv[2], {argv + 3, argv + argc});
      return 0;
    }
    return scenario ? runScenario(parse(argc, argv)) : run({argv, argv + argc});
  });
}
