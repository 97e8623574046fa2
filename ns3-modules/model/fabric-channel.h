/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_CHANNEL_H
#define FABRIC_CHANNEL_H

#include "fabric-engine.h"

#include "mechanisms/core/node.h"

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <array>
#include <memory>
#include <vector>

namespace ns3
{
namespace fabric
{

class FabricNetDevice;

/**
 * \brief A full-duplex point-to-point link.
 *
 * Packets in flight wait in the link, first in first out, so that a direction has one pending event
 * however many packets it holds.
 */
class FabricChannel : public Channel
{
  public:
    static TypeId GetTypeId();
    FabricChannel();
    ~FabricChannel() override;

    void Attach(Ptr<FabricNetDevice> device);
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    Time GetDelay() const
    {
        return m_delay;
    }

    DataRate GetDataRate() const
    {
        return m_rate;
    }

    /// What is on its way in one direction, a port's `wire`; the event is the next arrival.
    class alignas(64) Direction final : public KeyedEvent
    {
      public:
        Direction(Ns3Engine& engine, const FabricNetDevice& from, const FabricNetDevice& to);
        /// The last bit of the packet arrives at `arrival`.
        void Push(core::Packet* packet, core::Time arrival);
        void Prefetch() const override;
        /// The ports are going, and what is on its way with them. The event may still be listed.
        void Close();

      protected:
        void Notify() override;

      private:
        struct InFlight
        {
            core::Packet* packet;
            core::Time arrival;
        };

        void Grow();

        // All in one line of the cache.
        Ns3Engine& m_engine;
        core::Port& m_port; //!< the receiving one
        std::unique_ptr<InFlight[]> m_ring;
        uint32_t m_mask; //!< the ring's size, a power of two, less 1
        uint32_t m_first{0};
        uint32_t m_count{0};
        uint32_t m_context; //!< ns-3's number of the receiving node
    };

    /// Both devices have their ports.
    void Start(Ns3Engine& engine);

  private:
    void DoDispose() override;

    std::vector<Ptr<FabricNetDevice>> m_devices;
    std::array<Ptr<Direction>, 2> m_directions; //!< by sending device
    Time m_delay;
    DataRate m_rate;
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_CHANNEL_H */
