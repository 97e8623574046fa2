/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_BENCH_NS3_TCP_H
#define FABRIC_BENCH_NS3_TCP_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace fabric
{

/// Bytes of IPv4, TCP and time stamps in front of a full segment.
constexpr uint32_t TCP_HEADERS = 20 + 20 + 12;

/// What the project's TCP and ns3's have both.
struct Ns3Tcp
{
    std::string control; //!< by its name here: newreno, cubic, dctcp
    uint32_t segment;    //!< payload of a full packet
    uint32_t initialWindow{10};
    uint32_t ackEvery{1};
    Time ackDelay{MilliSeconds(40)};
    Time minRto;
};

/// Sets the defaults of ns-3's sockets so that its TCP is the same as the project's, as far as it
/// can be. False: ns-3 has no such congestion control.
bool SetNs3Tcp(const Ns3Tcp& tcp);

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_BENCH_NS3_TCP_H */
