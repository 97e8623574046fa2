/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * ns-3's internet stack over the fabric: what crosses it, by which path, with which marks.
 */
#include "child.h"
#include "leaf-spine.h"

#include "mechanisms/ecmp/ecmp.h"

#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/on-off-helper.h"
#include "ns3/queue-disc.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace ns3
{
namespace fabric
{

namespace
{

/// Sets what data centres set: full segments, timers for microseconds.
void
DataCentreTcp(const std::string& variant = "ns3::TcpNewReno")
{
    UsePicoseconds();
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName(variant)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(1)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(1)));
}

/// The frame that a device shows carries this ECN field in its IPv4 header.
int
EcnOfFrame(const Ptr<const Packet>& frame)
{
    uint8_t head[34];
    frame->CopyData(head, sizeof head);
    return head[15] & 3;
}

} // namespace

TEST(Internet, TcpDeliversEveryByteAcrossTheFabric)
{
    DataCentreTcp();
    LeafSpine f;
    const Ptr<PacketSink> there = f.Tcp(0, 3, 5000000);
    const Ptr<PacketSink> back = f.Tcp(3, 0, 3000000);
    f.helper.StopAt(MilliSeconds(20));
    EXPECT_EQ(f.helper.Run(), 0); // every check of the model holds
    EXPECT_EQ(there->GetTotalRx(), 5000000U);
    EXPECT_EQ(back->GetTotalRx(), 3000000U);
    const core::Network::Counters& c = f.Counters();
    EXPECT_GT(c.foreignReceived, 8000000U / 1448);
    EXPECT_EQ(c.foreignSent, c.foreignReceived);
    EXPECT_EQ(c.dataPacketsSent, 0U);
    Simulator::Destroy();
}

TEST(Internet, TcpCrossesConga)
{
    DataCentreTcp();
    LeafSpineOptions options;
    options.hostsPerLeaf = 4;
    options.configure = [](FabricHelper& helper) {
        helper.Set("PathSelector", ObjectFactory("ns3::fabric::Conga"));
        helper.Add("PortAgents", ObjectFactory("ns3::fabric::Dre"));
    };
    LeafSpine f(options);
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < 16; ++i)
    {
        // One after another: flows that begin on idle links together draw theirs by chance.
        sinks.push_back(f.Tcp(i % 4, 4 + (i + i / 4) % 4, 3000000, MicroSeconds(20 * i)));
    }
    f.helper.StopAt(MilliSeconds(50));
    EXPECT_EQ(f.helper.Run(), 0);
    for (const auto& sink : sinks)
    {
        EXPECT_EQ(sink->GetTotalRx(), 3000000U);
    }
    // Sixteen flows on two uplinks: CONGA uses both alike, and its header is on them.
    const auto a = static_cast<double>(f.Leaf(0).port(4).sentWireBytes());
    const auto b = static_cast<double>(f.Leaf(0).port(5).sentWireBytes());
    EXPECT_GT(a + b, 48000000 / 1448 * (1518 + 50));
    EXPECT_NEAR(a / (a + b), 0.5, 0.15);
    Simulator::Destroy();
}

