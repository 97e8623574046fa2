/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-helper.h"

#include "mechanisms/core/shortest_paths.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace fabric
{

namespace
{

FabricNode&
Fabric(const Ptr<Node>& node)
{
    if (const Ptr<FabricHost> host = node->GetObject<FabricHost>())
    {
        return *host;
    }
    if (const Ptr<FabricSwitch> sw = node->GetObject<FabricSwitch>())
    {
        return *sw;
    }
    NS_FATAL_ERROR(
        "node "
        << node->GetId()
        << " is not part of the fabric; call FabricHelper::InstallHost or InstallSwitch first");
}

core::Time
ToCore(Time t)
{
    return core::Time{t.GetTimeStep()};
}

/// ns-3 makes an ObjectFactory of any name, and crashes when it is to make an object.
void
Check(const core::Slot& slot, const ObjectFactory& type)
{
    const TypeId tid = type.GetTypeId();
    if (tid.GetUid() == 0)
    {
        NS_FATAL_ERROR("what is to stand in "
                       << CamelCase(slot.key)
                       << " is of no type that ns-3 knows; give its name to FabricHelper::Set or "
                          "Add in place of an ObjectFactory, to see the nearest one");
    }
    if (!tid.IsChildOf(FabricMechanism::GetTypeId()))
    {
        NS_FATAL_ERROR(tid.GetName()
                       << " is not a mechanism, it cannot stand in " << CamelCase(slot.key));
    }
}

} // namespace

FabricHelper::FabricHelper(uint64_t seed)
    : m_network(FabricNetwork::Get()),
      m_settings(std::make_shared<Settings>())
{
    FabricMechanism::RegisterTypes();
    m_settings->host = ObjectFactory("ns3::fabric::FabricHost");
    m_settings->switchNode = ObjectFactory("ns3::fabric::FabricSwitch");
    m_settings->device = ObjectFactory("ns3::fabric::FabricNetDevice");
    m_recorderOptions.progressMs = 0;
    m_network->SetSeed(seed);
    m_network->ScheduleStart();
}

TypeId
FabricHelper::FindType(const std::string& slot, const std::string& type)
{
    return FabricMechanism::Find(type, FindSlot(slot).kind);
}

FabricHelper::Settings&
FabricHelper::Change()
{
    if (m_settings.use_count() > 1)
    {
        m_settings = std::make_shared<Settings>(*m_settings);
    }
    m_settings->models.clear();
    return *m_settings;
}

void
FabricHelper::Set(const std::string& slot, ObjectFactory type)
{
    const core::Slot& s = FindSlot(slot);
    if (s.count != core::Count::One)
    {
        NS_FATAL_ERROR("slot " << slot
                               << " is for several mechanisms; call FabricHelper::Add for each");
    }
    Check(s, type);
    auto& slots = Change().slots;
    const auto same = [&](const auto& entry) { return entry.first == &s; };
    slots.erase(std::remove_if(slots.begin(), slots.end(), same), slots.end());
    slots.emplace_back(&s, type);
}

void
FabricHelper::Add(const std::string& slot, ObjectFactory type)
{
    const core::Slot& s = FindSlot(slot);
    if (s.count == core::Count::One)
    {
        NS_FATAL_ERROR("slot " << slot << " is for one mechanism; call FabricHelper::Set");
    }
    Check(s, type);
    Change().slots.emplace_back(&s, type);
}

void
FabricHelper::ClearSlots()
{
    Change().slots.clear();
}

void
FabricHelper::SetHost(ObjectFactory type)
{
    Change().host = type;
}

void
FabricHelper::SetSwitch(ObjectFactory type)
{
    Change().switchNode = type;
}

void
FabricHelper::SetDevice(ObjectFactory type)
{
    Change().device = type;
}

void
FabricHelper::SetHostAttribute(const std::string& name, const AttributeValue& value)
{
    Change().host.Set(name, value);
}

void
FabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    Change().switchNode.Set(name, value);
}

void
FabricHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    Change().device.Set(name, value);
}

void
FabricHelper::CopyMechanisms()
{
    m_copies = true;
}

void
FabricHelper::Plug(SlotHolder& holder, const Settings& settings) const
{
    const core::Where place = core::where(holder.GetComponent());
    settings.models.resize(settings.slots.size());
    for (size_t i = 0; i < settings.slots.size(); ++i)
    {
        const auto& [slot, type] = settings.slots[i];
        if (slot->where != place)
        {
            continue;
        }
        if (!m_copies)
        {
            holder.Plug(*slot, type.Create<FabricMechanism>());
            continue;
        }
        Ptr<FabricMechanism>& model = settings.models[i];
        if (!model)
        {
            model = type.Create<FabricMechanism>();
        }
        holder.Plug(*slot, CopyObject(model));
    }
}

