// For tests that run the programs: folders, child processes, a scenario, and what is in a trace.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fabriclab::test {

/// A folder that goes when the test is over.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

struct Result {
  int code;
  std::string out, err;
  std::string lastError() const;  // the last line on standard error
};

/// Runs a program and waits for its end.
Result run(const std::vector<std::string>& command);

std::string read(const std::string& file);

/// The dumbbell of simulations/dumbbell as a scenario: scenario.json, flows.bin and routes.bin in `folder`.
/// `change` may edit the JSON before it is written.
void writeDumbbell(const Folder& folder, const std::string& congestionControl, const std::string& portAgent,
                   const std::string& receiverAgent, void (*change)(nlohmann::json&) = nullptr);

/// A trace stream's tables: columns by name, in the order of the rows.
using Table = std::map<std::string, std::vector<int64_t>>;
std::map<std::string, Table> readTrace(const std::string& file);

}  // namespace fabriclab::test
