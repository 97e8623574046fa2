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
#include <numeric>

namespace ns3
{
namespace fabric
{

namespace
{

/// Senders at 40 Gb/s, receivers at 10 Gb/s: the queue is at the port towards the receiver, never
/// in a NIC, where the two differ (ns-3's has a queue, the project's makes packets when it sends
/// them).
LeafSpineOptions
Funnel(uint32_t hostsPerLeaf, Time delay)
{
    LeafSpineOptions options;
    options.spines = 1;
    options.hostsPerLeaf = hostsPerLeaf;
    options.firstLeafRate = DataRate("40Gbps");
    options.fabricRate = DataRate("40Gbps");
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
    /// CUBIC differs by more than a few per cent; docs/validation.md says what is known. It is
    /// measured and printed, and nothing is claimed of it.
    static bool IsOpen()
    {
        return std::string(GetParam()) == "cubic";
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
        Simulator::Schedule(MilliSeconds(10), [&] { before = b.Delivered(0); });
        b.Run(MilliSeconds(30));
        return std::vector<double>{(b.Delivered(0) - before) * 8 / 0.02 / 1e9};
    });
    ASSERT_EQ(s.ns3.size(), 1U);
    ASSERT_EQ(s.ours.size(), 1U);
    const double ratio = Row(GetParam(), "throughput of one flow", s.ns3[0], s.ours[0], "Gb/s");
    if (!IsOpen())
    {
        EXPECT_NEAR(ratio, 1, 0.01);
    }
}

TEST_P(TcpBeside, TwoFlowsShare)
{
    const Sides s = Both(GetParam(), [](const Tcp& tcp) {
        UsePicoseconds();
        Beside b(tcp, Funnel(2, MicroSeconds(10)), 150000);
        b.Start({{0, 2, 0, Time(0)}, {1, 2, 0, MilliSeconds(2)}});
        std::vector<double> x(2);
        Simulator::Schedule(MilliSeconds(10), [&] {
            x = {-double(b.Delivered(0)), -double(b.Delivered(1))};
        });
        b.Run(MilliSeconds(50));
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
    if (!IsOpen())
    {
        EXPECT_NEAR(sum, 1, 0.01);
        EXPECT_NEAR(jain, 1, 0.03);
    }
}

TEST_P(TcpBeside, LossesAreRecovered)
{
    const auto fct = [&](uint32_t lost) {
        return Both(GetParam(), [lost](const Tcp& tcp) {
            UsePicoseconds();
            Beside b(tcp, Funnel(1, MicroSeconds(10)), 300000);
            b.Start({{0, 1, 3000000, Time(0)}});
            b.DropTowards(1, 60, lost);
            b.Run(MilliSeconds(100));
            return std::vector<double>{b.Seconds(0) * 1e3};
        });
    };
    const Sides none = fct(0);
    const Sides one = fct(1);
    const Sides burst = fct(20);
    for (const Sides* s : {&none, &one, &burst})
    {
        ASSERT_EQ(s->ns3.size(), 1U);
        ASSERT_EQ(s->ours.size(), 1U);
        ASSERT_GT(s->ns3[0], 0);
        ASSERT_GT(s->ours[0], 0);
    }
    const double a = Row(GetParam(), "FCT of 3 MB, nothing lost", none.ns3[0], none.ours[0], "ms");
    const double b = Row(GetParam(), "FCT of 3 MB, packet 60 lost", one.ns3[0], one.ours[0], "ms");
    const double c =
        Row(GetParam(), "FCT of 3 MB, packets 60 to 79 lost", burst.ns3[0], burst.ours[0], "ms");
    if (!IsOpen())
    {
        EXPECT_NEAR(a, 1, 0.02);
        EXPECT_NEAR(b, 1, 0.08);
        EXPECT_NEAR(c, 1, 0.08);
    }
}

TEST_P(TcpBeside, FlowCompletionTimesOf500Flows)
{
    constexpr uint32_t FLOWS = 500;
    constexpr uint32_t HOSTS = 4;
    // Half of what the receivers' links carry: mean size 171,125 B, so a flow every 68.45 us.
    UsePicoseconds();
    std::vector<Transfer> transfers;
    core::RandomStream random(1, "beside");
    double at = 0;
    for (uint32_t i = 0; i < FLOWS; ++i)
    {
        at += -std::log(1 - random.uniform()) * 171125 * 8 / (HOSTS * 10e9 * 0.5);
        transfers.push_back({random.below(HOSTS),
                             HOSTS + random.below(HOSTS),
                             WebSearchSize(random.uniform()),
                             PicoSeconds(std::llround(at * 1e12))});
    }
    const Sides s = Both(GetParam(), [&](const Tcp& tcp) {
        UsePicoseconds();
        Beside b(tcp, Funnel(HOSTS, MicroSeconds(2)), 300000);
        b.Start(transfers);
        b.Run(MilliSeconds(300));
        std::vector<double> fct;
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            fct.push_back(b.Seconds(i) * 1e6);
        }
        return fct;
    });
    ASSERT_EQ(s.ns3.size(), FLOWS);
    ASSERT_EQ(s.ours.size(), FLOWS);
    ASSERT_GT(*std::min_element(s.ns3.begin(), s.ns3.end()), 0); // all finished
    ASSERT_GT(*std::min_element(s.ours.begin(), s.ours.end()), 0);
    const auto sorted = [&](const std::vector<double>& fct, uint64_t above, uint64_t upTo) {
        std::vector<double> list;
        for (uint32_t i = 0; i < FLOWS; ++i)
        {
            if (transfers[i].bytes > above && transfers[i].bytes <= upTo)
            {
                list.push_back(fct[i]);
            }
        }
        std::sort(list.begin(), list.end());
        return list;
    };
    const auto compare = [&](const char* name, uint64_t above, uint64_t upTo) {
        const std::vector<double> a = sorted(s.ns3, above, upTo);
        const std::vector<double> b = sorted(s.ours, above, upTo);
        const auto mean = [](const std::vector<double>& v) {
            return std::accumulate(v.begin(), v.end(), 0.0) / v.size();
        };
        const std::string text = "FCT of 500 flows, " + std::string(name) + ", ";
        const std::string control = GetParam();
        return std::vector<double>{
            Row(control, (text + "mean").c_str(), mean(a), mean(b), "us"),
            Row(control, (text + "median").c_str(), Quantile(a, 0.5), Quantile(b, 0.5), "us"),
            Row(control, (text + "99th").c_str(), Quantile(a, 0.99), Quantile(b, 0.99), "us")};
    };
    const std::vector<double> all = compare("all", 0, ~0ULL);
    compare("up to 10 KB", 0, 10000);
    compare("above 100 KB", 100000, ~0ULL);
    // With losses the two differ by more than a few per cent, and it is not known why.
    if (std::string(GetParam()) == "dctcp")
    {
        EXPECT_NEAR(all[0], 1, 0.06);
        EXPECT_NEAR(all[2], 1, 0.06);
    }
}

INSTANTIATE_TEST_SUITE_P(Controls, TcpBeside, testing::Values("newreno", "cubic", "dctcp"));

} // namespace fabric
} // namespace ns3
