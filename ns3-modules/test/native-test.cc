/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The fabric as an ns-3 user meets it: attributes, configuration paths, trace sources, pcap.
 */
#include "child.h"
#include "fabric-scheduler.h"
#include "fabric-test.h"

#include "mechanisms/core/random.h"
#include "mechanisms/core/utility.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/names.h"
#include "ns3/node-list.h"
#include "ns3/pcap-file.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace ns3
{
namespace fabric
{

TEST(Attributes, EveryMechanismIsATypeWithItsParameters)
{
    FabricMechanism::RegisterTypes(); // the test has a mechanism of its own
    UsePicoseconds();
    for (const core::Description* d : core::Registry::all())
    {
        if (d->kind == core::Kind::Node)
        {
            continue;
        }
        TypeId tid;
        ASSERT_TRUE(TypeId::LookupByNameFailSafe(FabricMechanism::TypeName(d->name), &tid))
            << d->name;
        ASSERT_EQ(tid.GetAttributeN(), d->params.size()) << d->name;
        const Ptr<FabricMechanism> m = ObjectFactory(tid.GetName()).Create<FabricMechanism>();
        for (size_t i = 0; i < d->params.size(); ++i)
        {
            const core::Param& p = d->params[i];
            EXPECT_EQ(tid.GetAttribute(i).name, CamelCase(p.name));
            EXPECT_NE(tid.GetAttribute(i).help.find(p.source), std::string::npos);
            EXPECT_EQ(m->GetComponent().get(p), p.def) << d->name << "." << p.name;
        }
    }
}

TEST(Attributes, AreSetAndRead)
{
    UsePicoseconds();
    const Ptr<FabricMechanism> m = ObjectFactory("ns3::fabric::Dcqcn",
                                                 "AlphaTimer",
                                                 TimeValue(PicoSeconds(12345)),
                                                 "RateAi",
                                                 StringValue("50Mbps"))
                                       .Create<FabricMechanism>();
    EXPECT_EQ(std::get<int64_t>(m->GetComponent().get("alpha_timer")), 12345);
    EXPECT_EQ(std::get<int64_t>(m->GetComponent().get("rate_ai")), 50000000);
    TimeValue timer;
    m->GetAttribute("AlphaTimer", timer);
    EXPECT_EQ(timer.Get(), PicoSeconds(12345));
    EXPECT_FALSE(m->SetAttributeFailSafe("G", DoubleValue(2)));            // above its range
    EXPECT_FALSE(m->SetAttributeFailSafe("Notice", StringValue("smoke"))); // not one of its choices
    EXPECT_TRUE(m->SetAttributeFailSafe("Notice", StringValue("ack")));
}

TEST(Attributes, ListsAreText)
{
    const Ptr<FabricMechanism> m =
        ObjectFactory("ns3::fabric::BandwidthFunction",
                      "Curve",
                      StringValue("[[0, 0], [1, 5000000000], [2.5, 7e9]]"))
            .Create<FabricMechanism>();
    const core::NumberList curve{{0, 0}, {1, 5e9}, {2.5, 7e9}};
    EXPECT_EQ(std::get<core::NumberList>(m->GetComponent().get("curve")), curve);
    StringValue text;
    m->GetAttribute("Curve", text);
    EXPECT_EQ(text.Get(), "[[0,0],[1,5e+09],[2.5,7e+09]]");
    testing::internal::CaptureStderr();
    EXPECT_FALSE(m->SetAttributeFailSafe("Curve", StringValue("[[0, 0], [1, 0]]")));
    EXPECT_FALSE(m->SetAttributeFailSafe("Curve", StringValue("0:0 1:5")));
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("bandwidth 0 bit/s is not above 0, the one before"), std::string::npos);
    EXPECT_NE(said.find("'0:0 1:5' is no list of numbers"), std::string::npos);
    EXPECT_EQ(std::get<core::NumberList>(m->GetComponent().get("curve")), curve);
}

TEST(Attributes, ACopyHasTheSameParametersAndIsApart)
{
    UsePicoseconds();
    const Ptr<FabricMechanism> m = ObjectFactory("ns3::fabric::Dcqcn",
                                                 "AlphaTimer",
                                                 TimeValue(PicoSeconds(12345)),
                                                 "Notice",
                                                 StringValue("ack"))
                                       .Create<FabricMechanism>();
    const Ptr<FabricMechanism> copy = CopyObject(m);
    EXPECT_EQ(copy->GetInstanceTypeId(), m->GetInstanceTypeId());
    for (const core::Param& p : m->GetComponent().description().params)
    {
        EXPECT_EQ(copy->GetComponent().get(p), m->GetComponent().get(p)) << p.name;
    }
    copy->SetAttribute("AlphaTimer", TimeValue(PicoSeconds(1000)));
    EXPECT_EQ(std::get<int64_t>(m->GetComponent().get("alpha_timer")), 12345);
}

class Defaults : public testing::TestWithParam<bool>
{
};

TEST_P(Defaults, ThatChangeBetweenInstallsReachAllButCopies)
{
    UsePicoseconds();
    FabricHelper helper(1);
    helper.Set("CongestionControl", ObjectFactory("ns3::fabric::Hpcc"));
    if (GetParam())
    {
        helper.CopyMechanisms();
    }
    NodeContainer hosts(3);
    const auto install = [&](uint32_t i) {
        helper.InstallHost(hosts.Get(i));
        PointerValue agent;
        hosts.Get(i)->GetObject<FabricHost>()->GetAttribute("CongestionControl", agent);
        return std::get<double>(agent.Get<FabricMechanism>()->GetComponent().get("eta"));
    };
    const double before = install(0);
    Config::SetDefault("ns3::fabric::Hpcc::Eta", DoubleValue(0.5));
    EXPECT_EQ(install(1), GetParam() ? before : 0.5);
    helper.Set("CongestionControl", ObjectFactory("ns3::fabric::Hpcc"));
    EXPECT_EQ(install(2), 0.5);
    Simulator::Destroy();
}

INSTANTIATE_TEST_SUITE_P(Copies, Defaults, testing::Bool());

TEST(Config, AChangeDuringTheRunTakesEffect)
{
    Dumbbell d("hpcc");
    d.helper.AddFlow(d.senders.Get(0), d.receiver.Get(0), 0, Time(0));
    d.helper.EnableTable("rates", MicroSeconds(1));
    std::vector<double> rates(2);
    const auto sample = [&rates](int i) {
        Ptr<FabricHost> host = NodeList::GetNode(0)->GetObject<FabricHost>();
        host->GetNode().forEachActive(
            [&](const core::Flow& f) { rates[i] = static_cast<double>(f.rate.bps); });
    };
    Simulator::Schedule(MicroSeconds(400), [&] { sample(0); });
    Simulator::Schedule(MicroSeconds(400), [] {
        Config::Set("/NodeList/*/$ns3::fabric::FabricHost/CongestionControl/$ns3::fabric::Hpcc/Eta",
                    DoubleValue(0.5));
    });
    Simulator::Schedule(MicroSeconds(800), [&] { sample(1); });
    d.helper.StopAt(MicroSeconds(800));
    EXPECT_EQ(d.helper.Run(), 0);
    EXPECT_GT(rates[0], 85e9);
    EXPECT_LT(rates[1], 60e9);
    Simulator::Destroy();
}

TEST(Config, AFixedParameterIsRefusedByNameDuringTheRun)
{
    Dumbbell d("hpcc");
    d.helper.AddFlow(d.senders.Get(0), d.receiver.Get(0), 100000, Time(0));
    testing::internal::CaptureStderr();
    Simulator::Schedule(MicroSeconds(1), [] {
        EXPECT_FALSE(
            Config::SetFailSafe("/NodeList/*/$ns3::fabric::FabricHost/Mtu", UintegerValue(9000)));
    });
    d.helper.StopAt(MicroSeconds(50));
    EXPECT_EQ(d.helper.Run(), 0);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("host.mtu: cannot change during a run"),
              std::string::npos);
    Simulator::Destroy();
}

