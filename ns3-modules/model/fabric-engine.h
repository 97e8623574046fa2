/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_ENGINE_H
#define FABRIC_ENGINE_H

#include "mechanisms/core/engine.h"
#include "mechanisms/core/fetch_ahead.h"
#include "mechanisms/core/lane.h"

#include "ns3/event-impl.h"

#include <vector>

namespace ns3
{
namespace fabric
{

/// The model, which knows no simulator.
namespace core = ::fabric;

class Ns3Engine;

/// An event of ns-3 with the model's key, which orders it among those of the same time.
class KeyedEvent : public EventImpl
{
  public:
    uint64_t GetKey() const
    {
        return m_key;
    }

    /// What happens; Invoke() of ns-3 besides asks whether the event was cancelled, which none is.
    void Run()
    {
        Notify();
    }

    /// This event comes soon and is in the cache: fetches from memory what it looks at first.
    virtual void Prefetch() const = 0;
    /// That is in the cache, too: fetches what it looks at then.
    virtual void PrefetchMore() const = 0;

    /// Whether an event is one of the fabric's: its type is one of the two final classes below this
    /// one.
    static bool Is(const EventImpl& event);

  protected:
    explicit KeyedEvent(uint64_t key = 0)
        : m_key(key)
    {
    }

    uint64_t m_key;
};

/**
 * \brief An event of the model in ns-3's event list.
 *
 * Lanes have their own, so it has a line of the cache of its own. Reused: when it fires or its
 * event is cancelled it goes back to the engine. EventImpl::Cancel is never called on it, because
 * an EventImpl that was cancelled once never runs again.
 */
class alignas(64) ModelEvent final : public KeyedEvent
{
  public:
    explicit ModelEvent(Ns3Engine& engine)
        : m_engine(engine)
    {
    }

    void Prefetch() const override
    {
        core::FetchAhead::memory(m_event);
    }

    void PrefetchMore() const override
    {
        if (m_event != nullptr)
        {
            m_event->fetchAhead();
        }
    }

  protected:
    void Notify() override;

  private:
    friend class Ns3Engine;
    Ns3Engine& m_engine;
    core::Event* m_event{nullptr}; //!< null: cancelled
    core::Time m_at;
};

/// The model's view of ns3::Simulator.
class Ns3Engine final : public core::Engine
{
  public:
    Ns3Engine() = default;
    ~Ns3Engine() override;

    void cancel(core::Event& event) override;
    void transmit(core::Port& from, core::Packet* packet, core::Time duration) override;
    void stop() override;
    void part() override;
    void meet(uint32_t lanes) override;

    /// The model is going. Its events may stay in ns-3's event list for longer, and nobody looks at
    /// them.
    void Close();

    /// To be called before the model is entered from an event that is not its own.
    void Sync();

    /// ns-3's number of the model's node; the context of its events.
    void SetContext(uint32_t coreNode, uint32_t ns3Node);
    uint32_t GetContext(uint32_t coreNode) const;

    /// Puts an event that is not pending into ns-3's event list, in the context of its node.
    void Schedule(KeyedEvent& event, core::Time at);

    /// For links: a packet arrives now.
    void Arrive(core::Time at)
    {
        advance(at);
    }

  private:
    friend class ModelEvent;
    void doSchedule(core::Event& event) override;
    void Fire(ModelEvent& fired);

    bool m_apart{false}; //!< lanes run side by side
    core::PerLane<std::vector<ModelEvent*>> m_free;
    core::PerLane<std::vector<ModelEvent*>> m_all; //!< each holds one reference of ours
    std::vector<uint32_t> m_contexts;
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_ENGINE_H */
