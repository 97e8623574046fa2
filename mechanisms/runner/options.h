// The command lines of the programs, which CLI11 reads.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace fabric {

/// Throws InputError with the usage, which is the app's description, and what is wrong as the last line. After --help
/// it prints what there is and ends the program.
void parse(CLI::App& app, int argc, char** argv);

/// What the runners of all engines take.
struct RunOptions {
  std::string scenario, trace, summary, order = "node";
  int64_t progressMs = 500;

  bool nodeByNode() const { return order == "node"; }

  /// Adds them to others that an engine has.
  void addTo(CLI::App& app);
};

}  // namespace fabric