TEST(Internet, FiveTuplesTakeThePathOfTheirHashAndBack)
{
    UsePicoseconds();
    LeafSpineOptions options;
    options.spines = 4;
    LeafSpine f(options);
    constexpr uint32_t FLOWS = 64;
    // Which uplink of either leaf a datagram or its answer takes: they are one at a time in the
    // net.
    const auto uplinks = [&f](uint32_t leaf) {
        std::vector<uint64_t> sent;
        for (uint32_t s = 0; s < 4; ++s)
        {
            sent.push_back(f.Leaf(leaf).port(2 + s).sentWireBytes());
        }
        return sent;
    };
    std::vector<std::vector<uint64_t>> there, back;
    Ptr<Socket> server;
    server = f.Udp(3, 7777, [&](Ptr<Socket> socket) {
        Address from;
        const Ptr<Packet> packet = socket->RecvFrom(from);
        socket->SendTo(packet->Copy(), 0, from);
    });
    std::vector<Ptr<Socket>> clients;
    uint32_t answers = 0;
    for (uint32_t i = 0; i < FLOWS; ++i)
    {
        clients.push_back(f.Udp(0, 10000 + i, [&](Ptr<Socket> socket) {
            socket->Recv();
            ++answers;
        }));
        Simulator::Schedule(MicroSeconds(100 * i), [&, i] {
            there.push_back(uplinks(0));
            back.push_back(uplinks(1));
            clients[i]->SendTo(Create<Packet>(1000),
                               0,
                               InetSocketAddress(f.addresses.GetAddress(3), 7777));
        });
    }
    f.helper.StopAt(MicroSeconds(100 * FLOWS));
    EXPECT_EQ(f.helper.Run(), 0);
    ASSERT_EQ(answers, FLOWS);
    there.push_back(uplinks(0));
    back.push_back(uplinks(1));
    std::map<uint16_t, int> used;
    for (uint32_t i = 0; i < FLOWS; ++i)
    {
        const auto hashes = FabricInternet::HashOf(f.addresses.GetAddress(0),
                                                   f.addresses.GetAddress(3),
                                                   17,
                                                   10000 + i,
                                                   7777);
        const uint16_t spine = core::Ecmp::choice(hashes.symmetric, 0, 4);
        ++used[spine];
        for (uint32_t s = 0; s < 4; ++s)
        {
            // 1000 B of data, UDP 8, IPv4 20, Ethernet 18.
            EXPECT_EQ(there[i + 1][s] - there[i][s], s == spine ? 1046U : 0U) << i;
            EXPECT_EQ(back[i + 1][s] - back[i][s], s == spine ? 1046U : 0U) << i;
        }
    }
    EXPECT_EQ(used.size(), 4U);
    Simulator::Destroy();
}

TEST(Internet, FragmentsGoTogetherAndArriveWhole)
{
    UsePicoseconds();
    LeafSpineOptions options;
    options.spines = 4;
    LeafSpine f(options);
    uint32_t got = 0;
    Ptr<Socket> server =
        f.Udp(3, 7777, [&](Ptr<Socket> socket) { got += socket->Recv()->GetSize(); });
    std::vector<Ptr<Socket>> clients;
    for (uint16_t port = 1; port <= 8; ++port)
    {
        clients.push_back(f.Udp(0, port, [](Ptr<Socket>) {}));
        Simulator::Schedule(MicroSeconds(port), [&, port] {
            clients[port - 1]->SendTo(Create<Packet>(5000),
                                      0,
                                      InetSocketAddress(f.addresses.GetAddress(3), 7777));
        });
    }
    f.helper.StopAt(MilliSeconds(1));
    EXPECT_EQ(f.helper.Run(), 0);
    EXPECT_EQ(got, 8 * 5000U);
    // Only the first fragment has ports, so none of them may count: one path for all.
    int uplinks = 0;
    for (uint32_t s = 0; s < 4; ++s)
    {
        uplinks += f.Leaf(0).port(2 + s).sentWireBytes() > 0 ? 1 : 0;
    }
    EXPECT_EQ(uplinks, 1);
    Simulator::Destroy();
}

