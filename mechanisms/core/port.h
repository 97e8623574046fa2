// A port: egress queues, strict priority between their classes, PFC state and the transmitter.
#pragma once

#include <memory>
#include <vector>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/kinds.h"
#include "mechanisms/core/slots.h"

namespace fabric {

class FetchAhead;
class Network;
class Node;

inline constexpr int kMaxClasses = 8;

/// Makes packets for a port when they may go: the flows of a host.
class PacketSource {
 public:
  virtual ~PacketSource() = default;
  /// Updates and returns the set of classes that have something to send, as a bit mask.
  virtual uint32_t refresh() = 0;
  /// A packet of a class that refresh() named.
  virtual Packet* pull(uint8_t cls) = 0;
  /// When refresh() will name more; Time::Max() if that takes an arrival.
  virtual Time nextWake() const = 0;
};

/// In a large network a port is out of the cache whenever a packet comes to it, so what every packet needs
/// comes first: two lines of the cache for one that leaves, the first and the third for one that arrives.
/// Processors fetch pairs of lines.
class alignas(128) Port final : public Component {
 public:
  Port()
      : pauseWaits_(false),
        sending_(false),
        discarding_(false),
        feeds_(false),
        down_(false),
        faulty(false),
        watched(false) {}
  static const Description& describe();
  const Description& description() const override { return describe(); }

  void attach(Node& node, uint16_t index, Rate rate, Time delay);
  /// For engines: the two ends of a link, before the network starts.
  static void connect(Port& a, Port& b) {
    a.peer_ = &b;
    b.peer_ = &a;
  }
  // For the table of slots.
  void setQueue(uint8_t cls, Queue& queue);
  void addAgent(PortAgent& agent, uint8_t index);
  void setFlowScheduler(FlowScheduler& scheduler);
  const std::vector<Plugged>& plugged() const { return plugged_; }
  void setSource(PacketSource& source);

  Node& node() const { return *node_; }
  Engine& engine() const { return *engine_; }
  /// The other end of the link.
  Port& peer() const { return *peer_; }
  /// Whether the link leads to a switch; of a switch's port, that it belongs to the fabric.
  bool leadsToSwitch() const;
  uint16_t index() const { return index_; }
  /// For random streams: of the names of the link's ends, and which of parallel links it is.
  uint64_t nameHash() const;
  Rate rate() const { return rate_; }
  Time delay() const { return delay_; }
  int classes() const { return classes_; }
  std::vector<Queue*> queues() const { return {queues_, queues_ + classes_}; }
  /// The first of the port's agents that is a T; null if none is.
  template <class T>
  T* agent() const {
    for (const Plugged& p : plugged_) {
      if (auto* found = dynamic_cast<T*>(p.component)) return found;
    }
    return nullptr;
  }
  FlowScheduler* flowScheduler() const { return flowScheduler_; }
  /// A key for a timer of one of this port's components; each call gives another.
  uint64_t timerKey();

  /// Puts a packet into its class's queue; false if the queue refused it (the caller drops it).
  bool enqueue(Packet* packet);
  /// Sends what may be sent now. Where nothing may, it sets an event for the next sending time.
  void kick();
  /// The same by an event of its own, as soon as a packet may go.
  void kickSoon();
  /// Sends a PFC frame for `cls`, ahead of everything that waits.
  void sendPause(uint8_t cls, bool xoff);
  /// A PFC frame from the other side.
  void onPause(uint8_t cls, bool xoff);

  /// Before the start: the link will have this rate, too.
  void expectRate(Rate rate);
  /// From now on frames take as long as they do at this rate; one that is on the wire keeps its time.
  void changeRate(Rate rate);

  /// The link goes down: what waits here is lost, and both sides forget who paused whom.
  void takeDown();
  /// The link is up again; kick() both ends once both are up.
  void bringUp();
  /// While the link comes back: this side's buffer still pauses the other, which knows it from the start.
  void carryPause(uint8_t cls);
  bool down() const { return down_; }
  /// Where it is: since when.
  Time downSince() const { return changedAt_; }
  /// Whether a packet that arrives now was on the link when it went down. Ask only where `faulty`.
  bool lost(const Packet& packet) const;
  /// Classes for which the other side holds a pause frame of ours.
  uint32_t toldMask() const { return toldMask_; }

  bool busy() const;
  bool paused(uint8_t cls) const { return (pausedMask_ >> cls) & 1u; }
  uint32_t pausedMask() const { return pausedMask_; }
  /// Time some class was paused, up to now.
  Time pausedTime() const;
  int64_t queueBytes(uint8_t cls) const { return queues_[cls]->bytes_; }
  const Queue& queue(uint8_t cls) const { return *queues_[cls]; }
  uint32_t queuePackets(uint8_t cls) const { return queues_[cls]->packets_; }
  /// Bytes waiting in all classes but the control class (0); in all, where there is only one class.
  int64_t dataQueueBytes() const;
  /// Largest queue of the class since the last call.
  int64_t takeMaxBytes(uint8_t cls);
  uint64_t sentWireBytes() const { return sentWireBytes_; }
  uint64_t sentDataBytes() const { return sentDataBytes_; }
  Time serialisation(uint32_t bytes) const {
    return psPerByte_ != 0 ? Time{bytes * psPerByte_} : transmissionTime(bytes, rate_);
  }

