// TCP: a byte stream with selective acknowledgements, RFC 6675 loss recovery and RFC 6298 timeouts.
#pragma once

#include <array>

#include "mechanisms/core/kinds.h"
#include "mechanisms/transport/segments.h"

namespace fabric {

/// What a TCP header says beyond the packet's own fields. Segments are numbered: a flow is cut into
/// segments of one MSS once and for all, and a retransmission carries the same bytes.
struct TcpHeader {
  struct Block {  // [begin, end)
    uint32_t begin, end;
  };
  static constexpr size_t kBlocks = 3;
  static constexpr const char* kName = "tcp";

  uint32_t segment = 0;  // of data: its number; of an ACK: the first one missing at the receiver
  uint8_t blocks = 0;    // SACK blocks in use
  bool cwr = false;      // congestion window reduced (RFC 3168)
  /// Of a persistent connection's packets: the connection's number, while `flowId` is the message's.
  uint32_t connection = kNoFlow;
  std::array<Block, kBlocks> sack{};
};

/// RFC 6298 section 2, with a clock without granularity.
struct RttEstimate {
  Time smoothed, variation;
  void sample(Time rtt) {
    if (smoothed.ps == 0) {
      smoothed = rtt;
      variation = Time{rtt.ps / 2};
      return;
    }
    const int64_t off = smoothed > rtt ? smoothed.ps - rtt.ps : rtt.ps - smoothed.ps;
    variation = Time{(3 * variation.ps + off) / 4};
    smoothed = Time{(7 * smoothed.ps + rtt.ps) / 8};
  }
  Time timeout() const { return Time{smoothed.ps + 4 * variation.ps}; }
};

class Tcp : public Transport {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }

  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  bool maySend(const Flow& flow) const override;
  Flow& fill(Flow& flow, Packet& packet) override;
  bool onAck(Flow& flow, const Packet& ack) override;
  void onTimer(Flow& flow) override;
  bool onStop(Flow& flow) override;
  void onData(Flow& flow, Packet* packet) override;
  void append(Flow& connection, Flow& message) override;
  bool carries(const Flow& connection, const Packet& packet) const override;
  int64_t keptBytes() const override { return sizeof(Kept); }
  void keep(Flow& flow, std::byte* to) override;
  void resume(Flow& flow, const std::byte* from) override;

  // For tests.
  enum class Phase : uint8_t { Open, Recovery, Loss };
  Phase phase(const Flow& flow) const { return state(flow).phase; }
  uint64_t pipe(const Flow& flow) const { return state(flow).pipe(flow); }
  Time rto(const Flow& flow) const { return state(flow).rto; }
  /// Whether what is counted of the scoreboard is what is in it.
  bool consistent(const Flow& flow) const;

 protected:
  /// The parameters, for a description of this class or of one made from it.
  template <class C>
  static Describe<C>& parameters(Describe<C>& d);
  void onStart(Network& network) override;
  virtual uint32_t parts() const { return 1; }
  // For a scheduler of sub-flows. A flow that may send sends new bytes, not old ones:
  bool sendsNew(const Flow& flow) const;
  /// The smoothed round trip, 0 before there is any.
  Time smoothed(const Flow& flow) const { return state(flow).rtt.smoothed; }
  /// The sub-flow that is to take new bytes, kept with the connection.
  Flow*& turn(const Flow& flow) const { return shared(flow).turn; }
  /// The `index`-th of the parts of a connection begins.
  void begin(Flow& flow, uint32_t index);

 private:
  /// A flow at both of its ends.
  struct State {
    // The connection's; where it has sub-flows, in the state of the first.
    uint64_t assigned = 0;   // bytes that have been sent once
    uint64_t acked = 0;      // bytes that the sender knows to be there
    uint64_t delivered = 0;  // bytes in order at the receiver
    Flow* turn = nullptr;    // the sub-flow that takes the next new bytes
    // Of a persistent one its messages, in the order in which they came. `end` of its flow is where the
    // one ends that is being sent; the others wait for it.
    Flow *head = nullptr, *tail = nullptr;  // those of which the sender does not know that all is there
    Flow* sending = nullptr;                // the first that has bytes left to be sent once
    Flow* receiving = nullptr;              // the first that the receiver does not have

    uint32_t index = 0;    // among the connection's parts
    uint64_t shortBy = 0;  // bytes that finished messages' last segments here had less than an MSS

