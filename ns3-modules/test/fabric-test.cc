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
    Time::SetResolution(Time::PS);
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
        helper.SetCongestionControl(ObjectFactory("ns3::fabric::Hpcc"));
        helper.AddReceiverAgent(ObjectFactory("ns3::fabric::HpccEcho"));
        helper.AddPortAgent(ObjectFactory("ns3::fabric::HpccInt"));
    }
    else if (preset == "fncc")
    {
        helper.SetCongestionControl(ObjectFactory("ns3::fabric::Fncc"));
        helper.AddReceiverAgent(ObjectFactory("ns3::fabric::FnccReceiver"));
        helper.AddPortAgent(ObjectFactory("ns3::fabric::FnccInt"));
    }
    else if (preset == "dcqcn")
    {
        helper.SetCongestionControl(ObjectFactory("ns3::fabric::Dcqcn"));
        helper.AddReceiverAgent(ObjectFactory("ns3::fabric::CnpGenerator"));
        queue = "ns3::fabric::Red";
    }
    else if (preset == "rocc")
    {
        helper.SetCongestionControl(ObjectFactory("ns3::fabric::Rocc"));
        helper.AddPortAgent(ObjectFactory("ns3::fabric::RoccPi"));
    }
    helper.AddQueue(ObjectFactory("ns3::fabric::Fifo"));
    helper.AddQueue(ObjectFactory(queue));
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
