// A flow: one queue pair (QP) sending a message, with its sender's and its receiver's state.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "mechanisms/core/engine.h"
#include "mechanisms/core/lane.h"
#include "mechanisms/core/types.h"

namespace fabric {

class Flow;
class Host;
class Nic;
struct Message;

/// A flow's own events call back its host with the flow.
class FlowEvent final : public Event {
 public:
  using Handler = void (*)(Flow&);
  FlowEvent(Flow& flow, Handler handler) : flow_(flow), handler_(handler) {}
  void fire() override { handler_(flow_); }

 private:
  Flow& flow_;
  Handler handler_;
};

/// A flow as it is asked for.
struct FlowSpec {
  uint32_t id = 0;
  uint32_t src = 0, dst = 0;  // node ids of hosts
  uint32_t group = 0;
  uint64_t size = 0;  // payload bytes, 0 = unlimited until stop
  Time start;
  Time stop = Time{-1};  // -1 = never
  uint16_t srcPort = 0, dstPort = 0;
  uint8_t cls = 1;
  bool measured = true;
  bool persistent = false;  // a message on the connection of its hosts, ports and class, which stays open
  bool closedLoop = false;  // of a message: see ClosedLoop
  double weight = 1;
  const Message* message = nullptr;  // of an application, which the flow carries; null: an ordinary flow
};

/// Ports of flows that are not given any: RoCEv2's, and one per flow from the ephemeral range.
inline constexpr uint16_t kFlowDestinationPort = 4791;
constexpr uint16_t flowSourcePort(uint32_t id) { return static_cast<uint16_t>(49152 + id % 16384); }

/// Its lines of the cache: the first two are only read, two are the sender's, one is the receiver's, the rest is rare.
/// The two ends may be in two lanes, each with a core's cache.
class Flow {
 public:
  enum class Wait : uint8_t { Blocked, Ready, Paced };
  static constexpr uint64_t kUnlimited = ~uint64_t{0};
  static constexpr uint32_t kNowhere = ~uint32_t{0};
  static constexpr Rate kNoLimit{std::numeric_limits<int64_t>::max()};

  FlowSpec spec;
  Host* sender = nullptr;
  Host* receiver = nullptr;
  Nic* nic = nullptr;  // of the sender, by which the flow's data leaves
  uint64_t hash = 0, reverseHash = 0, symmetricHash = 0;
  /// The flow itself; of a sub-flow the flow that it is a part of. Sub-flows have their flow's number.
  /// Of a message on a persistent connection: the connection, which has the number of the first of the
  /// messages that keep it busy and is in no list of flows.
  Flow* connection = nullptr;

  // Sender. Sequence numbers count payload bytes.
  uint64_t end = 0;  // sequence number behind the last byte to send
  uint64_t sndNxt = 0, sndUna = 0, highest = 0;
  uint64_t sentBytes = 0, sentWireBytes = 0, packets = 0;
  Rate rate;              // pacing rate, set by the congestion control
  Rate limit = kNoLimit;  // pacing is not faster than this; an application's to set
  int64_t window = -1;    // bytes in flight allowed, -1 = no limit
  Time lastSentAt;
  Time nextSendAt;
  uint32_t lastWireBytes = 0;
  Wait wait = Wait::Blocked;
  bool stopped = false;
  bool senderDone = false;
  bool allSent = false;  // every byte was sent once, or the flow has a stop
  uint32_t place = 0;    // among the flows of its class at its NIC
  uint32_t heapIndex = 0;
  Flow *prevActive = nullptr, *nextActive = nullptr;

  // Receiver.
  uint64_t rcvNxt = 0;
  uint32_t unacked = 0;
  bool receiverStarted = false;
  bool closed = false;    // it has ended at the receiver
  bool nackSent = false;  // for what is missing
  Time endAt = Time{-1};
  Time senderEndAt = Time{-1};

  uint64_t reordered = 0;  // data packets that came to the receiver while an earlier byte was missing

  uint32_t timeouts = 0;  // retransmission timeouts at the sender
  uint32_t messages = 0;  // unfinished ones of a persistent connection
  Flow* nextSubflow = nullptr;
  uint64_t retransmittedBytes = 0;
  uint64_t inFlight() const { return sndNxt - sndUna; }
  /// Whether the window lets another packet go. An open window is never smaller than `least` bytes.
  bool maySend(int64_t least) const {
    if (sndNxt >= end) return false;
    return window < 0 || (window > 0 && static_cast<int64_t>(inFlight()) < std::max(window, least));
  }

  /// The states of mechanisms that have to be destroyed with the flow, a bit for each: see FlowState. Both ends make
  /// some.
  std::atomic<uint32_t> made{0};
  uint32_t stopPlace = kNowhere;  // in FlowStops

  /// A mechanism's per-flow state at the offset its layout was given.
  template <class T>
  T& at(std::ptrdiff_t offset) {
    return *std::launder(reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + offset));
  }
  void* raw(std::ptrdiff_t offset) { return reinterpret_cast<std::byte*>(this) + offset; }

  FlowEvent stopEvent;
  FlowEvent retransmitEvent;
  FlowEvent endEvent;  // at the receiver: the sender is done

  struct Handlers {
    FlowEvent::Handler onStop, onRetransmit, onEnd;
  };
  explicit Flow(const Handlers& h = Handlers())
      : stopEvent(*this, h.onStop), retransmitEvent(*this, h.onRetransmit), endEvent(*this, h.onEnd) {}
};

/// A mechanism's state of type T in every flow, as FlowPool::reserve() gives it out.
template <class T>
class FlowState {
 public:
  FlowState() = default;
  FlowState(std::ptrdiff_t offset, uint8_t slot) : offset_(offset), slot_(slot) {}

