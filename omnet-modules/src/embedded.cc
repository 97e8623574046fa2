// The NED files inside the program. What opp_nedtool writes names things of omnetpp::internal without
// saying so.
#include <omnetpp.h>

namespace omnetpp::internal {}
using namespace omnetpp::internal;

#include "embedded_ned.inc"
