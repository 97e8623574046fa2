// Checks at the end of a run that a component brings along.
#pragma once

#include <vector>

#include "mechanisms/core/network.h"

namespace fabric {

/// A component that is also one of these is asked when the run is over. Its checks stand with those of the network, and
/// one that fails makes the run fail.
class OwnChecks {
 public:
  virtual ~OwnChecks() = default;
  virtual void addChecks(std::vector<Network::Check>& checks) const = 0;
};

}  // namespace fabric
