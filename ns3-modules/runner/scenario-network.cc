/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario-network.h"

#include "ns3/names.h"

namespace ns3
{
namespace fabric
{

namespace
{

/// A factory for a component with the scenario's parameters as attributes.
ObjectFactory
Factory(const core::ComponentSpec& spec, const std::string& type)
{
    ObjectFactory factory(type);
    const core::Description& d = *core::Registry::find(spec.type);
    for (const auto& [name, value] : spec.params)
    {
        factory.Set(CamelCase(name), *ToAttribute(*d.find(name), value));
    }
    return factory;
}

ObjectFactory
Mechanism(const core::ComponentSpec& spec)
{
    return Factory(spec, FabricMechanism::TypeName(spec.type));
}

/// What a node is called in ns3::Names, where the fabric has the name of its own object.
std::string
UniqueName(std::string name)
{
    while (name == "fabric" || Names::Find<Object>(name))
    {
        name += '_';
    }
    return name;
}

} // namespace

NodeContainer
BuildNetwork(const core::Scenario& s, FabricHelper& fabric)
{
    fabric.SetHost(Factory(s.host, "ns3::fabric::FabricHost"));
    fabric.SetSwitch(Factory(s.switchNode, "ns3::fabric::FabricSwitch"));
    fabric.SetDevice(Factory(s.port, "ns3::fabric::FabricNetDevice"));
    fabric.SetTransport(Mechanism(s.transport));
    fabric.SetCongestionControl(Mechanism(s.congestionControl));
    fabric.SetPathSelector(Mechanism(s.pathSelector));
    for (const auto& q : s.queues)
    {
        fabric.AddQueue(Mechanism(q));
    }
    for (const auto& a : s.portAgents)
    {
        fabric.AddPortAgent(Mechanism(a));
    }
    for (const auto& r : s.receiverAgents)
    {
        fabric.AddReceiverAgent(Mechanism(r));
    }

    NodeContainer nodes;
    for (const auto& n : s.nodes)
    {
        const Ptr<Node> node = CreateObject<Node>();
        Names::Add(UniqueName(n.name), node);
        nodes.Add(node);
        if (n.isHost)
        {
            fabric.InstallHost(node);
        }
        else
        {
            fabric.InstallSwitch(node, n.hashSalt);
        }
    }
    // Ports are numbered in the order of their links.
    std::vector<NetDeviceContainer> links;
    for (const auto& l : s.links)
    {
        if (nodes.Get(l.a)->GetNDevices() != l.aPort || nodes.Get(l.b)->GetNDevices() != l.bPort)
        {
            throw core::InputError(
                "link " + s.nodes[l.a].name + " - " + s.nodes[l.b].name +
                ": the ports of a node must be numbered in the order of their links");
        }
        links.push_back(fabric.Connect(nodes.Get(l.a),
                                       nodes.Get(l.b),
                                       DataRate(l.rate.bps),
                                       PicoSeconds(l.delay.ps)));
    }
    for (const auto& r : core::loadRoutes(s.routesFile))
    {
        const Ptr<FabricSwitch> sw =
            r.node < nodes.GetN() ? nodes.Get(r.node)->GetObject<FabricSwitch>() : nullptr;
        if (!sw)
        {
            throw core::InputError(s.routesFile + ": node " + std::to_string(r.node) +
                                   " is not a switch");
        }
        sw->GetNode().setRoute(r.dst, r.ports);
    }
    for (const auto& e : s.linkEvents)
    {
        fabric.ScheduleLink(links[e.link].Get(0), PicoSeconds(e.at.ps), e.up);
    }
    for (const auto& r : s.routeChanges)
    {
        fabric.ScheduleRoutes(r.routesFile, PicoSeconds(r.at.ps));
    }
    return nodes;
}

} // namespace fabric
} // namespace ns3
