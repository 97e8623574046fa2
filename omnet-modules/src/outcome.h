// How a run ended, for the program's exit code.
#pragma once

#include <string>

namespace fabriclab {

struct Outcome {
  std::string refused;  // why the input was refused; empty: it was not
  int exitCode = 0;     // of the run's checks
};

/// Of the last run in this process.
Outcome& outcome();

}  // namespace fabriclab
