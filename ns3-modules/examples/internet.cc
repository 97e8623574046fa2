/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * ns-3's own TCP and UDP over a fabric: two leaves, two spines, four hosts.
 *
 *   host0 ---\          / spine0 \          /--- host2
 *             leaf0 ---<          >--- leaf1
 *   host1 ---/          \ spine1 /          \--- host3
 *
 * Two TCP transfers and a UDP stream cross the spines, on paths that ECMP chooses by their real
 * addresses and ports. Switches mark at 65 packets (DCTCP's threshold for 10 Gb/s). The table
 * printed at the end says what arrived and what each uplink carried.
 */
#include "fabric-helper.h"
#include "fabric-internet-helper.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include <iostream>

using namespace ns3;
using namespace ns3::fabric;

int
main(int argc, char** argv)
{
    Time::SetResolution(Time::PS); // first: the fabric counts picoseconds

    std::string tcp = "TcpDctcp";
    uint32_t seed = 1;
    bool pcap = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("tcp", "TcpDctcp, TcpCubic, TcpLinuxReno, ...", tcp);
    cmd.AddValue("seed", "of ns-3's random numbers", seed);
    cmd.AddValue("pcap", "write a capture file of host2's NIC", pcap);
    cmd.Parse(argc, argv);

    RngSeedManager::SetSeed(seed);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::" + tcp));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(tcp == "TcpDctcp" ? "On" : "Off"));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(1)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(1)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));

    // The fabric. A lossy network: no PFC, a queue of 1 MB at every port.
    const DataRate rate("10Gbps");
    const Time delay = MicroSeconds(1);
    FabricHelper fabric;
    fabric.SetDeviceAttribute("Pfc", BooleanValue(false));
    fabric.Add("Queues", "ns3::fabric::Fifo"); // class 0: nobody uses it here
    fabric.Add("Queues",
               "ns3::fabric::Red",
               "Kmin",
               UintegerValue(65 * 1518),
               "Kmax",
               UintegerValue(65 * 1518),
               "Pmax",
               DoubleValue(1),
               "Limit",
               UintegerValue(1000000));
    NodeContainer hosts(4);
    NodeContainer leaves(2);
    NodeContainer spines(2);
    fabric.InstallHost(hosts);
    fabric.InstallSwitch(leaves, 0);
    fabric.InstallSwitch(spines, 1);
    for (uint32_t i = 0; i < 4; ++i)
    {
        fabric.Connect(hosts.Get(i), leaves.Get(i / 2), rate, delay);
    }
    NetDeviceContainer uplinks;
    for (uint32_t leaf = 0; leaf < 2; ++leaf)
    {
        for (uint32_t spine = 0; spine < 2; ++spine)
        {
            uplinks.Add(fabric.Connect(leaves.Get(leaf), spines.Get(spine), rate, delay).Get(0));
        }
    }
    fabric.PopulateRoutes();

    // The internet stack on its hosts: one subnet, no router, no ARP.
    const NetDeviceContainer nics = FabricInternetHelper().Install(hosts);
    const Ipv4InterfaceContainer addresses =
        Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(nics);
    if (pcap)
    {
        fabric.EnablePcap("host2", nics.Get(2));
    }

    // Any application of ns-3's.
    ApplicationContainer sinks;
    const auto sink = [&](const std::string& socket, uint32_t host, uint16_t port) {
        PacketSinkHelper helper(socket, InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.Add(helper.Install(hosts.Get(host)));
        return InetSocketAddress(addresses.GetAddress(host), port);
    };
    for (uint32_t i = 0; i < 2; ++i)
    {
        BulkSendHelper bulk("ns3::TcpSocketFactory", sink("ns3::TcpSocketFactory", 2 + i, 5000));
        bulk.SetAttribute("MaxBytes", UintegerValue(20000000));
        bulk.SetAttribute("SendSize", UintegerValue(65536));
        bulk.Install(hosts.Get(i));
    }
    OnOffHelper stream("ns3::UdpSocketFactory", sink("ns3::UdpSocketFactory", 2, 6000));
    stream.SetAttribute("DataRate", DataRateValue(DataRate("2Gbps")));
    stream.SetAttribute("PacketSize", UintegerValue(1472));
    stream.SetAttribute("OnTime", StringValue("ns3::ExponentialRandomVariable[Mean=0.001]"));
    stream.SetAttribute("OffTime", StringValue("ns3::ExponentialRandomVariable[Mean=0.001]"));
    stream.Install(hosts.Get(1));

    fabric.StopAt(MilliSeconds(50));
    const int code = fabric.Run();

    static const char* const names[] = {"TCP host0 -> host2",
                                        "TCP host1 -> host3",
                                        "UDP host1 -> host2"};
    for (uint32_t i = 0; i < 3; ++i)
    {
        std::cout << names[i] << ": " << DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx()
                  << " B\n";
    }
    for (uint32_t i = 0; i < uplinks.GetN(); ++i)
    {
        std::cout << "leaf" << i / 2 << " -> spine" << i % 2 << ": "
                  << DynamicCast<FabricNetDevice>(uplinks.Get(i))->GetPort().sentWireBytes()
                  << " B\n";
    }
    Simulator::Destroy();
    return code;
}
