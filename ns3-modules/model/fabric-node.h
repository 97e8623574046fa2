/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_NODE_H
#define FABRIC_NODE_H

#include "fabric-slots.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/switch.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace fabric
{

/// What FabricHost and FabricSwitch share: both are aggregated to an ns3::Node.
class FabricNode : public Object, public SlotHolder
{
  public:
    static TypeId GetTypeId();
    virtual core::Node& GetNode() const = 0;
    core::Component& GetComponent() const override;
    /// What the fabric calls it, where that is not its name in ns3::Names.
    const std::string& GetName() const;

  protected:
    void DoDispose() override;

  private:
    std::string m_name;
};

/// A host: NIC, queue pairs, receiver. Attributes are the parameters of all its flows.
class FabricHost : public FabricNode
{
  public:
    static TypeId GetTypeId();
    core::Host& GetNode() const override;
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
    std::unique_ptr<core::Host> m_host{std::make_unique<core::Host>()};
};

/// A switch. Attributes are the parameters of its shared buffer.
class FabricSwitch : public FabricNode
{
  public:
    static TypeId GetTypeId();
    core::Switch& GetNode() const override;

  private:
    std::unique_ptr<core::Switch> m_switch{std::make_unique<core::Switch>()};
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_NODE_H */
