/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_SCHEDULER_H
#define FABRIC_SCHEDULER_H

#include "ns3/scheduler.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * \brief Event list that runs events of one time in the order of the model's own keys.
 *
 * ns-3's schedulers run events of one time in the order in which they were scheduled, which depends
 * on how packets in flight are kept, and their 32-bit event number wraps. Here events of the fabric
 * are ordered by their key (receiving node, kind, ingress); all other events of that time run
 * before them, in the order of scheduling.
 *
 * Events of the next 8.4 us, that is nearly all, wait in a wheel of 0.26 ns slots, unsorted until
 * their slot's turn comes: a few operations per event, however many wait. Those further away
 * (timers) wait in a heap, and the next event is the earlier of both, so no event ever moves
 * between them.
 */
class FabricScheduler : public Scheduler
{
  public:
    static TypeId GetTypeId();
    FabricScheduler();
    ~FabricScheduler() override;

    void Insert(const Event& ev) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& ev) override;

  private:
    struct Entry
    {
        uint64_t ts;
        uint64_t rank;
        EventImpl* impl;
        uint32_t uid;
        uint32_t context;

        bool IsFor(const Event& ev) const
        {
            return impl == ev.impl && uid == ev.key.m_uid;
        }
    };

    /// An entry in a slot's list, or free.
    struct Node
    {
        Entry entry;
        uint32_t next; //!< counted from 1; 0 = none
    };

    static constexpr unsigned SLOT_BITS = 8; //!< a slot is 2^8 ps
    static constexpr uint64_t SLOTS = 32768;

    /// Ranks from here on are model keys; below, foreign events by their order of scheduling.
    static constexpr uint64_t MODEL_RANK = uint64_t{1} << 63;

    static bool Before(const Entry& a, const Entry& b)
    {
        return a.ts < b.ts || (a.ts == b.ts && a.rank < b.rank);
    }

    /// For std::*_heap and descending order.
    static bool After(const Entry& a, const Entry& b)
    {
        return Before(b, a);
    }

    static Event ToEvent(const Entry& e)
    {
        return {e.impl, {e.ts, e.uid, e.context}};
    }

    void PushNode(uint64_t slot, const Entry& e);
    void Free(uint32_t number);
    void MarkEmpty(uint64_t slot);
    /// Takes the list of the slot out of the wheel and sorts it into m_current.
    void Open(uint64_t slot);
    /// The first slot with entries; the wheel has one.
    uint64_t FirstSlot() const;
    /// Fetches from memory what the next events need.
    void PrefetchNext() const;
    /// The earliest entry of the wheel and m_current, null if there is none.
    const Entry* FirstNear() const;

    std::vector<Entry> m_current; //!< the entries of the slot m_slot, the earliest last
    uint64_t m_slot{0};           //!< m_current's; the wheel has m_slot + 1 to m_slot + SLOTS - 1
    std::array<uint32_t, SLOTS> m_heads{};
    std::array<uint64_t, SLOTS / 64> m_used{}; //!< a bit per slot
    size_t m_inWheel{0};
    std::vector<Node> m_nodes;
    uint32_t m_free{0};
    std::vector<Entry> m_far; //!< heap
    uint64_t m_foreign{0};    //!< events scheduled so far that are not the fabric's
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_SCHEDULER_H */
