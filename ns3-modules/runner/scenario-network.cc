/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "scenario-network.h"

#include "ns3/names.h"
#include "ns3/string.h"

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

/// What the helper installs from now on.
void
Use(FabricHelper& fabric, const core::NodeComponents& components, bool isHost)
{
    if (isHost)
    {
        fabric.SetHost(Factory(components.node, "ns3::fabric::FabricHost"));
    }
    else
    {
        fabric.SetSwitch(Factory(components.node, "ns3::fabric::FabricSwitch"));
    }
    fabric.SetDevice(Factory(components.port, "ns3::fabric::FabricNetDevice"));
    fabric.ClearSlots();
    for (const auto& [slot, specs] : components.slots)
    {
        for (const core::ComponentSpec& spec : specs)
        {
            const ObjectFactory factory = Factory(spec, FabricMechanism::TypeName(spec.type));
            if (slot->count == core::Count::One)
            {
                fabric.Set(CamelCase(slot->key), factory);
            }
            else
            {
                fabric.Add(CamelCase(slot->key), factory);
            }
        }
    }
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
    fabric.CopyMechanisms();
    const std::vector<std::vector<size_t>> ends = core::linkEnds(s);
    std::vector<Ptr<FabricNetDevice>> devices(2 * s.links.size());
    NodeContainer nodes;
    size_t used = s.components.size();
    for (size_t i = 0; i < s.nodes.size(); ++i)
    {
        const core::ScenarioNode& n = s.nodes[i];
        if (s.componentsOf[i] != used)
        {
            used = s.componentsOf[i];
            Use(fabric, s.components[used], n.isHost);
        }
        const Ptr<Node> node = CreateObject<Node>();
        const std::string name = UniqueName(n.name);
        const auto setName = [&](const std::string& text) {
            n.isHost ? fabric.SetHostAttribute("Name", StringValue(text))
                     : fabric.SetSwitchAttribute("Name", StringValue(text));
        };
        Names::Add(name, node);
        nodes.Add(node);
        if (name != n.name)
        {
            setName(n.name);
        }
        if (n.isHost)
        {
            fabric.InstallHost(node);
        }
        else
        {
            fabric.InstallSwitch(node, n.hashSalt);
        }
        if (name != n.name)
        {
            setName("");
        }
        for (const size_t end : ends[i])
        {
            const core::ScenarioLink& l = s.links[end / 2];
            devices[end] = fabric.AddDevice(node, DataRate(l.rate.bps), PicoSeconds(l.delay.ps));
        }
    }
    std::vector<NetDeviceContainer> links;
    for (size_t end = 0; end < devices.size(); end += 2)
    {
        links.push_back(fabric.Connect(devices[end], devices[end + 1]));
    }
    core::setRoutes(FabricNetwork::Get()->GetCore(), s.routesFile);
    for (const auto& e : s.linkEvents)
    {
        fabric.ScheduleLink(links[e.link].Get(0), PicoSeconds(e.at.ps), e.up);
    }
    for (const auto& e : s.rateEvents)
    {
        fabric.ScheduleRate(links[e.link].Get(0), PicoSeconds(e.at.ps), DataRate(e.rate.bps));
    }
    for (const auto& e : s.hostEvents)
    {
        fabric.ScheduleHost(nodes.Get(e.node), PicoSeconds(e.at.ps), e.up);
    }
    for (const auto& r : s.routeChanges)
    {
        fabric.ScheduleRoutes(r.routesFile, PicoSeconds(r.at.ps));
    }
    return nodes;
}

} // namespace fabric
} // namespace ns3
