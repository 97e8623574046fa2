/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_NET_DEVICE_H
#define FABRIC_NET_DEVICE_H

#include "fabric-channel.h"
#include "fabric-slots.h"

#include "mechanisms/core/port.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <vector>

namespace ns3
{
namespace fabric
{

/// A trace source of frames. From the first connection on its port is watched; until then nobody
/// needs to look here.
class FrameTrace
{
  public:
    explicit FrameTrace(core::Port& port)
        : m_port(port)
    {
    }

    void ConnectWithoutContext(const CallbackBase& callback)
    {
        m_port.watched = true;
        m_callbacks.ConnectWithoutContext(callback);
    }

    void Connect(const CallbackBase& callback, const std::string& path)
    {
        m_port.watched = true;
        m_callbacks.Connect(callback, path);
    }

    void DisconnectWithoutContext(const CallbackBase& callback)
    {
        m_callbacks.DisconnectWithoutContext(callback);
    }

    void Disconnect(const CallbackBase& callback, const std::string& path)
    {
        m_callbacks.Disconnect(callback, path);
    }

    bool IsEmpty() const
    {
        return m_callbacks.IsEmpty();
    }

    void operator()(const Ptr<const Packet>& frame) const
    {
        m_callbacks(frame);
    }

  private:
    core::Port& m_port;
    TracedCallback<Ptr<const Packet>> m_callbacks;
};

/**
 * \brief A port of a fabric switch or the NIC of a fabric host.
 *
 * The packets of the fabric are the model's; ns-3 packets are made from them where a trace source
 * that shows packets is connected (pcap). Attributes are the parameters of the model's port, that
 * is of PFC; queues and port agents are objects of their own below "Queues" and "PortAgents".
 * The NIC of a host carries the packets of ns-3's internet stack where a FabricInternet joins the
 * two.
 */
class FabricNetDevice : public NetDevice, public SlotHolder
{
  public:
    static TypeId GetTypeId();
    FabricNetDevice();
    ~FabricNetDevice() override;

    core::Component& GetComponent() const override;

    core::Port& GetPort() const
    {
        return *m_port;
    }

    /// Which of the channel's two devices this is.
    std::size_t GetSide() const
    {
        return m_side;
    }

    void Attach(Ptr<FabricChannel> channel, std::size_t side);

    typedef Callback<bool, Ptr<Packet>, uint16_t> SendCallback;
    /// What takes the packets that the stack above sends (FabricInternet); without it Send refuses.
    void SetSendCallback(SendCallback callback);
    /// Hands a packet up to the stack above.
    void Deliver(Ptr<const Packet> packet, uint16_t protocol, const Address& from);

    /// To the trace sources of frames: a frame goes on the wire, or has arrived.
    void ShowSent(const core::Packet& packet) const;
    void ShowReceived(const core::Packet& packet) const;

    // Rows of the standard tables, as the trace stream has them (docs/traces.md).
    typedef void (*QueueTracedCallback)(uint8_t cls,
                                        uint64_t bytes,
                                        uint32_t packets,
                                        uint64_t maxBytes);
    typedef void (*LinkTracedCallback)(uint64_t sentBytes, uint64_t dataBytes, Time paused);
    typedef void (*PauseTracedCallback)(uint8_t cls, bool xoff, bool sent);
    typedef void (*DropTracedCallback)(uint8_t cls,
                                       uint32_t flow,
                                       uint8_t kind,
                                       uint32_t bytes,
                                       uint8_t reason);
    typedef void (*PacketTracedCallback)(uint8_t event,
                                         uint32_t flow,
                                         uint8_t kind,
                                         uint64_t seq,
                                         uint32_t bytes,
                                         uint8_t cls,
                                         bool marked);
    TracedCallback<uint8_t, uint64_t, uint32_t, uint64_t> m_queueTrace;
    TracedCallback<uint64_t, uint64_t, Time> m_linkTrace;
    TracedCallback<uint8_t, bool, bool> m_pauseTrace;
    TracedCallback<uint8_t, uint32_t, uint8_t, uint32_t, uint8_t> m_dropTrace;
    TracedCallback<uint8_t, uint32_t, uint8_t, uint64_t, uint32_t, uint8_t, bool> m_packetTrace;

    // NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

  private:
    void DoDispose() override;

    std::unique_ptr<core::Port> m_port{std::make_unique<core::Port>()};
    Ptr<Node> m_node;
    Ptr<FabricChannel> m_channel;
    std::size_t m_side{0};
    uint32_t m_ifIndex{0};
    uint16_t m_mtu{1500};
    Mac48Address m_address;
    SendCallback m_sendCallback;
    ReceiveCallback m_receiveCallback;
    PromiscReceiveCallback m_promiscReceiveCallback;
    FrameTrace m_snifferTrace{*m_port};
    FrameTrace m_phyTxBeginTrace{*m_port};
    FrameTrace m_phyRxEndTrace{*m_port};
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_NET_DEVICE_H */
