/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "leaf-spine.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace fabric
{

namespace
{

FabricHelper
MakeHelper()
{
    UsePicoseconds();
    return FabricHelper(1);
}

} // namespace

LeafSpine::LeafSpine(const LeafSpineOptions& o)
    : options(o),
      helper(MakeHelper())
{
    helper.Add("Queues", ObjectFactory("ns3::fabric::Fifo"));
    helper.Add("Queues", o.queue);
    helper.SetDeviceAttribute("Pfc", BooleanValue(o.pfc));
    if (o.configure)
    {
        o.configure(helper);
    }
    hosts.Create(o.leaves * o.hostsPerLeaf);
    leaves.Create(o.leaves);
    spines.Create(o.spines);
    helper.InstallHost(hosts);
    helper.InstallSwitch(leaves, 0);
    helper.InstallSwitch(spines, 1);
    for (uint32_t i = 0; i < hosts.GetN(); ++i)
    {
        const uint32_t leaf = i / o.hostsPerLeaf;
        helper.Connect(hosts.Get(i),
                       leaves.Get(leaf),
                       leaf == 0 ? o.firstLeafRate : o.rate,
                       o.delay);
    }
    for (uint32_t leaf = 0; leaf < o.leaves; ++leaf)
    {
        for (uint32_t spine = 0; spine < o.spines; ++spine)
        {
            helper.Connect(leaves.Get(leaf), spines.Get(spine), o.fabricRate, o.delay);
        }
    }
    helper.PopulateRoutes();
    FabricInternetHelper internet;
    internet.SetAttribute("QueueBytes", UintegerValue(o.queueBytes));
    nics = internet.Install(hosts);
    addresses = Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(nics);
    if (!o.queueDisc)
    {
        TrafficControlHelper().Uninstall(nics);
    }
}

Ptr<PacketSink>
LeafSpine::Tcp(uint32_t from, uint32_t to, uint64_t bytes, Time start)
{
    const uint16_t port = m_nextPort++;
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
    const ApplicationContainer receiver = sink.Install(hosts.Get(to));
    BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(addresses.GetAddress(to), port));
    bulk.SetAttribute("MaxBytes", UintegerValue(bytes));
    bulk.SetAttribute("SendSize", UintegerValue(65536));
    ApplicationContainer sender = bulk.Install(hosts.Get(from));
    sender.Start(start);
    return DynamicCast<PacketSink>(receiver.Get(0));
}

Ptr<Socket>
LeafSpine::Udp(uint32_t host, uint16_t port, std::function<void(Ptr<Socket>)> receive)
{
    const Ptr<Socket> socket =
        Socket::CreateSocket(hosts.Get(host), TypeId::LookupByName("ns3::UdpSocketFactory"));
    socket->Bind(InetSocketAddress(addresses.GetAddress(host), port));
    socket->SetRecvCallback(Callback<void, Ptr<Socket>>(std::move(receive)));
    return socket;
}

} // namespace fabric
} // namespace ns3
