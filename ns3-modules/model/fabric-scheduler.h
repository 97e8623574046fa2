/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_SCHEDULER_H
#define FABRIC_SCHEDULER_H

#include "fabric-channel.h"
#include "fabric-engine.h"

#include "mechanisms/core/event_wheel.h"
#include "mechanisms/core/lane.h"
#include "mechanisms/core/lane_post.h"
#include "mechanisms/core/node_events.h"
#include "mechanisms/core/node_lanes.h"
#include "mechanisms/core/window_log.h"

#include "ns3/scheduler.h"

#include <array>
#include <cstdint>
#include <memory>
#include <ostream>
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
 * They wait in the model's own EventWheel, which OMNeT++'s side uses too.
 *
 * On request the model's events run in stretches: all up to the next event that is not the model's
 * are one event for ns-3, because what ns-3 does for each event would be a sixth of all work. Then
 * nodes run one behind the other, too, for as long as no packet can get from one to another
 * (NodeEvents). Results are the same, but Simulator::Now() is the time at which a stretch began.
 * Several threads may share the nodes then (NodeLanes); all their work is within stretches.
 */
class FabricScheduler : public Scheduler, private ::fabric::LaneWork
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

    /// From now on, in the scheduler that the simulator uses, by so many threads
    /// (`least`: see NodeLanes); does nothing if that is another one.
    static void RunStretches(::fabric::Windows& windows, uint32_t threads = 1, uint64_t least = 0);
    /// The same on one thread; writes what more threads would gain (WindowLog).
    static void LogWindows(::fabric::Windows& windows, std::ostream& out);
    /// No longer; before what was given is gone.
    static void RunEventByEvent();
    /// The list that runs stretches, which the model's events go into without ns-3; null: none.
    static FabricScheduler* OfStretches()
    {
        return s_ofStretches;
    }
    void Insert(KeyedEvent& event, int64_t at, uint32_t context)
    {
        event.Ref(); // as if ns-3 had done it: what is left at the end is ns-3's to drop
        InsertEntry({at, MODEL_RANK | event.GetKey(), &event, 0, context});
    }
    /// Takes out an event that was cancelled and would come late, as most timers would. False: it
    /// stays, and does nothing when it comes.
    bool Drop(KeyedEvent& event, int64_t at)
    {
        const auto is = [&event](const Entry& e) { return e.impl == &event; };
        if (!m_nodeByNode ||
            !Nodes().removeFar({at, MODEL_RANK | event.GetKey(), &event, 0, 0}, is))
        {
            return false;
        }
        event.Unref();
        return true;
    }

    /// Whether an event of the model is running that ns-3 does not know of.
    bool InStretch() const
    {
        return m_inStretch;
    }

    /// A frame on its way to another lane, which puts it on the wire.
    struct Frame
    {
        FabricChannel::Direction* wire;
        core::Packet* packet;
        core::Time duration;
        core::Time arrival;
    };

    void Send(uint8_t lane, const Frame& frame)
    {
        m_frames.send(lane, frame);
    }

  private:
    /// Ranks from here on are model keys; below, foreign events by their order of scheduling.
    static constexpr uint64_t MODEL_RANK = uint64_t{1} << 63;

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

        // For NodeEvents.
        void fetch() const
        {
            ::fabric::FetchAhead::memory(impl);
        }
        void fetchMore() const
        {
            if (rank >= MODEL_RANK)
            {
                static_cast<const KeyedEvent*>(impl)->Prefetch();
            }
        }

        /// The model's number, as in its key; foreign events are of no node and come first.
        uint32_t node() const
        {
            constexpr uint32_t LAST = ::fabric::kLastNode & ~(MODEL_RANK >> 40);
            const uint32_t node = (rank & ~MODEL_RANK) >> 40;
            return rank < MODEL_RANK ? ::fabric::kFirstNode
                   : node == LAST    ? ::fabric::kLastNode
                                     : node;
        }
    };

    /// One event for ns-3, many for the model.
    class Stretch final : public EventImpl
    {
      public:
        explicit Stretch(FabricScheduler& list)
            : m_list(list)
        {
        }

      protected:
        void Notify() override
        {
            m_list.RunStretch();
        }

      private:
        FabricScheduler& m_list;
    };

    /// Fetches from memory what the next events need.
    void FetchAhead() const;
    void KeepOrder();
    /// Inline and without the entry's address, as NodeEvents::insert() needs it to be.
    [[gnu::always_inline]] void InsertEntry(const Entry entry)
    {
        if (m_nodeByNode)
        {
            Nodes().insert(entry);
        }
        else
        {
            m_events.insert(Entry(entry));
        }
    }
    const Entry& First();
    Entry TakeFirst();
    static void RunEvent(const Entry& e);
    static void RunTurn(::fabric::NodeEvents<Entry>& nodes);
    void RunStretch();
    void runTurn(uint32_t lane) override;
    void beginPhase(uint32_t lane, uint32_t phase) override;
    uint64_t sentTo(uint32_t lane) const override;
    void takeFrames(uint32_t from, uint32_t lane, uint32_t phase) override;
    void Share(::fabric::Windows& windows, uint32_t threads, uint64_t least);

    /// Of this thread's lane.
    ::fabric::NodeEvents<Entry>& Nodes()
    {
        return *m_lane[::fabric::thisLane()];
    }

    Entry ToEntry(const Event& ev);

    static Event ToEvent(const Entry& e)
    {
        return {e.impl, {static_cast<uint64_t>(e.at), e.uid, e.context}};
    }

    static FabricScheduler* s_current;     //!< the last one made, which is the simulator's
    static FabricScheduler* s_ofStretches; //!< the same, or null

    ::fabric::EventWheel<Entry> m_events;
    ::fabric::NodeEvents<Entry> m_nodes; //!< in place of m_events, while nodes run one by one
    std::array<::fabric::NodeEvents<Entry>*, ::fabric::kMostLanes> m_lane{&m_nodes};
    ::fabric::LanePost<Frame> m_frames;
    std::unique_ptr<::fabric::NodeLanes<Entry>> m_lanes; //!< null: one thread
    std::unique_ptr<::fabric::WindowLog<Entry>> m_log;   //!< null: none
    bool m_nodeByNode{false};
    Ptr<Stretch> m_stretch;
    bool m_inStretch{false};
    uint64_t m_foreign{0}; //!< events scheduled so far that are not the fabric's
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_SCHEDULER_H */