void
FabricHelper::Install(Ptr<Node> node, Ptr<FabricNode> fabric)
{
    node->AggregateObject(fabric);
    m_network->AddNode(node, fabric);
    m_settingsOf.push_back(m_settings);
    Plug(*fabric, *m_settings);
    StandardMechanisms standard;
    fabric->PlugStandard(1, standard); // nodes have no slots by class
}

void
FabricHelper::InstallHost(NodeContainer nodes)
{
    for (auto it = nodes.Begin(); it != nodes.End(); ++it)
    {
        Install(*it, m_settings->host.Create<FabricHost>());
    }
}

void
FabricHelper::InstallSwitch(NodeContainer nodes, uint64_t hashSalt)
{
    for (auto it = nodes.Begin(); it != nodes.End(); ++it)
    {
        const Ptr<FabricSwitch> sw = m_settings->switchNode.Create<FabricSwitch>();
        Install(*it, sw);
        sw->GetNode().setHashSalt(hashSalt);
    }
}

Ptr<FabricNetDevice>
FabricHelper::AddDevice(Ptr<Node> node, DataRate rate, Time delay)
{
    core::Node& fabric = Fabric(node).GetNode();
    const Settings& settings = *m_settingsOf[fabric.id()];
    const Ptr<FabricNetDevice> device = settings.device.Create<FabricNetDevice>();
    node->AddDevice(device);
    fabric.addPort(device->GetPort(),
                   core::Rate{static_cast<int64_t>(rate.GetBitRate())},
                   ToCore(delay));
    Plug(*device, settings);
    return device;
}

NetDeviceContainer
FabricHelper::Connect(Ptr<Node> a, Ptr<Node> b, DataRate rate, Time delay)
{
    const Ptr<FabricNetDevice> first = AddDevice(a, rate, delay);
    return Connect(first, AddDevice(b, rate, delay));
}

NetDeviceContainer
FabricHelper::Connect(Ptr<FabricNetDevice> a, Ptr<FabricNetDevice> b)
{
    for (const Ptr<FabricNetDevice>& device : {a, b})
    {
        NS_ABORT_MSG_IF(a == b || device->GetChannel(),
                        "FabricHelper::Connect: device "
                            << device->GetIfIndex() << " of " << device->GetPort().node().name()
                            << (a == b ? " cannot be linked to itself" : " has a link already")
                            << "; add another device");
    }
    const core::Port& port = a->GetPort();
    const core::Port& peer = b->GetPort();
    NS_ABORT_MSG_UNLESS(port.rate() == peer.rate() && port.delay() == peer.delay(),
                        "FabricHelper::Connect: "
                            << port.node().name() << " and " << peer.node().name()
                            << " have devices of " << port.rate().bps << " and " << peer.rate().bps
                            << " bit/s, " << port.delay().ps << " and " << peer.delay().ps
                            << " ps; give both ends of a link one rate and one delay");
    const Ptr<FabricChannel> channel = CreateObject<FabricChannel>();
    channel->SetAttribute("DataRate", DataRateValue(DataRate(port.rate().bps)));
    channel->SetAttribute("Delay", TimeValue(PicoSeconds(port.delay().ps)));
    channel->Attach(a);
    channel->Attach(b);
    m_network->AddChannel(channel);
    NetDeviceContainer devices(a);
    devices.Add(b);
    return devices;
}

void
FabricHelper::PopulateRoutes()
{
    core::setShortestPaths(m_network->GetCore());
}

void
FabricHelper::ScheduleLink(Ptr<NetDevice> device, Time at, bool up)
{
    const auto end = DynamicCast<FabricNetDevice>(device);
    NS_ABORT_MSG_UNLESS(end, "ScheduleLink takes a FabricNetDevice");
    m_network->GetCore().addLinkEvent(ToCore(at), end->GetPort(), up);
}

void
FabricHelper::ScheduleRate(Ptr<NetDevice> device, Time at, DataRate rate)
{
    const auto end = DynamicCast<FabricNetDevice>(device);
    NS_ABORT_MSG_UNLESS(end, "ScheduleRate takes a FabricNetDevice");
    m_network->GetCore().addRateChange(ToCore(at),
                                       end->GetPort(),
                                       core::Rate{static_cast<int64_t>(rate.GetBitRate())});
}

