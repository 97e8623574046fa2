/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_BENCH_PLAIN_NETWORK_H
#define FABRIC_BENCH_PLAIN_NETWORK_H

#include "mechanisms/runner/scenario.h"

#include "ns3/ipv4-address.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"

#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * \brief The topology of a scenario from what ns-3 itself has: nodes that route, point-to-point
 * devices with drop-tail queues as long as the scenario's, nothing of the fabric.
 *
 * Of equal-cost ports a destination has one, by its number: the paths that a router of ns-3's can
 * choose from without tearing flows apart, for its own ECMP goes by packet.
 */
class PlainNetwork
{
  public:
    /// `hostQueue` bytes wait at most at the device of a host.
    PlainNetwork(const ::fabric::Scenario& scenario, uint32_t hostQueue);

    /// Frames that were sent on links.
    uint64_t PacketHops() const;

    NodeContainer nodes;
    std::vector<Ipv4Address> addresses; //!< of hosts, by node

  private:
    NetDeviceContainer m_devices;
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_BENCH_PLAIN_NETWORK_H */
