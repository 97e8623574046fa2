// CoDel and FQ-CoDel beside ns-3's CoDelQueueDisc and FqCoDelQueueDisc: the same arrivals, packet
// by packet.
#include "fabric-test.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms/core/random.h"
#include "mechanisms/tests/queue_bench.h"
#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"

namespace
{

using Arrivals = std::vector<fabric::test::QueueBench::Arrival>;
using Events = std::vector<std::pair<int64_t, uint64_t>>;

/// A packet of a flow, which is its hash.
class Item final : public ns3::QueueDiscItem
{
  public:
    Item(uint64_t number, uint32_t flow, uint32_t bytes)
        : QueueDiscItem(ns3::Create<ns3::Packet>(bytes), ns3::Address(), 0),
          number(number),
          flow_(flow)
    {
    }
    void AddHeader() override
    {
    }
    bool Mark() override
    {
        return false;
    }
    uint32_t Hash(uint32_t) const override
    {
        return flow_;
    }
    const uint64_t number;

  private:
    uint32_t flow_;
};

/// ns-3's queue disc in front of a wire of 1 Gb/s.
class Disc
{
  public:
    explicit Disc(ns3::Ptr<ns3::QueueDisc> disc)
        : disc_(disc)
    {
        disc_->TraceConnectWithoutContext("DropBeforeEnqueue",
                                          ns3::MakeCallback(&Disc::OnDrop, this));
        disc_->TraceConnectWithoutContext("DropAfterDequeue",
                                          ns3::MakeCallback(&Disc::OnDrop, this));
        disc_->Initialize();
    }
    void Run(const Arrivals& arrivals, ns3::Time until)
    {
        for (size_t i = 0; i < arrivals.size(); ++i)
        {
            const auto& a = arrivals[i];
            const auto arrive = [this, i, a] {
                disc_->Enqueue(ns3::Create<Item>(i, a.flow, a.bytes));
                if (!busy_)
                    Send();
            };
            // As on QueueBench: behind the end of a transmission at the same time.
            ns3::Simulator::Schedule(ns3::PicoSeconds(a.at.ps),
                                     [arrive] { ns3::Simulator::ScheduleNow(arrive); });
        }
        ns3::Simulator::Stop(until);
        ns3::Simulator::Run();
        ns3::Simulator::Destroy();
    }
    Events sent, dropped;

