// Routes for networks that bring none.
#pragma once

namespace fabric {

class Network;

/// Gives every switch all its shortest paths to every host: the equal-cost next hops by number of links, in
/// the order of their ports. Hosts do not forward. Before the network starts, when its links are connected.
void setShortestPaths(Network& network);

}  // namespace fabric
