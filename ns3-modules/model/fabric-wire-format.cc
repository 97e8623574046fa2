/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-wire-format.h"

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/headers/conga_header.h"
#include "mechanisms/headers/tcp_header.h"

#include <algorithm>
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
constexpr uint32_t TCP = 20;
constexpr uint32_t TCP_OPTIONS = 40; //!< at most
constexpr uint32_t VXLAN = 8;
constexpr uint16_t ROCE_PORT = 4791;
constexpr uint16_t VXLAN_PORT = 4789;
constexpr uint32_t ADDRESSES = 0x0a000000; //!< node n has 10.0.0.0 + n

// Opcodes of the reliable connected service (InfiniBand specification, table 38) and of the CNP.
constexpr uint8_t RC_RDMA_WRITE_MIDDLE = 0x07;
constexpr uint8_t RC_ACKNOWLEDGE = 0x11;
constexpr uint8_t CNP = 0x81;

constexpr uint8_t PROTOCOL_TCP = 6;
constexpr uint8_t PROTOCOL_UDP = 17;

using Frame = std::vector<uint8_t>;

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

Frame
PauseFrame(const core::Packet& p)
{
    Frame frame(60);
    Writer w(frame.data());
    w.U16(0x0180).U32(0xc2000001).Mac(p.src).U16(0x8808).U16(0x0101).U16(1U << p.cls);
    Writer(frame.data() + ETHERNET + 4 + 2 * p.cls).U16(p.seq != 0 ? 0xffff : 0);
    return frame;
}

/// RFC 1071; `sum` is that of words before.
uint16_t
Checksum(const uint8_t* words, uint32_t length, uint32_t sum = 0)
{
    for (uint32_t i = 0; i < length; i += 2)
    {
        sum += words[i] << 8 | words[i + 1];
    }
    while (sum >> 16)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~sum;
}

/// An IPv4 packet of ns-3's stack behind an Ethernet header, padded.
Frame
ForeignFrame(const core::Network& network, const core::Packet& p, uint32_t length)
{
    const auto* packet = static_cast<const Packet*>(network.packets().foreign(p));
    Frame frame(std::max(length, ETHERNET + packet->GetSize()));
    Writer(frame.data()).Mac(p.dst).Mac(p.src).U16(0x0800);
    uint8_t* ip = frame.data() + ETHERNET;
    packet->CopyData(ip, packet->GetSize());
    if (p.marked)
    {
        ip[1] |= 3;                     // congestion experienced (RFC 3168)
        if (ip[10] != 0 || ip[11] != 0) // ns-3 leaves it out unless told otherwise
        {
            Writer(ip + 10).U16(0);
            Writer(ip + 10).U16(Checksum(ip, 4 * (ip[0] & 0xf)));
        }
    }
    return frame;
}

/// The first `length` bytes of a frame are Ethernet and IPv4; the rest is zero.
void
WriteIpv4(uint8_t* frame,
          uint32_t length,
          uint32_t source,
          uint32_t destination,
          uint8_t tos,
          uint8_t protocol)
{
    uint8_t* ip = frame + ETHERNET;
    Writer(frame).Mac(destination).Mac(source).U16(0x0800);
    Writer(ip)
        .U8(0x45)
        .U8(tos)
        .U16(length - ETHERNET)
        .U32(0)
        .U8(64)
        .U8(protocol)
        .U16(0)
        .U32(ADDRESSES + source)
        .U32(ADDRESSES + destination);
    Writer(ip + 10).U16(Checksum(ip, IPV4));
}

uint8_t
Tos(const core::Packet& p, bool marked)
{
    return p.cls << 5 | (marked ? 3 : (p.ect ? 2 : 0));
}

Frame
RoceFrame(const core::Packet& p, uint32_t length)
{
    Frame frame(std::max(length, ETHERNET + IPV4 + UDP + BTH));
    uint8_t opcode = RC_ACKNOWLEDGE;
    if (p.kind == core::PacketKind::Data)
    {
        opcode = RC_RDMA_WRITE_MIDDLE;
    }
    else if (p.kind == core::PacketKind::Cnp)
    {
        opcode = CNP;
    }
    WriteIpv4(frame.data(), frame.size(), p.src, p.dst, Tos(p, p.marked), PROTOCOL_UDP);
    Writer(frame.data() + ETHERNET + IPV4)
        .U16(0xc000 | (p.flowId & 0x3fff))
        .U16(ROCE_PORT)
        .U16(frame.size() - ETHERNET - IPV4)
        .U16(0)
        .U8(opcode)
        .U8(0)
        .U16(0xffff)
        .U32(p.flowId & 0xffffff)
        .U32(p.seq & 0xffffff);
    return frame;
}