TEST(Config, ACurveChangesDuringTheRun)
{
    UsePicoseconds();
    FabricHelper helper;
    helper.Set("Utility", ObjectFactory("ns3::fabric::BandwidthFunction"));
    NodeContainer hosts(2);
    NodeContainer node(1);
    helper.InstallHost(hosts);
    helper.InstallSwitch(node);
    for (uint32_t i = 0; i < 2; ++i)
    {
        helper.Connect(hosts.Get(i), node.Get(0), DataRate("100Gbps"), MicroSeconds(1));
    }
    helper.PopulateRoutes();
    helper.AddFlow(hosts.Get(0), hosts.Get(1), 0, Time(0));
    std::vector<double> rates;
    const auto look = [&] {
        const Ptr<FabricHost> host = hosts.Get(0)->GetObject<FabricHost>();
        rates.push_back(host->GetNode().utility()->rateAt(1, {}));
    };
    Simulator::Schedule(MicroSeconds(1), look);
    Simulator::Schedule(MicroSeconds(1), [] {
        Config::Set(
            "/NodeList/*/$ns3::fabric::FabricHost/Utility/$ns3::fabric::BandwidthFunction/Curve",
            StringValue("[[0,0],[1,5e9]]"));
    });
    Simulator::Schedule(MicroSeconds(2), look);
    helper.StopAt(MicroSeconds(3));
    EXPECT_EQ(helper.Run(), 0);
    EXPECT_EQ(rates, (std::vector<double>{10000, 5000}));
    Simulator::Destroy();
}