namespace
{

/// Host 0 and 1 to host 2: 20 datagrams each at once meet at its port.
void
EcnFieldsCross(LeafSpineOptions options)
{
    UsePicoseconds();
    options.queue = ObjectFactory("ns3::fabric::Red",
                                  "Kmin",
                                  UintegerValue(5000),
                                  "Kmax",
                                  UintegerValue(5000),
                                  "Pmax",
                                  DoubleValue(1));
    LeafSpine f(options);
    std::map<int, std::map<int, int>> seen; // by field sent (the port), by field received
    std::vector<Ptr<Socket>> sockets;
    for (const int ecn : {0, 1, 2, 3})
    {
        sockets.push_back(f.Udp(2, 100 + ecn, [&seen, ecn](Ptr<Socket> socket) {
            const Ptr<Packet> packet = socket->Recv();
            SocketIpTosTag tos;
            packet->RemovePacketTag(tos);
            ++seen[ecn][tos.GetTos() & 3];
            EXPECT_EQ(tos.GetTos() & 0xfc, 0x20);
        }));
        sockets.back()->SetIpRecvTos(true);
    }
    int markedFrames = 0;
    f.nics.Get(2)->TraceConnectWithoutContext(
        "PhyRxEnd",
        Callback<void, Ptr<const Packet>>(
            [&](Ptr<const Packet> frame) { markedFrames += EcnOfFrame(frame) == 3 ? 1 : 0; }));
    for (const uint32_t host : {0, 1})
    {
        for (const int ecn : {0, 1, 2, 3})
        {
            const Ptr<Socket> socket = f.Udp(host, 100 + ecn, [](Ptr<Socket>) {});
            sockets.push_back(socket);
            socket->Connect(InetSocketAddress(f.addresses.GetAddress(2), 100 + ecn));
            socket->SetIpTos(0x20 | ecn);
            for (int i = 0; i < 20; ++i)
            {
                Simulator::Schedule(NanoSeconds(1000 + 10 * i),
                                    [socket] { socket->Send(Create<Packet>(1400)); });
            }
        }
    }
    f.helper.StopAt(MilliSeconds(1));
    EXPECT_EQ(f.helper.Run(), 0);
    EXPECT_EQ(seen[0], (std::map<int, int>{{0, 40}})); // not ECN-capable: never marked
    for (const int ecn : {1, 2})
    {
        EXPECT_GT(seen[ecn][ecn], 0); // in the first frames of the queue
        EXPECT_GT(seen[ecn][3], 10);
        EXPECT_EQ(seen[ecn][ecn] + seen[ecn][3], 40);
    }
    EXPECT_EQ(seen[3], (std::map<int, int>{{3, 40}})); // marked before it came
    const auto marks = static_cast<int>(f.Counters().marks);
    EXPECT_EQ(marks, seen[1][3] + seen[2][3]);
    EXPECT_EQ(markedFrames, marks + 40);
    Simulator::Destroy();
}

} // namespace

TEST(Internet, EcnFieldsCrossUnlessAQueueMarks)
{
    LeafSpineOptions options;
    options.leaves = 1;
    options.hostsPerLeaf = 3;
    EcnFieldsCross(options);
}

TEST(Internet, EcnFieldsCrossCongasOverlay)
{
    LeafSpineOptions options;
    options.fabricRate = DataRate("40Gbps"); // no queue before the one at host 2
    options.configure = [](FabricHelper& helper) {
        helper.Set("PathSelector", ObjectFactory("ns3::fabric::Conga"));
        helper.Add("PortAgents", ObjectFactory("ns3::fabric::Dre"));
    };
    EcnFieldsCross(options);
}

TEST(Internet, FlowletsAreOfFiveTuples)
{
    // One socket pauses for more than twice the timeout, the other one for less than it: one
    // changes its path again and again, the other one stays.
    UsePicoseconds();
    LeafSpineOptions options;
    options.configure = [](FabricHelper& helper) {
        helper.Set(
            "PathSelector",
            ObjectFactory("ns3::fabric::Letflow", "FlowletTimeout", TimeValue(MicroSeconds(100))));
    };
    LeafSpine f(options);
    uint32_t got = 0;
    const Ptr<Socket> server = f.Udp(3, 7777, [&](Ptr<Socket> socket) {
        socket->Recv();
        ++got;
    });
    const Ptr<Socket> steady = f.Udp(0, 10000, [](Ptr<Socket>) {});
    const Ptr<Socket> pausing = f.Udp(0, 10001, [](Ptr<Socket>) {});
    const InetSocketAddress to(f.addresses.GetAddress(3), 7777);
    constexpr uint32_t COUNT = 64;
    for (uint32_t i = 0; i < 10 * COUNT; ++i)
    {
        Simulator::Schedule(MicroSeconds(50 * i),
                            [&] { steady->SendTo(Create<Packet>(1000), 0, to); });
    }
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        Simulator::Schedule(MicroSeconds(500 * i + 25),
                            [&] { pausing->SendTo(Create<Packet>(100), 0, to); });
    }
    f.helper.StopAt(MicroSeconds(500 * COUNT));
    EXPECT_EQ(f.helper.Run(), 0);
    EXPECT_EQ(got, 11 * COUNT);
    // Of the sum 46 B per datagram are headers, and all long ones went by one uplink.
    constexpr uint64_t LONG = 10 * COUNT * 1046;
    uint64_t sent[2];
    for (uint32_t s = 0; s < 2; ++s)
    {
        sent[s] = f.Leaf(0).port(2 + s).sentWireBytes();
    }
    const uint64_t mostly = std::max(sent[0], sent[1]);
    ASSERT_GE(mostly, LONG);
    const uint64_t beside = (mostly - LONG) / 146;
    EXPECT_EQ(std::min(sent[0], sent[1]), (COUNT - beside) * 146);
    EXPECT_NEAR(static_cast<double>(beside),
                COUNT / 2.0,
                4 * 4); // a fair coin: four deviations of 4
    Simulator::Destroy();
}

