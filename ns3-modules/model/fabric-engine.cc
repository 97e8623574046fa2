/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-engine.h"

#include "fabric-net-device.h"
#include "fabric-scheduler.h"

#include "mechanisms/core/port.h"

#include "ns3/simulator.h"

#include <typeinfo>

namespace ns3
{
namespace fabric
{

bool
KeyedEvent::Is(const EventImpl& event)
{
    // Both classes are final and of this library, so a type has one address.
    const std::type_info* type = &typeid(event);
    return type == &typeid(FabricChannel::Direction) || type == &typeid(ModelEvent);
}

void
ModelEvent::Notify()
{
    m_engine.Fire(*this);
}

Ns3Engine::~Ns3Engine()
{
    m_all.forEach([](const std::vector<ModelEvent*>& all) {
        for (ModelEvent* e : all)
        {
            e->Unref();
        }
    });
}

void
Ns3Engine::Close()
{
    m_all.forEach([](const std::vector<ModelEvent*>& all) {
        for (ModelEvent* e : all)
        {
            e->m_event = nullptr;
        }
    });
}

void
Ns3Engine::doSchedule(core::Event& event)
{
    std::vector<ModelEvent*>& free = m_free.here();
    if (free.empty())
    {
        free.push_back(new ModelEvent(*this)); // with one reference, ours
        m_all.here().push_back(free.back());
    }
    ModelEvent* e = free.back();
    free.pop_back();
    e->m_event = &event;
    e->m_key = event.key();
    e->m_at = event.at();
    event.slot = e;
    Schedule(*e, event.at());
}

void
Ns3Engine::Schedule(KeyedEvent& event, core::Time at)
{
    const uint32_t context = GetContext((event.GetKey() >> 40) - 1);
    if (FabricScheduler* list = FabricScheduler::OfStretches())
    {
        list->Insert(event, at.ps, context);
        return;
    }
    event.Ref(); // the simulator's, which drops it after the event
    Simulator::ScheduleWithContext(context, TimeStep(at.ps - now().ps), &event);
}

void
Ns3Engine::cancel(core::Event& event)
{
    if (!event.pending())
    {
        return;
    }
    auto* e = static_cast<ModelEvent*>(event.slot);
    e->m_event = nullptr;
    event.slot = nullptr;
    FabricScheduler* list = FabricScheduler::OfStretches();
    if (list != nullptr && list->Drop(*e, e->m_at.ps))
    {
        m_free.here().push_back(e);
    }
}

void
Ns3Engine::Fire(ModelEvent& fired)
{
    core::Event* event = fired.m_event;
    m_free.here().push_back(&fired);
    if (event == nullptr)
    {
        return;
    }
    event->slot = nullptr;
    advance(fired.m_at);
    event->fire();
}

void
Ns3Engine::transmit(core::Port& from, core::Packet* packet, core::Time duration)
{
    if (from.watched)
    {
        static_cast<FabricNetDevice*>(from.device)->ShowSent(*packet);
    }
    auto& wire = *static_cast<FabricChannel::Direction*>(from.wire);
    const core::Time arrival = now() + duration + from.delay();
    if (m_apart && from.peerLane != core::thisLane())
    {
        FabricScheduler::OfStretches()->Send(from.peerLane, {&wire, packet, duration, arrival});
        return;
    }
    wire.Push(*this, packet, duration, arrival);
}

void
Ns3Engine::part()
{
    m_apart = true;
}

void
Ns3Engine::meet(uint32_t lanes)
{
    m_apart = false;
    core::evenOut(m_free, lanes, [](std::vector<ModelEvent*>& free) -> std::vector<ModelEvent*>& {
        return free;
    });
}

void
Ns3Engine::Sync()
{
    const FabricScheduler* list = FabricScheduler::OfStretches();
    if (list == nullptr || !list->InStretch()) // in a stretch, the model's clock is the right one
    {
        setNow(core::Time{Simulator::Now().GetTimeStep()});
    }
}

void
Ns3Engine::stop()
{
    Simulator::Stop();
}

void
Ns3Engine::SetContext(uint32_t coreNode, uint32_t ns3Node)
{
    if (m_contexts.size() <= coreNode)
    {
        m_contexts.resize(coreNode + 1, Simulator::NO_CONTEXT);
    }
    m_contexts[coreNode] = ns3Node;
}

uint32_t
Ns3Engine::GetContext(uint32_t coreNode) const
{
    return coreNode < m_contexts.size() ? m_contexts[coreNode] : Simulator::NO_CONTEXT;
}

} // namespace fabric
} // namespace ns3