/// Both senders start together, so that at any time packets of both are to arrive in the same slot
/// of the event list. With the sanitizers this finds events that outlive their ports.
class Destroy : public testing::TestWithParam<int64_t>
{
};

TEST_P(Destroy, WithPacketsOnManyLinks)
{
    Dumbbell d("none");
    for (uint32_t sender : {0, 1})
    {
        d.helper.AddFlow(d.senders.Get(sender), d.receiver.Get(0), 0, Time(0));
    }
    d.helper.StopAt(NanoSeconds(GetParam()));
    EXPECT_EQ(d.helper.Run(), 0);
    Simulator::Destroy();
}

INSTANTIATE_TEST_SUITE_P(StopAt, Destroy, testing::Values(10000, 50000, 50030, 50060));

TEST(Config, PathsReachQueuesAgentsAndPorts)
{
    Dumbbell d("hpcc");
    EXPECT_TRUE(
        Config::SetFailSafe("/NodeList/*/DeviceList/*/$ns3::fabric::FabricNetDevice/PfcXoff",
                            UintegerValue(7000)));
    EXPECT_TRUE(
        Config::SetFailSafe("/NodeList/*/DeviceList/*/$ns3::fabric::FabricNetDevice/PortAgents/0/"
                            "$ns3::fabric::HpccInt/Quantised",
                            BooleanValue(true)));
    EXPECT_TRUE(
        Config::SetFailSafe("/NodeList/*/DeviceList/*/$ns3::fabric::FabricNetDevice/Queues/1/"
                            "$ns3::fabric::Fifo/Limit",
                            UintegerValue(100000)));
    EXPECT_TRUE(Config::SetFailSafe(
        "/NodeList/*/$ns3::fabric::FabricSwitch/PathSelector/$ns3::fabric::Ecmp/Symmetric",
        BooleanValue(false)));
    const Ptr<FabricNetDevice> device = DynamicCast<FabricNetDevice>(d.bottleneck.Get(0));
    EXPECT_EQ(device->GetPort().pfcXoff(), 7000);
    Simulator::Destroy();
}

/// Every trace source against the rows that the trace stream gets.
class TraceSources : public testing::TestWithParam<std::string>
{
};

