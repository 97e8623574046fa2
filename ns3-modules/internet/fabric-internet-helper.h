/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_INTERNET_HELPER_H
#define FABRIC_INTERNET_HELPER_H

#include "fabric-internet.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <string>

namespace ns3
{
namespace fabric
{

/**
 * \brief Puts ns-3's internet stack on hosts of the fabric.
 *
 * After FabricHelper::Connect. See examples/internet.cc.
 */
class FabricInternetHelper
{
  public:
    FabricInternetHelper();

    /// Of the FabricInternet of every host.
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /// Gives hosts the stack, IPv4 alone, where they have none yet, and joins it to their NICs.
    /// Returns the NICs, for Ipv4AddressHelper::Assign: one subnet for the whole fabric.
    NetDeviceContainer Install(NodeContainer hosts) const;

  private:
    ObjectFactory m_internet;
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_INTERNET_HELPER_H */
