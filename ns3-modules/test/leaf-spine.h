/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef LEAF_SPINE_H
#define LEAF_SPINE_H

#include "fabric-helper.h"
#include "fabric-internet-helper.h"
#include "fabric-test.h"

#include "ns3/application-container.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/packet-sink.h"
#include "ns3/socket.h"

#include <functional>
#include <vector>

namespace ns3
{
namespace fabric
{

/// What a LeafSpine is made of.
struct LeafSpineOptions
{
    uint32_t leaves{2};
    uint32_t spines{2};
    uint32_t hostsPerLeaf{2};
    DataRate rate{"10Gbps"};
    DataRate firstLeafRate{"10Gbps"}; //!< of the hosts of the first leaf
    DataRate fabricRate{"10Gbps"};
    Time delay{MicroSeconds(1)};
    ObjectFactory queue{"ns3::fabric::Fifo"}; //!< of data, at every port of a switch
    bool pfc{false};
    uint32_t queueBytes{10000000};                //!< of NICs
    bool queueDisc{false};                        //!< leave ns-3's default queue discs on the NICs
    std::function<void(FabricHelper&)> configure; //!< before hosts and switches are made
};

/// A leaf-spine with ns-3's internet stack on every host, 10.0.0.1 and so on.
struct LeafSpine
{
    explicit LeafSpine(const LeafSpineOptions& options = {});

    /// TCP from one host to another; `bytes` 0: without end.
    Ptr<PacketSink> Tcp(uint32_t from, uint32_t to, uint64_t bytes, Time start = Time(0));
    /// A bound UDP socket that calls `receive` with every datagram it gets.
    Ptr<Socket> Udp(uint32_t host, uint16_t port, std::function<void(Ptr<Socket>)> receive);

    core::Switch& Leaf(uint32_t i) const
    {
        return leaves.Get(i)->GetObject<FabricSwitch>()->GetNode();
    }

    core::Host& Host(uint32_t i) const
    {
        return hosts.Get(i)->GetObject<FabricHost>()->GetNode();
    }

    core::Network::Counters Counters() const
    {
        return FabricNetwork::Get()->GetCore().total();
    }

    LeafSpineOptions options;
    FabricHelper helper;
    NodeContainer hosts, leaves, spines;
    NetDeviceContainer nics;
    Ipv4InterfaceContainer addresses;

  private:
    uint16_t m_nextPort{5000};
};

} // namespace fabric
} // namespace ns3

#endif /* LEAF_SPINE_H */