  private:
    void Send()
    {
        const auto item = disc_->Dequeue();
        busy_ = item != nullptr;
        if (!busy_)
            return;
        sent.emplace_back(ns3::Simulator::Now().GetPicoSeconds(),
                          ns3::DynamicCast<const Item>(item)->number);
        ns3::Simulator::Schedule(ns3::PicoSeconds(item->GetSize() * int64_t{8000}),
                                 [this] { Send(); });
    }
    void OnDrop(ns3::Ptr<const ns3::QueueDiscItem> item, const char*)
    {
        dropped.emplace_back(ns3::Simulator::Now().GetPicoSeconds(),
                             ns3::DynamicCast<const Item>(item)->number);
    }
    ns3::Ptr<ns3::QueueDisc> disc_;
    bool busy_ = false;
};

/// Flows that come and go in bursts, at `load` in the mean; never at the end of a transmission,
/// where the two simulators may be of different minds.
Arrivals
Bursts(uint64_t seed, double load, uint32_t flows, fabric::Time until, bool equalSizes = false)
{
    fabric::RandomStream random(seed, "bursts", 0);
    Arrivals list;
    double at = 0; // ns
    while (at < static_cast<double>(until.ps) / 1000)
    {
        const auto flow = static_cast<uint32_t>(random.below(flows));
        const auto burst = 1 + random.below(40);
        for (uint64_t i = 0; i < burst; ++i)
        {
            const uint32_t bytes =
                equalSizes ? 1500 : static_cast<uint32_t>(64 + random.below(1437));
            list.push_back({fabric::Time{static_cast<int64_t>(at) * 1000}, flow, bytes});
            at += 2.0 * bytes * 8 * random.uniform() / load;
        }
    }
    return list;
}

void
Compare(const fabric::test::QueueBench& ours, const Disc& theirs, size_t leastDrops)
{
    const Events sent = ours.events(fabric::PacketEvent::Dequeue),
                 dropped = ours.events(fabric::PacketEvent::Drop);
    ASSERT_EQ(sent.size(), theirs.sent.size());
    for (size_t i = 0; i < sent.size(); ++i)
        ASSERT_EQ(sent[i], theirs.sent[i]) << "the " << i << "th on the wire";
    EXPECT_EQ(dropped, theirs.dropped);
    EXPECT_GE(dropped.size(), leastDrops);
}

void
BesideNs3(const std::string& queue,
          ns3::Ptr<ns3::QueueDisc> disc,
          const fabric::test::QueueBench::Params& params,
          const Arrivals& arrivals,
          size_t leastDrops)
{
    constexpr int64_t kEnd = 20000; // ms
    fabric::test::QueueBench ours(queue, params);
    ours.arrivals = arrivals;
    ours.run(fabric::Time::Ms(kEnd));
    Disc theirs(disc);
    theirs.Run(arrivals, ns3::MilliSeconds(kEnd));
    Compare(ours, theirs, leastDrops);
}

class CoDelBeside : public testing::TestWithParam<uint64_t>
{
  protected:
    void SetUp() override
    {
        ns3::fabric::UsePicoseconds();
    }
    /// FQ-CoDel of both, with so much room: ns-3 counts packets, fabriclab bytes. All are of one
    /// size.
    static void FqCoDel(int packets, const Arrivals& arrivals, size_t leastDrops)
    {
        const auto disc = ns3::CreateObject<ns3::FqCoDelQueueDisc>();
        disc->SetAttribute("Target", ns3::StringValue(std::to_string(kTarget) + "us"));
        disc->SetAttribute("Interval", ns3::StringValue(std::to_string(kInterval) + "us"));
        disc->SetAttribute("UseEcn", ns3::BooleanValue(false));
        disc->SetAttribute("MaxSize",
                           ns3::QueueSizeValue(ns3::QueueSize(std::to_string(packets) + "p")));
        disc->SetQuantum(1514);
        // Its CoDel queues have ns-3's default, below 1500 B.
        BesideNs3("fq_codel",
                  disc,
                  {{"fq_codel.target", fabric::Time::Us(kTarget).ps},
                   {"fq_codel.interval", fabric::Time::Us(kInterval).ps},
                   {"fq_codel.min_bytes", int64_t{1499}},
                   {"fq_codel.limit", int64_t{packets} * 1500},
                   {"fq_codel.flows", int64_t{1} << 20},
                   {"fq_codel.arithmetic", std::string("linux")}},
                  arrivals,
                  leastDrops);
    }

    static constexpr int64_t kTarget = 500, kInterval = 10000; // us
};

TEST_P(CoDelBeside, PacketByPacket)
{
    const auto disc = ns3::CreateObject<ns3::CoDelQueueDisc>();
    disc->SetAttribute("Target", ns3::TimeValue(ns3::MicroSeconds(kTarget)));
    disc->SetAttribute("Interval", ns3::TimeValue(ns3::MicroSeconds(kInterval)));
    disc->SetAttribute("MinBytes",
                       ns3::UintegerValue(1501)); // ns-3: below this; RFC 8289: up to it
    disc->SetAttribute("MaxSize", ns3::QueueSizeValue(ns3::QueueSize("2000000B")));
    BesideNs3("codel",
              disc,
              {{"codel.target", fabric::Time::Us(kTarget).ps},
               {"codel.interval", fabric::Time::Us(kInterval).ps},
               {"codel.min_bytes", int64_t{1500}},
               {"codel.limit", int64_t{2000000}},
               {"codel.arithmetic", std::string("linux")}},
              Bursts(GetParam(), 1.02, 20, fabric::Time::Ms(3000)),
              500);
}

TEST_P(CoDelBeside, FlowByFlow)
{
    FqCoDel(1000000, Bursts(GetParam(), 1.1, 20, fabric::Time::Ms(3000)), 500);
}

TEST_P(CoDelBeside, Overflows)
{
    FqCoDel(200, Bursts(GetParam(), 1.5, 30, fabric::Time::Ms(1000), true), 5000);
}

INSTANTIATE_TEST_SUITE_P(Arrivals, CoDelBeside, testing::Values(1, 2, 3, 4, 5));

} // namespace