  T& operator()(Flow& flow) const { return flow.at<T>(offset_); }
  /// Constructs it in this flow. It is destroyed with the flow, or before by drop(), but not at the run's end: no heap.
  template <class... Args>
  T& make(Flow& flow, Args&&... args) const {
    T* state = new (flow.raw(offset_)) T(std::forward<Args>(args)...);
    if constexpr (!std::is_trivially_destructible_v<T>) {
      flow.made.fetch_or(1u << slot_, std::memory_order_relaxed);
    }
    return *state;
  }
  /// Destroys it now: for a state with timers, which must not outlive the flow's sender.
  void drop(Flow& flow) const {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      flow.made.fetch_and(~(1u << slot_), std::memory_order_relaxed);
    }
    (*this)(flow).~T();
  }

 private:
  std::ptrdiff_t offset_ = 0;
  uint8_t slot_ = 0;
};

/// What has come to a flow's receiver, counted where the table `arrivals` is recorded.
struct Arrivals {
  uint64_t wireBytes = 0, packets = 0;
  Time lastAt = Time{-1};
};

/// At which end of a flow a state is used.
enum class FlowEnd : uint8_t { Sender, Receiver };

/// Flows live here; the memory of a finished one serves the next. Mechanisms reserve room for their
/// per-flow state before the first flow starts: senders behind the flow, receivers in front of it, in lines of their
/// own. Between them and the flow stands its number, which packets that are still on their way compare with theirs:
/// they may look while the memory serves another flow.
class FlowPool {
 public:
  /// Bytes of the number, which begin with a line of the cache.
  static constexpr size_t kFront = sizeof(uint64_t);
  FlowPool() = default;
  FlowPool(const FlowPool&) = delete;
  FlowPool& operator=(const FlowPool&) = delete;
  ~FlowPool();

  /// Room for a T in every flow. The same name gives the same room; with another type it is refused.
  template <class T>
  FlowState<T> reserve(const std::string& name, FlowEnd end = FlowEnd::Sender) {
    static_assert(alignof(T) <= 8);
    const size_t slot = reserve(name, end, typeid(T), sizeof(T), [](void* at) { static_cast<T*>(at)->~T(); });
    return {slots_[slot].offset, static_cast<uint8_t>(slot)};
  }
  Flow* get(const Flow::Handlers& handlers, const FlowSpec& spec = FlowSpec());
  /// Where lanes run side by side the memory stays as it is until they meet.
  void put(Flow* flow, bool apart = false);
  /// The lanes meet: what they have put back serves again.
  void meet(uint32_t lanes);
  /// Of the flow that is there now, or ~0.
  static uint32_t idAt(const Flow& flow) {
    return front(reinterpret_cast<const std::byte*>(&flow)).load(std::memory_order_relaxed);
  }
  /// With its mechanisms' state.
  size_t bytesPerFlow() const { return size_ + receivers_; }
  /// What the sender has behind the beginning of the flow, the receiver in front of its number.
  size_t bytesOf(FlowEnd end) const { return end == FlowEnd::Sender ? size_ : receivers_; }

 private:
  using Number = std::atomic<uint32_t>;
  static const Number& front(const std::byte* flow) {
    return *std::launder(reinterpret_cast<const Number*>(flow - kFront));
  }
  static Number& front(std::byte* flow) { return *std::launder(reinterpret_cast<Number*>(flow - kFront)); }
  static size_t lines(size_t bytes) { return (bytes + sizeof(CacheLine) - 1) / sizeof(CacheLine); }
  size_t reserve(const std::string& name, FlowEnd end, std::type_index type, size_t bytes, void (*destroy)(void*));
  struct Lane {
    std::vector<std::unique_ptr<CacheLine[]>> chunks;
    std::vector<std::byte*> free, gone;
  };
  struct Slot {
    std::string name;
    std::type_index type;
    std::ptrdiff_t offset;
    void (*destroy)(void*);
  };
  std::vector<Slot> slots_;
  size_t size_ = sizeof(Flow), receivers_ = 0;
  PerLane<Lane> lanes_;
};

/// A timer of every flow, as Network::flowTimer() gives it out.
class FlowTimer {
 public:
  FlowTimer() = default;
  explicit FlowTimer(uint8_t number) : number_(number) {}
  /// The key of the timer's event at a node, which is the flow's sender or receiver. `index` is the flow's number,
  /// or another one that no other flow of the node has.
  uint64_t key(uint32_t node, uint32_t index) const {
    const auto kind = static_cast<EventKind>(static_cast<uint8_t>(EventKind::FlowTimer) + number_);
    return eventKey(keyNode(node), kind, index);
  }
  uint64_t senderKey(const Flow& flow) const { return key(flow.spec.src, flow.spec.id); }

 private:
  uint8_t number_ = 0;
};

/// A flow waits for another one, and for a while after it.
struct Dependency {
  uint32_t on = 0;  // that flow's number
  Time delay;
};

/// Where flows come from, in the order of (start, id).
class FlowFeed {
 public:
  virtual ~FlowFeed() = default;
  /// The next flow, null when there are no more.
  virtual const FlowSpec* peek() = 0;
  virtual void pop() = 0;
  /// How many of all its flows are measured.
  virtual uint64_t measured() const = 0;
  /// The same flows once more, from the first on.
  virtual std::unique_ptr<FlowFeed> again() const = 0;
  /// Whether some flow waits for another one. The numbers of the flows are then 0, 1, 2, … in any order.
  virtual bool hasDependencies() const { return false; }
  /// What the flow that peek() gave waits for, until pop().
  virtual const std::vector<Dependency>& after() const {
    static const std::vector<Dependency> kNothing;
    return kNothing;
  }
};

}  // namespace fabric
