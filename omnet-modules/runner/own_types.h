// NED types of mechanisms in shared libraries of one's own.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace fabriclab {

/// Loads the libraries and prints the NED types of the mechanisms that they bring, as a file of this package.
void printOwnTypes(std::ostream& out, const std::string& package, const std::vector<std::string>& libraries);

}  // namespace fabriclab
