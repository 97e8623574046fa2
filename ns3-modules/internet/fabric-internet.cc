/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-internet.h"

#include "mechanisms/core/random.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <iostream>

namespace ns3
{
namespace fabric
{

NS_OBJECT_ENSURE_REGISTERED(FabricAddresses);
NS_OBJECT_ENSURE_REGISTERED(FabricInternet);

namespace
{

constexpr uint16_t IPV4 = 0x0800;
constexpr uint8_t TCP = 6;
constexpr uint8_t UDP = 17;

uint16_t
U16(const uint8_t* at)
{
    return at[0] << 8 | at[1];
}

uint32_t
U32(const uint8_t* at)
{
    return uint32_t{U16(at)} << 16 | U16(at + 2);
}

/// What the fabric looks at of an IPv4 packet (RFC 791).
struct Ipv4Fields
{
    explicit Ipv4Fields(const Packet& packet)
    {
        std::array<uint8_t, 64> head{}; // the longest header, and two ports
        packet.CopyData(head.data(), head.size());
        ecn = head[1] & 3;
        protocol = head[9];
        source = Ipv4Address(U32(&head[12]));
        destination = Ipv4Address(U32(&head[16]));
        const bool fragment = (U16(&head[6]) & 0x3fff) != 0; // more fragments, or an offset
        if (!fragment && (protocol == TCP || protocol == UDP))
        {
            const uint32_t length = 4 * (head[0] & 0xf);
            sourcePort = U16(&head[length]);
            destinationPort = U16(&head[length + 2]);
        }
    }

