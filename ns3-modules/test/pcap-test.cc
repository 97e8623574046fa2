/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Capture files: TCP and the overlay as ns-3's own headers and tcpdump read them.
 */
#include "leaf-spine.h"
#include "tcp-beside.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/ethernet-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/pcap-file.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/udp-header.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <set>

namespace ns3
{
namespace fabric
{

namespace
{

constexpr uint32_t HEADERS = 70;   // Ethernet 18, IPv4 20, TCP 20, time stamps 12
constexpr uint64_t BYTES = 100000; // 69 segments of 1448 B and one of 88 B

/// One flow from a leaf to another over CONGA, of which packets 20 to 22 are lost at the last port;
/// captured at the sender and at its leaf's uplink.
class Captured : public testing::Test
{
  protected:
    void SetUp() override
    {
        Capture();
    }

    void Capture()
    {
        LeafSpineOptions options;
        options.spines = 1;
        options.hostsPerLeaf = 1;
        options.configure = [](FabricHelper& helper) {
            helper.Set("PathSelector", ObjectFactory("ns3::fabric::Conga"));
            helper.Add("PortAgents", ObjectFactory("ns3::fabric::Dre"));
            helper.SetHostAttribute("HeaderBytes", UintegerValue(HEADERS));
            helper.SetHostAttribute("AckBytes", UintegerValue(HEADERS));
        };
        Beside b(Tcp{false, "newreno"}, options, 300000);
        b.DropTowards(1, 20, 3);
        b.net.helper.EnablePcap(m_atHost, b.net.nics.Get(0), true, true);
        b.net.helper.EnablePcap(m_atUplink, b.net.leaves.Get(0)->GetDevice(1), true, true);
        b.Start({{0, 1, BYTES, Time(0)}});
        EXPECT_EQ(b.Run(MilliSeconds(50)), 0);
        EXPECT_GT(b.Seconds(0), 0);
    }

    // A test that skips or fails has not taken the simulation down, and exit() must not find it.
    void TearDown() override
    {
        Simulator::Destroy();
        std::remove(m_atHost.c_str());
        std::remove(m_atUplink.c_str());
    }

    /// Files are written to the end when the simulation is taken down.
    std::vector<Ptr<Packet>> Read(const std::string& name)
    {
        Simulator::Destroy();
        PcapFile file;
        file.Open(name, std::ios::in);
        std::vector<Ptr<Packet>> frames;
        for (;;)
        {
            uint8_t data[65536];
            uint32_t sec;
            uint32_t usec;
            uint32_t included;
            uint32_t original;
            uint32_t read;
            file.Read(data, sizeof data, sec, usec, included, original, read);
            if (file.Fail() || file.Eof())
            {
                return frames;
            }
            EXPECT_EQ(included, original);
            frames.push_back(Create<Packet>(data, read));
        }
    }

    /// Of this test alone: tests run side by side.
    static std::string Name(const char* where)
    {
        return testing::TempDir() + "fabric-" +
               testing::UnitTest::GetInstance()->current_test_info()->name() + "-" + where +
               ".pcap";
    }

