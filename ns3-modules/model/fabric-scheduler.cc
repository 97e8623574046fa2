/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-scheduler.h"

#include "fabric-engine.h"

#include "ns3/fatal-error.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

NS_OBJECT_ENSURE_REGISTERED(FabricScheduler);

TypeId
FabricScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::fabric::FabricScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricScheduler>();
    return tid;
}

FabricScheduler* FabricScheduler::s_current = nullptr;
FabricScheduler* FabricScheduler::s_ofStretches = nullptr;

FabricScheduler::FabricScheduler()
    : m_stretch(Create<Stretch>(*this))
{
    s_current = this;
}

FabricScheduler::~FabricScheduler()
{
    if (s_current == this)
    {
        s_current = nullptr;
        s_ofStretches = nullptr;
    }
}

void
FabricScheduler::Insert(const Event& ev)
{
    InsertEntry(ToEntry(ev));
}

FabricScheduler::Entry
FabricScheduler::ToEntry(const Event& ev)
{
    const uint64_t rank = KeyedEvent::Is(*ev.impl)
                              ? MODEL_RANK | static_cast<const KeyedEvent*>(ev.impl)->GetKey()
                              : m_foreign++;
    return {static_cast<int64_t>(ev.key.m_ts), rank, ev.impl, ev.key.m_uid, ev.key.m_context};
}

bool
FabricScheduler::IsEmpty() const
{
    if (m_lanes)
    {
        return !m_lanes->apart() && m_lanes->size() == 0;
    }
    return m_nodeByNode ? m_nodes.empty() : m_events.empty();
}

Scheduler::Event
FabricScheduler::PeekNext() const
{
    return ToEvent(m_nodeByNode ? *m_nodes.peek() : *m_events.peek());
}

/// Takes out what First() has given.
FabricScheduler::Entry
FabricScheduler::TakeFirst()
{
    if (m_nodeByNode)
    {
        return m_nodes.takeFirst();
    }
    const Entry e = m_events.takeFirst();
    FetchAhead();
    return e;
}

/// A foreign event, or a stretch up to the next one.
Scheduler::Event
FabricScheduler::RemoveNext()
{
    if (s_ofStretches == this)
    {
        const Entry& first = First();
        if (first.rank >= MODEL_RANK)
        {
            m_stretch->Ref(); // the simulator's, which drops it after the event
            return {PeekPointer(m_stretch), {static_cast<uint64_t>(first.at), 0, first.context}};
        }
    }
    return ToEvent(TakeFirst());
}

void
FabricScheduler::RunStretch()
{
    m_inStretch = true;
    const Ptr<SimulatorImpl> simulator = Simulator::GetImplementation();
    // Finished: somebody has stopped the simulation, or nothing is left. What is more of a node is
    // the model's.
    const auto goesOn = [&] {
        if (m_lanes && !m_nodes.turnInSpan())
        {
            m_lanes->meet(); // else nobody knows whether something is left
        }
        return !simulator->IsFinished() && First().rank >= MODEL_RANK;
    };
    do
    {
        if (m_nodeByNode)
        {
            RunTurn(m_nodes); // nothing stops the simulation within a window
        }
        else
        {
            RunEvent(TakeFirst());
        }
    }
    while (goesOn());
    m_inStretch = false;
}

inline void
FabricScheduler::RunEvent(const Entry& e)
{
    auto& event = *static_cast<KeyedEvent*>(e.impl);
    event.Run();
    event.Unref();
}

/// The events of the node whose turn it is, which are the model's.
inline void
FabricScheduler::RunTurn(::fabric::NodeEvents<Entry>& nodes)
{
    do
    {
        const Entry e = nodes.takeFirst();
        // The node's own memory is in the cache, and the packet was fetched by the one before it.
        if (const Entry* next = nodes.ahead(); next != nullptr && next->rank >= MODEL_RANK)
        {
            static_cast<const KeyedEvent*>(next->impl)->PrefetchMore();
        }
        RunEvent(e);
    }
    while (nodes.more());
}

void
FabricScheduler::runTurn(uint32_t lane)
{
    RunTurn(*m_lane[lane]);
}

void
FabricScheduler::beginPhase(uint32_t lane, uint32_t phase)
{
    m_frames.setPhase(lane, phase);
}

