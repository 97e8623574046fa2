/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-internet-helper.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"

namespace ns3
{
namespace fabric
{

FabricInternetHelper::FabricInternetHelper()
    : m_internet("ns3::fabric::FabricInternet")
{
}

void
FabricInternetHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_internet.Set(name, value);
}

NetDeviceContainer
FabricInternetHelper::Install(NodeContainer hosts) const
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    NetDeviceContainer nics;
    for (auto it = hosts.Begin(); it != hosts.End(); ++it)
    {
        const Ptr<FabricHost> host = (*it)->GetObject<FabricHost>();
        if (!host || host->GetNode().ports().empty())
        {
            NS_FATAL_ERROR("node " << (*it)->GetId()
                                   << " is no host of the fabric with a link; call "
                                      "FabricHelper::InstallHost and Connect first");
        }
        if (!(*it)->GetObject<Ipv4>())
        {
            stack.Install(*it);
        }
        const Ptr<FabricNetDevice> nic =
            static_cast<FabricNetDevice*>(host->GetNode().nic().device);
        m_internet.Create<FabricInternet>()->Attach(nic);
        nics.Add(nic);
    }
    return nics;
}

} // namespace fabric
} // namespace ns3
