// What an event costs in OMNeT++ itself.
#pragma once

#include <string>
#include <vector>

namespace fabriclab {

/// The arguments of the OMNeT++ program that measures it: `event` is one in the fabric's event set, `stock` one in
/// the kernel's own, `gates` a packet in the kernel's own that comes over gates and a channel.
std::vector<std::string> kernelArgs(const std::string& which);

/// What the program has found, as `{"events": N, "cpu_s": S}`.
std::string kernelCost();

}  // namespace fabriclab
