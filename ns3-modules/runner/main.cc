/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs one scenario file on ns-3 (docs/formats.md). Everything goes through FabricHelper and
 * attributes: an ordinary ns-3 program could do the same.
 */
#include "fabric-helper.h"
#include "kernel.h"
#include "scenario-network.h"

#include "mechanisms/runner/options.h"
#include "mechanisms/runner/program.h"

#include "ns3/simulator.h"

#include <cstring>
#include <iostream>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

constexpr const char* USAGE =
    "usage: fabric-ns3 --scenario FILE [--trace FILE] [--summary FILE] [--progress-ms N] "
    "[--order node|time] [--threads N | --windows FILE]\n"
    "       fabric-ns3 --kernel event|stock|barrier   (what an event costs in ns-3 itself, or a "
    "window where threads meet)\n"
    "       fabric-ns3 --version";

struct RunOptions : core::RunOptions
{
    std::string windows; //!< file of FabricHelper::LogWindows(); empty: none
};

RunOptions
Parse(int argc, char** argv)
{
    RunOptions run;
    core::Options options(USAGE);
    run.addTo(options);
    options.text("--windows", run.windows);
    options.parse(argc, argv);
    return run;
}

int
Run(const RunOptions& options)
{
    const core::Scenario s = core::Scenario::load(options.scenario);
    core::FlowFile flows(s.flowsFile);

    FabricHelper fabric(s.seed);
    BuildNetwork(s, fabric);
    fabric.SetFlows(flows, flows.count());
    for (const auto& t : s.tables)
    {
        fabric.EnableTable(t.name, t.filter);
    }
    fabric.StopAt(PicoSeconds(s.stop.ps));
    if (s.stopWhenFlowsFinish)
    {
        fabric.StopWhenFlowsFinish();
    }
    if (s.stopAtDeadlock)
    {
        fabric.StopAtDeadlock();
    }
    if (!options.windows.empty())
    {
        fabric.LogWindows(options.windows);
    }
    else if (options.nodeByNode)
    {
        fabric.RunNodeByNode(options.threads, options.leastEvents);
    }
    fabric.WriteTrace(options.trace, options.summary);
    fabric.SetProgressInterval(options.progressMs);
    return fabric.Run();
}

} // namespace

int
main(int argc, char** argv)
{
    Time::SetResolution(Time::PS);
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0)
    {
        std::cout << core::versionLine("ns3", FABRIC_NS3_VERSION) << std::endl;
        return 0;
    }
    return core::runProgram("fabric-ns3", [&] {
        if (argc == 3 && std::strcmp(argv[1], "--kernel") == 0)
        {
            MeasureKernel(argv[2], std::cout);
            return std::cout.flush() ? 0 : 1;
        }
        const int code = Run(Parse(argc, argv));
        Simulator::Destroy();
        return code;
    });
}