uint64_t
FabricScheduler::sentTo(uint32_t lane) const
{
    return m_frames.sentTo(lane);
}

void
FabricScheduler::takeFrames(uint32_t from, uint32_t lane, uint32_t phase)
{
    // The packets are in another core's cache: several are fetched at a time.
    constexpr size_t AHEAD = 16;
    const std::vector<Frame>& frames = m_frames.sent(from, lane, phase);
    for (size_t i = 0; i < std::min(AHEAD, frames.size()); ++i)
    {
        core::FetchAhead::packet(*frames[i].packet);
    }
    for (size_t i = 0; i < frames.size(); ++i)
    {
        if (i + AHEAD < frames.size())
        {
            core::FetchAhead::packet(*frames[i + AHEAD].packet);
        }
        frames[i].wire->Take(frames[i].packet, frames[i].duration, frames[i].arrival);
    }
}

/// The next event; there is one.
const FabricScheduler::Entry&
FabricScheduler::First()
{
    if (m_nodeByNode && !m_nodes.turn())
    {
        KeepOrder();
    }
    return m_nodeByNode ? *m_nodes.ahead() : m_events.first();
}

void
FabricScheduler::FetchAhead() const
{
    // Each step finds in the cache what the one before has fetched, an event ago.
    if (const Entry* e = m_events.ahead(2))
    {
        core::FetchAhead::memory(e->impl);
    }
    if (const Entry* e = m_events.ahead(1); e != nullptr && e->rank >= MODEL_RANK)
    {
        static_cast<const KeyedEvent*>(e->impl)->Prefetch();
    }
    if (const Entry* e = m_events.ahead(0); e != nullptr && e->rank >= MODEL_RANK)
    {
        static_cast<const KeyedEvent*>(e->impl)->PrefetchMore();
    }
}

void
FabricScheduler::Remove(const Event& ev)
{
    const auto is = [&ev](const Entry& e) { return e.impl == ev.impl && e.uid == ev.key.m_uid; };
    if (!(m_nodeByNode ? m_nodes.remove(ToEntry(ev), is)
                       : m_events.remove(static_cast<int64_t>(ev.key.m_ts), is)))
    {
        NS_FATAL_ERROR("an event to be removed is not in the event list");
    }
}

void
FabricScheduler::RunStretches(::fabric::Windows& windows, uint32_t threads, uint64_t least)
{
#ifndef NS3_ASSERT_ENABLE // the simulator would assert that time does not go back
    if (s_current == nullptr)
    {
        return;
    }
    FabricScheduler& s = *s_current;
    s.m_nodes.setWindows(windows);
    s.m_events.forEach([&s](const Entry& e) { s.m_nodes.insert(e); });
    s.m_events.clear();
    s.m_nodeByNode = true;
    s_ofStretches = &s;
    if (threads > 1)
    {
        s.Share(windows, threads, least);
    }
#endif
}

void
FabricScheduler::LogWindows(::fabric::Windows& windows, std::ostream& out)
{
    RunStretches(windows);
    if (s_ofStretches != nullptr)
    {
        FabricScheduler& s = *s_ofStretches;
        s.m_log = std::make_unique<::fabric::WindowLog<Entry>>(s.m_nodes, windows, out);
    }
}

void
FabricScheduler::Share(::fabric::Windows& windows, uint32_t threads, uint64_t least)
{
    m_frames.setLanes(threads);
    m_lanes = std::make_unique<::fabric::NodeLanes<Entry>>(m_nodes,
                                                           windows,
                                                           threads,
                                                           least,
                                                           static_cast<::fabric::LaneWork&>(*this));
    for (uint32_t lane = 0; lane < threads; ++lane)
    {
        m_lane[lane] = &m_lanes->lane(lane);
    }
}

void
FabricScheduler::RunEventByEvent()
{
    s_ofStretches = nullptr;
    if (s_current != nullptr && s_current->m_nodeByNode)
    {
        s_current->KeepOrder();
    }
}

/// Back to the order of time.
void
FabricScheduler::KeepOrder()
{
    m_nodeByNode = false;
    m_lanes.reset();
    m_log.reset();
    m_nodes.forEach([this](const Entry& e) { m_events.insert(e); });
    m_nodes.clear();
}

} // namespace fabric
} // namespace ns3
