// TCP: a byte stream with selective acknowledgements, RFC 6675 loss recovery and RFC 6298 timeouts.
#pragma once

#include <algorithm>

#include "mechanisms/core/kinds.h"
#include "mechanisms/tcp/tcp_state.h"

namespace fabric {

/// The transport, in one file for each of its concerns: tcp.cc (a flow begins and ends), tcp_handshake.cc,
/// tcp_sender.cc, tcp_recovery.cc, tcp_timers.cc, tcp_receiver.cc, tcp_messages.cc (persistent connections) and
/// tcp_teardown.cc.
class Tcp : public Transport {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  void checkFlow(const FlowSpec& flow, const Host& receiver, Report& report) const override;

  void onFlowStart(Flow& flow) override;
  void onSenderEnd(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  bool maySend(const Flow& flow) const override;
  Flow& fill(Flow& flow, Packet& packet) override;
  bool onAck(Flow& flow, const Packet& ack) override;
  void onTimer(Flow& flow) override;
  bool onStop(Flow& flow) override;
  bool endsAtStop() const override { return atStop_.index == 1; }
  bool close(Flow& flow) override;
  void onData(Flow& flow, Packet* packet) override;
  uint64_t acked(const Flow& flow) const override;
  uint64_t delivered(const Flow& flow) const override;
  void append(Flow& connection, Flow& message) override;
  bool carries(const Flow& connection, const Packet& packet) const override;
  int64_t keptBytes() const override { return sizeof(TcpKept); }
  void keep(Flow& flow, std::byte* to) override;
  void resume(Flow& flow, const std::byte* from) override;

  // For tests.
  using Phase = TcpPhase;
  Phase phase(const Flow& flow) const { return sender(flow).phase; }
  uint64_t pipe(const Flow& flow) const { return sender(flow).board.pipe(flow.inFlight()); }
  Time rto(const Flow& flow) const { return sender(flow).rto; }
  uint64_t assigned(const Flow& flow) const { return shared(flow).assigned; }
  uint64_t inOrder(const Flow& flow) const { return arrived(flow).inOrder; }
  /// Whether what is counted of the scoreboard is what is in it.
  bool consistent(const Flow& flow) const;

 protected:
  /// The parameters, for a description of this class or of one made from it.
  template <class C>
  static Describe<C>& parameters(Describe<C>& d);
  void onStart(Network& network) override;
  // For a scheduler of sub-flows. A flow that may send sends new bytes, not old ones:
  bool sendsNew(const Flow& flow) const;
  /// The smoothed round trip, 0 before there is any.
  Time smoothed(const Flow& flow) const { return sender(flow).rtt.smoothed; }
  /// The sub-flow that is to take new bytes, kept with the connection.
  Flow*& turn(const Flow& flow) const { return shared(flow).turn; }
  /// The `index`-th of the parts of a connection begins.
  void begin(Flow& flow, uint32_t index);
  /// Bytes are left to be sent once, but the receive window has no room for them.
  bool blocked(const Flow& flow) const { return unassigned(flow) > 0 && !hasRoom(shared(flow), nextBytes(flow)); }
  // For a transport made from this one that has a receive window. Its flows' segments may have any length.
  /// The first byte of a segment that is not acknowledged, up to the last one that was sent.
  virtual uint64_t segmentBegin(const Flow&, uint32_t /*segment*/) const { return 0; }
  /// An ACK is about to go, which may be written into.
  virtual void beforeAck(Flow&, Packet&) {}
  /// An ACK is here. How many bytes of the connection it is the first to acknowledge:
  virtual uint64_t takeDataAck(Flow&, const Packet& /*ack*/) { return 0; }
  /// A segment is at the receiver behind one that is missing.
  virtual void takeChunkEarly(Flow&, const Packet&) {}
  /// The segment in the packet was the first one missing of its sub-flow, and `to` is now. How many of the bytes before
  /// it came over no other sub-flow:
  virtual uint64_t takeChunks(Flow&, const Packet&, uint32_t /*to*/) { return 0; }
  /// The message that a byte of a connection belongs to, of those that are not finished.
  Flow& messageAt(const Flow& flow, uint64_t byte) const;
  /// The receiver of a connection has something of a message.
  void hearOf(Flow& connection, Flow& message);

  TcpState& state(Flow& flow) const { return state_(flow); }
  const TcpState& state(const Flow& flow) const { return state(const_cast<Flow&>(flow)); }
  TcpSender& sender(Flow& flow) const { return state(flow).sender; }
  const TcpSender& sender(const Flow& flow) const { return state(flow).sender; }
  TcpReceiver& receiver(const Flow& flow) const { return receiver_(const_cast<Flow&>(flow)); }
  TcpConnection& shared(const Flow& flow) const { return state(*flow.connection).connection; }
  TcpArrived& arrived(const Flow& flow) const { return receiver(*flow.connection).connection; }
  const RtoBounds& rtoBounds(const Flow& flow) const { return rtoBounds_[shared(flow).ofApplication ? 1 : 0]; }
  TcpMessage& message(Flow& flow) const { return message_(flow); }

  PacketExtension<TcpHeader> header_;
  bool newInLoss_ = true;
  bool windowed_ = false;  // flows have a receive window
  WordPool pool_;
  Network* network_ = nullptr;
  Engine* engine_ = nullptr;

 private:
  // Segments.
  uint64_t unassigned(const Flow& flow) const { return flow.connection->end - shared(flow).assigned; }
  static bool hasRoom(const TcpConnection& c, uint64_t bytes) { return c.assigned + bytes <= c.limit; }
  uint64_t nextBytes(const Flow& flow) const { return std::min<uint64_t>(mss_, unassigned(flow)); }
  /// The payload of the next segment that the flow has not sent; 0: nothing is left, or the receive window has no room.
  uint64_t newBytes(const Flow& flow) const {
    const uint64_t bytes = nextBytes(flow);
    return hasRoom(shared(flow), bytes) ? bytes : sender(flow).copy;
  }
  bool allAcked(const Flow& connection) const;
  uint32_t length(const Flow& flow, uint32_t segment) const;
  auto lengths(const Flow& flow) const {
    return [this, &flow](uint32_t segment) { return length(flow, segment); };
  }
  uint64_t sequence(const Flow& flow, uint32_t segment) const;
  /// The flow whose bytes a segment has: on a persistent connection the message.
  Flow& row(Flow& flow, uint32_t segment) const {
    return flow.connection->messages == 0 ? flow : messageOf(flow, segment);
  }
  /// Where a SYN counts: the flow, or the first message that is not finished.
  Flow& firstRow(Flow& flow) const { return flow.connection->messages == 0 ? flow : *shared(flow).head; }

  // Set-up: tcp_handshake.cc.
  void fillSyn(Flow& flow, Packet& packet);
  void answerSyn(Flow& flow, TcpReceiver& r, Packet* packet);
  void open(Flow& flow, TcpSender& s, const Packet& ack);
  void repeatSyn(Flow& flow, TcpSender& s);

  // Sender: tcp_sender.cc.
  /// What NextSeg() of RFC 6675 names.
  struct Next {
    enum Rule : uint8_t { Nothing, Retransmit, New, Rescue, Probe, Syn } rule;
    uint32_t segment;
  };
  Next next(const Flow& flow, const TcpSender& s) const;
  void fillNew(Flow& flow, TcpSender& s, Packet& packet);
  void fillOld(Flow& flow, TcpSender& s, Packet& packet, Next next);
  Acked acknowledge(Flow& flow, TcpSender& s, const Packet& ack);

  // Loss recovery: tcp_recovery.cc.
  void takeSacks(Flow& flow, TcpSender& s, const TcpHeader& header);
  bool react(Flow& flow, TcpSender& s, const Packet& ack, uint64_t flight);
  void reduced(TcpSender& s) const;
  void recover(Flow& flow, TcpSender& s);
  void retransmitEarly(const Flow& flow, TcpSender& s);
  void loseAll(Flow& flow, TcpSender& s);

  // Timers: tcp_timers.cc.
  void restartTimer(Flow& flow, TcpSender& s);
  void awaitTail(Flow& flow, TcpSender& s);
  void probeTail(Flow& flow, TcpSender& s);
  bool tailWasLost(TcpSender& s, const Packet& ack);

  // Receiver: tcp_receiver.cc.
  void accept(Flow& flow, TcpReceiver& r, Packet& packet);
  FABRIC_RARE void complete(Flow& flow, Packet& packet);
  FABRIC_RARE void takeEarly(Flow& flow, TcpReceiver& r, const Packet& packet);
  FABRIC_RARE bool takeControl(Flow& flow, TcpReceiver& r, Packet* packet);
  void answer(Flow& flow, TcpReceiver& r, Packet* packet);
  void hold(TcpReceiver& r, Packet* packet);
  static void onAckTimer(Flow& flow);

  // Messages of persistent connections: tcp_messages.cc.
  bool stopMessage(Flow& connection, Flow& message);
  Flow& messageOf(const Flow& flow, uint32_t segment) const;
  bool endsMessage(const Flow& flow, uint32_t segment) const;
  uint32_t messageLength(const Flow& flow, uint32_t segment) const;
  Flow& fillMessage(Flow& flow, Packet& packet, bool isNew);
  void setEnds(Flow& flow, Flow& message, uint32_t lastSegment, uint32_t shortBy);
  bool allAcked(const Flow& connection, Flow& message) const;
  void unlink(Flow& connection, Flow& message);
  bool finishMessages(Flow& connection, uint64_t bytes);
  void receiveMessages(Flow& flow, const Packet& packet, uint32_t to);
  void passMessages(Flow& connection);

  // Tear-down: tcp_teardown.cc.
  void startTearDown(Network& network);
  void beginTearDown(Flow& flow, Time firstRto);
  void endTearDown(Flow& flow);
  FABRIC_RARE void addFin(const Flow& flow, Packet& packet) const;
  void takeFinWithData(Flow& flow, Packet& packet) const;
  void endStream(Flow& flow, Packet& packet);
  FABRIC_RARE void answerFin(Flow& flow);
  void onTearDown(Flow* alive, Packet& packet);
  void takeFin(Flow& flow);
  void takeLastAck(Flow& flow);
  void sendTearDown(Flow& flow, TcpHeader::Control control);
  void await(TcpFin& fin);
  bool repeat(Flow& flow, TcpFin& fin);
  void tellIfDone(Flow& flow);
  void closeIfOver(Flow& flow);
  static void onSenderFinTimer(Flow& flow);
  static void onReceiverFinTimer(Flow& flow);
  static void onSenderDone(Flow& connection);
  static void onOver(Flow& connection);

  FlowState<TcpState> state_;
  FlowState<TcpReceiver> receiver_;
  FlowState<TcpMessage> message_;
  FlowTimer ackTimer_;
  FlowState<TcpTearDown> tearDown_;  // with `teardown` only
  FlowTimer senderFinTimer_, receiverFinTimer_;
  uint8_t tearDownType_ = 0;  // of control packets
  uint32_t mss_ = 0;
  bool exactEcho_ = false, handshake_ = false, teardown_ = false;
  Time minRto_, maxRto_, initialRto_, ackDelay_;
  Time messageMinRto_, messageMaxRto_;
  RtoBounds messageBounds() const;
  RtoBounds rtoBounds_[2];  // of flows, and of applications' messages
  bool limitedTransmit_ = true, restartAfterIdle_ = true;
  bool lostRetransmissions_ = false;
  bool earlyRetransmit_ = false, tailLossProbe_ = false;
  Time probeMin_, probeAckDelay_;
  Choice atStop_;
};

/// Full but for the last one of a flow or message.
inline uint32_t Tcp::length(const Flow& f, uint32_t segment) const {
  if (f.connection->messages > 0) return messageLength(f, segment);
  return segment + 1 == sender(f).board.nxt ? static_cast<uint32_t>(f.sndNxt - uint64_t{segment} * mss_) : mss_;
}

template <class C>
Describe<C>& Tcp::parameters(Describe<C>& d) {
  return d
      .param("min_rto", &Tcp::minRto_, Time::Ms(200), "shortest retransmission timeout",
             "Linux: 200 ms; RFC 6298 section 2.4 asks for 1 s")
      .range(1, 60e12)
      .atMost("max_rto", "the longest timeout is not shorter than the shortest")
      .param("max_rto", &Tcp::maxRto_, Time::Ms(60000), "longest retransmission timeout, where back-off ends",
             "RFC 6298 section 2.5: at least 60 s")
      .range(1, 3600e12)
      .param("initial_rto", &Tcp::initialRto_, Time::Ms(1000), "timeout before the first sample of the round trip",
             "RFC 6298 section 2.1: 1 s")
      .range(1, 60e12)
      .param("message_min_rto", &Tcp::messageMinRto_, Time{0},
             "shortest retransmission timeout of applications' messages; 0 = as that of flows", "chosen")
      .range(0, 60e12)
      .added()
      .param("message_max_rto", &Tcp::messageMaxRto_, Time{0},
             "longest retransmission timeout of applications' messages, the first one included; 0 = as that of flows",
             "chosen")
      .range(0, 3600e12)
      .added()
      .param("handshake", &Tcp::handshake_, false,
             "a connection is set up before its first data: SYN, SYN-ACK; sub-flows follow the first one",
             "RFC 9293 section 3.5, RFC 8684 section 3.2; chosen: off, connections are there")
      .added()
      .param(
          "teardown", &Tcp::teardown_, false,
          "a connection is taken down after its last data: the last segment has a FIN, its ACK the receiver's, which "
          "is acknowledged; persistent connections stay open",
          "RFC 9293 section 3.6; chosen: off, connections are gone with their last ACK")
      .added()
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
      .param("at_stop", &Tcp::atStop_, {"drain", "end"}, "drain",
             "drain: what a stopped flow has sent is still delivered; end: the flow is over, nothing goes again, and "
             "stfq and num_fifo discard what waits of it. Messages on persistent connections drain",
             "chosen: drain; NUMFabric's authors' simulator: a stopped flow's packets leave every queue at once")
      .added()
      .extension(TcpHeader::kName, sizeof(TcpHeader), 28,
                 "SACK option: 4 B and 8 B per block, in ACKs that have blocks");
}

}  // namespace fabric
