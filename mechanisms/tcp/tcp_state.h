// What TCP keeps of a flow, at both of its ends.
#pragma once

#include "mechanisms/core/flow.h"
#include "mechanisms/core/packet.h"
#include "mechanisms/tcp/reassembly.h"
#include "mechanisms/tcp/rtt_estimate.h"
#include "mechanisms/tcp/scoreboard.h"

namespace fabric {

/// Between which the retransmission timeout stays.
struct RtoBounds {
  Time least, most;
};

/// Of the connection as a whole at its sender; where it has sub-flows, in the state of the first.
struct TcpConnection {
  // Sender.
  uint64_t assigned = 0;              // bytes that have been sent once
  uint64_t acked = 0;                 // bytes that the sender knows to be there
  uint64_t limit = Flow::kUnlimited;  // of `assigned`: what the receive window lets go, where there is one
  Flow* turn = nullptr;               // the sub-flow that takes the next new bytes
  bool ofApplication = false;         // its messages are an application's, with timers of their own
  // Of a persistent one its messages, in the order in which they came. `end` of its flow is where the
  // one ends that is being sent; the others wait for it.
  Flow *head = nullptr, *tail = nullptr;  // those of which the sender does not know that all is there
  Flow* sending = nullptr;                // the first that has bytes left to be sent once
};

/// The same at its receiver.
struct TcpArrived {
  uint64_t delivered = 0;     // bytes that are in order on their sub-flows
  uint64_t inOrder = 0;       // where there is a receive window: bytes before the first missing one
  uint64_t passed = 0;        // bytes of the messages that are all here, and all before them
  Flow* receiving = nullptr;  // of the messages that it has heard of, the first that is not
};

/// Opening: a SYN goes, and nothing else before its answer is here.
enum class TcpPhase : uint8_t { Opening, Open, Recovery, Loss };

/// A tail loss probe (RFC 8985 section 7).
struct TailProbe {
  Time due = Time{-1};  // when one goes if nothing is heard; -1: none is due
  Time sentAt;
  uint32_t behind = 0;  // of the one that is out, the number behind its segment; 0: none is out
  bool wanted = false;  // one is to go now
  bool again = false;   // the segment of the one that is out had been sent before

  void forget() {
    due = Time{-1};
    behind = 0;
    wanted = false;
  }
};

struct TcpSender {
  Scoreboard board;

  // Loss recovery (RFC 6675).
  TcpPhase phase = TcpPhase::Open;
  bool forced = false;  // the first retransmission of a recovery, or a SYN, does not ask for room in the window
  bool sendCwr = false;
  bool echoed = false;         // the last ACK said a mark
  uint32_t recoveryPoint = 0;  // recovery ends when all below is acknowledged
  uint32_t rescue = 0;         // RescueRxt: a rescue retransmission only with more than this acknowledged
  uint32_t cwrPoint = 0;       // no second reaction to an echoed mark before more than this is acknowledged
  uint32_t limitedBytes = 0;   // sent by limited transmit since una moved
  uint32_t copy = 0;           // bytes of another sub-flow's segment that are to go over this one, too

  // How much was in flight at most in the last and in this round trip.
  uint32_t peakPoint = 0, peak = 0, lastPeak = 0;

  // Timers (RFC 6298).
  RttEstimate rtt;
  Time rto;
  Time deadline = Time{-1};          // -1: nothing is in flight
  uint32_t timedOut = ~uint32_t{0};  // una of the last timeout
  TailProbe tail;
};

/// What a flow or a sub-flow has at its receiver.
struct TcpReceiver {
  TcpArrived connection;
  Reassembly got;
  // Of the segments behind a hole: their ends and, on a persistent connection, whose bytes they have.
  SegmentNumbers ends, messages;
  bool echo = false;  // the mark that ACKs say
  // A delayed ACK: when the first of the segments that wait for it was sent, until when they may wait,
  // and the packet of the last one, which becomes the ACK.
  Time firstUnacked, ackDeadline;
  Packet* held = nullptr;
  FlowEvent ackEvent;

  TcpReceiver(Flow& flow, FlowEvent::Handler onAckTimer) : ackEvent(flow, onAckTimer) {}
};

/// And at its sender.
struct TcpState {
  TcpConnection connection;
  uint32_t index = 0;    // among the connection's parts
  uint64_t shortBy = 0;  // bytes that finished messages' last segments here had less than an MSS
  TcpSender sender;
};

/// A message on a persistent connection, in the place of a state of its own. Its last segment is as short
/// as its bytes want it: segments belong to one message each.
struct TcpMessage {
  // Sender.
  uint64_t begin = Flow::kUnlimited;  // of the connection's bytes: its first one
  Flow* next = nullptr;
  Flow* lastPart = nullptr;  // where its last byte went, null while not all of it has been sent once
  uint32_t lastSegment = 0, shortBy = 0;
  uint64_t* ends = nullptr;  // by part: behind its last segment and those of the messages before it

  // Receiver.
  bool known = false;     // something of it has come
  Flow* after = nullptr;  // the next one that it has heard of
  uint64_t got = 0;       // bytes that are in order on their sub-flows
};
static_assert(sizeof(TcpMessage) <= sizeof(TcpState));

/// One end's FIN. It goes again until it is acknowledged, or the end gives up.
struct TcpFin {
  enum State : uint8_t { None, Sent, Done } state = None;
  uint8_t repeats = 0;
  Time rto;
  FlowEvent again;

  TcpFin(Flow& flow, FlowEvent::Handler onTimer) : again(flow, onTimer) {}
};

/// The tear-down of a flow or a sub-flow, at both of its ends. Where a connection has sub-flows, the state of the first
/// has what is of all.
struct TcpTearDown {
  struct Handlers {
    FlowEvent::Handler onSenderTimer, onReceiverTimer, onSenderDone, onOver;
  };
  TcpFin sender, receiver;
  FlowEvent senderDone;     // at the receiver, which hears at the earliest that anything could reach it
  FlowEvent over;           // at the sender, in the same way: the receiver is done, too
  bool senderGone = false;  // known to the receiver

  TcpTearDown(Flow& flow, const Handlers& h)
      : sender(flow, h.onSenderTimer),
        receiver(flow, h.onReceiverTimer),
        senderDone(flow, h.onSenderDone),
        over(flow, h.onOver) {}
};

/// What a part of a connection without messages remembers.
struct TcpKept {
  RttEstimate rtt;
  Time rto, lastSentAt;
  bool open, echo, sendCwr;
};

}  // namespace fabric
