/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_WIRE_FORMAT_H
#define FABRIC_WIRE_FORMAT_H

#include "fabric-engine.h"

#include "mechanisms/core/network.h"
#include "mechanisms/core/packet.h"

#include "ns3/packet.h"

namespace ns3
{
namespace fabric
{

/**
 * \brief The frame that a packet of the model stands for, for pcap files and packet trace sources.
 *
 * Ethernet, IPv4, UDP to port 4791 and a base transport header (RoCEv2), or TCP with its options
 * for flows of such a transport; the rest is zero. Node n has the address 10.0.0.0 + n. Between the
 * leaves of an overlay with a header of 50 B there is VXLAN around it. The frame check sequence is
 * left out, as capture programs expect. PFC frames are 802.1Qbb MAC control frames. Packets of
 * ns-3's internet stack are what they are.
 *
 * TCP's data begins with sequence number 0, so a SYN has the number before; SYN and FIN are there
 * with the options handshake and teardown. MPTCP's options are NOPs.
 */
Ptr<Packet> ToWireFormat(const core::Network& network, const core::Packet& packet);

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_WIRE_FORMAT_H */
