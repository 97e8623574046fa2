/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-scheduler.h"

#include "fabric-engine.h"

#include "ns3/fatal-error.h"

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

FabricScheduler::FabricScheduler() = default;

FabricScheduler::~FabricScheduler() = default;

void
FabricScheduler::Insert(const Event& ev)
{
    const uint64_t rank = KeyedEvent::Is(*ev.impl)
                              ? MODEL_RANK | static_cast<const KeyedEvent*>(ev.impl)->GetKey()
                              : m_foreign++;
    m_events.insert(
        {static_cast<int64_t>(ev.key.m_ts), rank, ev.impl, ev.key.m_uid, ev.key.m_context});
}

bool
FabricScheduler::IsEmpty() const
{
    return m_events.empty();
}

Scheduler::Event
FabricScheduler::PeekNext() const
{
    return ToEvent(*m_events.peek());
}

Scheduler::Event
FabricScheduler::RemoveNext()
{
    const Event next = ToEvent(m_events.takeFirst());
    FetchAhead();
    return next;
}

void
FabricScheduler::FetchAhead() const
{
    // Each step finds in the cache what the one before has fetched, an event ago.
    if (const Entry* e = m_events.ahead(2))
    {
        __builtin_prefetch(e->impl, 1);
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
    if (!m_events.remove(static_cast<int64_t>(ev.key.m_ts), is))
    {
        NS_FATAL_ERROR("an event to be removed is not in the event list");
    }
}

} // namespace fabric
} // namespace ns3