    // Sender: RFC 6675. Segments below `una` are acknowledged, below `nxt` sent. One that was not
    // SACKed counts as lost below `lostEdge`, as sent again below `rexmitted`.
    uint32_t una = 0, nxt = 0;
    uint32_t lostEdge = 0;
    uint32_t rexmitted = 0;      // HighRxt
    uint32_t recoveryPoint = 0;  // recovery ends when all below is acknowledged
    // A new segment that went out when all missing below `resent` had been sent again; 0: none did.
    uint32_t probe = 0, resent = 0;
    uint32_t top[3] = {};  // the three highest SACKed, the highest first
    uint32_t sackedBytes = 0, lostBytes = 0, rexmitBytes = 0;
    uint32_t limitedBytes = 0;  // sent by limited transmit since una moved
    Phase phase = Phase::Open;
    bool forced = false;  // the first retransmission of a recovery does not ask for room in the window
    bool sendCwr = false;
    uint32_t rescue = 0;    // RescueRxt: a rescue retransmission only with more than this acknowledged
    uint32_t cwrPoint = 0;  // no second reaction to an echoed mark before all below is acknowledged
    // How much was in flight at most in the last and in this round trip.
    uint32_t peakPoint = 0, peak = 0, lastPeak = 0;
    SegmentSet sacked;

    // RFC 6298.
    RttEstimate rtt;
    Time rto;
    Time deadline = Time{-1};          // -1: nothing is in flight
    uint32_t timedOut = ~uint32_t{0};  // una of the last timeout

    // Tail loss probe: when one is due (-1: none is), and the one that is out.
    Time probeDue = Time{-1}, probedAt;
    uint32_t probed = 0;       // behind its segment; 0: none is out
    bool probing = false;      // one is to go
    bool probedAgain = false;  // its segment had been sent before

    // Receiver.
    uint32_t expected = 0;  // the first segment missing
    uint32_t waiting = 0;   // segments beyond it that are here
    SegmentSet here;
    uint8_t blocks = 0;
    bool echo = false;  // the mark that ACKs say
    std::array<TcpHeader::Block, TcpHeader::kBlocks> recent{};
    Time firstUnacked, ackDeadline;
    uint32_t held = kNoFlow;  // whose segment was held back last
    FlowEvent ackEvent;

    explicit State(Flow& flow) : ackEvent(flow, &Tcp::onAckTimer) {}
    bool quiet() const { return sackedBytes == 0 && lostEdge <= una && rexmitted <= una; }
    uint64_t pipe(const Flow& flow) const { return flow.inFlight() - sackedBytes - lostBytes + rexmitBytes; }
  };

  /// A message on a persistent connection, in the place of its own state. Its last segment is as short
  /// as its bytes want it: segments belong to one message each.
  struct Message {
    Flow* next = nullptr;
    Flow* lastPart = nullptr;  // where its last byte went, null while not all of it has been sent once
    uint32_t lastSegment = 0, shortBy = 0;
    uint64_t* ends = nullptr;  // by part: behind its last segment and those of the messages before it
  };
  static_assert(sizeof(Message) <= sizeof(State));
  /// What a part of a connection without messages remembers.
  struct Kept {
    RttEstimate rtt;
    Time rto, lastSentAt;
    bool echo, sendCwr;
  };

  State& state(Flow& flow) const { return flow.at<State>(state_); }
  Message& message(Flow& flow) const { return flow.at<Message>(state_); }
  const State& state(const Flow& flow) const { return state(const_cast<Flow&>(flow)); }
  State& shared(const Flow& flow) const { return state(*flow.connection); }
  uint64_t unassigned(const Flow& flow) const { return flow.connection->end - shared(flow).assigned; }
  uint32_t length(const Flow& flow, const State& s, uint32_t segment) const;
  uint64_t sequence(const Flow& flow, const State& s, uint32_t segment) const;
  /// The messages of a persistent connection.
  Flow& messageOf(const Flow& flow, uint32_t segment) const;
  Flow& row(Flow& flow, uint32_t segment) const {
    return flow.connection->messages == 0 ? flow : messageOf(flow, segment);
  }
  Flow& fillMessage(Flow& flow, Packet& packet, bool isNew);
  uint32_t messageLength(const Flow& flow, uint32_t segment) const;
  bool endsMessage(const Flow& flow, uint32_t segment) const;
  void setEnds(Flow& flow, Flow& message, uint32_t lastSegment, uint32_t shortBy);
  template <class Reached>
  bool all(const Flow& connection, Flow& message, Reached reached) const;
  void unlink(Flow& connection, Flow& message);
  bool finishMessages(Flow& connection, uint64_t bytes);
  void receiveMessages(Flow& connection, uint64_t bytes);
  void credit(Flow* message, uint64_t bytes, uint64_t Flow::*counter) const;

