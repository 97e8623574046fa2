/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-node.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object-vector.h"
#include "ns3/pointer.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{
namespace fabric
{

NS_OBJECT_ENSURE_REGISTERED(FabricNode);
NS_OBJECT_ENSURE_REGISTERED(FabricHost);
NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

TypeId
FabricNode::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::fabric::FabricNode").SetParent<Object>().SetGroupName("Fabric");
    return tid;
}

core::Component&
FabricNode::GetComponent() const
{
    return GetNode();
}

TypeId
FabricHost::GetTypeId()
{
    static TypeId tid =
        AddComponentAttributes(TypeId("ns3::fabric::FabricHost")
                                   .SetParent<FabricNode>()
                                   .SetGroupName("Fabric")
                                   .AddConstructor<FabricHost>(),
                               core::Host::describe())
            .AddAttribute("Transport",
                          "What makes the flows of this host reliable.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&FabricHost::m_transport),
                          MakePointerChecker<FabricMechanism>())
            .AddAttribute("CongestionControl",
                          "What sets the window and the rate of this host's flows.",
                          TypeId::ATTR_GET,
                          PointerValue(),
                          MakePointerAccessor(&FabricHost::m_congestionControl),
                          MakePointerChecker<FabricMechanism>())
            .AddAttribute("ReceiverAgents",
                          "What decides what this host says to senders.",
                          TypeId::ATTR_GET,
                          ObjectVectorValue(),
                          MakeObjectVectorAccessor(&FabricHost::m_receiverAgents),
                          MakeObjectVectorChecker<FabricMechanism>())
            .AddTraceSource("FlowStart",
                            "A flow of this sender starts: flow, destination, payload bytes.",
                            MakeTraceSourceAccessor(&FabricHost::m_flowStartTrace),
                            "ns3::fabric::FabricHost::FlowStartTracedCallback")
            .AddTraceSource(
                "FlowEnd",
                "A flow of this sender has ended: flow, payload bytes, start, end at the receiver, "
                "end at the sender, finished. Table flows.",
                MakeTraceSourceAccessor(&FabricHost::m_flowEndTrace),
                "ns3::fabric::FabricHost::FlowEndTracedCallback")
            .AddTraceSource(
                "Rate",
                "Sampled flow of this sender: flow, pacing rate, window in bytes (-1: none), wire "
                "bytes sent, payload bytes acknowledged. Table rates.",
                MakeTraceSourceAccessor(&FabricHost::m_rateTrace),
                "ns3::fabric::FabricHost::RateTracedCallback");
    return tid;
}

core::Host&
FabricHost::GetNode() const
{
    return m_host;
}

void
FabricHost::Start()
{
    if (!m_transport)
    {
        NS_FATAL_ERROR(
            "host " << m_host.name()
                    << " has no transport; call FabricHost::SetTransport before the simulation");
    }
    if (!m_congestionControl)
    {
        NS_FATAL_ERROR(
            "host "
            << m_host.name()
            << " has no congestion control; call FabricHelper::SetCongestionControl before Install");
    }
}

void
FabricHost::SetTransport(Ptr<FabricMechanism> transport)
{
    m_transport = transport;
    m_host.setTransport(transport->As<core::Transport>());
}

Ptr<FabricMechanism>
FabricHost::GetTransport() const
{
    return m_transport;
}

void
FabricHost::SetCongestionControl(Ptr<FabricMechanism> congestionControl)
{
    m_congestionControl = congestionControl;
    m_host.setCongestionControl(congestionControl->As<core::CongestionControl>());
}

Ptr<FabricMechanism>
FabricHost::GetCongestionControl() const
{
    return m_congestionControl;
}

void
FabricHost::AddReceiverAgent(Ptr<FabricMechanism> agent)
{
    m_receiverAgents.push_back(agent);
    m_host.addReceiverAgent(agent->As<core::ReceiverAgent>());
}

void
FabricHost::DoDispose()
{
    m_transport = nullptr;
    m_congestionControl = nullptr;
    m_receiverAgents.clear();
    FabricNode::DoDispose();
}

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid = AddComponentAttributes(TypeId("ns3::fabric::FabricSwitch")
                                                   .SetParent<FabricNode>()
                                                   .SetGroupName("Fabric")
                                                   .AddConstructor<FabricSwitch>(),
                                               core::Switch::describe())
                            .AddAttribute("PathSelector",
                                          "What chooses among equal-cost ports.",
                                          TypeId::ATTR_GET,
                                          PointerValue(),
                                          MakePointerAccessor(&FabricSwitch::m_pathSelector),
                                          MakePointerChecker<FabricMechanism>());
    return tid;
}

core::Switch&
FabricSwitch::GetNode() const
{
    return m_switch;
}

void
FabricSwitch::Start()
{
    if (!m_pathSelector)
    {
        NS_FATAL_ERROR("switch " << m_switch.name() << " has no path selector");
    }
}

void
FabricSwitch::SetPathSelector(Ptr<FabricMechanism> selector)
{
    m_pathSelector = selector;
    m_switch.setPathSelector(selector->As<core::PathSelector>());
}

Ptr<FabricMechanism>
FabricSwitch::GetPathSelector() const
{
    return m_pathSelector;
}

void
FabricSwitch::DoDispose()
{
    m_pathSelector = nullptr;
    FabricNode::DoDispose();
}

} // namespace fabric
} // namespace ns3
