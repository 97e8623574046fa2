/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "kernel.h"

#include "fabric-scheduler.h"

#include "mechanisms/core/lane.h"
#include "mechanisms/core/lane_threads.h"
#include "mechanisms/runner/scenario.h"

#include "ns3/event-impl.h"
#include "ns3/map-scheduler.h"
#include "ns3/simulator.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace ns3
{
namespace fabric
{

namespace
{

constexpr int NODES = 1024;            //!< so many events are pending in a fat-tree of 128 hosts
constexpr int64_t MEASURE = 2'000'000; //!< events; as many before them are not counted
constexpr int64_t TIME_PS = 1'000'000; //!< from one event of a node to its next

double
CpuSeconds()
{
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * t.tv_usec;
    };
    return seconds(u.ru_utime) + seconds(u.ru_stime);
}

/// Shared by all events: the second half of them is measured.
struct Count
{
    int64_t events{0};
    double from{0};
    double cpu{0};
};

/// Schedules itself again, as the fabric's events do.
class BareEvent final : public EventImpl
{
  public:
    BareEvent(uint32_t context, Count& count)
        : m_context(context),
          m_count(count)
    {
    }

    void Schedule(int64_t ps)
    {
        Ref(); // the simulator's, which drops it after the event
        Simulator::ScheduleWithContext(m_context, TimeStep(ps), this);
    }

  protected:
    void Notify() override
    {
        if (++m_count.events == MEASURE)
        {
            m_count.from = CpuSeconds();
        }
        else if (m_count.events == 2 * MEASURE)
        {
            m_count.cpu = CpuSeconds() - m_count.from;
            Simulator::Stop();
        }
        Schedule(TIME_PS);
    }

  private:
    uint32_t m_context;
    Count& m_count;
};

/// Windows with nothing in them, of all cores' threads.
void
MeasureBarrier(std::ostream& out)
{
    constexpr int WINDOWS = 100'000;
    const uint32_t threads =
        std::min(std::max(2U, std::thread::hardware_concurrency()), ::fabric::kMostLanes);
    const auto nothing = [](uint32_t) {};
    ::fabric::LaneThreads lanes(threads, nothing, nothing);
    const auto from = std::chrono::steady_clock::now();
    for (int i = 0; i < WINDOWS; ++i)
    {
        lanes.part();
        lanes.meet();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
    out << "{\"events\": " << WINDOWS << ", \"cpu_s\": " << took.count()
        << ", \"threads\": " << threads << "}\n";
}

} // namespace

void
MeasureKernel(const std::string& which, std::ostream& out)
{
    if (which == "barrier")
    {
        MeasureBarrier(out);
        return;
    }
    if (which != "event" && which != "stock")
    {
        throw ::fabric::InputError("--kernel " + which + ": known are event, stock, barrier");
    }
    Simulator::SetScheduler(ObjectFactory(
        (which == "event" ? FabricScheduler::GetTypeId() : MapScheduler::GetTypeId()).GetName()));
    Count count;
    std::vector<Ptr<BareEvent>> events;
    for (int i = 0; i < NODES; ++i)
    {
        events.push_back(Create<BareEvent>(i, count));
        events.back()->Schedule(TIME_PS * i / NODES);
    }
    Simulator::Run();
    Simulator::Destroy();
    out << "{\"events\": " << MEASURE << ", \"cpu_s\": " << count.cpu << "}\n";
}

} // namespace fabric
} // namespace ns3
