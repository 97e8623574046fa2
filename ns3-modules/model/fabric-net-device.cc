/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-net-device.h"

#include "fabric-network.h"
#include "fabric-wire-format.h"

#include "mechanisms/core/node.h"

#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{
namespace fabric
{

NS_LOG_COMPONENT_DEFINE("FabricNetDevice");

NS_OBJECT_ENSURE_REGISTERED(FabricNetDevice);

TypeId
FabricNetDevice::GetTypeId()
{
    static TypeId tid =
        AddSlotAttributes(
            AddSlotAttributes(AddComponentAttributes(TypeId("ns3::fabric::FabricNetDevice")
                                                         .SetParent<NetDevice>()
                                                         .SetGroupName("Fabric")
                                                         .AddConstructor<FabricNetDevice>(),
                                                     core::Port::describe()),
                              core::Where::Nic),
            core::Where::SwitchPort)
            .AddTraceSource(
                "Queue",
                "Sampled egress queue: class, bytes, packets, largest bytes since the last "
                "sample. Table queues; enable it with FabricHelper::EnableTable.",
                MakeTraceSourceAccessor(&FabricNetDevice::m_queueTrace),
                "ns3::fabric::FabricNetDevice::QueueTracedCallback")
            .AddTraceSource(
                "Link",
                "Sampled counters: wire bytes sent, payload bytes of data packets sent, time "
                "paused. Table links.",
                MakeTraceSourceAccessor(&FabricNetDevice::m_linkTrace),
                "ns3::fabric::FabricNetDevice::LinkTracedCallback")
            .AddTraceSource("Pause",
                            "PFC frame: class, XOFF, sent (or received). Table pauses.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_pauseTrace),
                            "ns3::fabric::FabricNetDevice::PauseTracedCallback")
            .AddTraceSource("Drop",
                            "Dropped packet: class, flow, kind, wire bytes, reason. Table drops.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_dropTrace),
                            "ns3::fabric::FabricNetDevice::DropTracedCallback")
            .AddTraceSource(
                "Packet",
                "Packet event: event, flow, kind, seq, wire bytes, class, marked. Table packets.",
                MakeTraceSourceAccessor(&FabricNetDevice::m_packetTrace),
                "ns3::fabric::FabricNetDevice::PacketTracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "Every frame sent or received, as it would be on the wire.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_snifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "A frame begins to be sent.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyTxBeginTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "A frame has arrived in full.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyRxEndTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

FabricNetDevice::FabricNetDevice()
    : m_address(Mac48Address::Allocate())
{
    m_port->device = this;
}

FabricNetDevice::~FabricNetDevice() = default;

void
FabricNetDevice::DoDispose()
{
    m_node = nullptr;
    m_channel = nullptr;
    Unplug();
    m_sendCallback = SendCallback();
    m_receiveCallback = ReceiveCallback();
    m_promiscReceiveCallback = PromiscReceiveCallback();
    NetDevice::DoDispose();
}

core::Component&
FabricNetDevice::GetComponent() const
{
    return *m_port;
}

void
FabricNetDevice::Attach(Ptr<FabricChannel> channel, std::size_t side)
{
    m_channel = channel;
    m_side = side;
}

void
FabricNetDevice::ShowSent(const core::Packet& packet) const
{
    if (!m_phyTxBeginTrace.IsEmpty() || !m_snifferTrace.IsEmpty())
    {
        const Ptr<const Packet> frame = ToWireFormat(m_port->node().network(), packet);
        m_phyTxBeginTrace(frame);
        m_snifferTrace(frame);
    }
}

void
FabricNetDevice::ShowReceived(const core::Packet& packet) const
{
    if (!m_phyRxEndTrace.IsEmpty() || !m_snifferTrace.IsEmpty())
    {
        const Ptr<const Packet> frame = ToWireFormat(m_port->node().network(), packet);
        m_phyRxEndTrace(frame);
        m_snifferTrace(frame);
    }
}

void
FabricNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricNetDevice::GetChannel() const
{
    return m_channel;
}

void
FabricNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
FabricNetDevice::GetAddress() const
{
    return m_address;
}

bool
FabricNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
FabricNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
FabricNetDevice::IsLinkUp() const
{
    return m_channel && m_channel->GetNDevices() == 2;
}

void
FabricNetDevice::AddLinkChangeCallback(Callback<void>)
{
    // A fabric link is up from the start to the end.
}

bool
FabricNetDevice::IsBroadcast() const
{
    return false;
}

Address
FabricNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricNetDevice::IsMulticast() const
{
    return false;
}

Address
FabricNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
FabricNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
FabricNetDevice::IsBridge() const
{
    return false;
}

bool
FabricNetDevice::IsPointToPoint() const
{
    return true;
}

bool
FabricNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
FabricNetDevice::SendFrom(Ptr<Packet> packet,
                          const Address& source,
                          const Address&,
                          uint16_t protocol)
{
    if (m_sendCallback.IsNull() || Mac48Address::ConvertFrom(source) != m_address)
    {
        NS_LOG_WARN("a fabric device carries the flows of its FabricHost; for packets of ns-3's "
                    "internet stack see FabricInternetHelper");
        return false;
    }
    // The link address does not count: nobody needs ARP, the destination stands in the IP header.
    return m_sendCallback(packet, protocol);
}

void
FabricNetDevice::SetSendCallback(SendCallback callback)
{
    m_sendCallback = callback;
}

void
FabricNetDevice::Deliver(Ptr<const Packet> packet, uint16_t protocol, const Address& from)
{
    if (!m_promiscReceiveCallback.IsNull())
    {
        m_promiscReceiveCallback(this, packet, protocol, from, m_address, PACKET_HOST);
    }
    if (!m_receiveCallback.IsNull())
    {
        m_receiveCallback(this, packet, protocol, from);
    }
}

Ptr<Node>
FabricNetDevice::GetNode() const
{
    return m_node;
}

void
FabricNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
FabricNetDevice::NeedsArp() const
{
    return false;
}

void
FabricNetDevice::SetReceiveCallback(ReceiveCallback callback)
{
    m_receiveCallback = callback;
}

void
FabricNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback callback)
{
    m_promiscReceiveCallback = callback;
}

bool
FabricNetDevice::SupportsSendFrom() const
{
    return false;
}

} // namespace fabric
} // namespace ns3