void
FabricHelper::ScheduleHost(Ptr<Node> node, Time at, bool up)
{
    auto* host = dynamic_cast<core::Host*>(&Fabric(node).GetNode());
    NS_ABORT_MSG_UNLESS(host, "ScheduleHost takes a host");
    m_network->GetCore().addHostEvent(ToCore(at), *host, up);
}

void
FabricHelper::ScheduleRoutes(const std::string& routesFile, Time at)
{
    core::addRouteChange(m_network->GetCore(), ToCore(at), routesFile);
}

uint32_t
FabricHelper::AddFlow(Ptr<Node> src, Ptr<Node> dst, uint64_t size, Time start, Time stop)
{
    if (!m_flows)
    {
        m_flows = std::make_shared<core::FlowList>();
        m_network->GetCore().setFlows(*m_flows);
    }
    core::FlowSpec spec;
    spec.id = m_flowCount++;
    spec.src = Fabric(src).GetNode().id();
    spec.dst = Fabric(dst).GetNode().id();
    spec.size = size;
    spec.start = ToCore(start);
    spec.stop = stop.IsNegative() ? core::Time{-1} : ToCore(stop);
    spec.srcPort = core::flowSourcePort(spec.id);
    spec.dstPort = core::kFlowDestinationPort;
    m_flows->add(spec);
    return spec.id;
}

void
FabricHelper::SetFlows(core::FlowFeed& feed, uint64_t count)
{
    m_flowCount = count;
    m_network->GetCore().setFlows(feed);
}

void
FabricHelper::EnableTable(const std::string& table, Time interval)
{
    core::TraceFilter filter;
    filter.interval = ToCore(interval);
    EnableTable(table, filter);
}

void
FabricHelper::EnableTable(const std::string& table, Time interval, NetDeviceContainer devices)
{
    core::TraceFilter filter;
    filter.interval = ToCore(interval);
    for (auto it = devices.Begin(); it != devices.End(); ++it)
    {
        const Ptr<FabricNetDevice> device = DynamicCast<FabricNetDevice>(*it);
        filter.ports.push_back({device->GetPort().node().id(), device->GetPort().index()});
    }
    EnableTable(table, filter);
}

void
FabricHelper::EnableTable(const std::string& table, core::TraceFilter filter)
{
    core::enableTables(m_network->GetCore().trace(), {{table, std::move(filter)}});
}

void
FabricHelper::WriteTrace(const std::string& traceFile, const std::string& summaryFile)
{
    m_recorderOptions.traceFile = traceFile;
    m_recorderOptions.summaryFile = summaryFile;
}

void
FabricHelper::SetProgressInterval(int64_t milliseconds)
{
    m_recorderOptions.progressMs = milliseconds;
}

void
FabricHelper::StopAt(Time at)
{
    m_stop = at;
    m_network->GetCore().stopAt(ToCore(at));
}

void
FabricHelper::StopWhenFlowsFinish()
{
    m_network->GetCore().stopWhenFlowsFinish(true);
}

void
FabricHelper::StopAtDeadlock()
{
    m_network->GetCore().stopAtDeadlock(true);
}

void
FabricHelper::RunNodeByNode(uint32_t threads, uint64_t least)
{
    m_network->RunNodeByNode(threads, least);
}

void
FabricHelper::LogWindows(const std::string& file)
{
    m_network->LogWindows(file);
}

int
FabricHelper::Run()
{
    m_network->OnStart([this] {
        m_recorder = std::make_shared<core::Recorder>(m_network->GetCore(),
                                                      m_recorderOptions,
                                                      ToCore(m_stop),
                                                      m_flowCount);
    });
    Simulator::Run();
    return m_recorder->finish();
}

void
FabricHelper::EnablePcapInternal(std::string prefix,
                                 Ptr<NetDevice> device,
                                 bool,
                                 bool explicitFilename)
{
    PcapHelper pcap;
    const std::string name = explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    const Ptr<PcapFileWrapper> file = pcap.CreateFile(name, std::ios::out, PcapHelper::DLT_EN10MB);
    pcap.HookDefaultSink<FabricNetDevice>(DynamicCast<FabricNetDevice>(device),
                                          "PromiscSniffer",
                                          file);
}

} // namespace fabric
} // namespace ns3
