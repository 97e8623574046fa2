/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_SCHEDULER_H
#define FABRIC_SCHEDULER_H

#include "mechanisms/core/event_wheel.h"

#include "ns3/scheduler.h"

#include <cstdint>

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
 * They wait in the model's own EventWheel, which OMNeT++'s side uses too.
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
        int64_t at;
        uint64_t rank;
        EventImpl* impl;
        uint32_t uid;
        uint32_t context;

        bool before(const Entry& o) const
        {
            return at < o.at || (at == o.at && rank < o.rank);
        }
    };

    /// Ranks from here on are model keys; below, foreign events by their order of scheduling.
    static constexpr uint64_t MODEL_RANK = uint64_t{1} << 63;

    /// Fetches from memory what the next events need.
    void FetchAhead() const;

    static Event ToEvent(const Entry& e)
    {
        return {e.impl, {static_cast<uint64_t>(e.at), e.uid, e.context}};
    }

    ::fabric::EventWheel<Entry> m_events;
    uint64_t m_foreign{0}; //!< events scheduled so far that are not the fabric's
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_SCHEDULER_H */
