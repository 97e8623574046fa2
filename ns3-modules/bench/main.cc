/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * ns-3's own TCP with the topology, the flows and the time of a scenario (docs/formats.md), for
 * `fabriclab bench`: what the same load costs in ns-3's internet stack.
 */
#include "fabric-helper.h"
#include "fabric-internet-helper.h"
#include "ns3-tcp.h"
#include "plain-network.h"

#include "mechanisms/runner/options.h"
#include "ns3-modules/runner/scenario-network.h"

#include "ns3/bulk-send-application.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include <nlohmann/json.hpp>

#include <iostream>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr uint16_t PORT = 5000;
/// Room of a host's device: never full, because a flow of the project waits at its host, too.
constexpr uint32_t HOST_QUEUE = 10000000;

constexpr const char* USAGE =
    "usage: fabric-ns3-tcp --scenario FILE --network fabric|point-to-point";

int64_t
Param(const core::ComponentSpec& spec, const std::string& name)
{
    for (const auto& [key, value] : spec.params)
    {
        if (key == name)
        {
            return std::get<int64_t>(value);
        }
    }
    return std::get<int64_t>(core::Registry::find(spec.type)->find(name)->def);
}

void
SetTcp(const core::Scenario& s)
{
    const core::NodeComponents& host = s.components[core::Scenario::kHost];
    const core::ComponentSpec& transport = host.in("transport").front();
    const core::ComponentSpec& control = host.in("congestion_control").front();
    if (transport.type != "tcp")
    {
        throw core::InputError("transport " + transport.type +
                               ": ns-3 has only tcp; choose a scenario with it");
    }
    Ns3Tcp tcp;
    tcp.control = control.type;
    tcp.segment = Param(host.node, "mtu") - FabricInternet::FRAMING - TCP_HEADERS;
    tcp.initialWindow = Param(control, "initial_window");
    tcp.ackEvery = Param(host.node, "ack_every");
    tcp.ackDelay = PicoSeconds(Param(transport, "ack_delay"));
    tcp.minRto = PicoSeconds(Param(transport, "min_rto"));
    if (!SetNs3Tcp(tcp))
    {
        throw core::InputError("congestion control " + tcp.control +
                               ": ns-3 has newreno, cubic and dctcp");
    }
    // Connections that are over are looked through for every packet until ns-3 forgets them.
    Config::SetDefault("ns3::TcpSocketBase::MaxSegLifetime", DoubleValue(1e-3));
}

/// One application for each flow, and one for each host that receives.
class Flows
{
  public:
    Flows(core::FlowFeed& flows,
          const NodeContainer& nodes,
          const std::vector<Ipv4Address>& addresses)
    {
        std::vector<bool> receives(nodes.GetN());
        for (const core::FlowSpec* f = flows.peek(); f != nullptr; f = flows.peek())
        {
            if (f->persistent)
            {
                throw core::InputError("flow " + std::to_string(f->id) +
                                       ": messages on persistent connections are not for this "
                                       "comparison");
            }
            const InetSocketAddress to(addresses[f->dst], PORT);
            if (!receives[f->dst])
            {
                receives[f->dst] = true;
                m_sinks.Add(
                    PacketSinkHelper("ns3::TcpSocketFactory", to).Install(nodes.Get(f->dst)));
            }
            BulkSendHelper bulk("ns3::TcpSocketFactory", to);
            bulk.SetAttribute("MaxBytes", UintegerValue(f->size));
            bulk.SetAttribute("SendSize", UintegerValue(65536));
            ApplicationContainer sender = bulk.Install(nodes.Get(f->src));
            sender.Start(PicoSeconds(f->start.ps));
            CountTimeouts(DynamicCast<BulkSendApplication>(sender.Get(0)),
                          PicoSeconds(f->start.ps));
            if (f->stop.ps >= 0)
            {
                sender.Stop(PicoSeconds(f->stop.ps));
            }
            flows.pop();
        }
    }

    uint64_t DeliveredBytes() const
    {
        uint64_t bytes = 0;
        for (auto it = m_sinks.Begin(); it != m_sinks.End(); ++it)
        {
            bytes += DynamicCast<PacketSink>(*it)->GetTotalRx();
        }
        return bytes;
    }

