// ExpressPass: receivers send credits, senders a data packet for each.
#pragma once

#include "mechanisms/core/control.h"
#include "mechanisms/core/kinds.h"
#include "mechanisms/core/random.h"
#include "mechanisms/core/timer.h"
#include "mechanisms/expresspass/credit_feedback.h"

namespace fabric {

/// On a credit, and on the data packet that it calls for.
struct CreditHeader {
  static constexpr const char* kName = "expresspass";

  uint32_t number = 0;  // of the credit within its flow; on a request the packets that are to be sent
  Time sentAt;          // when the receiver sent the credit
};

class ExpressPass final : public Transport {
 public:
  static const Description& describe();
  const Description& description() const override { return describe(); }
  void check(const Network& network, Report& report) const override;
  void checkFlow(const FlowSpec& flow, const Host& receiver, Report& report) const override;
  int64_t largestCredit() const { return creditMost_.n; }

  void onFlowStart(Flow& flow) override;
  void onFlowEnd(Flow& flow) override;
  bool onStop(Flow& flow) override;
  bool maySend(const Flow& flow) const override;
  Flow& fill(Flow& flow, Packet& packet) override;
  bool onAck(Flow&, const Packet&) override { return true; }
  void onTimer(Flow& flow) override;
  void onData(Flow& flow, Packet* packet) override;

  // For tests.
  const CreditFeedback& feedback(Flow& flow) const { return receiver_(flow).feedback; }
  bool sendsCredits(Flow& flow) const { return receiver_(flow).sending; }
  uint64_t wasted(Flow& flow) const { return sender_(flow).wasted; }

 private:
  enum class Phase : uint8_t { Requested, Receiving, Stopped };
  struct Sender {
    static constexpr uint32_t kGrants = 16;
    // Credits that no data packet has been made for yet; it is made as soon as the NIC takes one.
    CreditHeader grants[kGrants];
    uint32_t firstGrant = 0, grantCount = 0;
    Phase phase = Phase::Requested;
    uint64_t wasted = 0;  // credits that there was no data for
    int64_t credits = 0;  // since the last look
    Time askedAt, lookedAt;
    Time rtt;                  // from the request to the first credit, 0 = not known yet
    Time deadline = Time{-1};  // -1: nothing is waited for
  };
  struct Receiver {
    Receiver(ExpressPass& owner, Flow& flow);
    void expired() { owner.sendCredit(flow, *this); }

    ExpressPass& owner;
    Flow& flow;
    CreditFeedback feedback;
    uint32_t nextNumber = 0, expected = 0;
    uint64_t sent = 0, lost = 0;  // credits since the last update
    Time rtt;                     // smoothed, 0 = not known yet
    Time updatedAt, nackedAt;
    uint64_t stopAt = Flow::kUnlimited;  // the sender has stopped: it has sent all up to here, or will
    bool sending = false, gap = false;
    LazyTimer<Receiver> timer;
  };

  void onStart(Network& network) override;

  // At the sender.
  int64_t packetsLeft(const Flow& flow, const Sender& s) const;
  void request(Flow& flow, Sender& s);
  void stop(Flow& flow, Sender& s);
  void arm(Flow& flow, Sender& s, Time in) const;
  void onCredit(Flow* flow, Packet& credit);
  void onNack(Flow* flow, Packet& nack);
  void onDone(Flow* flow, Packet& done);

  // At the receiver.
  void onRequest(Flow* flow, Packet& request);
  void onStopped(Flow* flow, Packet& stop);
  void sendCredit(Flow& flow, Receiver& r);
  void nack(Flow& flow, Receiver& r);
  void update(Receiver& r) const;

  void send(Packet* packet, const Flow& flow, uint64_t seq);

  FlowState<Sender> sender_;
  FlowState<Receiver> receiver_;
  FlowTimer creditTimer_;
  PacketExtension<CreditHeader> header_;
  Engine* engine_ = nullptr;
  Network* network_ = nullptr;
  RandomStream random_;
  uint8_t request_ = 0, credit_ = 0, stop_ = 0, nack_ = 0, done_ = 0;  // types of control packets
  CreditFeedback::Settings settings_;
  uint32_t mss_ = 0;
  double initialRate_ = 0, wInit_ = 0, wMin_ = 0, wMax_ = 0, targetLoss_ = 0, jitter_ = 0;
  int64_t fullAbove_ = 0;
  bool earlyStop_ = false;
  Bytes creditLeast_, creditMost_, controlBytes_;
  Time timeout_;
  Choice law_;
};

}  // namespace fabric
