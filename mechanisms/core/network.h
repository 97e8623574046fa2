// One simulated network: its nodes, packets, flows, measurements, and the checks at its end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "mechanisms/core/control.h"
#include "mechanisms/core/dependencies.h"
#include "mechanisms/core/engine.h"
#include "mechanisms/core/fetch_ahead.h"
#include "mechanisms/core/flow.h"
#include "mechanisms/core/flow_groups.h"
#include "mechanisms/core/flow_stops.h"
#include "mechanisms/core/message_pool.h"
#include "mechanisms/core/node_events.h"
#include "mechanisms/core/packet.h"
#include "mechanisms/core/standstill.h"
#include "mechanisms/core/trace.h"

namespace fabric {

class Host;
class Node;
class Port;
class Report;

class Network final : public Windows {
 public:
  struct Counters {
    uint64_t packetHops = 0;
    uint64_t dataPacketsSent = 0, dataBytesSent = 0;
    uint64_t dataBytesReceived = 0;   // at receivers, in order or not
    uint64_t dataBytesDelivered = 0;  // in order
    uint64_t dataBytesDropped = 0;
    uint64_t acksSent = 0, cnpsSent = 0, drops = 0, marks = 0, xoffSent = 0, xonSent = 0;
    uint64_t retransmittedBytes = 0;
    uint64_t reordered = 0;        // data packets that came while an earlier byte was missing
    uint64_t linkDrops = 0;        // of the drops, those because a link was down
    uint64_t stoppedDrops = 0;     // and those because the flow was stopped
    int64_t xoffForgotten = 0;     // pauses that ended with their link, less those that began with it
    uint64_t overlaps = 0;         // a frame was put on a wire that was not free
    uint64_t boundViolations = 0;  // a rate or window outside of what the line allows
    uint64_t foreignSent = 0, foreignReceived = 0, foreignDropped = 0;  // packets
    uint64_t flowsStarted = 0, flowsFinished = 0, flowsEnded = 0;
    uint64_t flowsLimited = 0;  // started, with a size
    uint64_t measuredLimited = 0, measuredFinished = 0, measuredEnded = 0;
    uint64_t measuredAllSent = 0;
  };
  struct Check {
    std::string name;
    bool ok;
    std::string detail;
  };

  Network(Engine& engine, uint64_t seed);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network() override;

  /// From 1 on, among the networks that there are.
  uint8_t number() const { return number_.value; }
  /// Null: it has gone.
  static const Network* of(uint8_t number);

  Engine& engine() { return engine_; }
  PacketPool& packets() { return packets_; }
  const PacketPool& packets() const { return packets_; }
  FlowPool& flows() { return flows_; }
  MessagePool& messages() { return messages_; }
  ControlTypes& controlTypes() { return controlTypes_; }
  const ControlTypes& controlTypes() const { return controlTypes_; }
  TraceBus& trace() { return trace_; }
  uint64_t seed() const { return seed_; }

  /// The largest frame there can be on a wire, extensions and overlay included; known once check() began.
  int64_t largestFrame() const { return largestFrame_; }
  /// A timer that every flow has; whoever asks by the same name gets the same one.
  FlowTimer flowTimer(const std::string& name);

  /// A node with the next number and a name that no other one has.
  void add(Node& node);
  const std::vector<Node*>& nodes() const { return nodes_; }
  /// What stands at nodes and ports, in the order of nodes and slots.
  std::vector<Component*> components() const;
  /// The first of a component's kind, by nodes and slots; null: there is none. Known once check() began.
  template <class T>
  const T* first() const {
    const auto found = firsts_.find(&T::describe());
    return found == firsts_.end() ? nullptr : static_cast<const T*>(found->second.component);
  }
  /// Whether there is one, wherever. Known once check() began.
  bool has(const Description& description) const { return firsts_.count(&description) != 0; }
  /// One of each of a component's kind whose parameters differ, but for those that change during a run. For checks of
  /// all against all: where nodes are alike, there is one. Known once check() began.
  template <class T>
  std::vector<const T*> variants() const {
    std::vector<const T*> list;
    for (const Component* c : variants(T::describe())) list.push_back(static_cast<const T*>(c));
    return list;
  }
  /// The longest that PFC lets the queues of classes `first` to `end` get in all, at any switch's port of this rate;
  /// Queue::kTakesAll: as long as may be.
  int64_t longestUnderPfc(Rate rate, int first, int end) const;
  /// Whether PFC is on at every port of a switch, and no queue there holds packets back, whose room has a limit that no
  /// pause frame keeps it from: nothing is lost. Known once check() began.
  bool lossless() const { return lossless_; }
  /// Throws where there is no host of that number.
  Host& host(uint32_t id) const;