TEST_P(TraceSources, ShowWhatTheTraceStreamShows)
{
    Dumbbell d(GetParam());
    Config::Set("/NodeList/*/DeviceList/*/$ns3::fabric::FabricNetDevice/PfcXoff",
                UintegerValue(60000));
    Config::Set("/NodeList/*/DeviceList/*/$ns3::fabric::FabricNetDevice/Queues/1/$ns3::fabric::" +
                    std::string(GetParam() == "dcqcn" ? "Red" : "Fifo") + "/Limit",
                UintegerValue(70000));
    // What happens at a length of the queue happens below that.
    if (GetParam() == "dcqcn")
    {
        Config::Set("/NodeList/*/DeviceList/*/$ns3::fabric::FabricNetDevice/Queues/1/"
                    "$ns3::fabric::Red/Kmax",
                    UintegerValue(60000));
    }
    if (GetParam() == "rocc")
    {
        for (const auto& [name, bytes] : {std::make_pair("QRef", 30000), std::make_pair("QMax", 60000)})
        {
            Config::Set("/NodeList/*/DeviceList/*/$ns3::fabric::FabricNetDevice/PortAgents/*/"
                        "$ns3::fabric::RoccPi/" +
                            std::string(name),
                        UintegerValue(bytes));
        }
    }
    // Where PFC is everywhere such a limit is refused; to this port only ACKs come.
    d.bottleneck.Get(0)->SetAttribute("Pfc", BooleanValue(false));
    d.helper.AddFlow(d.senders.Get(0), d.receiver.Get(0), 2000000, Time(0));
    d.helper.AddFlow(d.senders.Get(1), d.receiver.Get(0), 1000000, MicroSeconds(20));
    const std::vector<std::string>
        tables{"flows", "queues", "links", "rates", "pauses", "drops", "packets"};
    for (const auto& t : tables)
    {
        d.helper.EnableTable(t, MicroSeconds(2));
    }
    std::map<std::string, std::string> seen;
    const auto add = [&seen](const std::string& table, std::initializer_list<uint64_t> values) {
        for (const uint64_t v : values)
        {
            seen[table] += std::to_string(v) + " ";
        }
        seen[table] += "\n";
    };
    const auto now = [] { return static_cast<uint64_t>(Simulator::Now().GetTimeStep()); };
    int flowStarts = 0;
    for (uint32_t n = 0; n < NodeList::GetNNodes(); ++n)
    {
        const Ptr<Node> node = NodeList::GetNode(n);
        if (const Ptr<FabricHost> host = node->GetObject<FabricHost>())
        {
            const uint64_t id = host->GetNode().id();
            host->m_flowStartTrace.ConnectWithoutContext(
                Callback<void, uint32_t, uint32_t, uint64_t>(
                    [&](uint32_t, uint32_t, uint64_t) { ++flowStarts; }));
            host->m_flowEndTrace.ConnectWithoutContext(
                Callback<void, uint32_t, uint64_t, Time, Time, Time, bool>([&](uint32_t flow,
                                                                               uint64_t size,
                                                                               Time start,
                                                                               Time end,
                                                                               Time senderEnd,
                                                                               bool finished) {
                    add("flows",
                        {flow,
                         size,
                         uint64_t(start.GetTimeStep()),
                         uint64_t(end.GetTimeStep()),
                         uint64_t(senderEnd.GetTimeStep()),
                         finished});
                }));
            host->m_rateTrace.ConnectWithoutContext(Callback<void,
                                                             uint32_t,
                                                             DataRate,
                                                             int64_t,
                                                             uint64_t,
                                                             uint64_t>([&, id](uint32_t flow,
                                                                               DataRate rate,
                                                                               int64_t window,
                                                                               uint64_t sent,
                                                                               uint64_t acked) {
                add("rates", {now(), flow, id, rate.GetBitRate(), uint64_t(window), sent, acked});
            }));
        }
        for (uint32_t i = 0; i < node->GetNDevices(); ++i)
        {
            const Ptr<FabricNetDevice> device = DynamicCast<FabricNetDevice>(node->GetDevice(i));
            const uint64_t id = device->GetPort().node().id();
            device->m_queueTrace.ConnectWithoutContext(
                Callback<void, uint8_t, uint64_t, uint32_t, uint64_t>(
                    [&, id, i](uint8_t c, uint64_t bytes, uint32_t packets, uint64_t max) {
                        add("queues", {now(), id, i, c, bytes, packets, max});
                    }));
            device->m_linkTrace.ConnectWithoutContext(Callback<void, uint64_t, uint64_t, Time>(
                [&, id, i](uint64_t sent, uint64_t data, Time paused) {
                    add("links", {now(), id, i, sent, data, uint64_t(paused.GetTimeStep())});
                }));
            device->m_pauseTrace.ConnectWithoutContext(
                Callback<void, uint8_t, bool, bool>([&, id, i](uint8_t c, bool xoff, bool sent) {
                    add("pauses", {now(), id, i, c, xoff, sent});
                }));
            device->m_dropTrace.ConnectWithoutContext(
                Callback<void, uint8_t, uint32_t, uint8_t, uint32_t, uint8_t>(
                    [&,
                     id,
                     i](uint8_t c, uint32_t flow, uint8_t kind, uint32_t bytes, uint8_t reason) {
                        add("drops", {now(), id, i, c, flow, kind, bytes, reason});
                    }));
            device->m_packetTrace.ConnectWithoutContext(
                Callback<void, uint8_t, uint32_t, uint8_t, uint64_t, uint32_t, uint8_t, bool>(
                    [&, id, i](uint8_t e,
                               uint32_t flow,
                               uint8_t kind,
                               uint64_t seq,
                               uint32_t bytes,
                               uint8_t c,
                               bool m) {
                        add("packets", {now(), id, i, e, flow, kind, seq, bytes, c, m});
                    }));
        }
    }
    std::map<std::string, std::unique_ptr<Rows>> rows;
    for (const auto& t : tables)
    {
        rows[t] = std::make_unique<Rows>(t);
    }
    d.helper.StopAt(MicroSeconds(600));
    EXPECT_EQ(d.helper.Run(), 0);
    for (const auto& t : tables)
    {
        if (t == "flows")
        {
            continue;
        }
        EXPECT_EQ(rows[t]->text, seen[t]) << t;
    }
    EXPECT_EQ(std::count(rows["flows"]->text.begin(), rows["flows"]->text.end(), '\n'), 2);
    EXPECT_EQ(std::count(seen["flows"].begin(), seen["flows"].end(), '\n'), 2);
    EXPECT_EQ(flowStarts, 2);
    for (const std::string t : {"queues", "links", "rates", "packets"})
    {
        EXPECT_FALSE(seen[t].empty()) << t;
    }
    if (GetParam() == "none")
    {
        EXPECT_FALSE(seen["pauses"].empty());
        EXPECT_FALSE(seen["drops"].empty());
    }
    Simulator::Destroy();
}

