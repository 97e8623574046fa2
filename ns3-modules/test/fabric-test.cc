/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-test.h"

#include "ns3/simulator.h"

namespace ns3
{
namespace fabric
{

namespace
{

FabricHelper
MakeHelper()
{
    UsePicoseconds();
    return FabricHelper(1);
}

} // namespace

Dumbbell::Dumbbell(const std::string& preset)
    : helper(MakeHelper())
{
    const DataRate rate("100Gbps");
    const Time delay = NanoSeconds(1500);
    std::string queue = "ns3::fabric::Fifo";
    if (preset == "hpcc")
    {
        helper.Set("CongestionControl", ObjectFactory("ns3::fabric::Hpcc"));
        helper.Add("ReceiverAgents", ObjectFactory("ns3::fabric::HpccEcho"));
        helper.Add("PortAgents", ObjectFactory("ns3::fabric::HpccInt"));
    }
    else if (preset == "fncc")
    {
        helper.Set("CongestionControl", ObjectFactory("ns3::fabric::Fncc"));
        helper.Add("ReceiverAgents", ObjectFactory("ns3::fabric::FnccReceiver"));
        helper.Add("PortAgents", ObjectFactory("ns3::fabric::FnccInt"));
    }
    else if (preset == "dcqcn")
    {
        helper.Set("CongestionControl", ObjectFactory("ns3::fabric::Dcqcn"));
        helper.Add("ReceiverAgents", ObjectFactory("ns3::fabric::CnpGenerator"));
        queue = "ns3::fabric::Red";
    }
    else if (preset == "rocc")
    {
        helper.Set("CongestionControl", ObjectFactory("ns3::fabric::Rocc"));
        helper.Add("PortAgents", ObjectFactory("ns3::fabric::RoccPi"));
    }
    helper.Add("Queues", ObjectFactory("ns3::fabric::Fifo"));
    helper.Add("Queues", ObjectFactory(queue));
    helper.SetHostAttribute("BaseRtt", TimeValue(PicoSeconds(12506880)));
    senders.Create(2);
    receiver.Create(1);
    switches.Create(3);
    helper.InstallHost(senders);
    helper.InstallHost(receiver);
    helper.InstallSwitch(switches);
    helper.Connect(senders.Get(0), switches.Get(0), rate, delay);
    helper.Connect(senders.Get(1), switches.Get(0), rate, delay);
    helper.Connect(receiver.Get(0), switches.Get(2), rate, delay);
    bottleneck = helper.Connect(switches.Get(0), switches.Get(1), rate, delay);
    helper.Connect(switches.Get(1), switches.Get(2), rate, delay);
    helper.PopulateRoutes();
}

Rows::Rows(const std::string& table)
{
    core::TraceBus& trace = FabricNetwork::Get()->GetCore().trace();
    const int id = trace.find(table);
    m_columns = trace.desc(id).columns.size();
    trace.addSink(id, this);
}

void
Rows::row(int, const core::Cell* cells)
{
    for (size_t i = 0; i < m_columns; ++i)
    {
        text += std::to_string(cells[i].bits) + " ";
    }
    text += "\n";
}

std::string
ReadFile(const std::string& name)
{
    std::ifstream in(name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

} // namespace fabric
} // namespace ns3