/// The extension of a packet that a mechanism of this network has reserved.
template <class T>
const T&
Extension(const core::Network& network, const core::Packet& p, const char* name)
{
    return (*network.packets().find<T>(name))(p);
}

/// The flow, or the persistent connection, that a packet is of; null if its memory serves another
/// by now.
const core::Flow*
FlowOf(const core::Network& network, const core::Packet& p)
{
    const bool same =
        p.flow->spec.id == p.flowId || network.host(p.src).transport().carries(*p.flow, p);
    return same ? p.flow : nullptr;
}

/// What is behind the fixed header: time stamps, SACK blocks of an ACK, and NOPs for what else the
/// model counts as header.
void
WriteTcpOptions(const core::Network& network, const core::Packet& p, uint8_t* at, uint32_t room)
{
    constexpr uint8_t NOP = 1;
    constexpr uint8_t SACK = 5;
    constexpr uint8_t TIMESTAMPS = 8;
    const bool ack = p.kind == core::PacketKind::Ack;
    std::fill_n(at, room, NOP);
    if (room < 12)
    {
        return;
    }
    // An ACK returns the time of the data; one of its own it does not have.
    const auto us = static_cast<uint32_t>(p.sentAt.ps / 1000000);
    Writer(at).U8(NOP).U8(NOP).U8(TIMESTAMPS).U8(10).U32(ack ? 0 : us).U32(ack ? us : 0);
    const auto& header = Extension<core::TcpHeader>(network, p, core::TcpHeader::kName);
    if (!ack || header.blocks == 0 || room < 16U + 8U * header.blocks)
    {
        return;
    }
    Writer w(at + 12);
    w.U8(NOP).U8(NOP).U8(SACK).U8(2 + 8 * header.blocks);
    // Segments are full but for the last one of a flow (and of a message on a persistent
    // connection, which is not looked for).
    const uint64_t mss = network.host(p.dst).payloadPerPacket();
    const core::Flow* flow = FlowOf(network, p);
    const auto edge = [&](uint32_t segment) {
        const uint64_t byte = p.seq + (segment - header.segment) * mss;
        return static_cast<uint32_t>(flow != nullptr ? std::min(byte, flow->sndNxt) : byte);
    };
    for (uint8_t i = 0; i < header.blocks; ++i)
    {
        w.U32(edge(header.sack[i].begin)).U32(edge(header.sack[i].end));
    }
}

Frame
TcpFrame(const core::Network& network, const core::Packet& p, uint32_t length)
{
    using Control = core::TcpHeader::Control;
    constexpr uint16_t FIN = 0x01;
    constexpr uint16_t SYN = 0x02;
    constexpr uint16_t ACK = 0x10;
    constexpr uint16_t ECE = 0x40;
    constexpr uint16_t CWR = 0x80;
    const core::Flow* flow = FlowOf(network, p);
    // Of a tear-down the receiver's FIN, too, and what acknowledges it.
    const bool tearDown = p.kind == core::PacketKind::Control;
    const bool ack =
        p.kind == core::PacketKind::Ack || (tearDown && flow != nullptr && p.src == flow->spec.dst);
    const uint32_t fixed = ETHERNET + IPV4 + TCP;
    const uint32_t payload = ack ? 0 : p.payload;
    const uint32_t room = length > fixed + payload ? length - fixed - payload : 0;
    const uint32_t options = std::min(room, TCP_OPTIONS) / 4 * 4;
    // Padding to the smallest frame is behind the IP packet.
    const uint32_t packet = fixed + options + payload;
    Frame frame(std::max(length, packet));
    // ACKs say that data was marked; they are not.
    WriteIpv4(frame.data(), packet, p.src, p.dst, Tos(p, p.marked && !ack), PROTOCOL_TCP);
    uint16_t source = core::flowSourcePort(p.flowId);
    uint16_t destination = core::kFlowDestinationPort;
    if (flow != nullptr)
    {
        source = flow->spec.srcPort;
        destination = flow->spec.dstPort;
    }
    const auto& header = Extension<core::TcpHeader>(network, p, core::TcpHeader::kName);
    const bool syn = header.control == Control::Syn;
    const bool fin = header.control == Control::Fin;
    const uint16_t flags = (syn ? SYN : 0) | (fin ? FIN : 0) | (syn && !ack ? 0 : ACK) |
                           (ack && p.marked ? ECE : 0) | (header.cwr ? CWR : 0);
    // Bytes are numbered from 0, so a SYN has the number before, and a FIN the one behind the data.
    const uint32_t lastAck = tearDown && !fin ? 1 : 0;
    const uint64_t seq = (ack ? 0 : p.seq) - (syn ? 1 : 0) + lastAck;
    uint8_t* tcp = frame.data() + ETHERNET + IPV4;
    Writer(tcp)
        .U16(ack ? destination : source)
        .U16(ack ? source : destination)
        .U32(seq)
        .U32(ack ? p.seq + (fin ? 1 : 0) : lastAck)
        .U16((TCP + options) / 4 << 12 | flags)
        .U16(0xffff);
    WriteTcpOptions(network, p, tcp + TCP, options);
    // The payload is zero and adds nothing. Addresses, protocol and length count, too.
    uint32_t pseudo = PROTOCOL_TCP + TCP + options + payload;
    for (const uint32_t address : {ADDRESSES + p.src, ADDRESSES + p.dst})
    {
        pseudo += (address >> 16) + (address & 0xffff);
    }
    Writer(tcp + 16).U16(Checksum(tcp, TCP + options, pseudo));
    return frame;
}