INSTANTIATE_TEST_SUITE_P(Presets,
                         TraceSources,
                         testing::Values("none", "hpcc", "fncc", "dcqcn", "rocc"));

TEST(Pcap, HoldsFramesOfTheRightLength)
{
    const std::string name = testing::TempDir() + "fabric-test.pcap";
    {
        Dumbbell d("dcqcn");
        d.helper.AddFlow(d.senders.Get(0), d.receiver.Get(0), 10000, Time(0));
        d.helper.EnablePcap(name, d.bottleneck.Get(0), true, true);
        d.helper.StopAt(MicroSeconds(100));
        EXPECT_EQ(d.helper.Run(), 0);
        Simulator::Destroy();
    } // the file is closed with the last device

    PcapFile file;
    file.Open(name, std::ios::in);
    std::vector<uint32_t> lengths;
    for (;;)
    {
        uint8_t data[65536];
        uint32_t sec, usec, included, original, read;
        file.Read(data, sizeof data, sec, usec, included, original, read);
        if (file.Fail() || file.Eof())
        {
            break;
        }
        lengths.push_back(original);
    }
    // Six full data packets and one of 1264 B payload, each answered; captured without the FCS.
    EXPECT_EQ(std::count(lengths.begin(), lengths.end(), 1514U), 6);
    EXPECT_EQ(std::count(lengths.begin(), lengths.end(), 10000U - 6 * 1456 + 62 - 4), 1);
    EXPECT_EQ(std::count(lengths.begin(), lengths.end(), 62U), 7);
}

TEST(Scheduler, OrdersByTimeThenKeyAndForeignEventsFirst)
{
    UsePicoseconds();
    const Ptr<FabricNetwork> network = FabricNetwork::Get();
    std::string order;
    struct Mark final : core::Event
    {
        Mark(std::string& out, char c, uint64_t key)
            : Event(key),
              out(out),
              c(c)
        {
        }
        void fire() override
        {
            out += c;
        }
        std::string& out;
        char c;
    };
    Mark a(order, 'a', core::eventKey(1, core::EventKind::Arrival, 0));
    Mark b(order, 'b', core::eventKey(1, core::EventKind::Arrival, 1));
    Mark c(order, 'c', core::eventKey(2, core::EventKind::Arrival, 0));
    Mark e(order, 'e', core::eventKey(1, core::EventKind::Arrival, 0));
    core::Engine& engine = network->GetCore().engine();
    engine.schedule(e, core::Time::Us(2));
    engine.schedule(c, core::Time::Us(1));
    engine.schedule(b, core::Time::Us(1));
    Simulator::Schedule(MicroSeconds(1), [&order] { order += '1'; });
    engine.schedule(a, core::Time::Us(1));
    Simulator::Schedule(MicroSeconds(1), [&order] { order += '2'; });
    Simulator::Run();
    EXPECT_EQ(order, "12abce");
    Simulator::Destroy();
}

