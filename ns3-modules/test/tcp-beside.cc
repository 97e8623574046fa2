/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "tcp-beside.h"

#include "ns3-modules/bench/ns3-tcp.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/integer.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{
namespace fabric
{

namespace
{

constexpr uint32_t SEGMENT = 1460; //!< 1500 less IPv4 20, TCP 20
constexpr uint32_t HEADERS = 58;   //!< these and Ethernet 18
const Time MIN_RTO = MilliSeconds(1);

const Time HANDSHAKES_APART = MicroSeconds(2);

constexpr double NO_GAIN = 1e-6; //!< of the average that DCTCP's alpha is, so small that it stays 1

void
SetOurs(const Tcp& tcp, FabricHelper& helper)
{
    // ns-3's first samples of the round trip come with its handshake.
    helper.Set("Transport",
               ObjectFactory("ns3::fabric::Tcp",
                             "MinRto",
                             TimeValue(MIN_RTO),
                             "InitialRto",
                             TimeValue(MIN_RTO)));
    ObjectFactory control("ns3::fabric::" + CamelCase(tcp.control));
    if (tcp.control == "cubic")
    {
        control.Set("RenoFriendly", BooleanValue(false)); // ns-3.37's has no such region
    }
    if (tcp.alphaStays)
    {
        control.Set("G", DoubleValue(NO_GAIN));
    }
    helper.Set("CongestionControl", control);
    helper.SetHostAttribute("Mtu", UintegerValue(SEGMENT + HEADERS));
    helper.SetHostAttribute("HeaderBytes", UintegerValue(HEADERS));
    helper.SetHostAttribute("AckBytes", UintegerValue(HEADERS));
    helper.SetHostAttribute("AckClass", IntegerValue(1)); // as ns-3's
}

LeafSpineOptions
With(const Tcp& tcp, LeafSpineOptions options, uint32_t queue)
{
    constexpr uint32_t DCTCP_K = 65 * 1500;
    options.queue = ObjectFactory("ns3::fabric::Fifo", "Limit", UintegerValue(queue));
    if (tcp.control == "dctcp")
    {
        options.queue = ObjectFactory("ns3::fabric::Red",
                                      "Limit",
                                      UintegerValue(queue),
                                      "Kmin",
                                      UintegerValue(DCTCP_K),
                                      "Kmax",
                                      UintegerValue(DCTCP_K),
                                      "Pmax",
                                      DoubleValue(1));
    }
    if (tcp.ns3)
    {
        UsePicoseconds();
        Config::Reset(); // what another test of the process has set
        Ns3Tcp like;
        like.control = tcp.control;
        like.segment = SEGMENT;
        like.minRto = MIN_RTO;
        SetNs3Tcp(like);
        // Its time stamps count milliseconds, so that round trips are measured as 1 us or 1 ms.
        Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
        if (tcp.alphaStays)
        {
            Config::SetDefault("ns3::TcpDctcp::DctcpShiftG", DoubleValue(NO_GAIN));
        }
    }
    else
    {
        options.configure = [tcp, also = options.configure](FabricHelper& h) {
            SetOurs(tcp, h);
            if (also)
            {
                also(h);
            }
        };
    }
    return options;
}

} // namespace

/// A queue in front of which chosen packets get lost.
class Beside::DropNth final : public core::Queue
{
  public:
    DropNth(core::Queue& queue, uint32_t first, uint32_t count)
        : m_queue(queue),
          m_first(first),
          m_count(count)
    {
    }

    const core::Description& description() const override
    {
        return m_queue.description();
    }

    void attach(core::Port& port, uint8_t cls) override
    {
        core::Queue::attach(port, cls);
        m_queue.attach(port, cls);
    }

    bool enqueue(core::Packet* packet, int64_t backlog) override
    {
        const bool data = packet->payload > SEGMENT / 2;
        const uint32_t number = data ? m_seen++ : 0;
        if (data && number >= m_first && number < m_first + m_count)
        {
            return false;
        }
        return m_queue.enqueue(packet, backlog);
    }

    core::Packet* dequeue() override
    {
        return m_queue.dequeue();
    }

  private:
    void onStart(core::Network& network) override
    {
        m_queue.start(network);
    }

