/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs one scenario file on ns-3 (docs/formats.md). Everything goes through FabricHelper and
 * attributes: an ordinary ns-3 program could do the same.
 */
#include "fabric-helper.h"
#include "kernel.h"

#include "mechanisms/runner/catalog.h"

#include "ns3/names.h"
#include "ns3/simulator.h"

#include <cstring>
#include <iostream>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

struct Options
{
    std::string scenario;
    std::string trace;
    std::string summary;
    int64_t progressMs = 500;
};

constexpr const char* USAGE =
    "usage: fabric-ns3 --scenario FILE [--trace FILE] [--summary FILE] [--progress-ms N]\n"
    "       fabric-ns3 --kernel event|stock      (what an event costs in ns-3 itself)\n"
    "       fabric-ns3 --version";

Options
Parse(int argc, char** argv)
{
    Options o;
    for (int i = 1; i < argc; ++i)
    {
        const std::string arg = argv[i];
        if (i + 1 == argc)
        {
            throw core::InputError(arg + " needs a value, or is unknown\n" + USAGE);
        }
        const std::string value = argv[++i];
        if (arg == "--scenario")
        {
            o.scenario = value;
        }
        else if (arg == "--trace")
        {
            o.trace = value;
        }
        else if (arg == "--summary")
        {
            o.summary = value;
        }
        else if (arg == "--progress-ms")
        {
            o.progressMs = std::atoll(value.c_str());
        }
        else
        {
            throw core::InputError("unknown option " + arg + "\n" + USAGE);
        }
    }
    if (o.scenario.empty())
    {
        throw core::InputError(std::string("--scenario is missing\n") + USAGE);
    }
    return o;
}

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

int
Run(const Options& options)
{
    const core::Scenario s = core::Scenario::load(options.scenario);
    core::FlowFile flows(s.flowsFile);

    FabricHelper fabric(s.seed);
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
        Names::Add(n.name, node);
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
    fabric.SetFlows(flows, flows.count());
    for (const auto& t : s.tables)
    {
        fabric.EnableTable(t.name, t.filter);
    }
    fabric.StopAt(PicoSeconds(s.stop.ps));
    if (s.stopWhenFlowsFinish)
    {
        fabric.StopWhenFlowsFinish();
    }
    fabric.WriteTrace(options.trace, options.summary);
    fabric.SetProgressInterval(options.progressMs);
    return fabric.Run();
}

} // namespace

int
main(int argc, char** argv)
{
    Time::SetResolution(Time::PS);
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0)
    {
        const core::Json version{{"engine", "ns3"},
                                 {"engine_version", FABRIC_NS3_VERSION},
                                 {"compiler", FABRIC_COMPILER},
                                 {"build_type", FABRIC_BUILD_TYPE},
                                 {"flags", FABRIC_FLAGS}};
        std::cout << version.dump() << std::endl;
        return 0;
    }
    try
    {
        if (argc == 3 && std::strcmp(argv[1], "--kernel") == 0)
        {
            MeasureKernel(argv[2], std::cout);
            return std::cout.flush() ? 0 : 1;
        }
        const int code = Run(Parse(argc, argv));
        Simulator::Destroy();
        return code;
    }
    catch (const core::InputError& e)
    {
        std::cerr << e.what() << std::endl;
        return core::kExitRefused;
    }
    catch (
        const std::invalid_argument& e) // a parameter or a limit that only the built network knows
    {
        std::cerr << e.what() << std::endl;
        return core::kExitRefused;
    }
    catch (const std::exception& e)
    {
        std::cerr << "fabric-ns3: " << e.what() << std::endl;
        return 1;
    }
}
