// MPTCP: a connection over several TCP sub-flows, each with its own ports and so its own path.
#pragma once

#include "mechanisms/tcp/tcp.h"

namespace fabric {

/// What an ACK says of the connection as a whole, where there is a receive window (RFC 8684 section 3.3.1).
struct DataAck {
  static constexpr const char* kName = "mptcp_data_ack";
  uint64_t next = 0;   // the first byte of the connection that is missing
  uint64_t limit = 0;  // behind the last byte that has room
  uint32_t chunk = 0;  // the one that `next` begins
};

/// And what its data says, as RFC 8684's mapping (section 3.3).
struct DataSequence {
  static constexpr const char* kName = "mptcp_data_sequence";
  uint64_t first = 0;       // the connection's byte that the segment begins with
  uint32_t chunk = 0;       // which it is
  Flow* message = nullptr;  // of a persistent connection: the one whose bytes they are
  Time roundTrip;           // the longest smoothed one of the sub-flows, 0 before there is any
};

/// A sub-flow is a flow of its own at the NIC and in the network; the first is the connection itself. mptcp.cc has the
/// sub-flows and whose turn it is, mptcp_window.cc the receive window and what is done when it is full.
class Mptcp final : public Tcp {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  void checkFlow(const FlowSpec& flow, const Host& receiver, Report& report) const override;
  void onFlowStart(Flow& flow) override;
  void onSenderEnd(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  void append(Flow& connection, Flow& message) override;
  bool maySend(const Flow& flow) const override;
  Flow& fill(Flow& flow, Packet& packet) override;
  bool onAck(Flow& flow, const Packet& ack) override;
  bool onStop(Flow& flow) override;
  void onTimer(Flow& flow) override;
  uint32_t parts() const override { return static_cast<uint32_t>(subflows_); }
  int64_t keptBytes() const override {
    return Tcp::keptBytes() + static_cast<int64_t>(hasWindow() ? sizeof(uint64_t) : 0);
  }
  void keep(Flow& flow, std::byte* to) override;
  void resume(Flow& flow, const std::byte* from) override;
  /// For tests: of a connection's receive window, in bytes.
  uint64_t windowSize(const Flow& flow) const { return window(flow).size; }

 private:
  /// Of a sub-flow of a connection with a receive window. A chunk is what a segment of the connection has when it goes
  /// for the first time; it stays together where it goes over another sub-flow, too.
  struct Subflow {
    // Sender.
    SegmentNumbers chunks;  // by segment that is not acknowledged
    SegmentNumbers begins;  // by segment, too: its first byte on the sub-flow
    Time penalisedAt;
    // Receiver: of the segments behind one that is missing.
    SegmentNumbers early, firsts;  // their chunks, and the first bytes of those
  };
  /// Of a connection with a receive window.
  struct Window {
    // Sender.
    uint32_t chunks = 0;      // how many there are
    uint32_t first = 0;       // the first one that is not acknowledged
    SegmentNumbers begins;    // by chunk: its first byte
    SegmentNumbers carriers;  // by chunk: the sub-flows that it went over, a bit each
    Flow* helper = nullptr;   // the sub-flow that is to send the first one again
    // Receiver.
    Reassembly here;      // chunks
    SegmentNumbers ends;  // by chunk behind one that is missing: behind its last byte
    uint64_t size = 0;    // bytes
    // Tuning: since when bytes are counted, and which was the first.
    Time since;
    uint64_t from = 0;
  };
  void onStart(Network& network) override;

  // Whose turn it is: mptcp.cc.
  bool inTurn() const { return scheduler_.index == 0; }
  bool takesNew(const Flow& flow) const { return Tcp::maySend(flow) && sendsNew(flow); }
  Flow* next(const Flow& flow) const;
  void passTurn(Flow& flow);
  void settleOthers(Flow& flow);

  // The receive window: mptcp_window.cc.
  bool hasWindow() const { return receiveWindow_.n > 0; }
  void checkWindow(const Mptcp& of, int64_t window, Report& report) const;
  void startWindow(Network& network);
  void openWindow(Flow& connection);
  int64_t firstWindow(int64_t subflows) const;
  void sent(Flow& flow, const Packet& packet, Flow& row, uint64_t firstByte);
  void describe(const Flow& flow, Packet& packet) const;
  uint64_t segmentBegin(const Flow& flow, uint32_t segment) const override;
  void beforeAck(Flow& flow, Packet& packet) override;
  uint64_t takeDataAck(Flow& flow, const Packet& ack) override;
  void takeChunkEarly(Flow& flow, const Packet& packet) override;
  uint64_t takeChunks(Flow& flow, const Packet& packet, uint32_t to) override;
  uint64_t takeChunk(Flow& flow, uint32_t chunk, uint64_t first, uint64_t bytes);
  uint64_t chunkEnd(const Flow& flow, const Window& w, uint32_t chunk) const;
  void tune(const Flow& flow, Window& w, Time roundTrip) const;
  void relieve(Flow& flow);
  void relieveBlocked(Flow& flow);
  void withdraw(Window& w, const Flow& current);
  Flow* fastest(const Flow& flow);
  void penalise(const Flow& fast, const Flow& current, uint64_t carriers);
  bool isSlow(const Flow& fast, uint64_t carriers) const;
  uint64_t bit(const Flow& flow) const { return uint64_t{1} << state(flow).index; }
  Subflow& subflow(const Flow& flow) const { return subflow_(const_cast<Flow&>(flow)); }
  Window& window(const Flow& flow) const { return window_(*flow.connection); }

  int64_t subflows_ = 8;
  Choice scheduler_;
  Bytes receiveWindow_, initialWindow_;
  bool tuning_ = true, opportunistic_ = true, penalisation_ = true;
  Time tuningPeriod_;
  FlowState<Subflow> subflow_;
  FlowState<Window> window_;
  PacketExtension<DataAck> dataAck_;
  PacketExtension<DataSequence> dataSequence_;
};

}  // namespace fabric
