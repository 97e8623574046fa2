// What surrounds a run on any engine: progress while it goes on, trace and summary at its end.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "mechanisms/core/network.h"
#include "mechanisms/runner/scenario.h"
#include "mechanisms/runner/trace_stream.h"

namespace fabric {

/// Exit codes of the runners (docs/formats.md).
enum ExitCode : int { kExitOk = 0, kExitRefused = 2, kExitCheckFailed = 3 };

struct RecorderOptions {
  std::string traceFile;     // empty: no trace
  std::string summaryFile;   // empty: no summary
  int64_t progressMs = 500;  // 0: nothing on standard output, warnings on standard error
};

/// Turns on the tables that the scenario names.
void enableTables(TraceBus& bus, const std::vector<ScenarioTable>& tables);

class Recorder {
 public:
  /// The network's tables must be enabled already and the network not yet started.
  Recorder(Network& network, RecorderOptions options, Time stop, uint64_t flows);
  ~Recorder();

  /// The run is over: closes the trace, writes the summary; the exit code.
  int finish();

 private:
  void printProgress() const;
  void warn(const std::string& text) const;
  void watch();
  void stopWatching();

  Network& network_;
  RecorderOptions options_;
  Time stop_;
  uint64_t flows_;
  std::unique_ptr<TraceStream> trace_;
  int64_t startedNs_;
  std::thread watcher_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
};

}  // namespace fabric