  /// Where flows come from; they start when start() has been called.
  void setFlows(FlowFeed& feed) { feed_ = &feed; }
  /// Who sends in which group of the flow list. It is read when first asked for, by whatever lane; ask in onStart at
  /// the earliest.
  const FlowGroups& groups();
  /// The run ends with the last measured flow, whatever else is still under way.
  void stopWhenFlowsFinish(bool stop) { stopWhenFlowsFinish_ = stop; }
  /// The run ends at this time, after everything that happens then.
  void stopAt(Time at) { stopAt_ = at; }
  /// The run ends before stopAt() where ports wait for each other for ever: it is looked for every 100 us.
  void stopAtDeadlock(bool stop) { stopAtDeadlock_ = stop; }
  /// A link goes out of service or comes back; before start().
  void addLinkEvent(Time at, Port& end, bool up);
  /// A link between switches has another rate from then on; before start().
  void addRateChange(Time at, Port& end, Rate rate);
  bool ratesChange() const { return !rateChanges_.empty(); }
  /// A host dies or comes back, and all of its links with it; before start().
  void addHostEvent(Time at, Host& host, bool up);
  /// All switches change to these routes, in place of those before; before start().
  struct RouteEntry {
    uint32_t node, dst;
    std::vector<uint16_t> ports;
  };
  void addRouteChange(Time at, std::vector<RouteEntry> routes);
  /// Called for every flow as it starts.
  std::function<void(const Flow&)> onFlowStart;

  /// Everything is in place: says what must hold before the first event and does not, of its components and the flows
  /// of its list. start() throws for the same.
  void check(Report& report);
  /// Parameters are fixed, flows and samples scheduled.
  void start();
  bool started() const { return started_; }
  /// The simulation is over: emits the rows of unfinished flows. Called once.
  void finish();
  /// What could not have got on; call after finish().
  const Standstill& standstill() const { return standstill_; }
  /// What must hold in every run, whatever happened in it; call after finish().
  std::vector<Check> checks() const;
  /// What a user should know before trusting the outcome.
  std::vector<std::string> warnings() const;

  FlowStops& stops() { return stops_; }
  void flowEnded(bool measured);
  /// A flow of the flow list is over at `host`: its last byte has come there, or its sender is there and knows that
  /// all has arrived. What waits for it at this host may start.
  void flowOverAt(const Host& host, const FlowSpec& flow);
  /// The flow has sent every byte once, or will be stopped: from now on it may end.
  void flowAllSent(Flow& flow);
  /// Whether the flow is stopped before anything of it can be at its receiver. It may end from its start on, so it
  /// counts as all sent when it is taken from the list.
  bool stopsAtOnce(const FlowSpec& flow) const { return flow.stop.ps >= 0 && flow.stop - flow.start < shortestDelay_; }

  /// The delay of the shortest link: nothing that happens at a node reaches another one earlier. Known once
  /// start() began.
  Time shortestDelay() const { return shortestDelay_; }
  /// For engines that can run nodes one behind the other (node_events.h). Rows of the trace come out in the
  /// order of time all the same, and the run ends with the same event.
  Time nextWindow() override;
  void fetch(uint32_t node) const override;
  void setLanes(uint32_t count) override;
  void part() override;
  void meet() override;
  void turnOf(uint32_t node) override { trace_.turnOf(node); }
  /// Whether lanes run side by side now. Then a component changes nothing that another node's looks at.
  bool apart() const { return apart_; }
  /// Does what looks at several nodes, such as a check, and comes from an event of this node: now, or at the end of the
  /// window in the order of time.
  void inOrder(uint32_t node, std::function<void()> deed);
  uint32_t windowsAhead() const override;
  /// A switch is in a unit with its hosts.
  std::vector<std::vector<uint32_t>> byPlace() const override;
  /// Switches, as hosts schedule events for each other.
  std::vector<bool> early(const std::vector<uint8_t>& lanes) const override;
  /// The nodes' lanes by their numbers in keys: ports learn in which lane the other end is.
  void setLaneOf(const std::vector<uint8_t>& lanes) override;

  /// Of this thread's lane.
  Counters& counters() { return counters_.here(); }
  /// Of all; while lanes stand still.
  Counters total() const;
  /// A data packet of the flow has come to its receiver while an earlier byte was missing.
  void countReordered(Flow& flow) {
    ++flow.reordered;
    ++counters().reordered;
  }
  /// Whether receivers count what arrives, and the counts, from a receiver's first packet on.
  bool countsArrivals() const { return countsArrivals_; }
  const FlowState<Arrivals>& arrivals() const { return arrivals_; }