/// The queue towards host 2 under two TCP senders, with or without ECN.
struct Congested
{
    explicit Congested(const std::string& variant)
    {
        DataCentreTcp(variant);
        Config::SetDefault("ns3::TcpSocketBase::UseEcn",
                           StringValue(variant == "ns3::TcpDctcp" ? "On" : "Off"));
        LeafSpineOptions options;
        options.leaves = 1;
        options.hostsPerLeaf = 3;
        options.queue = ObjectFactory("ns3::fabric::Red",
                                      "Kmin",
                                      UintegerValue(60000),
                                      "Kmax",
                                      UintegerValue(60000),
                                      "Pmax",
                                      DoubleValue(1),
                                      "Limit",
                                      UintegerValue(400000));
        LeafSpine f(options);
        const Ptr<PacketSink> a = f.Tcp(0, 2, 0);
        const Ptr<PacketSink> b = f.Tcp(1, 2, 0, MicroSeconds(50));
        // After the start, when both have found their rate.
        Simulator::Schedule(MilliSeconds(15), [&] {
            rxBefore = a->GetTotalRx() + b->GetTotalRx();
            f.Leaf(0).port(2).takeMaxBytes(1);
            dropsBefore = f.Counters().drops;
        });
        f.helper.StopAt(MilliSeconds(40));
        f.helper.Run();
        rx = a->GetTotalRx() + b->GetTotalRx() - rxBefore;
        maxQueue = f.Leaf(0).port(2).takeMaxBytes(1);
        marks = f.Counters().marks;
        drops = f.Counters().drops - dropsBefore;
        Simulator::Destroy();
    }

    /// Share of 10 Gb/s less headers: 1448 of 1518 B.
    double Utilisation() const
    {
        return rx * 8 / 0.025 / (10e9 * 1448 / 1518);
    }

    uint64_t rxBefore{0}, rx{0}, marks{0}, drops{0}, dropsBefore{0};
    int64_t maxQueue{0};
};

TEST(Internet, DctcpReactsToTheMarksOfOurQueue)
{
    const Congested dctcp("ns3::TcpDctcp");
    EXPECT_GT(dctcp.marks, 100U);
    EXPECT_EQ(dctcp.drops, 0U);
    EXPECT_GT(dctcp.maxQueue, 60000);
    EXPECT_LT(dctcp.maxQueue, 160000);
    EXPECT_GT(dctcp.Utilisation(), 0.97);
}

TEST(Internet, TcpWithoutEcnFillsOurQueueAndRecoversFromItsDrops)
{
    const Congested reno("ns3::TcpNewReno");
    EXPECT_EQ(reno.marks, 0U);
    EXPECT_GT(reno.drops, 0U);
    EXPECT_GT(reno.maxQueue, 390000);
    EXPECT_GT(reno.Utilisation(), 0.9);
}

TEST(Internet, TcpRecoversWhatAFiniteQueueDrops)
{
    DataCentreTcp();
    LeafSpineOptions options;
    options.hostsPerLeaf = 5;
    options.queue = ObjectFactory("ns3::fabric::Fifo", "Limit", UintegerValue(50000));
    LeafSpine f(options);
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < 8; ++i)
    {
        sinks.push_back(f.Tcp(1 + i, 0, 1000000));
    }
    f.helper.StopAt(Seconds(3)); // one waits for a timeout before it has measured a round trip
    EXPECT_EQ(f.helper.Run(), 0);
    EXPECT_GT(f.Counters().foreignDropped, 50U);
    for (const auto& sink : sinks)
    {
        EXPECT_EQ(sink->GetTotalRx(), 1000000U);
    }
    Simulator::Destroy();
}

