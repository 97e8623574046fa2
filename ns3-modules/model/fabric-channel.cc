/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-channel.h"

#include "fabric-net-device.h"

#include "mechanisms/core/fetch_ahead.h"
#include "mechanisms/core/node.h"

#include "ns3/fatal-error.h"

namespace ns3
{
namespace fabric
{

NS_OBJECT_ENSURE_REGISTERED(FabricChannel);

TypeId
FabricChannel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::fabric::FabricChannel")
            .SetParent<Channel>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricChannel>()
            .AddAttribute("Delay",
                          "Propagation delay. Fixed once the link is connected.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&FabricChannel::m_delay),
                          MakeTimeChecker())
            .AddAttribute("DataRate",
                          "Rate in each direction. Fixed once the link is connected.",
                          DataRateValue(DataRate("100Gbps")),
                          MakeDataRateAccessor(&FabricChannel::m_rate),
                          MakeDataRateChecker());
    return tid;
}

FabricChannel::FabricChannel() = default;

FabricChannel::~FabricChannel() = default;

void
FabricChannel::DoDispose()
{
    // Simulator::Destroy takes the pending events from the list only after the nodes are gone.
    for (const Ptr<Direction>& direction : m_directions)
    {
        if (direction)
        {
            direction->Close();
        }
    }
    m_devices.clear();
    m_directions = {};
    Channel::DoDispose();
}

void
FabricChannel::Attach(Ptr<FabricNetDevice> device)
{
    if (m_devices.size() == 2)
    {
        NS_FATAL_ERROR("a FabricChannel joins two devices; a third one was attached");
    }
    m_devices.push_back(device);
    device->Attach(this, m_devices.size() - 1);
    if (m_devices.size() == 2)
    {
        core::Port::connect(m_devices[0]->GetPort(), m_devices[1]->GetPort());
    }
}

std::size_t
FabricChannel::GetNDevices() const
{
    return m_devices.size();
}

Ptr<NetDevice>
FabricChannel::GetDevice(std::size_t i) const
{
    return m_devices[i];
}

void
FabricChannel::Start()
{
    m_directions[0] = Create<Direction>(*m_devices[0], *m_devices[1]);
    m_directions[1] = Create<Direction>(*m_devices[1], *m_devices[0]);
}

FabricChannel::Direction::Direction(const FabricNetDevice& from, const FabricNetDevice& to)
    : KeyedEvent(core::eventKey(core::keyNode(to.GetPort().node().id()),
                                core::EventKind::Arrival,
                                to.GetPort().index())),
      m_port(to.GetPort())
{
    from.GetPort().wire = this;
}

void
FabricChannel::Direction::Push(Ns3Engine& engine,
                               core::Packet* packet,
                               core::Time duration,
                               core::Time arrival)
{
    if (m_first == nullptr)
    {
        m_first = packet;
        m_firstAt = arrival;
        engine.Schedule(*this, arrival);
    }
    else
    {
        if (arrival - duration < m_lastAt)
        {
            RefuseOverlap();
        }
        m_last->next = packet;
        m_last->nextAt = arrival;
    }
    m_last = packet;
    m_lastAt = arrival;
    packet->next = nullptr;
}

void
FabricChannel::Direction::Take(core::Packet* packet, core::Time duration, core::Time arrival)
{
    Push(static_cast<Ns3Engine&>(m_port.engine()), packet, duration, arrival);
}

void
FabricChannel::Direction::RefuseOverlap() const
{
    NS_FATAL_ERROR("a frame is sent towards port "
                   << m_port.index() << " of " << m_port.node().name()
                   << " while another one is: a port has put two on the wire at once");
}

void
FabricChannel::Direction::Prefetch() const
{
    if (m_first == nullptr)
    {
        return; // closed
    }
    core::FetchAhead::packet(*m_first);
    core::FetchAhead::arrival(m_port);
}

void
FabricChannel::Direction::PrefetchMore() const
{
    if (m_first != nullptr)
    {
        m_port.node().fetchAhead(*m_first);
    }
}

void
FabricChannel::Direction::Close()
{
    m_first = nullptr;
}

void
FabricChannel::Direction::Notify()
{
    core::Packet* packet = m_first;
    auto& engine = static_cast<Ns3Engine&>(m_port.engine());
    engine.Arrive(m_firstAt);
    m_first = packet->next;
    if (m_first != nullptr)
    {
        // It comes when some more of this node's events have run, or in the next window.
        core::FetchAhead::packet(*m_first);
        m_firstAt = packet->nextAt;
        engine.Schedule(*this, m_firstAt);
    }
    if (m_port.watched)
    {
        static_cast<FabricNetDevice*>(m_port.device)->ShowReceived(*packet);
    }
    m_port.node().receive(m_port, packet);
}

} // namespace fabric
} // namespace ns3
