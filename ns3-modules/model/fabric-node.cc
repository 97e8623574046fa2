/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-node.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
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
        TypeId("ns3::fabric::FabricNode")
            .SetParent<Object>()
            .SetGroupName("Fabric")
            .AddAttribute("Name",
                          "What the fabric calls the node: its random streams and paths go by it. "
                          "Empty: its path in ns3::Names.",
                          StringValue(),
                          MakeStringAccessor(&FabricNode::m_name),
                          MakeStringChecker());
    return tid;
}

core::Component&
FabricNode::GetComponent() const
{
    return GetNode();
}

const std::string&
FabricNode::GetName() const
{
    return m_name;
}

void
FabricNode::DoDispose()
{
    Unplug();
    Object::DoDispose();
}

TypeId
FabricHost::GetTypeId()
{
    static TypeId tid =
        AddSlotAttributes(AddComponentAttributes(TypeId("ns3::fabric::FabricHost")
                                                     .SetParent<FabricNode>()
                                                     .SetGroupName("Fabric")
                                                     .AddConstructor<FabricHost>(),
                                                 core::Host::describe()),
                          core::Where::Host)
            .AddTraceSource("FlowStart",
                            "A flow of this sender starts: flow, destination, payload bytes.",
                            MakeTraceSourceAccessor(&FabricHost::m_flowStartTrace),
                            "ns3::fabric::FabricHost::FlowStartTracedCallback")
            .AddTraceSource(
                "FlowEnd",
                "A flow of this sender has ended: flow, payload bytes, start, end at the receiver, "
                "end at the sender, finished; of a connection that is taken down, after that. Table flows.",
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
    return *m_host;
}

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid =
        AddSlotAttributes(AddComponentAttributes(TypeId("ns3::fabric::FabricSwitch")
                                                     .SetParent<FabricNode>()
                                                     .SetGroupName("Fabric")
                                                     .AddConstructor<FabricSwitch>(),
                                                 core::Switch::describe()),
                          core::Where::Switch);
    return tid;
}

core::Switch&
FabricSwitch::GetNode() const
{
    return *m_switch;
}

} // namespace fabric
} // namespace ns3
