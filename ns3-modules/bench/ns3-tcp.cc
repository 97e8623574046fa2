/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3-tcp.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <map>

namespace ns3
{
namespace fabric
{

bool
SetNs3Tcp(const Ns3Tcp& tcp)
{
    static const std::map<std::string, std::string> types{{"newreno", "ns3::TcpLinuxReno"},
                                                          {"cubic", "ns3::TcpCubic"},
                                                          {"dctcp", "ns3::TcpDctcp"}};
    const auto type = types.find(tcp.control);
    if (type == types.end())
    {
        return false;
    }
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName(type->second)));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn",
                       StringValue(tcp.control == "dctcp" ? "On" : "Off"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(tcp.segment));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(8 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(8 << 20));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(tcp.initialWindow));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(tcp.ackEvery));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(tcp.ackDelay));
    Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(false)); // the project's has none
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(tcp.minRto));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(1)));
    return true;
}

} // namespace fabric
} // namespace ns3