    uint64_t Timeouts() const
    {
        return m_timeouts;
    }

  private:
    /// The application makes its socket when it starts.
    void CountTimeouts(const Ptr<BulkSendApplication>& sender, Time start)
    {
        Simulator::Schedule(start + PicoSeconds(1), [this, sender] {
            sender->GetSocket()->TraceConnectWithoutContext(
                "CongState",
                Callback<void, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t>(
                    [this](TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t state) {
                        m_timeouts += state == TcpSocketState::CA_LOSS;
                    }));
        });
    }

    ApplicationContainer m_sinks;
    uint64_t m_timeouts{0}; //!< not those that follow another before anything was acknowledged
};

struct Cost
{
    uint64_t packetHops, deliveredBytes, timeouts;
};

Cost
OverFabric(const core::Scenario& s, core::FlowFeed& feed)
{
    FabricHelper fabric(s.seed);
    const NodeContainer nodes = BuildNetwork(s, fabric);
    NodeContainer hosts;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        if (s.nodes[i].isHost)
        {
            hosts.Add(nodes.Get(i));
        }
    }
    FabricInternetHelper internet;
    internet.SetAttribute("QueueBytes", UintegerValue(HOST_QUEUE));
    internet.SetAttribute(
        "Class",
        UintegerValue(s.components[core::Scenario::kSwitch].in("queues").size() - 1)); // data
    const NetDeviceContainer nics = internet.Install(hosts);
    const Ipv4InterfaceContainer assigned = Ipv4AddressHelper("10.0.0.0", "255.0.0.0").Assign(nics);
    TrafficControlHelper().Uninstall(nics);
    std::vector<Ipv4Address> addresses(nodes.GetN());
    for (uint32_t i = 0; i < hosts.GetN(); ++i)
    {
        addresses[hosts.Get(i)->GetId()] = assigned.GetAddress(i);
    }
    Flows flows(feed, nodes, addresses);
    fabric.StopAt(PicoSeconds(s.stop.ps));
    if (fabric.Run() != core::kExitOk)
    {
        throw std::runtime_error("a check of the fabric failed");
    }
    return {FabricNetwork::Get()->GetCore().total().packetHops,
            flows.DeliveredBytes(),
            flows.Timeouts()};
}

Cost
OverPointToPoint(const core::Scenario& s, core::FlowFeed& feed)
{
    const PlainNetwork network(s, HOST_QUEUE);
    Flows flows(feed, network.nodes, network.addresses);
    Simulator::Stop(PicoSeconds(s.stop.ps));
    Simulator::Run();
    return {network.PacketHops(), flows.DeliveredBytes(), flows.Timeouts()};
}

void
Run(const std::string& scenario, Cost (*carry)(const core::Scenario&, core::FlowFeed&))
{
    const core::Scenario s = core::Scenario::load(scenario);
    if (!s.linkEvents.empty() || !s.rateEvents.empty() || !s.routeChanges.empty())
    {
        throw core::InputError(scenario + ": links that fail are not for this comparison");
    }
    SetTcp(s);
    core::FlowFile feed(s.flowsFile);
    if (feed.hasDependencies())
    {
        throw core::InputError(scenario +
                               ": flows that wait for others are not for this comparison");
    }
    const Cost cost = carry(s, feed);
    std::cout << nlohmann::ordered_json{{"packet_hops", cost.packetHops},
                                        {"events", Simulator::GetEventCount()},
                                        {"delivered_bytes", cost.deliveredBytes},
                                        {"timeouts", cost.timeouts}}
              << std::endl;
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char** argv)
{
    Time::SetResolution(Time::PS);
    try
    {
        std::string scenario;
        auto carry = &OverFabric;
        core::Options(USAGE)
            .text("--scenario", scenario)
            .required("--scenario")
            .choice("--network",
                    carry,
                    {{"fabric", &OverFabric}, {"point-to-point", &OverPointToPoint}})
            .required("--network")
            .parse(argc, argv);
        Run(scenario, carry);
        return core::kExitOk;
    }
    catch (const core::InputError& e)
    {
        std::cerr << e.what() << std::endl;
        return core::kExitRefused;
    }
    catch (const std::exception& e)
    {
        std::cerr << "fabric-ns3-tcp: " << e.what() << std::endl;
        return 1;
    }
}