  /// What NextSeg() of RFC 6675 names.
  struct Next {
    enum Rule : uint8_t { Nothing, Retransmit, New, Rescue, Probe } rule;
    uint32_t segment;
  };
  Next next(const Flow& flow, const State& s) const;
  void acknowledgeBelow(Flow& flow, State& s, uint32_t segment);
  void takeSack(Flow& flow, State& s, TcpHeader::Block block);
  void declareLost(const Flow& flow, State& s, uint32_t edge);
  void forgetRetransmissions(State& s);
  void restartTimer(Flow& flow, State& s);
  void recover(Flow& flow, State& s);
  void retransmitEarly(const Flow& flow, State& s);
  void awaitTail(Flow& flow, State& s);
  void probeTail(Flow& flow, State& s);
  bool tailWasLost(State& s, const Packet& ack);
  void forgetProbe(State& s);

  void accept(Flow& flow, State& s, const Packet& packet);
  void report(State& s, uint32_t segment);
  void answer(Flow& flow, State& s, Packet* packet);
  void hold(Flow& flow, State& s, Packet* packet);
  void acknowledgeHeld(Flow& flow, State& s);
  static void onAckTimer(Flow& flow);

  size_t state_ = 0, header_ = 0;
  FlowTimer ackTimer_;
  Engine* engine_ = nullptr;
  Network* network_ = nullptr;
  uint32_t mss_ = 0;
  bool exactEcho_ = false;
  WordPool pool_;
  Time minRto_, maxRto_, initialRto_, ackDelay_;
  bool limitedTransmit_ = true, restartAfterIdle_ = true;
  bool lostRetransmissions_ = false;
  bool earlyRetransmit_ = false, tailLossProbe_ = false;
  Time probeMin_, probeAckDelay_;
};

template <class C>
Describe<C>& Tcp::parameters(Describe<C>& d) {
  return d
      .param("min_rto", &Tcp::minRto_, Time::Ms(200), "shortest retransmission timeout",
             "Linux: 200 ms; RFC 6298 section 2.4 asks for 1 s")
      .range(1, 60e12)
      .param("max_rto", &Tcp::maxRto_, Time::Ms(60000), "longest retransmission timeout, where back-off ends",
             "RFC 6298 section 2.5: at least 60 s")
      .range(1, 3600e12)
      .param("initial_rto", &Tcp::initialRto_, Time::Ms(1000), "timeout before the first sample of the round trip",
             "RFC 6298 section 2.1: 1 s")
      .range(1, 60e12)
      .param("limited_transmit", &Tcp::limitedTransmit_, true,
             "SACKed segments make room for new ones before a loss is certain", "RFC 3042; RFC 6675 section 5")
      .param("lost_retransmissions", &Tcp::lostRetransmissions_, false,
             "a retransmission is lost, and sent once more, when three segments are SACKed that were first sent "
             "after it; without, it takes a timeout",
             "Linux 2.6.26; what RFC 8985 section 3.1 calls lost retransmissions; RFC 6675 has it not")
      .param("early_retransmit", &Tcp::earlyRetransmit_, false,
             "with two or three segments outstanding and nothing new to send, a segment is lost when all others are "
             "SACKed",
             "RFC 5827 section 3.2; Linux 3.5, which waits a quarter of an RTT more")
      .param("tail_loss_probe", &Tcp::tailLossProbe_, false,
             "when ACKs stay away, one segment goes to bring one: a new one, or the last once more. What is missing "
             "when it is there is lost",
             "Linux 3.10 (draft-dukkipati-tcpm-tcp-loss-probe-01); RFC 8985 section 7")
      .param("probe_min", &Tcp::probeMin_, Time::Ms(10),
             "a probe goes after two smoothed round trips, and not before this", "Linux 3.10: 10 ms")
      .range(1, 60e12)
      .param(
          "probe_ack_delay", &Tcp::probeAckDelay_, Time::Ms(200),
          "with one segment outstanding a probe goes after one and a half smoothed round trips and this: its ACK may "
          "be held back",
          "Linux 3.10: 200 ms; RFC 8985 section 7.2")
      .range(0, 60e12)
      .param("ack_delay", &Tcp::ackDelay_, Time::Ms(40),
             "longest time that an ACK is held back where host.ack_every is above 1",
             "Linux: 40 ms; RFC 5681 section 4.2 allows 500 ms")
      .range(1, 500e9)
      .param("restart_after_idle", &Tcp::restartAfterIdle_, true,
             "a persistent connection that sent nothing for an RTO begins with the initial window again",
             "RFC 5681 section 4.1; Linux: tcp_slow_start_after_idle")
      .extension(TcpHeader::kName, sizeof(TcpHeader), 28, "SACK option: 4 B and 8 B per block, in ACKs that have blocks");
}

}  // namespace fabric
