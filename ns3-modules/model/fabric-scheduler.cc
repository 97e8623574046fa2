/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-scheduler.h"

#include "fabric-engine.h"

#include "ns3/fatal-error.h"

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

FabricScheduler::FabricScheduler() = default;

FabricScheduler::~FabricScheduler() = default;

void
FabricScheduler::Insert(const Event& ev)
{
    const uint64_t rank = KeyedEvent::Is(*ev.impl)
                              ? MODEL_RANK | static_cast<const KeyedEvent*>(ev.impl)->GetKey()
                              : m_foreign++;
    const Entry e{ev.key.m_ts, rank, ev.impl, ev.key.m_uid, ev.key.m_context};
    const uint64_t slot = e.ts >> SLOT_BITS;
    const uint64_t ahead = slot - m_slot; // huge where the slot is in the past
    if (ahead - 1 < SLOTS - 1)
    {
        PushNode(slot, e);
    }
    else if (ahead == 0)
    {
        m_current.insert(std::upper_bound(m_current.begin(), m_current.end(), e, After), e);
    }
    else
    {
        m_far.push_back(e);
        std::push_heap(m_far.begin(), m_far.end(), After);
    }
}

void
FabricScheduler::PushNode(uint64_t slot, const Entry& e)
{
    if (m_free == 0)
    {
        m_nodes.push_back({e, 0});
        m_free = m_nodes.size();
    }
    const uint32_t number = m_free;
    Node& node = m_nodes[number - 1];
    m_free = node.next;
    uint32_t& head = m_heads[slot % SLOTS];
    node = {e, head};
    head = number;
    m_used[slot % SLOTS / 64] |= uint64_t{1} << slot % 64;
    ++m_inWheel;
}

void
FabricScheduler::Free(uint32_t number)
{
    m_nodes[number - 1].next = m_free;
    m_free = number;
    --m_inWheel;
}

void
FabricScheduler::MarkEmpty(uint64_t slot)
{
    m_used[slot % SLOTS / 64] &= ~(uint64_t{1} << slot % 64);
}

void
FabricScheduler::Open(uint64_t slot)
{
    m_slot = slot;
    MarkEmpty(slot);
    for (uint32_t& head = m_heads[slot % SLOTS]; head != 0;)
    {
        const uint32_t number = head;
        m_current.push_back(m_nodes[number - 1].entry);
        head = m_nodes[number - 1].next;
        Free(number);
    }
    if (m_current.size() > 1)
    {
        std::sort(m_current.begin(), m_current.end(), After);
    }
}

uint64_t
FabricScheduler::FirstSlot() const
{
    uint64_t slot = m_slot + 1;
    uint64_t word = m_used[slot % SLOTS / 64] >> slot % 64;
    while (word == 0)
    {
        slot = (slot / 64 + 1) * 64;
        word = m_used[slot % SLOTS / 64];
    }
    return slot + __builtin_ctzll(word);
}

const FabricScheduler::Entry*
FabricScheduler::FirstNear() const
{
    if (!m_current.empty())
    {
        return &m_current.back();
    }
    if (m_inWheel == 0)
    {
        return nullptr;
    }
    const Entry* first = nullptr;
    for (uint32_t n = m_heads[FirstSlot() % SLOTS]; n != 0; n = m_nodes[n - 1].next)
    {
        const Entry& e = m_nodes[n - 1].entry;
        if (first == nullptr || Before(e, *first))
        {
            first = &e;
        }
    }
    return first;
}

void
FabricScheduler::PrefetchNext() const
{
    const auto comes = [](const Entry& e) {
        if (e.rank >= MODEL_RANK)
        {
            static_cast<const KeyedEvent*>(e.impl)->Prefetch();
        }
    };
    if (m_current.size() > 1)
    {
        __builtin_prefetch(m_current[m_current.size() - 2].impl);
    }
    if (!m_current.empty())
    {
        comes(m_current.back());
    }
    else if (m_inWheel > 0)
    {
        for (uint32_t n = m_heads[FirstSlot() % SLOTS]; n != 0; n = m_nodes[n - 1].next)
        {
            comes(m_nodes[n - 1].entry);
        }
    }
}

bool
FabricScheduler::IsEmpty() const
{
    return m_current.empty() && m_inWheel == 0 && m_far.empty();
}

Scheduler::Event
FabricScheduler::PeekNext() const
{
    const Entry* near = FirstNear();
    return ToEvent(
        near != nullptr && (m_far.empty() || Before(*near, m_far.front())) ? *near : m_far.front());
}

Scheduler::Event
FabricScheduler::RemoveNext()
{
    if (m_current.empty() && m_inWheel > 0)
    {
        const uint64_t slot = FirstSlot();
        if (m_far.empty() || slot <= m_far.front().ts >> SLOT_BITS)
        {
            Open(slot);
        }
    }
    if (!m_current.empty() && (m_far.empty() || Before(m_current.back(), m_far.front())))
    {
        const Event next = ToEvent(m_current.back());
        m_current.pop_back();
        PrefetchNext();
        return next;
    }
    std::pop_heap(m_far.begin(), m_far.end(), After);
    const Event next = ToEvent(m_far.back());
    m_far.pop_back();
    if (m_current.empty())
    {
        // The wheel turns on to now: its slots up to here are empty.
        Open(next.key.m_ts >> SLOT_BITS);
    }
    return next;
}

void
FabricScheduler::Remove(const Event& ev)
{
    const auto found = [&ev](const Entry& e) { return e.IsFor(ev); };
    if (const auto it = std::find_if(m_current.begin(), m_current.end(), found);
        it != m_current.end())
    {
        m_current.erase(it);
        return;
    }
    if (const auto it = std::find_if(m_far.begin(), m_far.end(), found); it != m_far.end())
    {
        m_far.erase(it);
        std::make_heap(m_far.begin(), m_far.end(), After);
        return;
    }
    const uint64_t slot = ev.key.m_ts >> SLOT_BITS;
    for (uint32_t* at = &m_heads[slot % SLOTS]; *at != 0; at = &m_nodes[*at - 1].next)
    {
        const uint32_t number = *at;
        if (!m_nodes[number - 1].entry.IsFor(ev))
        {
            continue;
        }
        *at = m_nodes[number - 1].next;
        Free(number);
        if (m_heads[slot % SLOTS] == 0)
        {
            MarkEmpty(slot);
        }
        return;
    }
    NS_FATAL_ERROR("an event to be removed is not in the event list");
}

} // namespace fabric
} // namespace ns3