    const std::string m_atHost = Name("host");
    const std::string m_atUplink = Name("uplink");
};

Ipv4Header
TakeIpv4(const Ptr<Packet>& frame)
{
    EthernetHeader ethernet(false);
    frame->RemoveHeader(ethernet);
    EXPECT_EQ(ethernet.GetLengthType(), 0x0800);
    Ipv4Header ip;
    ip.EnableChecksum();
    frame->RemoveHeader(ip);
    EXPECT_TRUE(ip.IsChecksumOk());
    frame->RemoveAtEnd(frame->GetSize() - ip.GetPayloadSize()); // padding
    return ip;
}

class CapturedHandshake : public Captured
{
  protected:
    void SetUp() override
    {
        Config::SetDefault("ns3::fabric::Tcp::Handshake", BooleanValue(true));
        Capture();
    }
};

class CapturedTearDown : public Captured
{
  protected:
    void SetUp() override
    {
        Config::SetDefault("ns3::fabric::Tcp::Teardown", BooleanValue(true));
        Capture();
    }
};

TcpHeader
TakeTcp(const Ptr<Packet>& packet, const Ipv4Header& ip, uint8_t flags = TcpHeader::ACK)
{
    EXPECT_EQ(ip.GetProtocol(), 6);
    TcpHeader tcp;
    tcp.EnableChecksums();
    tcp.InitializeChecksum(ip.GetSource(), ip.GetDestination(), 6);
    packet->RemoveHeader(tcp);
    EXPECT_TRUE(tcp.IsChecksumOk());
    EXPECT_EQ(tcp.GetFlags(), flags);
    return tcp;
}

} // namespace

TEST_F(Captured, TcpIsWhatItWas)
{
    uint64_t next = 0;
    uint64_t again = 0;
    uint32_t highestAck = 0;
    std::set<uint32_t> sacked;
    for (const Ptr<Packet>& frame : Read(m_atHost))
    {
        const Ipv4Header ip = TakeIpv4(frame);
        const TcpHeader tcp = TakeTcp(frame, ip);
        ASSERT_TRUE(tcp.HasOption(TcpOption::TS));
        const auto stamps = DynamicCast<const TcpOptionTS>(tcp.GetOption(TcpOption::TS));
        if (ip.GetSource() == Ipv4Address("10.0.0.0"))
        {
            EXPECT_EQ(ip.GetDestination(), Ipv4Address("10.0.0.1"));
            EXPECT_EQ(tcp.GetDestinationPort(), core::kFlowDestinationPort);
            const uint32_t seq = tcp.GetSequenceNumber().GetValue();
            EXPECT_EQ(frame->GetSize(), std::min<uint64_t>(1448, BYTES - seq));
            EXPECT_EQ(stamps->GetEcho(), 0U);
            (seq == next ? next : again) += frame->GetSize();
            continue;
        }
        EXPECT_EQ(ip.GetDestination(), Ipv4Address("10.0.0.0"));
        EXPECT_EQ(tcp.GetSourcePort(), core::kFlowDestinationPort);
        EXPECT_EQ(frame->GetSize(), 0U);
        highestAck = std::max(highestAck, tcp.GetAckNumber().GetValue());
        if (tcp.HasOption(TcpOption::SACK))
        {
            const auto sack = DynamicCast<const TcpOptionSack>(tcp.GetOption(TcpOption::SACK));
            ASSERT_EQ(sack->GetNumSackBlocks(), 1U);
            const TcpOptionSack::SackBlock block = sack->GetSackList().front();
            EXPECT_EQ(block.first.GetValue(), 23 * 1448U);
            EXPECT_EQ(tcp.GetAckNumber().GetValue() % 1448, 0U);
            sacked.insert(block.second.GetValue());
        }
    }
    EXPECT_EQ(next, BYTES);
    EXPECT_EQ(again, 3 * 1448U);
    EXPECT_EQ(highestAck, BYTES);
    ASSERT_FALSE(sacked.empty());
    EXPECT_EQ(*sacked.begin(), 24 * 1448U);
    EXPECT_LE(*sacked.rbegin(), BYTES);
}

/// A SYN has the sequence number before that of the first byte.
TEST_F(CapturedHandshake, SynIsOneNumberBeforeTheData)
{
    const std::vector<Ptr<Packet>> frames = Read(m_atHost);
    ASSERT_GE(frames.size(), 73U + 2);
    const uint8_t flags[] = {TcpHeader::SYN, TcpHeader::SYN | TcpHeader::ACK, TcpHeader::ACK};
    const uint32_t seq[] = {0xffffffff, 0xffffffff, 0};
    for (size_t i = 0; i < 3; ++i)
    {
        const Ipv4Header ip = TakeIpv4(frames[i]);
        const TcpHeader tcp = TakeTcp(frames[i], ip, flags[i]);
        EXPECT_EQ(tcp.GetSequenceNumber().GetValue(), seq[i]) << i;
        EXPECT_EQ(tcp.GetAckNumber().GetValue(), 0U) << i;
        EXPECT_EQ(frames[i]->GetSize(), i == 2 ? 1448U : 0U);
    }
}

/// A FIN has the sequence number behind that of the last byte.
TEST_F(CapturedTearDown, FinIsOneNumberBehindTheData)
{
    constexpr uint8_t ACK = TcpHeader::ACK;
    constexpr uint8_t FIN_ACK = TcpHeader::FIN | TcpHeader::ACK;
    const std::vector<Ptr<Packet>> frames = Read(m_atHost);
    std::vector<Ptr<Packet>> last;
    for (const Ptr<Packet>& frame : frames)
    {
        uint8_t bytes[14 + 20 + 14]; // the flags are the last of these
        frame->CopyData(bytes, sizeof bytes);
        if (bytes[sizeof bytes - 1] & TcpHeader::FIN)
        {
            last.push_back(frame);
        }
    }
    ASSERT_EQ(last.size(), 2U);
    last.push_back(frames.back());
    const char* source[] = {"10.0.0.0", "10.0.0.1", "10.0.0.0"};
    const uint8_t flags[] = {FIN_ACK, FIN_ACK, ACK};
    const uint32_t seq[] = {BYTES - 88, 0, BYTES + 1};
    const uint32_t ack[] = {0, BYTES + 1, 1};
    for (size_t i = 0; i < 3; ++i)
    {
        const Ipv4Header ip = TakeIpv4(last[i]);
        const TcpHeader tcp = TakeTcp(last[i], ip, flags[i]);
        EXPECT_EQ(ip.GetSource(), Ipv4Address(source[i])) << i;
        EXPECT_EQ(tcp.GetSequenceNumber().GetValue(), seq[i]) << i;
        EXPECT_EQ(tcp.GetAckNumber().GetValue(), ack[i]) << i;
        EXPECT_EQ(last[i]->GetSize(), i == 0 ? 88U : 0U) << i;
    }
}

TEST_F(Captured, VxlanIsAroundIt)
{
    uint32_t there = 0;
    uint32_t back = 0;
    uint8_t mostCe = 0;
    for (const Ptr<Packet>& frame : Read(m_atUplink))
    {
        const Ipv4Header outer = TakeIpv4(frame);
        // Hosts are nodes 0 and 1, their leaves 2 and 3.
        const bool forth = outer.GetSource() == Ipv4Address("10.0.0.2");
        EXPECT_EQ(outer.GetSource(), Ipv4Address(forth ? "10.0.0.2" : "10.0.0.3"));
        EXPECT_EQ(outer.GetDestination(), Ipv4Address(forth ? "10.0.0.3" : "10.0.0.2"));
        EXPECT_EQ(outer.GetProtocol(), 17);
        UdpHeader udp;
        frame->RemoveHeader(udp);
        EXPECT_EQ(udp.GetDestinationPort(), 4789);
        uint8_t vxlan[8];
        ASSERT_EQ(frame->CopyData(vxlan, sizeof vxlan), sizeof vxlan);
        frame->RemoveAtStart(sizeof vxlan);
        EXPECT_EQ(vxlan[0], 0x08) << "a VNI is there";
        EXPECT_EQ(vxlan[4] | vxlan[5] | vxlan[6], 0) << "which is 0";
        EXPECT_EQ(vxlan[1] >> 3, 0) << "LBTag: there is one uplink";
        mostCe = std::max<uint8_t>(mostCe, (vxlan[1] & 7) << 5 | vxlan[2] >> 3);
        const Ipv4Header inner = TakeIpv4(frame);
        EXPECT_EQ(inner.GetSource(), Ipv4Address(forth ? "10.0.0.0" : "10.0.0.1"));
        TakeTcp(frame, inner);
        ++(forth ? there : back);
    }
    EXPECT_EQ(there, 70U + 3);
    EXPECT_EQ(back, 70U);
    EXPECT_GT(mostCe, 0) << "the link was busy";
    EXPECT_LE(mostCe, 7) << "of three bits";
}

TEST_F(Captured, TcpdumpReadsIt)
{
    if (std::system("tcpdump --version >/dev/null 2>&1") != 0)
    {
        GTEST_SKIP() << "tcpdump is not installed";
    }
    Simulator::Destroy();
    const auto dump = [](const std::string& file) {
        std::string text;
        std::FILE* out = popen(("tcpdump -nnSvv -r " + file + " 2>&1").c_str(), "r");
        for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out))
        {
            text += static_cast<char>(c);
        }
        EXPECT_EQ(pclose(out), 0);
        return text;
    };
    const auto holds = [](const std::string& text, const std::string& what) {
        return text.find(what) != std::string::npos;
    };
    const std::string host = dump(m_atHost);
    EXPECT_TRUE(holds(host, "seq 1448:2896, ack 0, win 65535, options [nop,nop,TS val")) << host;
    EXPECT_TRUE(holds(host, "nop,nop,sack 1 {33304:34752}]")) << host;
    EXPECT_FALSE(holds(host, "incorrect")) << host;
    const std::string uplink = dump(m_atUplink);
    EXPECT_TRUE(holds(uplink, "VXLAN, flags [I] (0x08), vni 0")) << uplink;
    EXPECT_TRUE(holds(uplink, "10.0.0.0.49152 > 10.0.0.1.4791: Flags [.]")) << uplink;
    EXPECT_FALSE(holds(uplink, "incorrect")) << uplink;
}

} // namespace fabric
} // namespace ns3