TEST(Scheduler, OrderSurvivesTheWrapOfNs3sEventNumber)
{
    // The scheduler alone, with event numbers around the wrap of 32 bits.
    const Ptr<FabricScheduler> list = CreateObject<FabricScheduler>();
    Ns3Engine engine;
    std::vector<Scheduler::Event> events;
    const auto foreign = [](uint32_t uid) {
        return Scheduler::Event{MakeEvent([] {}), {1000, uid, 0}};
    };
    for (const uint32_t uid : {0xfffffffeU, 0xffffffffU, 0U, 1U})
    {
        events.push_back(foreign(uid));
        list->Insert(events.back());
    }
    for (const auto& ev : events)
    {
        EXPECT_EQ(list->RemoveNext().key.m_uid, ev.key.m_uid);
        ev.impl->Unref();
    }
    EXPECT_TRUE(list->IsEmpty());
}

TEST(Scheduler, KeepsTheOrderOverAllDistances)
{
    // Against a sorted set: events in the slot of now, in the wheel, beyond it, far beyond, and at
    // the same time; every seventh is removed again.
    const Ptr<FabricScheduler> list = CreateObject<FabricScheduler>();
    core::RandomStream random(1, "scheduler");
    std::set<std::pair<uint64_t, uint32_t>> expected; // time, number
    uint64_t now = 0;
    uint32_t number = 0;
    EventImpl* const impl = MakeEvent([] {});
    for (int round = 0; round < 40000; ++round)
    {
        const bool filling = round < 20000;
        if (random.below(100) < (filling ? 60U : 40U) || expected.empty())
        {
            static constexpr uint32_t SPANS[] = {1, 1000, 100000, 8000000, 9000000, 4000000000};
            const uint64_t ts = now + random.below(SPANS[random.below(6)]);
            list->Insert({impl, {ts, number, 0}});
            expected.insert({ts, number});
            if (++number % 7 == 0)
            {
                auto victim = expected.lower_bound({now + random.below(SPANS[random.below(6)]), 0});
                if (victim != expected.end())
                {
                    list->Remove({impl, {victim->first, victim->second, 0}});
                    expected.erase(victim);
                }
            }
            continue;
        }
        ASSERT_FALSE(list->IsEmpty());
        const auto first = *expected.begin();
        ASSERT_EQ(list->PeekNext().key.m_uid, first.second);
        const Scheduler::Event next = list->RemoveNext();
        ASSERT_EQ(next.key.m_uid, first.second);
        ASSERT_EQ(next.key.m_ts, first.first);
        now = first.first;
        expected.erase(expected.begin());
    }
    while (!expected.empty())
    {
        ASSERT_EQ(list->RemoveNext().key.m_uid, expected.begin()->second);
        expected.erase(expected.begin());
    }
    EXPECT_TRUE(list->IsEmpty());
    impl->Unref();
}

TEST(Scheduler, RemovesWhatIsCancelledByNs3)
{
    UsePicoseconds();
    FabricNetwork::Get();
    std::string order;
    std::vector<EventId> ids;
    for (int i = 0; i < 20; ++i)
    {
        ids.push_back(Simulator::Schedule(PicoSeconds(100 - i),
                                          [&order, i] { order += static_cast<char>('a' + i); }));
    }
    for (int i = 0; i < 20; i += 2)
    {
        Simulator::Remove(ids[i]);
    }
    Simulator::Run();
    EXPECT_EQ(order, "trpnljhfdb");
    Simulator::Destroy();
}

