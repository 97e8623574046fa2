/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The project's TCP beside ns-3's own: the same loads on the same fabric with the same segments,
 * headers, initial window, timers and buffers. Prints what docs/validation.md shows.
 */
#include "child.h"
#include "tcp-beside.h"

#include "mechanisms/core/random.h"

#include "ns3/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace ns3
{
namespace fabric
{

namespace
{

/// Senders at 1 Tb/s, receivers at 10 Gb/s: the queue is at the port towards the receiver, never in
/// a NIC, where the two differ. ns-3's has a queue, which sends a window of one connection behind
/// the other; the project's makes packets when it sends them, and connections take turns.
LeafSpineOptions
Funnel(uint32_t hostsPerLeaf, Time delay)
{
    LeafSpineOptions options;
    options.spines = 1;
    options.hostsPerLeaf = hostsPerLeaf;
    options.firstLeafRate = DataRate("1000Gbps");
    options.fabricRate = DataRate("4000Gbps");
    options.delay = delay;
    return options;
}

struct Sides
{
    std::vector<double> ns3, ours;
};

Sides
Both(const std::string& control, const std::function<std::vector<double>(const Tcp&)>& run)
{
    return {InChild([&] {
                return run(Tcp{true, control});
            }),
            InChild([&] {
                return run(Tcp{false, control});
            })};
}

/// Prints a row of the table and returns the project's value over ns-3's.
double
Row(const std::string& control, const char* what, double ns3, double ours, const char* unit)
{
    std::printf("| %s | %s | %.4g %s | %.4g %s | %+.1f %% |\n",
                control.c_str(),
                what,
                ns3,
                unit,
                ours,
                unit,
                100 * (ours / ns3 - 1));
    return ours / ns3;
}

class TcpBeside : public testing::TestWithParam<const char*>
{
  protected:
    static bool Is(const char* control)
    {
        return std::string(GetParam()) == control;
    }
};

double
Quantile(const std::vector<double>& sorted, double q)
{
    return sorted[static_cast<size_t>(q * (sorted.size() - 1))];
}

/// Sizes of web search (configs/workloads/web-search.yaml), a tenth of them, so that 500 flows end
/// soon.
uint64_t
WebSearchSize(double u)
{
    static const std::vector<std::pair<double, double>> knots{{0, 0},
                                                              {1000, 0.15},
                                                              {2000, 0.2},
                                                              {3000, 0.3},
                                                              {5000, 0.4},
                                                              {8000, 0.53},
                                                              {20000, 0.6},
                                                              {100000, 0.7},
                                                              {200000, 0.8},
                                                              {500000, 0.9},
                                                              {1000000, 0.97},
                                                              {3000000, 1}};
    size_t i = 1;
    while (knots[i].second < u)
    {
        ++i;
    }
    const auto& [x0, p0] = knots[i - 1];
    const auto& [x1, p1] = knots[i];
    return std::max<uint64_t>(1, std::llround(x0 + (x1 - x0) * (u - p0) / (p1 - p0)));
}

} // namespace

TEST_P(TcpBeside, OneFlowAlone)
{
    const Sides s = Both(GetParam(), [](const Tcp& tcp) {
        UsePicoseconds();
        Beside b(tcp, Funnel(1, MicroSeconds(10)), 150000);
        b.Start({{0, 1, 0, Time(0)}});
        double before = 0;
        Simulator::Schedule(Beside::LEAD + MilliSeconds(10), [&] { before = b.Delivered(0); });
        b.Run(Beside::LEAD + MilliSeconds(30));
        return std::vector<double>{(b.Delivered(0) - before) * 8 / 0.02 / 1e9};
    });
    ASSERT_EQ(s.ns3.size(), 1U);
    ASSERT_EQ(s.ours.size(), 1U);
    const double ratio = Row(GetParam(), "throughput of one flow", s.ns3[0], s.ours[0], "Gb/s");
    EXPECT_NEAR(ratio, 1, 0.01);
}

TEST_P(TcpBeside, TwoFlowsShare)
{
    const Sides s = Both(GetParam(), [](const Tcp& tcp) {
        UsePicoseconds();
        Beside b(tcp, Funnel(2, MicroSeconds(10)), 150000);
        b.Start({{0, 2, 0, Time(0)}, {1, 2, 0, MilliSeconds(2)}});
        std::vector<double> x(2);
        Simulator::Schedule(Beside::LEAD + MilliSeconds(10), [&] {
            x = {-double(b.Delivered(0)), -double(b.Delivered(1))};
        });
        b.Run(Beside::LEAD + MilliSeconds(50));
        x[0] += b.Delivered(0);
        x[1] += b.Delivered(1);
        const double sum = x[0] + x[1];
        return std::vector<double>{sum * 8 / 0.04 / 1e9,
                                   sum * sum / (2 * (x[0] * x[0] + x[1] * x[1]))};
    });
    ASSERT_EQ(s.ns3.size(), 2U);
    ASSERT_EQ(s.ours.size(), 2U);
    const double sum = Row(GetParam(), "throughput of two flows", s.ns3[0], s.ours[0], "Gb/s");
    const double jain = Row(GetParam(), "Jain's index of the two", s.ns3[1], s.ours[1], "");
    EXPECT_NEAR(sum, 1, 0.01);
    EXPECT_NEAR(jain, 1, 0.03);
}

TEST_P(TcpBeside, LossesAreRecovered)
{
    const auto fct = [&](const std::string& what, uint32_t lost, bool alphaStays = false) {
        const Sides s = Both(GetParam(), [lost, alphaStays](Tcp tcp) {
            UsePicoseconds();
            tcp.alphaStays = alphaStays;
            Beside b(tcp, Funnel(1, MicroSeconds(10)), 300000);
            b.Start({{0, 1, 3000000, Time(0)}});
            b.DropTowards(1, 60, lost);
            b.Run(MilliSeconds(100));
            return std::vector<double>{b.Seconds(0) * 1e3};
        });
        if (s.ns3.size() != 1 || s.ours.size() != 1 || s.ns3[0] < 0 || s.ours[0] < 0)
        {
            ADD_FAILURE() << what << ": not finished";
            return 0.0;
        }
        return Row(GetParam(), ("FCT of 3 MB, " + what).c_str(), s.ns3[0], s.ours[0], "ms");
    };
    EXPECT_NEAR(fct("nothing lost", 0), 1, 0.01);
    // ns-3's DCTCP cuts by alpha at a loss, where RFC 8257 section 3.4 has half.
    const double bound = Is("dctcp") ? 0.08 : 0.03;
    EXPECT_NEAR(fct("packet 60 lost", 1), 1, bound);
    EXPECT_NEAR(fct("packets 60 to 79 lost", 20), 1, bound);
    if (Is("dctcp"))
    {
        EXPECT_NEAR(fct("packet 60 lost, alpha 1", 1, true), 1, 0.03);
        EXPECT_NEAR(fct("packets 60 to 79 lost, alpha 1", 20, true), 1, 0.03);
    }
}

/// Some lists of 500 flows (TCP_BESIDE_LISTS, 4), so that chance can be told from the rest: a
/// difference is the mean of the lists'.
TEST_P(TcpBeside, FlowCompletionTimes)
{
    const char* lists = std::getenv("TCP_BESIDE_LISTS");
    const uint32_t LISTS = lists != nullptr ? std::max(2, std::atoi(lists)) : 4;
    constexpr uint32_t FLOWS = 500;
    constexpr uint32_t HOSTS = 4;
    // What is compared, and by how much the mean of the lists may differ; 0: not asserted.
    struct Measure
    {
        const char* name;
        uint64_t above, upTo;
        double quantile; // below 0: the mean
        double newreno, cubic, dctcp;
    };
    static const std::vector<Measure> measures{
        {"all, mean", 0, ~0ULL, -1, 0.08, 0.08, 0.02},
        {"all, median", 0, ~0ULL, 0.5, 0.12, 0, 0.05},
        {"all, 99th", 0, ~0ULL, 0.99, 0, 0, 0.06},
        {"up to 10 KB, mean", 0, 10000, -1, 0, 0, 0.06},
        {"up to 10 KB, median", 0, 10000, 0.5, 0.2, 0, 0.08},
        {"up to 10 KB, 99th", 0, 10000, 0.99, 0, 0, 0.1},
        {"above 100 KB, mean", 100000, ~0ULL, -1, 0.07, 0.08, 0.02},
        {"above 100 KB, median", 100000, ~0ULL, 0.5, 0.12, 0.15, 0.03},
        {"above 100 KB, 99th", 100000, ~0ULL, 0.99, 0, 0, 0.08},
    };
    struct Sum
    {
        double ns3{0}, ours{0}, ratio{0}, square{0};
    };
    std::vector<Sum> sums(measures.size());
    UsePicoseconds();
    for (uint32_t list = 1; list <= LISTS; ++list)
    {
        // Half of what the receivers' links carry: mean size 171,125 B, so a flow every 68.45 us.
        std::vector<Transfer> transfers;
        core::RandomStream random(list, "beside");
        double at = 0;
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            at += -std::log(1 - random.uniform()) * 171125 * 8 / (HOSTS * 10e9 * 0.5);
            transfers.push_back({random.below(HOSTS),
                                 HOSTS + random.below(HOSTS),
                                 WebSearchSize(random.uniform()),
                                 PicoSeconds(std::llround(at * 1e12))});
        }
        const auto run = [&](bool ns3) {
            UsePicoseconds();
            Beside b({ns3, GetParam()}, Funnel(HOSTS, MicroSeconds(2)), 300000);
            b.Start(transfers);
            b.Run(MilliSeconds(300));
            std::vector<double> numbers;
            for (uint32_t i = 0; i < FLOWS; ++i)
            {
                numbers.push_back(b.Seconds(i) * 1e6);
            }
            return numbers;
        };
        const std::vector<double> theirs = InChild([&] { return run(true); });
        const std::vector<double> ours = InChild([&] { return run(false); });
        ASSERT_EQ(theirs.size(), FLOWS);
        ASSERT_EQ(ours.size(), FLOWS);
        ASSERT_GT(*std::min_element(theirs.begin(), theirs.end()), 0); // all finished
        ASSERT_GT(*std::min_element(ours.begin(), ours.end()), 0);
        for (size_t k = 0; k < measures.size(); ++k)
        {
            const Measure& m = measures[k];
            const auto of = [&](const std::vector<double>& fct) {
                std::vector<double> chosen;
                for (uint32_t i = 0; i < FLOWS; ++i)
                {
                    if (transfers[i].bytes > m.above && transfers[i].bytes <= m.upTo)
                    {
                        chosen.push_back(fct[i]);
                    }
                }
                std::sort(chosen.begin(), chosen.end());
                return m.quantile >= 0
                           ? Quantile(chosen, m.quantile)
                           : std::accumulate(chosen.begin(), chosen.end(), 0.0) / chosen.size();
            };
            const double ratio = of(ours) / of(theirs);
            sums[k].ns3 += of(theirs) / LISTS;
            sums[k].ours += of(ours) / LISTS;
            sums[k].ratio += ratio / LISTS;
            sums[k].square += ratio * ratio / LISTS;
        }
    }
    for (size_t k = 0; k < measures.size(); ++k)
    {
        const Measure& m = measures[k];
        const Sum& s = sums[k];
        const double error =
            std::sqrt(std::max(0.0, s.square - s.ratio * s.ratio) / (LISTS - 1)); // of the mean
        std::printf("| %s | FCT of %u x %u flows: %s | %.4g us | %.4g us | %+.1f +- %.1f %% |\n",
                    GetParam(),
                    LISTS,
                    FLOWS,
                    m.name,
                    s.ns3,
                    s.ours,
                    100 * (s.ratio - 1),
                    100 * error);
        const double bound = Is("newreno") ? m.newreno : Is("cubic") ? m.cubic : m.dctcp;
        if (bound > 0)
        {
            EXPECT_NEAR(s.ratio, 1, bound) << m.name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Controls, TcpBeside, testing::Values("newreno", "cubic", "dctcp"));

} // namespace fabric
} // namespace ns3
