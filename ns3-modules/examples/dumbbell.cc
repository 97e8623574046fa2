/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Two senders, three switches in a chain, one receiver (FNCC, Figures 9 and 10), built by hand.
 *
 *   sender0 --- s1 --- s2 --- s3 --- receiver0
 *   sender1 ---/
 *
 * The second flow starts at 300 us. Queue and rates are printed as they change the most, and the
 * whole trace goes into a file, a trace stream (docs/formats.md).
 */
#include "fabric-helper.h"

#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/names.h"
#include "ns3/simulator.h"

#include <iostream>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

void
PrintQueue(uint8_t cls, uint64_t bytes, uint32_t, uint64_t maxBytes)
{
    if (cls == 1 && maxBytes > 50000)
    {
        std::clog << Simulator::Now().As(Time::US) << ": " << bytes << " B wait at s1\n";
    }
}

} // namespace

int
main(int argc, char** argv)
{
    Time::SetResolution(Time::PS); // first: the fabric counts picoseconds

    std::string traceFile = "dumbbell.trace";
    double eta = 0.95;
    bool pcap = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("trace", "file for the trace stream", traceFile);
    cmd.AddValue("eta", "HPCC's target utilisation", eta);
    cmd.AddValue("pcap", "write a capture file of the bottleneck", pcap);
    cmd.Parse(argc, argv);

    const DataRate rate("100Gbps");
    const Time delay = NanoSeconds(1500);

    // HPCC: telemetry on data packets at every switch port, echoed by receivers, used by senders.
    FabricHelper helper;
    helper.Set("CongestionControl", "ns3::fabric::Hpcc", "Eta", DoubleValue(eta));
    helper.Add("ReceiverAgents", "ns3::fabric::HpccEcho");
    helper.Add("PortAgents", "ns3::fabric::HpccInt");
    helper.Add("Queues", "ns3::fabric::Fifo"); // class 0: ACKs
    helper.Add("Queues", "ns3::fabric::Fifo"); // class 1: data
    // T: 2 x 4 x 1.5 us, and per hop a 1518 B packet (121.44 ns) and a 66 B ACK (5.28 ns).
    helper.SetHostAttribute("BaseRtt", TimeValue(PicoSeconds(12506880)));

    NodeContainer senders(2);
    NodeContainer receiver(1);
    NodeContainer switches(3);
    helper.InstallHost(senders);
    helper.InstallHost(receiver);
    helper.InstallSwitch(switches);

    helper.Connect(senders.Get(0), switches.Get(0), rate, delay);
    helper.Connect(senders.Get(1), switches.Get(0), rate, delay);
    helper.Connect(receiver.Get(0), switches.Get(2), rate, delay);
    const NetDeviceContainer bottleneck =
        helper.Connect(switches.Get(0), switches.Get(1), rate, delay);
    helper.Connect(switches.Get(1), switches.Get(2), rate, delay);
    helper.PopulateRoutes();

    // Unlimited flows, until the end of the simulation.
    helper.AddFlow(senders.Get(0), receiver.Get(0), 0, Time(0));
    helper.AddFlow(senders.Get(1), receiver.Get(0), 0, MicroSeconds(300));

    helper.EnableTable("flows");
    helper.EnableTable("rates", MicroSeconds(1));
    helper.EnableTable("queues", MicroSeconds(1), NetDeviceContainer(bottleneck.Get(0)));
    bottleneck.Get(0)->TraceConnectWithoutContext("Queue", MakeCallback(&PrintQueue));
    if (pcap)
    {
        helper.EnablePcap("bottleneck", bottleneck.Get(0));
    }
    helper.WriteTrace(traceFile);
    helper.StopAt(MicroSeconds(700));
    const int code = helper.Run();
    Simulator::Destroy();
    return code;
}
