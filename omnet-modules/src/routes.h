// Routes for networks that bring none: all shortest paths.
#pragma once

#include "mechanisms/core/network.h"

namespace fabriclab {

/// Gives every switch its equal-cost next hops towards every host, by number of links, in the order of
/// its ports. Hosts do not forward.
void setShortestPaths(fabric::Network& network);

}  // namespace fabriclab
