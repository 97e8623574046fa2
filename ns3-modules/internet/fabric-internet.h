/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_INTERNET_H
#define FABRIC_INTERNET_H

#include "fabric-network.h"

#include "ns3/ipv4-address.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <unordered_map>

namespace ns3
{
namespace fabric
{

/// Which host of the fabric has an address; one per simulation, found from its FabricNetwork.
class FabricAddresses : public Object
{
  public:
    static TypeId GetTypeId();
    /// The fabric's.
    static Ptr<FabricAddresses> Get();

    static constexpr uint32_t NOBODY = 0xffffffff;
    /// The model's number of the host that has this address, or NOBODY. Said once for each address
    /// that nobody has.
    uint32_t Find(Ipv4Address address);

  private:
    std::unordered_map<uint32_t, uint32_t> m_hosts; //!< by address
};

/**
 * \brief Joins the IPv4 stack of a host to its NIC: ns-3's packets cross the fabric as they are.
 *
 * Aggregated to the FabricNetDevice of a host by FabricInternetHelper. A packet goes to the host
 * that has the destination address of its IP header, so nobody needs ARP and hosts need no route
 * but that of their own subnet. ECMP and flowlets hash its real addresses, protocol and ports; its
 * ECN field is what the fabric's queues see and mark.
 *
 * Packets wait in a first-in first-out queue of the NIC and take turns with the flows of its
 * FabricHost, as one flow of their class would. When the queue has no room for another full frame
 * the queue discs above it are stopped.
 */
class FabricInternet : public Object, private core::ForeignStack
{
  public:
    static TypeId GetTypeId();

    /// Joins the stack of the device's node and the device; before the simulation starts.
    void Attach(Ptr<FabricNetDevice> device);

    /// Bytes of Ethernet around an IP packet: header and FCS.
    static constexpr uint32_t FRAMING = 18;

    /// The hashes of a packet by what its headers have: addresses and protocol; of TCP and UDP the
    /// ports, too, except in fragments, of which only the first has them.
    struct Hashes
    {
        uint64_t directed;
        uint64_t symmetric; //!< the same for both directions
    };

    static Hashes HashOf(Ipv4Address source,
                         Ipv4Address destination,
                         uint8_t protocol,
                         uint16_t sourcePort = 0,
                         uint16_t destinationPort = 0);

  private:
    void DoDispose() override;
    bool Send(Ptr<Packet> packet, uint16_t protocol);
    bool Drop(Ptr<const Packet> packet);
    bool HasRoom() const;
    void onForeign(const core::Packet& packet) override;
    void onForeignSent(const core::Packet& packet) override;

    Ptr<FabricNetDevice> m_device;
    Ptr<NetDeviceQueue> m_txQueue;
    Ptr<FabricAddresses> m_addresses;
    core::Host* m_host{nullptr};
    uint32_t m_queueBytes{0};
    uint8_t m_class{0};
    TracedCallback<Ptr<const Packet>> m_dropTrace;
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_INTERNET_H */
