/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_RUNNER_SCENARIO_NETWORK_H
#define FABRIC_RUNNER_SCENARIO_NETWORK_H

#include "fabric-helper.h"

namespace ns3
{
namespace fabric
{

/// Makes the hosts, switches, links and routes of a scenario, with its mechanisms, and what is to
/// happen to links and routes. Returns all nodes, in the order of their numbers.
NodeContainer BuildNetwork(const core::Scenario& scenario, FabricHelper& fabric);

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_RUNNER_SCENARIO_NETWORK_H */
