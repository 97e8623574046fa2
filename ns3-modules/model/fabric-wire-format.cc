/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-wire-format.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ns3
{
namespace fabric
{

namespace
{

constexpr uint32_t FCS = 4;
constexpr uint32_t ETHERNET = 14;
constexpr uint32_t IPV4 = 20;
constexpr uint32_t UDP = 8;
constexpr uint32_t BTH = 12;
constexpr uint16_t ROCE_PORT = 4791;

// Opcodes of the reliable connected service (InfiniBand specification, table 38) and of the CNP.
constexpr uint8_t RC_RDMA_WRITE_MIDDLE = 0x07;
constexpr uint8_t RC_ACKNOWLEDGE = 0x11;
constexpr uint8_t CNP = 0x81;

/// Writes big-endian fields one behind the other.
class Writer
{
  public:
    explicit Writer(uint8_t* at)
        : m_at(at)
    {
    }

    Writer& U8(uint8_t v)
    {
        *m_at++ = v;
        return *this;
    }

    Writer& U16(uint16_t v)
    {
        return U8(v >> 8).U8(v & 0xff);
    }

    Writer& U32(uint32_t v)
    {
        return U16(v >> 16).U16(v & 0xffff);
    }

    Writer& Mac(uint32_t node)
    {
        return U16(0x0200).U32(node); // locally administered
    }

  private:
    uint8_t* m_at;
};

Ptr<Packet>
PauseFrame(const core::Packet& p)
{
    std::array<uint8_t, 60> frame{};
    Writer w(frame.data());
    w.U16(0x0180).U32(0xc2000001).Mac(p.src).U16(0x8808).U16(0x0101).U16(1U << p.cls);
    Writer(frame.data() + ETHERNET + 4 + 2 * p.cls).U16(p.seq != 0 ? 0xffff : 0);
    return Create<Packet>(frame.data(), static_cast<uint32_t>(frame.size()));
}

uint16_t
Ipv4Checksum(const uint8_t* header, uint32_t length = IPV4)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < length; i += 2)
    {
        sum += header[i] << 8 | header[i + 1];
    }
    while (sum >> 16)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~sum;
}

/// An IPv4 packet of ns-3's stack behind an Ethernet header, padded.
Ptr<Packet>
ForeignFrame(const core::Packet& p)
{
    const auto* packet = static_cast<const Packet*>(p.foreign);
    std::vector<uint8_t> frame(std::max(p.wireBytes - FCS, ETHERNET + packet->GetSize()));
    Writer(frame.data()).Mac(p.dst).Mac(p.src).U16(0x0800);
    uint8_t* ip = frame.data() + ETHERNET;
    packet->CopyData(ip, packet->GetSize());
    if (p.marked)
    {
        ip[1] |= 3; // congestion experienced (RFC 3168)
        const uint32_t length = 4 * (ip[0] & 0xf);
        if (ip[10] != 0 || ip[11] != 0) // ns-3 leaves it out unless told otherwise
        {
            Writer(ip + 10).U16(0);
            Writer(ip + 10).U16(Ipv4Checksum(ip, length));
        }
    }
    return Create<Packet>(frame.data(), static_cast<uint32_t>(frame.size()));
}

} // namespace

Ptr<Packet>
ToWireFormat(const core::Packet& p)
{
    if (p.kind == core::PacketKind::Pause)
    {
        return PauseFrame(p);
    }
    if (p.kind == core::PacketKind::Foreign)
    {
        return ForeignFrame(p);
    }
    std::array<uint8_t, ETHERNET + IPV4 + UDP + BTH> header{};
    const uint32_t length = std::max<uint32_t>(p.wireBytes - FCS, header.size());
    const uint8_t ecn = p.marked ? 3 : (p.ect ? 2 : 0);
    uint8_t opcode = RC_ACKNOWLEDGE;
    if (p.kind == core::PacketKind::Data)
    {
        opcode = RC_RDMA_WRITE_MIDDLE;
    }
    else if (p.kind == core::PacketKind::Cnp)
    {
        opcode = CNP;
    }
    Writer(header.data()).Mac(p.dst).Mac(p.src).U16(0x0800);
    uint8_t* ip = header.data() + ETHERNET;
    Writer(ip)
        .U8(0x45)
        .U8(p.cls << 5 | ecn)
        .U16(length - ETHERNET)
        .U32(0)
        .U8(64)
        .U8(17)
        .U16(0)
        .U32(0x0a000000 + p.src)
        .U32(0x0a000000 + p.dst);
    Writer(ip + 10).U16(Ipv4Checksum(ip));
    Writer(ip + IPV4)
        .U16(0xc000 | (p.flowId & 0x3fff))
        .U16(ROCE_PORT)
        .U16(length - ETHERNET - IPV4)
        .U16(0)
        .U8(opcode)
        .U8(0)
        .U16(0xffff)
        .U32(p.flowId & 0xffffff)
        .U32(p.seq & 0xffffff);
    Ptr<Packet> frame = Create<Packet>(header.data(), static_cast<uint32_t>(header.size()));
    frame->AddPaddingAtEnd(length - header.size());
    return frame;
}

} // namespace fabric
} // namespace ns3