    Ipv4Address source, destination;
    uint8_t ecn, protocol;
    uint16_t sourcePort{0}, destinationPort{0};
};

/// The model gives back what a packet carried.
void
Release(void* packet)
{
    static_cast<Packet*>(packet)->Unref();
}

} // namespace

TypeId
FabricAddresses::GetTypeId()
{
    static TypeId tid = TypeId("ns3::fabric::FabricAddresses")
                            .SetParent<Object>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricAddresses>();
    return tid;
}

Ptr<FabricAddresses>
FabricAddresses::Get()
{
    const Ptr<FabricNetwork> network = FabricNetwork::Get();
    Ptr<FabricAddresses> addresses = network->GetObject<FabricAddresses>();
    if (!addresses)
    {
        addresses = CreateObject<FabricAddresses>();
        network->AggregateObject(addresses);
    }
    return addresses;
}

uint32_t
FabricAddresses::Find(Ipv4Address address)
{
    const auto known = m_hosts.find(address.Get());
    if (known != m_hosts.end())
    {
        return known->second;
    }
    uint32_t found = NOBODY;
    const Ptr<FabricNetwork> network = FabricNetwork::Get();
    for (uint32_t i = 0; i < network->GetNNodes() && found == NOBODY; ++i)
    {
        const Ptr<Ipv4> ipv4 = network->GetNode(i)->GetObject<Ipv4>();
        if (ipv4 && ipv4->GetInterfaceForAddress(address) >= 0)
        {
            found = i;
        }
    }
    if (found == NOBODY)
    {
        std::cerr << "fabric: no host has the address " << address
                  << "; packets to it are dropped at their sender. Give it to the NIC of a host "
                     "with Ipv4AddressHelper::Assign\n";
    }
    m_hosts[address.Get()] = found;
    return found;
}

TypeId
FabricInternet::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::fabric::FabricInternet")
            .SetParent<Object>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricInternet>()
            .AddAttribute("QueueBytes",
                          "Room of the NIC's queue for packets of the internet stack, in bytes of "
                          "frames; at least one frame of the device's MTU. The default is 100 "
                          "frames of 1518 B, the packets that ns-3's own devices hold.",
                          UintegerValue(151800),
                          MakeUintegerAccessor(&FabricInternet::m_queueBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Class",
                          "Priority class of the packets of the internet stack; below the host's "
                          "Classes. Fixed once it is installed.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&FabricInternet::m_class),
                          MakeUintegerChecker<uint8_t>(0, core::kMaxClasses - 1))
            .AddTraceSource("TxDrop",
                            "A packet was dropped before it entered the fabric: no room in the "
                            "NIC's queue, or no host has its destination address.",
                            MakeTraceSourceAccessor(&FabricInternet::m_dropTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

void
FabricInternet::Attach(Ptr<FabricNetDevice> device)
{
    m_host = dynamic_cast<core::Host*>(&device->GetPort().node());
    if (m_host == nullptr)
    {
        NS_FATAL_ERROR("node " << device->GetNode()->GetId()
                               << " is a switch; only hosts have an internet stack");
    }
    m_device = device;
    m_addresses = FabricAddresses::Get();
    m_host->network().packets().setForeignRelease(&Release);
    m_host->setForeignStack(*this, m_class);
    const int64_t mtu = std::min<int64_t>(m_host->mtu() - FRAMING, 0xffff);
    device->SetMtu(static_cast<uint16_t>(mtu));
    const Ptr<NetDeviceQueueInterface> queues = CreateObject<NetDeviceQueueInterface>();
    device->AggregateObject(queues);
    m_txQueue = queues->GetTxQueue(0);
    device->AggregateObject(this);
    device->SetSendCallback(MakeCallback(&FabricInternet::Send, this));
}

void
FabricInternet::DoDispose()
{
    m_device = nullptr;
    m_txQueue = nullptr;
    m_addresses = nullptr;
    Object::DoDispose();
}

FabricInternet::Hashes
FabricInternet::HashOf(Ipv4Address source,
                       Ipv4Address destination,
                       uint8_t protocol,
                       uint16_t sourcePort,
                       uint16_t destinationPort)
{
    const auto endpoint = [protocol](Ipv4Address address, uint16_t port) {
        return uint64_t{protocol} << 48 | uint64_t{address.Get()} << 16 | port;
    };
    const uint64_t a = endpoint(source, sourcePort);
    const uint64_t b = endpoint(destination, destinationPort);
    return {core::pairHash(a, b), core::pairHash(std::min(a, b), std::max(a, b))};
}

bool
FabricInternet::Drop(Ptr<const Packet> packet)
{
    m_dropTrace(packet);
    return false;
}

bool
FabricInternet::HasRoom() const
{
    return m_host->foreignBytes() + m_device->GetMtu() + FRAMING <= m_queueBytes;
}

bool
FabricInternet::Send(Ptr<Packet> packet, uint16_t protocol)
{
    if (protocol != IPV4)
    {
        return Drop(packet);
    }
    const uint32_t bytes = packet->GetSize() + FRAMING;
    if (bytes > m_host->mtu())
    {
        NS_FATAL_ERROR("host " << m_host->name() << " sends a frame of " << bytes
                               << " B, the fabric carries up to " << m_host->mtu()
                               << " B; raise the attribute Mtu of ns3::fabric::FabricHost, or "
                                  "lower the device's MTU to "
                               << m_host->mtu() - FRAMING);
    }
    if (m_queueBytes < m_device->GetMtu() + FRAMING)
    {
        NS_FATAL_ERROR("ns3::fabric::FabricInternet::QueueBytes of host "
                       << m_host->name() << " is " << m_queueBytes
                       << " B; a frame of the device's MTU takes " << m_device->GetMtu() + FRAMING);
    }
    if (!m_host->network().started())
    {
        NS_FATAL_ERROR("host " << m_host->name()
                               << " sends before the fabric has started; make the FabricHelper "
                                  "before whatever sends at time 0");
    }
    const Ipv4Fields ip(*packet);
    if (ip.destination.IsBroadcast() || ip.destination.IsMulticast())
    {
        return Drop(packet); // the fabric carries unicast
    }
    const uint32_t host = m_addresses->Find(ip.destination);
    if (host == FabricAddresses::NOBODY || m_host->foreignBytes() + bytes > m_queueBytes)
    {
        return Drop(packet);
    }

    FabricNetwork::SyncEngine();
    core::Packet* p = m_host->foreignPacket();
    p->dst = host;
    p->wireBytes = bytes;
    p->payload = packet->GetSize();
    const Hashes hashes =
        HashOf(ip.source, ip.destination, ip.protocol, ip.sourcePort, ip.destinationPort);
    p->hash = hashes.directed;
    p->symmetricHash = hashes.symmetric;
    p->ect = ip.ecn != Ipv4Header::ECN_NotECT;
    p->marked = ip.ecn == Ipv4Header::ECN_CE;
    p->sentAt = m_host->network().engine().now();
    packet->Ref(); // the model's, until Release
    m_host->network().packets().foreign(*p) = PeekPointer(packet);
    m_host->sendForeign(p);
    if (!HasRoom())
    {
        m_txQueue->Stop();
    }
    return true;
}

void
FabricInternet::onForeignSent(const core::Packet&)
{
    if (m_txQueue->IsStopped() && HasRoom())
    {
        m_txQueue->Wake(); // schedules what it has to do, so nothing comes back in here
    }
}

void
FabricInternet::onForeign(const core::Packet& p)
{
    Ptr<Packet> packet(static_cast<Packet*>(m_host->network().packets().foreign(p)));
    if (p.marked)
    {
        Ipv4Header header;
        packet->PeekHeader(header);
        if (header.GetEcn() != Ipv4Header::ECN_CE)
        {
            packet = packet->Copy();
            packet->RemoveHeader(header);
            header.SetEcn(Ipv4Header::ECN_CE);
            if (Node::ChecksumEnabled())
            {
                header.EnableChecksum();
            }
            packet->AddHeader(header);
        }
    }
    const auto* from =
        static_cast<FabricNetDevice*>(m_host->network().nodes()[p.src]->port(0).device);
    m_device->Deliver(packet, IPV4, from->GetAddress());
}

} // namespace fabric
} // namespace ns3
