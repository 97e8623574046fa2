/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_HELPER_H
#define FABRIC_HELPER_H

#include "fabric-network.h"

#include "mechanisms/runner/recorder.h"
#include "mechanisms/runner/scenario.h"

#include "ns3/data-rate.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/trace-helper.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * \brief Builds a fabric: hosts, switches, links, mechanisms, flows, measurements.
 *
 * Settings apply to the nodes that are installed after them, and to their devices. Times are in
 * picoseconds: put Time::SetResolution(Time::PS) first in main. See examples/dumbbell.cc.
 */
class FabricHelper : public PcapHelperForDevice
{
  public:
    explicit FabricHelper(uint64_t seed = 1);

    // Types with their attributes, as in Set("CongestionControl", "ns3::fabric::Hpcc", "Eta",
    // DoubleValue(0.9)), or an ObjectFactory of them. A name that there is none of is an error with
    // the nearest one; an ObjectFactory has forgotten the name. Slots are those of the table
    // (fabriclab list slots), by their attribute names; what stands there by default is used where
    // nothing is set.
    /// What stands in a slot for one mechanism.
    void Set(const std::string& slot, ObjectFactory type);
    /// One more mechanism in a slot for several. Queues are added from class 0, the highest
    /// priority.
    void Add(const std::string& slot, ObjectFactory type);
    template <typename... Args>
    void Set(const std::string& slot, const std::string& type, const Args&... attributes)
    {
        Set(slot, Factory(slot, type, attributes...));
    }
    template <typename... Args>
    void Add(const std::string& slot, const std::string& type, const Args&... attributes)
    {
        Add(slot, Factory(slot, type, attributes...));
    }
    /// Nothing is set for any slot any more.
    void ClearSlots();
    void SetHost(ObjectFactory type);
    void SetSwitch(ObjectFactory type);
    void SetDevice(ObjectFactory type);

    void SetHostAttribute(const std::string& name, const AttributeValue& value);
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /// From now on the mechanisms of a slot are copies of one that is made when the first is
    /// needed: defaults that change later (Config::SetDefault) do not reach them. A large network
    /// starts faster.
    void CopyMechanisms();

    void InstallHost(NodeContainer nodes);
    /// Switches of one tier share a hash salt, so that symmetric ECMP holds.
    void InstallSwitch(NodeContainer nodes, uint64_t hashSalt = 0);
    NetDeviceContainer Connect(Ptr<Node> a, Ptr<Node> b, DataRate rate, Time delay);
    /// The same in two steps. A large network is faster if all devices of a node are made at once,
    /// after the node: what is made together lies together in memory.
    Ptr<FabricNetDevice> AddDevice(Ptr<Node> node, DataRate rate, Time delay);
    NetDeviceContainer Connect(Ptr<FabricNetDevice> a, Ptr<FabricNetDevice> b);

    /// Shortest paths from every switch to every host, equal-cost ports in the order of their
    /// numbers.
    void PopulateRoutes();

    /// At this time the link of a device goes out of service or comes back. What is on it or waits
    /// for it is lost.
    void ScheduleLink(Ptr<NetDevice> device, Time at, bool up);
    /// From this time on the link of a device has another rate; it joins two switches. The
    /// channel's attribute keeps the first one.
    void ScheduleRate(Ptr<NetDevice> device, Time at, DataRate rate);
    /// At this time a host dies or comes back: its links are out of service, its applications are
    /// told.
    void ScheduleHost(Ptr<Node> host, Time at, bool up);
    /// From this time on all switches have the routes of a file (docs/formats.md) and no others.
    void ScheduleRoutes(const std::string& routesFile, Time at);

    /// A flow of `size` payload bytes; 0: unlimited until `stop`. Returns its number.
    uint32_t AddFlow(Ptr<Node> src,
                     Ptr<Node> dst,
                     uint64_t size,
                     Time start,
                     Time stop = Seconds(-1));
    /// Instead of AddFlow: flows from elsewhere. The feed stays the caller's.
    void SetFlows(core::FlowFeed& feed, uint64_t count);

    /// Records a table (docs/traces.md); trace sources of it fire from then on. `interval` is for
    /// sampled tables.
    void EnableTable(const std::string& table, Time interval = MicroSeconds(1));
    /// As above, only for these devices.
    void EnableTable(const std::string& table, Time interval, NetDeviceContainer devices);
    void EnableTable(const std::string& table, core::TraceFilter filter);
    /// Writes the enabled tables as a trace stream and a summary when the simulation ends.
    void WriteTrace(const std::string& traceFile, const std::string& summaryFile = "");
    /// Progress on standard output, one JSON object per line (docs/formats.md); 0, the default:
    /// none.
    void SetProgressInterval(int64_t milliseconds);

    /// The simulation ends at `at`, after everything that happens then.
    void StopAt(Time at);
    /// It ends earlier when every flow has finished.
    void StopWhenFlowsFinish();
    /// It ends earlier when ports wait for each other for ever (PFC).
    void StopAtDeadlock();

    /// Runs nodes one behind the other where results allow it: see FabricNetwork::RunNodeByNode().
    void RunNodeByNode(uint32_t threads = 1, uint64_t least = core::kLeastEvents);

    /// As above on one thread, and notes what more would gain: see FabricNetwork::LogWindows().
    void LogWindows(const std::string& file);

    /// Simulator::Run, then the end of the measurements: the runners' exit code (docs/formats.md).
    int Run();

  private:
    static TypeId FindType(const std::string& slot, const std::string& type);

    template <typename... Args>
    static ObjectFactory Factory(const std::string& slot,
                                 const std::string& type,
                                 const Args&... attributes)
    {
        ObjectFactory factory;
        factory.SetTypeId(FindType(slot, type));
        factory.Set(attributes...);
        return factory;
    }

    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;
    /// What a node is made of, and its devices.
    struct Settings
    {
        ObjectFactory host, switchNode, device;
        std::vector<std::pair<const core::Slot*, ObjectFactory>> slots;
        /// By slot, where mechanisms are copied.
        mutable std::vector<Ptr<FabricMechanism>> models;
    };

    /// The settings, to change them: those of nodes that are there stay as they are.
    Settings& Change();
    /// Plugs what the settings have for the slots of a place.
    void Plug(SlotHolder& holder, const Settings& settings) const;
    void Install(Ptr<Node> node, Ptr<FabricNode> fabric);

    Ptr<FabricNetwork> m_network;
    std::shared_ptr<Settings> m_settings;
    std::vector<std::shared_ptr<const Settings>> m_settingsOf; // by node of the fabric
    std::shared_ptr<core::FlowList> m_flows;
    uint64_t m_flowCount{0};
    bool m_copies{false};
    core::RecorderOptions m_recorderOptions;
    std::shared_ptr<core::Recorder> m_recorder;
    Time m_stop;
};

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_HELPER_H */
