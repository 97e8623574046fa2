/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_NETWORK_H
#define FABRIC_NETWORK_H

#include "fabric-channel.h"
#include "fabric-engine.h"
#include "fabric-net-device.h"
#include "fabric-node.h"

#include "mechanisms/core/network.h"

#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace fabric
{

/// A row of a mechanism's own table, as trace sources hand it on.
class TraceRow
{
  public:
    TraceRow(const core::TableDesc& table, const core::Cell* cells)
        : m_table(table),
          m_cells(cells)
    {
    }

    const core::TableDesc& GetTable() const
    {
        return m_table;
    }

    /// The value of a column as a number; ends the program if there is no such column.
    double Get(const std::string& column) const;

  private:
    const core::TableDesc& m_table;
    const core::Cell* m_cells;
};

/**
 * \brief All that hosts, switches and links of one simulation share: packets, flows, measurements.
 *
 * There is one per simulation; FabricHelper makes it. It is found in configuration paths as
 * /Names/fabric.
 */
class FabricNetwork : public Object, private core::RowSink
{
  public:
    static TypeId GetTypeId();
    FabricNetwork();
    ~FabricNetwork() override;

    /// The simulation's network, made at the first call. Ends the program unless times are in
    /// picoseconds.
    static Ptr<FabricNetwork> Get();
    /// Brings the model's clock up to date when it is entered from an event of somebody else's.
    static void SyncEngine();

    core::Network& GetCore()
    {
        return *m_network;
    }

    /// Random streams begin with this. Only before the first node.
    void SetSeed(uint64_t seed);
    void AddNode(Ptr<Node> node, Ptr<FabricNode> fabricNode);
    void AddChannel(Ptr<FabricChannel> channel);
    Ptr<Node> GetNode(uint32_t coreId) const;
    uint32_t GetNNodes() const;

    /// Called by the helper; the network starts with the simulation.
    void ScheduleStart();
    /// The model's events run in stretches, and nodes one behind the other where results allow it
    /// (FabricScheduler): faster, but Simulator::Now() goes back, and while events of the model run
    /// it stands still, in callbacks of sampled tables too. Does nothing where frames are watched
    /// or ns-3's internet stack runs on a host, which go by that time.
    ///
    /// Several threads share the nodes where that is faster, which is measured now and then: to
    /// wait for each other takes time, too. They always do where each has `least` events or more in
    /// a window. Results do not depend on it. There are at most 64 threads, and one where a host's
    /// trace source FlowStart is connected.
    void RunNodeByNode(uint32_t threads = 1, uint64_t least = core::kLeastEvents)
    {
        m_threads = threads;
        m_leastEvents = least;
        m_nodeByNode = true;
    }

    /// As above on one thread, and writes to a file what more threads would gain: for each window a
    /// line with its events, and those of the busiest of 2, 4, … threads.
    void LogWindows(const std::string& file);

    /// When the simulation starts, before the first event of the model: files are opened here.
    void OnStart(std::function<void()> callback);

  private:
    void DoDispose() override;
    void Start();
    bool NeedsNs3Time() const;
    bool WatchesStarts() const;
    void row(int table, const core::Cell* cells) override;
    FabricNetDevice& Device(const core::Cell* cells) const;
    FabricHost& Host(uint64_t node) const;

    Ns3Engine m_engine;
    std::unique_ptr<core::Network> m_network;
    std::vector<Ptr<Node>> m_nodes;
    std::vector<Ptr<FabricNode>> m_fabricNodes;
    std::vector<Ptr<FabricChannel>> m_channels;
    std::vector<std::function<void()>> m_onStart;
    bool m_nodeByNode{false};
    uint32_t m_threads{1};
    uint64_t m_leastEvents{core::kLeastEvents};
    std::ofstream m_windowLog;
    bool m_startScheduled{false};
    TracedCallback<std::string, const TraceRow&> m_rowTrace;
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_NETWORK_H */
