/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-network.h"

#include "fabric-scheduler.h"

#include "ns3/names.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace ns3
{
namespace fabric
{

NS_OBJECT_ENSURE_REGISTERED(FabricNetwork);

namespace
{
Ptr<FabricNetwork> g_network; //!< the simulation's; ns-3 has one simulation per process at a time
} // namespace

double
TraceRow::Get(const std::string& column) const
{
    for (size_t i = 0; i < m_table.columns.size(); ++i)
    {
        const core::Column& c = m_table.columns[i];
        if (c.name != column)
        {
            continue;
        }
        if (c.type == core::ColumnType::F64)
        {
            return m_cells[i].f64();
        }
        return c.type == core::ColumnType::I64 ? static_cast<double>(m_cells[i].i64())
                                               : static_cast<double>(m_cells[i].bits);
    }
    NS_FATAL_ERROR("table " << m_table.name << " has no column '" << column << "'");
}

TypeId
FabricNetwork::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::fabric::FabricNetwork")
            .SetParent<Object>()
            .SetGroupName("Fabric")
            .AddTraceSource("Row",
                            "A row of a mechanism's own table: name of the table, row.",
                            MakeTraceSourceAccessor(&FabricNetwork::m_rowTrace),
                            "ns3::TracedCallback<std::string,const ns3::fabric::TraceRow&>");
    return tid;
}

FabricNetwork::FabricNetwork()
    : m_network(std::make_unique<core::Network>(m_engine, 1))
{
}

FabricNetwork::~FabricNetwork() = default;

Ptr<FabricNetwork>
FabricNetwork::Get()
{
    if (!g_network)
    {
        if (Time::GetResolution() != Time::PS)
        {
            NS_FATAL_ERROR("the fabric counts picoseconds, this simulation does not; put\n"
                           "    Time::SetResolution(Time::PS);\n"
                           "first in main");
        }
        ObjectFactory scheduler("ns3::fabric::FabricScheduler");
        Simulator::SetScheduler(scheduler);
        g_network = CreateObject<FabricNetwork>();
        Names::Add("fabric", g_network);
        Simulator::ScheduleDestroy([] {
            g_network->Dispose();
            g_network = nullptr;
            Names::Clear(); // the program's next simulation has a network of this name, too
        });
    }
    return g_network;
}

void
FabricNetwork::SyncEngine()
{
    if (g_network)
    {
        g_network->m_engine.Sync();
    }
}

void
FabricNetwork::DoDispose()
{
    FabricScheduler::RunEventByEvent();
    m_engine.Close();
    m_network.reset();
    m_nodes.clear();
    m_fabricNodes.clear();
    m_channels.clear();
    m_onStart.clear();
    Object::DoDispose();
}

void
FabricNetwork::SetSeed(uint64_t seed)
{
    if (!m_nodes.empty())
    {
        NS_FATAL_ERROR("the seed was set after the first node; set it before");
    }
    m_network = std::make_unique<core::Network>(m_engine, seed);
}

void
FabricNetwork::AddNode(Ptr<Node> node, Ptr<FabricNode> fabricNode)
{
    const auto id = static_cast<uint32_t>(m_nodes.size());
    std::string name = fabricNode->GetName();
    if (name.empty())
    {
        // The whole path, /Names/rack1/host1: names may repeat below others.
        const std::string path = Names::FindPath(node);
        name = path.empty() ? "node" + std::to_string(id) : path.substr(std::strlen("/Names/"));
    }
    try
    {
        fabricNode->GetNode().join(*m_network, id, name);
    }
    catch (const std::invalid_argument& e)
    {
        NS_FATAL_ERROR(e.what());
    }
    m_engine.SetContext(id, node->GetId());
    m_nodes.push_back(node);
    m_fabricNodes.push_back(fabricNode);
}

void
FabricNetwork::AddChannel(Ptr<FabricChannel> channel)
{
    m_channels.push_back(channel);
}

Ptr<Node>
FabricNetwork::GetNode(uint32_t coreId) const
{
    return m_nodes[coreId];
}

uint32_t
FabricNetwork::GetNNodes() const
{
    return m_nodes.size();
}

void
FabricNetwork::ScheduleStart()
{
    if (!m_startScheduled)
    {
        m_startScheduled = true;
        Simulator::ScheduleNow(&FabricNetwork::Start, this);
    }
}

void
FabricNetwork::OnStart(std::function<void()> callback)
{
    m_onStart.push_back(std::move(callback));
}

void
FabricNetwork::Start()
{
    m_engine.Sync();
    int classes = 1; // of a switch: all that some host has
    for (const auto& n : m_fabricNodes)
    {
        if (const auto* host = dynamic_cast<core::Host*>(&n->GetNode()))
        {
            classes = std::max(classes, host->classes());
        }
    }
    StandardMechanisms standard;
    for (const auto& n : m_fabricNodes)
    {
        const auto* host = dynamic_cast<core::Host*>(&n->GetNode());
        n->PlugStandard(1, standard);
        for (core::Port* p : n->GetNode().ports())
        {
            static_cast<FabricNetDevice*>(p->device)->PlugStandard(host != nullptr ? host->classes()
                                                                                   : classes,
                                                                   standard);
        }
    }
    for (const auto& c : m_channels)
    {
        c->Start();
    }
    core::TraceBus& trace = m_network->trace();
    for (int t = 0; t < trace.size(); ++t)
    {
        if (trace.on(t))
        {
            trace.addSink(t, this);
        }
    }
    m_network->onFlowStart = [this](const core::Flow& f) {
        Host(f.spec.src).m_flowStartTrace(f.spec.id, f.spec.dst, f.spec.size);
    };
    for (const auto& callback : m_onStart)
    {
        callback();
    }
    m_network->start();
    if (m_nodeByNode && !NeedsNs3Time())
    {
        if (m_windowLog.is_open())
        {
            FabricScheduler::LogWindows(*m_network, m_windowLog);
            return;
        }
        const uint32_t threads = std::min(m_threads, core::kMostLanes);
        FabricScheduler::RunStretches(*m_network, WatchesStarts() ? 1 : threads, m_leastEvents);
    }
}

void
FabricNetwork::LogWindows(const std::string& file)
{
    m_nodeByNode = true;
    m_windowLog.open(file);
    if (!m_windowLog)
    {
        throw std::runtime_error("cannot write windows to " + file);
    }
}

/// Whether somebody else's code hears of flows as they start, within the model's events.
bool
FabricNetwork::WatchesStarts() const
{
    return std::any_of(m_fabricNodes.begin(), m_fabricNodes.end(), [](const Ptr<FabricNode>& n) {
        const auto* host = dynamic_cast<const FabricHost*>(PeekPointer(n));
        return host != nullptr && !host->m_flowStartTrace.IsEmpty();
    });
}

/// Whether somebody else's code runs within the model's events, who looks at Simulator::Now().
bool
FabricNetwork::NeedsNs3Time() const
{
    for (const Ptr<FabricNode>& n : m_fabricNodes)
    {
        const core::Node& node = n->GetNode();
        const auto* host = dynamic_cast<const core::Host*>(&node);
        if (host != nullptr && host->hasForeignStack())
        {
            return true;
        }
        if (std::any_of(node.ports().begin(), node.ports().end(), [](const core::Port* p) {
                return p->watched;
            }))
        {
            return true;
        }
    }
    return false;
}

FabricNetDevice&
FabricNetwork::Device(const core::Cell* cells) const
{
    // Tables of ports begin with time, node and port.
    core::Port& port = m_fabricNodes[cells[1].bits]->GetNode().port(cells[2].bits);
    return *static_cast<FabricNetDevice*>(port.device);
}

FabricHost&
FabricNetwork::Host(uint64_t node) const
{
    return static_cast<FabricHost&>(*m_fabricNodes[node]);
}

void
FabricNetwork::row(int table, const core::Cell* c)
{
    switch (table)
    {
    case core::kFlows:
        Host(c[2].bits).m_flowEndTrace(c[0].bits,
                                       c[6].bits,
                                       PicoSeconds(c[7].i64()),
                                       PicoSeconds(c[8].i64()),
                                       PicoSeconds(c[9].i64()),
                                       c[14].bits != 0);
        break;
    case core::kQueues:
        Device(c).m_queueTrace(c[3].bits, c[4].bits, c[5].bits, c[6].bits);
        break;
    case core::kLinks:
        Device(c).m_linkTrace(c[3].bits, c[4].bits, PicoSeconds(c[5].i64()));
        break;
    case core::kRates:
        Host(c[2].bits).m_rateTrace(c[1].bits,
                                    DataRate(c[3].bits),
                                    c[4].i64(),
                                    c[5].bits,
                                    c[6].bits);
        break;
    case core::kPauses:
        Device(c).m_pauseTrace(c[3].bits, c[4].bits != 0, c[5].bits != 0);
        break;
    case core::kDrops:
        Device(c).m_dropTrace(c[3].bits, c[4].bits, c[5].bits, c[6].bits, c[7].bits);
        break;
    case core::kPackets:
        Device(c).m_packetTrace(c[3].bits,
                                c[4].bits,
                                c[5].bits,
                                c[6].bits,
                                c[7].bits,
                                c[8].bits,
                                c[9].bits != 0);
        break;
    default:
    {
        const core::TableDesc& desc = m_network->trace().desc(table);
        m_rowTrace(desc.name, TraceRow(desc, c));
    }
    }
}

} // namespace fabric
} // namespace ns3
