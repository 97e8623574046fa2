/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-channel.h"

#include "fabric-net-device.h"

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
FabricChannel::Start(Ns3Engine& engine)
{
    core::Port::connect(m_devices[0]->GetPort(), m_devices[1]->GetPort());
    m_directions[0] = Create<Direction>(engine, *m_devices[0], *m_devices[1]);
    m_directions[1] = Create<Direction>(engine, *m_devices[1], *m_devices[0]);
}

FabricChannel::Direction::Direction(Ns3Engine& engine,
                                    const FabricNetDevice& from,
                                    const FabricNetDevice& to)
    : KeyedEvent(core::eventKey(core::keyNode(to.GetPort().node().id()),
                                core::EventKind::Arrival,
                                to.GetPort().index())),
      m_engine(engine),
      m_port(to.GetPort()),
      m_ring(std::make_unique<InFlight[]>(16)),
      m_mask(15),
      m_context(engine.GetContext(m_port.node().id()))
{
    from.GetPort().wire = this;
}

void
FabricChannel::Direction::Push(core::Packet* packet, core::Time arrival)
{
    if (m_count > m_mask)
    {
        Grow();
    }
    m_ring[(m_first + m_count++) & m_mask] = {packet, arrival};
    if (m_count == 1)
    {
        m_engine.Schedule(*this, m_context, arrival);
    }
}

void
FabricChannel::Direction::Grow()
{
    auto larger = std::make_unique<InFlight[]>(2 * m_count);
    for (uint32_t i = 0; i < m_count; ++i)
    {
        larger[i] = m_ring[(m_first + i) & m_mask];
    }
    m_ring = std::move(larger);
    m_mask = 2 * m_count - 1;
    m_first = 0;
}

void
FabricChannel::Direction::Prefetch() const
{
    if (m_count == 0)
    {
        return; // closed
    }
    const core::Packet* packet = m_ring[m_first].packet;
    __builtin_prefetch(packet, 1);
    __builtin_prefetch(&packet->sentAt, 1);
    m_port.prefetchIngress();
}

void
FabricChannel::Direction::Close()
{
    m_count = 0;
}

void
FabricChannel::Direction::Notify()
{
    const InFlight arrived = m_ring[m_first];
    m_engine.Arrive(arrived.arrival);
    m_first = (m_first + 1) & m_mask;
    if (--m_count > 0)
    {
        m_engine.Schedule(*this, m_context, m_ring[m_first].arrival);
    }
    if (m_port.watched)
    {
        static_cast<FabricNetDevice*>(m_port.device)->ShowReceived(*arrived.packet);
    }
    m_port.node().receive(m_port, arrived.packet);
}

} // namespace fabric
} // namespace ns3