  // Parameters of the port's ingress side, used by the switch's buffer.
  bool pfc() const { return pfc_; }
  bool pfcDynamic() const { return pfcMode_.index == 1; }
  int64_t pfcXoff() const { return pfcXoff_.n; }
  int64_t pfcXonOffset() const { return pfcXonOffset_.n; }
  double pfcAlpha() const { return pfcAlpha_; }
  int64_t headroom() const { return headroom_.n; }
  /// What headroom() will be once it has started, in a network with frames of at most so many bytes.
  int64_t neededHeadroom(int64_t largestFrame) const;
  /// The most that comes in once a pause frame is to be sent.
  int64_t arrivesAfterPause(int64_t largestFrame) const;
  bool connected() const { return peer_ != nullptr; }
  void check(const Network& network, Report& report) const override;

  /// What frames that leave or arrive look at, whatever they are: for NodeMemory.
  void listMemory(const MemoryList& list) const;

  bool traced(int table) const { return (traceMask >> table) & 1u; }
  FABRIC_RARE void tracePacket(PacketEvent event, const Packet& packet) const;

 private:
  friend class FetchAhead;
  friend class Queue;
  friend void plug(Component& place, const Slot& slot, Component& component);
  void onStart(Network& network) override;
  /// The next frame for the wire, null if none may go.
  Packet* next();
  void send(Packet* packet, Time now);
  /// Lets the source's packets into the queues as far as there is room.
  FABRIC_RARE void letIn();
  /// A queue drops what waited in it.
  FABRIC_RARE void discard(Queue& queue, Packet* packet, DropReason reason);
  FABRIC_RARE void dropDiscarded();
  FABRIC_RARE void countMark(const Packet& packet);
  /// Classes whose queue holds its packets back until later than now.
  FABRIC_RARE uint32_t heldBack() const;
  /// Sets an event for the time when this port can send what waits, or what its source will have.
  void armNext();
  FABRIC_RARE void armHeldBack();
  /// Time::Max() is never.
  void wakeAt(Time at);
  uint32_t sendable();
  void setRate(Rate rate);
  /// How long a frame took to send whose last bit was sent then.
  Time tookToSend(uint32_t bytes, Time until) const;
  Network& network() const;

  Packet* take(uint8_t cls);
  /// The end of a transmission, or another time at which something may be sent.
  struct Done final : Event {
    explicit Done(Port& port) : port(port) {}
    void fire() override { port.kick(); }
    void fetchAhead() const override;
    Port& port;
  };

  // The first line, behind what every component has.
  bool pauseWaits_ : 1;  // linkControl_ is not empty
  bool sending_ : 1;     // a frame is being chosen and put on the wire: nobody else may
  bool discarding_ : 1;  // discarded_ is not empty
  bool feeds_ : 1;       // the source's packets wait in the queues, as the flow scheduler's backlog says
  bool down_ : 1;

 public:
  /// The link has been down, or is; set by the network.
  bool faulty : 1;
  /// For engines: whether `device` wants to see the frames of this port.
  bool watched : 1;

 private:
  uint8_t nonEmptyMask_ = 0;
  uint8_t pausedMask_ = 0;
  uint8_t holdMask_ = 0;  // classes whose queues hold back
  uint8_t classes_ = 0;
  uint16_t index_ = 0;
  Engine* engine_ = nullptr;
  Node* node_ = nullptr;
  PacketSource* source_ = nullptr;
  Time busyUntil_;

 public:
  /// For engines: what carries the frames of this port.
  void* wire = nullptr;
  /// Which port tables record this port; set by the network before the run.
  uint16_t traceMask = 0;
  /// The lane of the node at the other end.
  uint8_t peerLane = 0;

 private:
  uint32_t psPerByte_ = 0;  // 0 where the rate does not divide a byte's picoseconds

  // The second.
  alignas(64) PortAgent* firstDequeueHook_ = nullptr;
  PortAgent* firstEnqueueHook_ = nullptr;
  Time delay_;
  Rate rate_;
  uint64_t sentWireBytes_ = 0;
  uint64_t sentDataBytes_ = 0;
  Queue* queues_[kMaxClasses] = {};  // of which most ports have two

  // The end of the third.
  bool pfc_ = false;
  Choice pfcMode_;
  Bytes pfcXoff_;

  // The fourth, for one that has to wait.
  alignas(64) uint8_t toldMask_ = 0;
  DropReason discardReason_ = DropReason::QueueFull;
  uint16_t timers_ = 0;     // keys given out
  PacketList linkControl_;  // PFC frames: no class, never paused
  Done done_{*this};

  Bytes headroom_, pfcXonOffset_, headroomParam_;
  double pfcAlpha_ = 0;

 public:
  /// For engines: their own object of this port.
  void* device = nullptr;

 private:
  Port* peer_ = nullptr;
  Time pausedSince_, pausedTotal_;
  Time changedAt_;  // when the link went down or came up
  struct Rates {
    struct Past {
      Time until;  // the end of the last frame that was sent at this rate
      Rate rate;
    };
    Rate slowest, fastest;
    std::vector<Past> past;
  };
  std::unique_ptr<Rates> rates_;  // of a link that changes its rate
  PacketList discarded_;
  FlowScheduler* flowScheduler_ = nullptr;
  std::vector<Plugged> plugged_;
};

}  // namespace fabric
