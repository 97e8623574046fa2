/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "plain-network.h"

#include "ns3/data-rate.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/traffic-control-helper.h"

namespace ns3
{
namespace fabric
{

namespace
{

/// The room of a queue at a switch.
uint32_t
SwitchQueue(const ::fabric::Scenario& s)
{
    const ::fabric::ComponentSpec& queue =
        s.components[::fabric::Scenario::kSwitch].in("queues").back(); // the one that data waits in
    for (const auto& [name, value] : queue.params)
    {
        if (queue.type == "fifo" && name == "limit")
        {
            return static_cast<uint32_t>(std::get<int64_t>(value));
        }
    }
    throw ::fabric::InputError("queue " + queue.type +
                               ": ns-3's own devices have drop-tail queues; use fifo with a limit");
}

} // namespace

PlainNetwork::PlainNetwork(const ::fabric::Scenario& s, uint32_t hostQueue)
    : addresses(s.nodes.size())
{
    const uint32_t switchQueue = SwitchQueue(s);
    const Ipv4StaticRoutingHelper routing;
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(routing);
    nodes.Create(s.nodes.size());
    stack.Install(nodes);

    Ipv4AddressHelper subnet("10.0.0.0", "255.255.255.252");
    for (const ::fabric::ScenarioLink& l : s.links)
    {
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(l.rate.bps)));
        link.SetChannelAttribute("Delay", TimeValue(PicoSeconds(l.delay.ps)));
        const NetDeviceContainer ends = link.Install(nodes.Get(l.a), nodes.Get(l.b));
        const Ipv4InterfaceContainer interfaces = subnet.Assign(ends);
        subnet.NewNetwork();
        TrafficControlHelper().Uninstall(ends);
        for (uint32_t end = 0; end < 2; ++end)
        {
            const uint32_t node = end == 0 ? l.a : l.b;
            const uint32_t room = s.nodes[node].isHost ? hostQueue : switchQueue;
            DynamicCast<PointToPointNetDevice>(ends.Get(end))
                ->GetQueue()
                ->SetMaxSize(QueueSize(QueueSizeUnit::BYTES, room));
            if (s.nodes[node].isHost)
            {
                addresses[node] = interfaces.GetAddress(end);
                routing.GetStaticRouting(nodes.Get(node)->GetObject<Ipv4>())
                    ->SetDefaultRoute(interfaces.GetAddress(1 - end), interfaces.Get(end).second);
            }
        }
        m_devices.Add(ends);
    }
    for (const ::fabric::ScenarioRoute& r : ::fabric::loadRoutes(s.routesFile))
    {
        const uint32_t port = r.ports[r.dst % r.ports.size()];
        // Interface 0 is the loopback; the others follow the ports.
        routing.GetStaticRouting(nodes.Get(r.node)->GetObject<Ipv4>())
            ->AddHostRouteTo(addresses[r.dst], port + 1);
    }
}

uint64_t
PlainNetwork::PacketHops() const
{
    uint64_t hops = 0;
    for (auto it = m_devices.Begin(); it != m_devices.End(); ++it)
    {
        // A frame enters the queue even if the device is idle.
        const Ptr<Queue<Packet>> queue = DynamicCast<PointToPointNetDevice>(*it)->GetQueue();
        hops += queue->GetTotalReceivedPackets() - queue->GetNPackets();
    }
    return hops;
}

} // namespace fabric
} // namespace ns3