/// The flows that finish, the time and the first sender's rates at foreign events, and the sampled
/// rates, as text, of two flows on the dumbbell.
static std::vector<double>
RunDumbbell(bool nodeByNode, bool stopAtFirstEnd)
{
    std::vector<double> seen{0};
    Dumbbell d("hpcc");
    for (uint32_t sender : {0, 1})
    {
        d.helper.AddFlow(d.senders.Get(sender),
                         d.receiver.Get(0),
                         200000 + 100000 * sender,
                         Time(0));
    }
    d.helper.EnableTable("flows", core::TraceFilter());
    d.helper.EnableTable("rates", MicroSeconds(1));
    if (nodeByNode)
    {
        d.helper.RunNodeByNode();
    }
    Rows rows("rates");
    for (int us : {7, 20, 21, 100})
    {
        Simulator::Schedule(MicroSeconds(us), [&seen] {
            seen.push_back(static_cast<double>(Simulator::Now().GetMicroSeconds()));
            NodeList::GetNode(0)->GetObject<FabricHost>()->GetNode().forEachActive(
                [&seen](const core::Flow& f) { seen.push_back(static_cast<double>(f.rate.bps)); });
        });
    }
    for (uint32_t sender : {0, 1})
    {
        d.senders.Get(sender)->GetObject<FabricHost>()->TraceConnectWithoutContext(
            "FlowEnd",
            Callback<void, uint32_t, uint64_t, Time, Time, Time, bool>(
                [&seen, stopAtFirstEnd](uint32_t, uint64_t, Time, Time, Time, bool finished) {
                    seen[0] += finished ? 1 : 0;
                    if (stopAtFirstEnd)
                    {
                        Simulator::Stop();
                    }
                }));
    }
    d.helper.StopAt(MicroSeconds(200));
    EXPECT_EQ(d.helper.Run(), 0);
    std::copy(rows.text.begin(), rows.text.end(), std::back_inserter(seen));
    Simulator::Destroy();
    return seen;
}

TEST(Scheduler, NodeByNodeGivesTheSameAndForeignEventsTheirTime)
{
    const auto run = [](bool nodeByNode) {
        return InChild([nodeByNode] { return RunDumbbell(nodeByNode, false); });
    };
    const std::vector<double> inOrder = run(false);
    ASSERT_GT(inOrder.size(), 1000U);
    EXPECT_EQ(inOrder[0], 2); // both flows
    EXPECT_EQ(run(true), inOrder);
}

/// Of the events that are one for ns-3, none runs behind the one that has stopped the simulation.
TEST(Scheduler, NodeByNodeStopsAtOnce)
{
    EXPECT_EQ(RunDumbbell(true, true)[0], 1);
}

TEST(NetworkDeathTest, RefusesNanoseconds)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(FabricHelper(), "Time::SetResolution\\(Time::PS\\)");
}

namespace
{

/// A mechanism of the program's own: it registers itself after the module.
class FromOutside final : public core::CongestionControl
{
  public:
    static const core::Description& describe()
    {
        static const core::Description d =
            core::Describe<FromOutside>("from_outside",
                                        core::Kind::CongestionControl,
                                        "A window that stays")
                .help("For tests.")
                .source("test")
                .param("window", &FromOutside::m_window, core::Bytes{3000}, "window", "test")
                .range(1, 1e9)
                .done();
        return d;
    }

    const core::Description& description() const override
    {
        return describe();
    }

    void onFlowStart(core::Flow& flow) override
    {
        flow.window = m_window.n;
    }

    void onAck(core::Flow&, const core::Packet&) override
    {
    }

  private:
    core::Bytes m_window;
};

const bool g_fromOutside = (core::Registry::add(&FromOutside::describe), true);

} // namespace

TEST(OwnMechanism, RunsInAProgramOfOnesOwn)
{
    ASSERT_TRUE(g_fromOutside);
    const auto finish = [](int64_t window) {
        return InChild([window] {
            UsePicoseconds();
            FabricHelper helper;
            helper.Set("CongestionControl",
                       "ns3::fabric::FromOutside",
                       "Window",
                       UintegerValue(window));
            NodeContainer hosts(2);
            NodeContainer node(1);
            helper.InstallHost(hosts);
            helper.InstallSwitch(node);
            for (uint32_t i = 0; i < 2; ++i)
            {
                helper.Connect(hosts.Get(i), node.Get(0), DataRate("100Gbps"), MicroSeconds(1));
            }
            helper.PopulateRoutes();
            helper.AddFlow(hosts.Get(0), hosts.Get(1), 100000, Time(0));
            helper.StopWhenFlowsFinish();
            const int code = helper.Run();
            const double end = Simulator::Now().GetDouble();
            Simulator::Destroy();
            return std::vector<double>{static_cast<double>(code), end};
        });
    };
    const auto slow = finish(3000);
    const auto fast = finish(30000);
    ASSERT_EQ(slow.size(), 2u);
    ASSERT_EQ(fast.size(), 2u);
    EXPECT_EQ(slow[0], 0);
    EXPECT_EQ(fast[0], 0);
    EXPECT_GT(slow[1], 5 * fast[1]) << "the attribute counts";
}

