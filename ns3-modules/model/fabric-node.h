/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_NODE_H
#define FABRIC_NODE_H

#include "fabric-component.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/switch.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <vector>

namespace ns3
{
namespace fabric
{

/// What FabricHost and FabricSwitch share: both are aggregated to an ns3::Node.
class FabricNode : public Object, public ComponentHolder
{
  public:
    static TypeId GetTypeId();
    virtual core::Node& GetNode() const = 0;
    core::Component& GetComponent() const override;
    /// All devices are connected; the last step before the simulation.
    virtual void Start() = 0;
};

/// A host: NIC, queue pairs, receiver. Attributes are the parameters of all its flows.
class FabricHost : public FabricNode
{
  public:
    static TypeId GetTypeId();
    core::Host& GetNode() const override;
    void Start() override;

    void SetTransport(Ptr<FabricMechanism> transport);
    Ptr<FabricMechanism> GetTransport() const;
    void SetCongestionControl(Ptr<FabricMechanism> congestionControl);
    Ptr<FabricMechanism> GetCongestionControl() const;
    void AddReceiverAgent(Ptr<FabricMechanism> agent);

    typedef void (*FlowStartTracedCallback)(uint32_t flow, uint32_t dst, uint64_t size);
    typedef void (*FlowEndTracedCallback)(uint32_t flow,
                                          uint64_t size,
                                          Time start,
                                          Time end,
                                          Time senderEnd,
                                          bool finished);
    typedef void (*RateTracedCallback)(uint32_t flow,
                                       DataRate rate,
                                       int64_t window,
                                       uint64_t sentBytes,
                                       uint64_t ackedBytes);
    TracedCallback<uint32_t, uint32_t, uint64_t> m_flowStartTrace;
    TracedCallback<uint32_t, uint64_t, Time, Time, Time, bool> m_flowEndTrace;
    TracedCallback<uint32_t, DataRate, int64_t, uint64_t, uint64_t> m_rateTrace;

  private:
    void DoDispose() override;
    mutable core::Host m_host;
    Ptr<FabricMechanism> m_transport;
    Ptr<FabricMechanism> m_congestionControl;
    std::vector<Ptr<FabricMechanism>> m_receiverAgents;
};

/// A switch. Attributes are the parameters of its shared buffer.
class FabricSwitch : public FabricNode
{
  public:
    static TypeId GetTypeId();
    core::Switch& GetNode() const override;
    void Start() override;

    void SetPathSelector(Ptr<FabricMechanism> selector);
    Ptr<FabricMechanism> GetPathSelector() const;

  private:
    void DoDispose() override;
    mutable core::Switch m_switch;
    Ptr<FabricMechanism> m_pathSelector;
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_NODE_H */
