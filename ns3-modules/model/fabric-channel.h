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
    class alignas(64) Direction final : public KeyedEvent, public core::InArena
    {
      public:
        Direction(const FabricNetDevice& from, const FabricNetDevice& to);
        /// The packet takes `duration` from now on; its last bit arrives at `arrival`. Ends the
        /// program if another frame is still being sent.
        void Push(Ns3Engine& engine, core::Packet* packet, core::Time duration, core::Time arrival);
        /// As Push(), in the lane of the receiving node, of a frame that was sent in another one.
        void Take(core::Packet* packet, core::Time duration, core::Time arrival);
        void Prefetch() const override;
        void PrefetchMore() const override;
        /// The ports are going, and what is on its way with them. The event may still be listed.
        void Close();

      protected:
        void Notify() override;

      private:
        FABRIC_RARE void RefuseOverlap() const;

        // All in one line of the cache.
        core::Port& m_port;             //!< the receiving one
        core::Packet* m_first{nullptr}; //!< null: nothing is on its way
        core::Packet* m_last{nullptr};
        core::Time m_firstAt; //!< when m_first arrives
        core::Time m_lastAt;  //!< and m_last, whose own line may be out of the cache
    };

    /// Both devices have their ports.
    void Start();

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
