// What the runners of all engines have in common around a run: --version, and how they end (docs/formats.md).
#pragma once

#include <functional>
#include <string>

namespace fabric {

/// What a runner says of itself, as one line of JSON.
std::string versionLine(const std::string& engine, const std::string& engineVersion);

/// Calls `body`, whose exit code it returns. What is thrown becomes the last line on standard error.
int runProgram(const std::string& program, const std::function<int()>& body);

}  // namespace fabric