TEST(Internet, FlowsOfTheFabricAndTcpShareALinkByPackets)
{
    DataCentreTcp();
    LeafSpine f;
    const Ptr<PacketSink> sink = f.Tcp(0, 1, 0);
    f.helper.AddFlow(f.hosts.Get(0), f.hosts.Get(2), 0, Time(0)); // at line rate, no control
    f.helper.AddFlow(f.hosts.Get(0), f.hosts.Get(3), 0, Time(0));
    f.helper.EnableTable("flows");
    f.helper.StopAt(MilliSeconds(10));
    EXPECT_EQ(f.helper.Run(), 0);
    // Packets of all three are 1518 B; the TCP starts with a few round trips.
    const double frames = 10e9 * 0.01 / 8 / 1518;
    EXPECT_NEAR(sink->GetTotalRx() / 1448.0, frames / 3, frames / 3 * 0.02);
    EXPECT_NEAR(f.Counters().dataPacketsSent, frames * 2 / 3, frames * 2 / 3 * 0.02);
    Simulator::Destroy();
}

TEST(Internet, QueueDiscsWorkAboveTheNic)
{
    DataCentreTcp();
    LeafSpineOptions options;
    options.queueBytes = 5000; // three frames
    options.queueDisc = true;
    LeafSpine f(options);
    int dropped = 0;
    for (uint32_t i = 0; i < f.nics.GetN(); ++i)
    {
        f.nics.Get(i)->GetObject<FabricInternet>()->TraceConnectWithoutContext(
            "TxDrop",
            Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) { ++dropped; }));
    }
    // Two receivers: the sender's own link is the bottleneck.
    const Ptr<PacketSink> a = f.Tcp(0, 1, 2000000);
    const Ptr<PacketSink> b = f.Tcp(0, 2, 2000000);
    f.helper.StopAt(MilliSeconds(20));
    EXPECT_EQ(f.helper.Run(), 0);
    EXPECT_EQ(a->GetTotalRx(), 2000000U);
    EXPECT_EQ(b->GetTotalRx(), 2000000U);
    EXPECT_EQ(dropped, 0);
    const QueueDisc::Stats& stats = f.hosts.Get(0)
                                        ->GetObject<TrafficControlLayer>()
                                        ->GetRootQueueDiscOnDevice(f.nics.Get(0))
                                        ->GetStats();
    EXPECT_GT(stats.nTotalSentPackets, 4000000U / 1448);
    EXPECT_EQ(stats.nTotalDroppedPackets, 0U);
    Simulator::Destroy();
}

TEST(Internet, AFullNicDropsAndTcpRecovers)
{
    DataCentreTcp();
    LeafSpineOptions options;
    options.queueBytes = 10 * 1518;
    LeafSpine f(options);
    const Ptr<PacketSink> a = f.Tcp(0, 1, 2000000);
    const Ptr<PacketSink> b = f.Tcp(0, 2, 2000000);
    int64_t most = 0;
    std::function<void()> look = [&] {
        most = std::max(most, f.Host(0).foreignBytes());
        Simulator::Schedule(MicroSeconds(1), look);
    };
    look();
    // Past the traffic control layer: one is on the wire, ten wait, the rest is refused.
    int dropped = 0;
    f.nics.Get(3)->GetObject<FabricInternet>()->TraceConnectWithoutContext(
        "TxDrop",
        Callback<void, Ptr<const Packet>>([&](Ptr<const Packet>) { ++dropped; }));
    int taken = 0;
    Simulator::Schedule(MilliSeconds(40), [&] {
        for (int i = 0; i < 20; ++i)
        {
            const Ptr<Packet> packet = Create<Packet>(1480);
            Ipv4Header header;
            header.SetSource(f.addresses.GetAddress(3));
            header.SetDestination(f.addresses.GetAddress(1));
            header.SetPayloadSize(1480);
            header.SetProtocol(253);
            packet->AddHeader(header);
            taken += f.nics.Get(3)->Send(packet, Address(), 0x0800) ? 1 : 0;
        }
    });
    f.helper.StopAt(MilliSeconds(50));
    EXPECT_EQ(f.helper.Run(), 0);
    EXPECT_EQ(a->GetTotalRx(), 2000000U);
    EXPECT_EQ(b->GetTotalRx(), 2000000U);
    EXPECT_EQ(taken, 11);
    EXPECT_EQ(dropped, 9);
    EXPECT_GT(most, 8 * 1518);
    EXPECT_LE(most, 10 * 1518);
    Simulator::Destroy();
}