    core::Queue& m_queue;
    uint32_t m_first, m_count;
    uint32_t m_seen{0};
};

const Time Beside::LEAD = MilliSeconds(2);

Beside::~Beside() = default;

Beside::Beside(const Tcp& tcp, LeafSpineOptions options, uint32_t queue)
    : net(With(tcp, options, queue)),
      m_tcp(tcp)
{
}

void
Beside::Start(const std::vector<Transfer>& transfers)
{
    m_transfers = transfers;
    m_progress.resize(transfers.size());
    net.helper.EnableTable("flows");
    for (uint32_t i = 0; i < transfers.size(); ++i)
    {
        const Transfer& t = transfers[i];
        m_progress[i].bytes = t.bytes;
        if (!m_tcp.ns3)
        {
            net.helper.AddFlow(net.hosts.Get(t.from), net.hosts.Get(t.to), t.bytes, LEAD + t.start);
            continue;
        }
        Connect(i);
    }
    for (uint32_t i = 0; i < net.hosts.GetN(); ++i)
    {
        net.hosts.Get(i)->GetObject<FabricHost>()->TraceConnectWithoutContext(
            "FlowEnd",
            Callback<void, uint32_t, uint64_t, Time, Time, Time, bool>(
                [this](uint32_t flow, uint64_t size, Time, Time end, Time, bool finished) {
                    Progress& p = m_progress[flow];
                    if (finished)
                    {
                        p.end = end;
                        p.delivered = size;
                    }
                }));
    }
}

void
Beside::Connect(uint32_t transfer)
{
    const Transfer& t = m_transfers[transfer];
    Progress& p = m_progress[transfer];
    const auto port = static_cast<uint16_t>(1000 + transfer);
    const TypeId tcp = TypeId::LookupByName("ns3::TcpSocketFactory");
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
    sink.Install(net.hosts.Get(t.to))
        .Get(0)
        ->TraceConnectWithoutContext("Rx",
                                     Callback<void, Ptr<const Packet>, const Address&>(
                                         [&p](Ptr<const Packet> packet, const Address&) {
                                             p.delivered += packet->GetSize();
                                             if (p.delivered == p.bytes)
                                             {
                                                 p.end = Simulator::Now();
                                             }
                                         }));
    p.left = t.bytes == 0 ? std::numeric_limits<uint64_t>::max() : t.bytes;
    p.socket = Socket::CreateSocket(net.hosts.Get(t.from), tcp);
    const InetSocketAddress to(net.addresses.GetAddress(t.to), port);
    Simulator::Schedule(transfer * HANDSHAKES_APART, [&p, to] { p.socket->Connect(to); });
    Simulator::Schedule(LEAD + t.start, [this, transfer] {
        m_progress[transfer].socket->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>(
            [this, transfer](Ptr<Socket>, uint32_t) { Fill(transfer); }));
        Fill(transfer);
    });
}

void
Beside::Fill(uint32_t transfer)
{
    Progress& p = m_progress[transfer];
    while (p.left > 0)
    {
        const uint64_t room = std::min<uint64_t>(p.socket->GetTxAvailable(), 65536);
        const auto bytes = static_cast<uint32_t>(std::min(p.left, room));
        if (bytes == 0 || p.socket->Send(Create<Packet>(bytes)) <= 0)
        {
            return;
        }
        p.left -= bytes;
    }
    p.socket->Close();
}

int
Beside::Run(Time until)
{
    net.helper.StopAt(until);
    return net.helper.Run();
}

uint64_t
Beside::Delivered(uint32_t transfer) const
{
    uint64_t delivered = m_progress[transfer].delivered;
    net.Host(m_transfers[transfer].from).forEachActive([&](const core::Flow& f) {
        delivered = f.spec.id == transfer ? f.rcvNxt : delivered;
    });
    return delivered;
}

double
Beside::Seconds(uint32_t transfer) const
{
    const Progress& p = m_progress[transfer];
    return p.end.IsNegative() ? -1 : (p.end - LEAD - m_transfers[transfer].start).GetSeconds();
}

void
Beside::DropTowards(uint32_t host, uint32_t first, uint32_t count)
{
    const uint32_t perLeaf = net.options.hostsPerLeaf;
    core::Port& port = net.Leaf(host / perLeaf).port(host % perLeaf);
    FabricNetwork::Get()->OnStart([this, &port, first, count] {
        m_dropper = std::make_unique<DropNth>(*port.queues()[1], first, count);
        port.setQueue(1, *m_dropper);
    });
}

} // namespace fabric
} // namespace ns3
