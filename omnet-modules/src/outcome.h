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

/// Whether OMNeT++ has no measurements to record, whatever the configuration says of each: it is asked for every
/// statistic and parameter of every module, which takes a quarter of the start of a large network.
bool& nothingToRecord();

/// A module or channel that knows of it.
template <class Base>
class Quiet : public Base {
 public:
  using Base::Base;

 protected:
  void addResultRecorders() override {
    if (!nothingToRecord()) Base::addResultRecorders();
  }
  void recordParameters() override {
    if (!nothingToRecord()) Base::recordParameters();
  }
};

}  // namespace fabriclab