/// The outer header from leaf to leaf (RFC 7348). CONGA's fields take the reserved bits: LBTag 5,
/// CE 8, feedback there 1, FB_LBTag 5, 5 that are zero, behind the VNI FB_Metric 8.
Frame
Encapsulate(const core::Network& network, const core::Packet& p, const Frame& inner)
{
    constexpr uint32_t OUTER = ETHERNET + IPV4 + UDP + VXLAN;
    if (p.overlayBytes != OUTER) // no VXLAN: so many bytes
    {
        Frame frame(inner.size() + p.overlayBytes);
        std::copy(inner.begin(), inner.end(), frame.begin());
        return frame;
    }
    Frame frame(OUTER + inner.size());
    std::copy(inner.begin(), inner.end(), frame.begin() + OUTER);
    const auto leaf = [&network](uint32_t host) {
        return network.host(host).nic().peer().node().id();
    };
    WriteIpv4(frame.data(),
              frame.size(),
              leaf(p.src),
              leaf(p.dst),
              inner[ETHERNET + 1],
              PROTOCOL_UDP);
    uint32_t reserved = 0;
    uint8_t metric = 0;
    const auto header = network.packets().find<core::CongaHeader>(core::CongaHeader::kName);
    if (const auto* h = header ? header->of(p) : nullptr)
    {
        reserved = h->tag << 19 | h->ce << 11 | h->feedback << 10 | h->feedbackTag << 5;
        metric = h->feedbackMetric;
    }
    Writer(frame.data() + ETHERNET + IPV4)
        .U16(0xc000 | (p.hash & 0x3fff)) // the inner flow's entropy
        .U16(VXLAN_PORT)
        .U16(frame.size() - ETHERNET - IPV4)
        .U16(0)
        .U32(0x08000000 | reserved)
        .U32(metric);
    return frame;
}

/// Whether a transport's packets carry what a TCP header says. Its description tells: the engine
/// knows no mechanism.
bool
HasTcpHeaders(const core::Transport& transport)
{
    const auto& extensions = transport.description().extensions;
    return std::any_of(extensions.begin(), extensions.end(), [](const core::Extension& e) {
        return e.name == core::TcpHeader::kName;
    });
}

Frame
InnerFrame(const core::Network& network, const core::Packet& p)
{
    const uint32_t length = p.wireBytes - (p.encapsulated ? p.overlayBytes : 0) - FCS;
    if (p.kind == core::PacketKind::Foreign)
    {
        return ForeignFrame(network, p, length);
    }
    const bool tcp = p.kind == core::PacketKind::Data || p.kind == core::PacketKind::Ack ||
                     (p.kind == core::PacketKind::Control &&
                      network.controlTypes().name(p.control) == core::TcpHeader::kTearDown);
    if (tcp && HasTcpHeaders(network.host(p.src).transport()))
    {
        return TcpFrame(network, p, length);
    }
    return RoceFrame(p, length);
}

} // namespace

Ptr<Packet>
ToWireFormat(const core::Network& network, const core::Packet& p)
{
    Frame frame;
    if (p.kind == core::PacketKind::Pause)
    {
        frame = PauseFrame(p);
    }
    else
    {
        frame = InnerFrame(network, p);
        if (p.encapsulated)
        {
            frame = Encapsulate(network, p, frame);
        }
    }
    return Create<Packet>(frame.data(), static_cast<uint32_t>(frame.size()));
}

} // namespace fabric
} // namespace ns3