TEST(Internet, TheSameSeedsGiveTheSameRun)
{
    // TCP beside a stream with random pauses: when each piece of either arrives.
    const auto run = [](uint32_t seed) {
        return InChild([seed] {
            DataCentreTcp();
            RngSeedManager::SetSeed(seed);
            LeafSpineOptions options;
            options.queue = ObjectFactory("ns3::fabric::Fifo", "Limit", UintegerValue(30000));
            LeafSpine f(options);
            std::vector<double> arrivals;
            OnOffHelper stream("ns3::UdpSocketFactory",
                               InetSocketAddress(f.addresses.GetAddress(3), 9));
            stream.SetAttribute("DataRate", DataRateValue(DataRate("8Gbps")));
            stream.SetAttribute("PacketSize", UintegerValue(1400));
            for (const std::string time : {"OnTime", "OffTime"})
            {
                stream.SetAttribute(time,
                                    StringValue("ns3::ExponentialRandomVariable[Mean=0.0005]"));
            }
            stream.Install(f.hosts.Get(1));
            f.Tcp(0, 3, 0)->TraceConnectWithoutContext(
                "Rx",
                Callback<void, Ptr<const Packet>, const Address&>(
                    [&](Ptr<const Packet>, const Address&) {
                        arrivals.push_back(Simulator::Now().GetTimeStep());
                    }));
            const Ptr<Socket> sink = f.Udp(3, 9, [&](Ptr<Socket> socket) {
                socket->Recv();
                arrivals.push_back(Simulator::Now().GetTimeStep());
            });
            f.helper.StopAt(MilliSeconds(10));
            f.helper.Run();
            Simulator::Destroy();
            return arrivals;
        });
    };
    const std::vector<double> first = run(1);
    EXPECT_GT(first.size(), 1000U);
    EXPECT_EQ(run(1), first);
    EXPECT_NE(run(2), first);
}

TEST(Internet, NothingOfNs3IsHeldAfterTheEnd)
{
    UsePicoseconds();
    std::vector<Ptr<Packet>> packets;
    {
        LeafSpineOptions options;
        options.queue = ObjectFactory("ns3::fabric::Fifo", "Limit", UintegerValue(5000));
        LeafSpine f(options);
        // Into queues, on wires, dropped, delivered; and to an address that nobody has.
        for (uint32_t i = 0; i < 60; ++i)
        {
            packets.push_back(Create<Packet>(1400));
            Ipv4Header header;
            header.SetSource(f.addresses.GetAddress(i % 2));
            header.SetDestination(i % 10 == 9 ? Ipv4Address("10.0.99.1")
                                              : f.addresses.GetAddress(3));
            header.SetPayloadSize(1400);
            header.SetProtocol(253); // for experiments (RFC 3692): no stack above takes it
            header.SetTtl(64);
            packets.back()->AddHeader(header);
            Simulator::Schedule(NanoSeconds(100 * i), [&f, &packets, i] {
                f.nics.Get(i % 2)->Send(packets[i], Address(), 0x0800);
            });
        }
        testing::internal::CaptureStderr();
        f.helper.StopAt(MicroSeconds(12));
        EXPECT_EQ(f.helper.Run(), 0);
        EXPECT_NE(testing::internal::GetCapturedStderr().find("no host has the address 10.0.99.1"),
                  std::string::npos);
        const core::Network::Counters& c = f.Counters();
        EXPECT_GT(c.foreignDropped, 0U);
        EXPECT_GT(c.foreignReceived, 0U);
        EXPECT_GT(c.foreignSent, c.foreignReceived + c.foreignDropped); // some are on their way
        EXPECT_EQ(c.foreignSent, 54U);
        Simulator::Destroy();
    }
    for (const auto& packet : packets)
    {
        EXPECT_EQ(packet->GetReferenceCount(), 1U);
    }
}

} // namespace fabric
} // namespace ns3