 private:
  struct Sampler;
  struct Start;
  /// Its number among the networks that there are, which is another one's when this one has gone.
  struct Number {
    explicit Number(const Network& network);
    ~Number();
    Number(const Number&) = delete;
    Number& operator=(const Number&) = delete;
    uint8_t value;
  };
  uint64_t total(uint64_t Counters::*counter) const;
  bool mustKeepOrder() const;
  void catchUp();
  int64_t computeLargestFrame() const;
  bool computeLossless() const;
  void requireParts() const;
  void findFirsts();
  const std::vector<const Component*>& variants(const Description& of) const;
  void checkNeeds(Report& report) const;
  void checkRates(Report& report) const;
  void checkFlows(Report& report) const;
  void expectRates();
  void startFlows();
  void prepareDependencies();
  void scheduleFlows();
  void start(const FlowSpec& flow);
  // Not inline: their types would be hidden, and those of the events that call them with them.
  void stop();
  void noteWaiting();
  void lookForDeadlock();
  bool comesBack(const Host& host) const;
  void scheduleLinks();
  void changeLinks();
  void changeLink(Port& end, bool up);
  void startTracing();
  void sampleQueues();
  void sampleLinks();
  void sampleRates();
  void sampleArrivals();

  bool countsArrivals_ = false;
  FlowState<Arrivals> arrivals_;
  Engine& engine_;
  uint64_t seed_;
  Number number_{*this};
  PacketPool packets_;
  FlowPool flows_;
  MessagePool messages_;
  ControlTypes controlTypes_;
  std::vector<std::string> flowTimers_;
  TraceBus trace_;
  std::vector<Node*> nodes_;
  std::unordered_set<std::string> names_;  // of the nodes
  FlowFeed* feed_ = nullptr;
  std::once_flag groupsRead_;
  std::unique_ptr<FlowGroups> groups_;
  std::unique_ptr<Dependencies> dependencies_;  // null: no flow waits for another one
  bool stopWhenFlowsFinish_ = false, stopAtDeadlock_ = false;
  Time stopAt_ = Time::Max();
  bool started_ = false;
  struct First {
    uint32_t node;
    const Component* component;
  };
  std::map<const Description*, First> firsts_;
  mutable std::map<const Description*, std::vector<const Component*>> variants_;  // of those that were asked for
  int64_t largestFrame_ = 0;
  bool lossless_ = false;
  // By rate and classes, during check(): all ports ask.
  mutable std::map<std::tuple<int64_t, int, int>, int64_t> longest_;
  bool checking_ = false;
  Time shortestDelay_;
  bool foreign_ = false;  // some host has a stack of the engine's own, which may look at whatever it likes
  PerLane<Counters> counters_;
  uint32_t lanes_ = 1;
  bool apart_ = false;
  struct Deed {
    Time at;
    uint32_t node;
    uint32_t turn;  ///< among those of its lane: one node's deeds keep their order
    std::function<void()> call;
  };
  bool inWindows_ = false;
  PerLane<std::vector<Deed>> deeds_;
  FlowStops stops_;
  EventOf<Network, &Network::stop> stopEvent_{this, eventKey(kLastNode, EventKind::Stop, 0)};
  EventOf<Network, &Network::noteWaiting> noteEvent_{this, eventKey(kLastNode, EventKind::Sample, 0xfffffffe)};
  EventOf<Network, &Network::lookForDeadlock> watchEvent_{this, eventKey(kLastNode, EventKind::Sample, 0xffffffff)};
  EventOf<Network, &Network::startFlows> flowEvent_{this, eventKey(kFirstNode, EventKind::FlowSource, 0)};
  EventOf<Network, &Network::changeLinks> linkEvent_{this, eventKey(kFirstNode, EventKind::LinkChange, 0)};
  struct LinkEvent {
    Time at;
    Port* end;
    bool up;
  };
  struct RateChange {
    Time at;
    Port* end;
    Rate rate;
  };
  struct HostEvent {
    Time at;
    Host* host;
    bool up;
  };
  struct RouteChange {
    Time at;
    std::vector<RouteEntry> routes;
  };
  std::vector<LinkEvent> linkEvents_;  // those to come, the next one last
  std::vector<RateChange> rateChanges_;
  std::vector<HostEvent> hostEvents_;
  std::vector<RouteChange> routeChanges_;
  bool routesChanged_ = false;
  std::vector<Port*> queuePorts_, linkPorts_;
  std::vector<std::unique_ptr<Sampler>> samplers_;
  std::vector<std::unique_ptr<Start>> starts_;
  uint64_t measuredTaken_ = 0;  // flows, from the list
  bool flowsStop_ = false;
  PerLane<std::vector<Start*>> idleStarts_;
  std::vector<Start*> notBegun_;  // where flows wait for others: by number; null: not due by the list, or begun
  NodeMemory nodeMemory_;
  Standstill standstill_;
};

}  // namespace fabric