TEST(Names, MayRepeatBelowOthers)
{
    UsePicoseconds();
    FabricHelper helper;
    NodeContainer racks(2);
    NodeContainer hosts(2);
    for (uint32_t i = 0; i < 2; ++i)
    {
        Names::Add("rack" + std::to_string(i), racks.Get(i));
        Names::Add("/Names/rack" + std::to_string(i), "host", hosts.Get(i));
    }
    helper.InstallHost(hosts);
    EXPECT_EQ(hosts.Get(0)->GetObject<FabricHost>()->GetNode().name(), "rack0/host");
    EXPECT_EQ(hosts.Get(1)->GetObject<FabricHost>()->GetNode().name(), "rack1/host");
    Simulator::Destroy();
}

TEST(LinkDeathTest, BothEndsHaveOneRateAndOneDelay)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto connect = [](const char* rate, Time delay) {
        UsePicoseconds();
        FabricHelper helper;
        NodeContainer hosts(2);
        helper.InstallHost(hosts);
        const auto one = helper.AddDevice(hosts.Get(0), DataRate("100Gbps"), MicroSeconds(1));
        helper.Connect(one, helper.AddDevice(hosts.Get(1), DataRate(rate), delay));
    };
    EXPECT_DEATH(connect("50Gbps", MicroSeconds(1)), "100000000000 and 50000000000 bit/s");
    EXPECT_DEATH(connect("100Gbps", MicroSeconds(2)), "1000000 and 2000000 ps");
}

TEST(LinkDeathTest, ADeviceHasOneLink)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto connect = [](bool itself) {
        UsePicoseconds();
        FabricHelper helper;
        NodeContainer hosts(2);
        helper.InstallHost(hosts);
        const auto one = helper.AddDevice(hosts.Get(0), DataRate("100Gbps"), MicroSeconds(1));
        const auto other = helper.AddDevice(hosts.Get(1), DataRate("100Gbps"), MicroSeconds(1));
        helper.Connect(one, itself ? one : other);
        helper.Connect(one, helper.AddDevice(hosts.Get(1), DataRate("100Gbps"), MicroSeconds(1)));
    };
    EXPECT_DEATH(connect(true), "device 0 of node0 cannot be linked to itself");
    EXPECT_DEATH(connect(false), "device 0 of node0 has a link already");
}

TEST(LinkDeathTest, ADeviceWithoutOneIsRefused)
{
    // In a process of its own, which ends as a user's does: ns-3 never frees an event that throws.
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto run = []() noexcept {
        UsePicoseconds();
        FabricHelper helper;
        NodeContainer hosts(2);
        helper.InstallHost(hosts);
        helper.Connect(hosts.Get(0), hosts.Get(1), DataRate("100Gbps"), MicroSeconds(1));
        helper.AddDevice(hosts.Get(0), DataRate("100Gbps"), MicroSeconds(1));
        helper.StopAt(MicroSeconds(3));
        helper.Run();
    };
    EXPECT_DEATH(run(), "node0 has no link at port 1: connect it to another one");
}

TEST(MistypedDeathTest, SaysTheNearestName)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto set = [](auto type) {
        UsePicoseconds();
        FabricHelper helper;
        helper.Set("CongestionControl", type);
    };
    EXPECT_DEATH(set("ns3::fabric::Hpc"),
                 "no type ns3::fabric::Hpc; did you mean ns3::fabric::Hpcc");
    EXPECT_DEATH(set("ns3::fabric::FromOutsid"), "did you mean ns3::fabric::FromOutside");
    EXPECT_DEATH(set(ObjectFactory()), "is of no type that ns-3 knows");
    EXPECT_DEATH(set("ns3::Node"), "ns3::Node is not a mechanism");
    const auto add = [] {
        UsePicoseconds();
        FabricHelper().Add("Queues", "ns3::fabric::Fif");
    };
    EXPECT_DEATH(add(), "did you mean ns3::fabric::Fifo");
    ObjectFactory factory; // by hand, as docs/how-to/ns3-by-hand.md has it
    const auto find = [&factory](const char* name) {
        factory.SetTypeId(
            ns3::fabric::FabricMechanism::Find(name, ns3::fabric::core::Kind::CongestionControl));
    };
    EXPECT_DEATH(find("ns3::fabric::Hpc"), "did you mean ns3::fabric::Hpcc");
    find("ns3::fabric::Hpcc");
    EXPECT_EQ(factory.GetTypeId().GetName(), "ns3::fabric::Hpcc");
}

} // namespace fabric
} // namespace ns3
