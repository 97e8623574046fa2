#include "mechanisms/expresspass/expresspass.h"

#include <algorithm>
#include <limits>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"
#include "mechanisms/expresspass/credit_queue.h"

namespace fabric {

const Description& ExpressPass::describe() {
  static const Description d =
      Describe<ExpressPass>("expresspass", Kind::Transport, "ExpressPass: a data packet for each credit")
          .help(
              "The sender asks for credits, the receiver sends them at a rate that follows how many of them are lost, "
              "and each credit that comes calls for one data packet. Switches drop credits, not data.")
          .source("ExpressPass, SIGCOMM 2017, section 3 (recalled); kaist-ina/ns2-xpass, xpass.cc")
          .needs("credit_queue")
          .param("law", &ExpressPass::law_, {"paper", "public"}, "paper",
                 "how the rate of credits follows their loss: Algorithm 1 of the paper, or as its authors' simulator",
                 "ExpressPass section 3.2; kaist-ina/ns2-xpass")
          .param("initial_rate", &ExpressPass::initialRate_, 1.0 / 16,
                 "rate of a flow's first credits, as a share of the rate that fills the line",
                 "ExpressPass section 6: 1/16")
          .range(1e-6, 1)
          .param("full_above", &ExpressPass::fullAbove_, 0,
                 "flows of fewer packets begin with less, in proportion to their packets; 0 = all with initial_rate",
                 "kaist-ina/ns2-xpass: 40 packets; not in the paper")
          .range(0, 1000000)
          .param("w_init", &ExpressPass::wInit_, 1.0 / 16, "weight of the line rate in an increase, at the start",
                 "ExpressPass section 6: 1/16")
          .range(1e-6, 1)
          .param("w_min", &ExpressPass::wMin_, 0.01, "smallest weight", "ExpressPass section 6: 0.01")
          .range(1e-6, 1)
          .atMost("w_max", "the smallest weight is no larger than the largest")
          .param("w_max", &ExpressPass::wMax_, 0.5, "largest weight", "ExpressPass section 3.2: 0.5")
          .range(1e-6, 1)
          .param("target_loss", &ExpressPass::targetLoss_, 0.1,
                 "share of lost credits that is meant to be; with law public so much at rate 0, and less in proportion "
                 "to what is missing to the line rate",
                 "ExpressPass section 3.2: 10 %; kaist-ina/ns2-xpass, target_loss_scaling_: 0.125")
          .range(0, 1)
          .param("jitter", &ExpressPass::jitter_, 0.1,
                 "the time between two credits is up to this share longer or shorter, at random",
                 "kaist-ina/ns2-xpass: 0.1")
          .range(0, 1)
          .param("credit_least", &ExpressPass::creditLeast_, Bytes{76},
                 "smallest credit; sizes are random, so that credits of several flows do not keep in step",
                 "kaist-ina/ns2-xpass, large-scale-fattree.tcl: 76 B")
          .range(1, 1518)
          .atMost("credit_most", "the smallest credit is no larger than the largest")
          .param("credit_most", &ExpressPass::creditMost_, Bytes{92}, "largest credit",
                 "kaist-ina/ns2-xpass, large-scale-fattree.tcl: 92 B")
          .range(1, 1518)
          .param("control_bytes", &ExpressPass::controlBytes_, Bytes{84},
                 "size of requests, stops and their answers, in the class of the flow's data",
                 "ExpressPass section 3.1: smallest frame, gap and preamble included")
          .range(1, 1518)
          .param("early_stop", &ExpressPass::earlyStop_, true,
                 "stop as soon as a round trip has brought as many credits as there are packets left, because as many "
                 "are on their way",
                 "kaist-ina/ns2-xpass")
          .param("timeout", &ExpressPass::timeout_, Time::Us(100),
                 "a request or NACK without an answer is repeated after this time",
                 "kaist-ina/ns2-xpass, large-scale-fattree.tcl: 100 us")
          .range(1, 1e15)
          .extension(CreditHeader::kName, sizeof(CreditHeader), 0, "among the bytes of credits and host.header_bytes")
          .done();
  return d;
}
FABRIC_REGISTER(ExpressPass);

void ExpressPass::check(const Network& network, Report& report) const {
  const CongestionControl& cc = host_->congestionControl();
  if (cc.description().name != "none") {
    report.refuse("expresspass has credits that say when a packet goes, and the congestion control is " +
                      cc.description().name + "; leave congestion_control out or say none",
                  {cc, *this});
  }
  if (host_->classes() < 2) {
    report.refuse("host.classes is 1, and expresspass needs two: credits have host.cnp_class for themselves",
                  {{*host_, "classes"}, Spot::slot("queues"), *this});
  }
  host_->warnOfTimeout(*this, "timeout", report);
  const auto* queue = network.first<CreditQueue>();
  if (queue != nullptr) queue->checkPacket(*host_, report);
}

void ExpressPass::checkFlow(const FlowSpec& f, const Host&, Report& report) const {
  if (f.cls != host_->cnpClass() || host_->classes() < 2) return;
  report.refuse("the class of a flow is " + std::to_string(f.cls) +
                    ", which is host.cnp_class, and with expresspass credits have it for themselves; give the flow "
                    "another one",
                {Spot::flow("class"), {*host_, "cnp_class"}});
}

void ExpressPass::onStart(Network& network) {
  network_ = &network;
  engine_ = &network.engine();
  sender_ = network.flows().reserve<Sender>("expresspass");
  receiver_ = network.flows().reserve<Receiver>("expresspass receiver", FlowEnd::Receiver);
  header_ = network.packets().reserve<CreditHeader>(CreditHeader::kName);
  creditTimer_ = network.flowTimer("expresspass credit");
  random_ = RandomStream(network.seed(), "expresspass", host_->nameHash());
  mss_ = static_cast<uint32_t>(host_->payloadPerPacket());

  ControlTypes& types = network.controlTypes();
  request_ = types.add("expresspass request");
  credit_ = types.add("expresspass credit");
  stop_ = types.add("expresspass stop");
  nack_ = types.add("expresspass nack");
  done_ = types.add("expresspass done");
  host_->onControl(request_, controlHandler<&ExpressPass::onRequest>(*this));
  host_->onControl(credit_, controlHandler<&ExpressPass::onCredit>(*this));
  host_->onControl(stop_, controlHandler<&ExpressPass::onStopped>(*this));
  host_->onControl(nack_, controlHandler<&ExpressPass::onNack>(*this));
  host_->onControl(done_, controlHandler<&ExpressPass::onDone>(*this));

  settings_.law = law_.index == 0 ? CreditFeedback::Law::Paper : CreditFeedback::Law::Public;
  settings_.targetLoss = targetLoss_;
  settings_.wMin = wMin_;
  settings_.wMax = wMax_;
  settings_.creditBytes = static_cast<double>(creditLeast_.n + creditMost_.n) / 2;
  const double line = static_cast<double>(host_->lineRate().bps) / 8;
  settings_.most = line * settings_.creditBytes / (settings_.creditBytes + static_cast<double>(host_->mtu()));
}

/// A control packet other than a credit goes with the data.
void ExpressPass::send(Packet* packet, const Flow& f, uint64_t seq) {
  packet->cls = f.spec.cls;
  packet->seq = seq;
  host_->sendControl(packet);
}

// ---------------------------------------------------------------- sender

void ExpressPass::onFlowStart(Flow& f) {
  receiver_.make(f, static_cast<ExpressPass&>(f.receiver->transport()), f);
  request(f, sender_.make(f));
}

void ExpressPass::onFlowEnd(Flow& f) { receiver_.drop(f); }

int64_t ExpressPass::packetsLeft(const Flow& f, const Sender& s) const {
  if (f.end == Flow::kUnlimited) return std::numeric_limits<int64_t>::max();
  const uint64_t bytes = f.end - std::min(f.sndNxt, f.end);
  return static_cast<int64_t>((bytes + mss_ - 1) / mss_) - s.grantCount;
}

void ExpressPass::arm(Flow& f, Sender& s, Time in) const {
  s.deadline = engine_->now() + in;
  engine_->scheduleNoLaterThan(f.retransmitEvent, s.deadline);
}

void ExpressPass::request(Flow& f, Sender& s) {
  s.phase = Phase::Requested;
  s.askedAt = engine_->now();
  Packet* p = host_->controlFromSender(f, request_, static_cast<uint32_t>(controlBytes_.n));
  const int64_t most = std::numeric_limits<int32_t>::max();
  header_(*p) = {static_cast<uint32_t>(std::clamp<int64_t>(packetsLeft(f, s), 1, most)), engine_->now()};
  send(p, f, f.sndNxt);
  arm(f, s, timeout_);
}

void ExpressPass::stop(Flow& f, Sender& s) {
  s.phase = Phase::Stopped;
  send(host_->controlFromSender(f, stop_, static_cast<uint32_t>(controlBytes_.n)), f, f.end);
  arm(f, s, s.rtt.ps > 0 ? s.rtt + s.rtt : timeout_);
}

void ExpressPass::onCredit(Flow* flow, Packet& credit) {
  if (flow == nullptr) return;
  Flow& f = *flow;
  Sender& s = sender_(f);
  const Time now = engine_->now();
  f.sndUna = std::max(f.sndUna, std::min(credit.seq, f.sndNxt));
  ++s.credits;
  if (s.phase == Phase::Requested) {
    s.phase = Phase::Receiving;
    s.rtt = now - s.askedAt;
    s.lookedAt = now;
    s.deadline = Time{-1};
  }
  if (packetsLeft(f, s) > 0 && s.grantCount < Sender::kGrants) {
    s.grants[(s.firstGrant + s.grantCount++) % Sender::kGrants] = header_(credit);
  } else {
    ++s.wasted;
  }
  if (s.phase == Phase::Stopped) return;
  const int64_t left = packetsLeft(f, s);
  if (left <= 0) {
    stop(f, s);
  } else if (now - s.lookedAt >= s.rtt) {
    if (earlyStop_ && s.credits >= left) stop(f, s);
    s.credits = 0;
    s.lookedAt = now;
  }
}

bool ExpressPass::maySend(const Flow& f) const {
  return f.sndNxt < f.end && sender_(const_cast<Flow&>(f)).grantCount > 0;
}

Flow& ExpressPass::fill(Flow& f, Packet& p) {
  Sender& s = sender_(f);
  header_(p) = s.grants[s.firstGrant];
  s.firstGrant = (s.firstGrant + 1) % Sender::kGrants;
  --s.grantCount;
  p.seq = f.sndNxt;
  p.payload = static_cast<uint32_t>(std::min<uint64_t>(mss_, f.end - p.seq));
  f.sndNxt += p.payload;
  p.last = f.sndNxt == f.end;
  return f;
}

bool ExpressPass::onStop(Flow& f) {
  f.end = std::min(f.end, f.highest);
  if (f.end == 0) return true;
  Sender& s = sender_(f);
  if (s.phase == Phase::Receiving && packetsLeft(f, s) <= 0) stop(f, s);
  return false;
}

/// What was lost is sent again, for credits of a later request where the flow has stopped.
void ExpressPass::onNack(Flow* flow, Packet& nack) {
  if (flow == nullptr || nack.seq >= flow->sndNxt) return;
  flow->sndNxt = std::max(nack.seq, flow->sndUna);
  Sender& s = sender_(*flow);
  if (s.phase == Phase::Stopped) request(*flow, s);
}

void ExpressPass::onTimer(Flow& f) {
  Sender& s = sender_(f);
  if (s.deadline.ps < 0) return;
  if (s.deadline > engine_->now()) {
    engine_->schedule(f.retransmitEvent, s.deadline);
    return;
  }
  if (s.phase == Phase::Stopped && packetsLeft(f, s) > 0) {  // fewer credits were on their way than it seemed
    request(f, s);
    return;
  }
  ++f.timeouts;
  if (s.phase == Phase::Requested) {
    request(f, s);
  } else {
    stop(f, s);
  }
}

void ExpressPass::onDone(Flow* flow, Packet&) {
  if (flow == nullptr) return;
  flow->sndUna = flow->end;
  host_->finish(*flow);
}

// ---------------------------------------------------------------- receiver

ExpressPass::Receiver::Receiver(ExpressPass& owner, Flow& flow)
    : owner(owner),
      flow(flow),
      timer(*owner.engine_, *this, &Receiver::expired, owner.creditTimer_.key(flow.spec.dst, flow.spec.id)) {}

void ExpressPass::onRequest(Flow* flow, Packet& request) {
  if (flow == nullptr) return;
  Receiver& r = receiver_(*flow);
  if (r.sending) return;
  const auto packets = static_cast<double>(header_(request).number);
  const double share = fullAbove_ == 0 ? 1 : std::min(1.0, packets / static_cast<double>(fullAbove_));
  r.feedback.rate = share * initialRate_ * settings_.most;
  r.feedback.w = wInit_;
  if (settings_.law == CreditFeedback::Law::Paper) {  // the authors' receiver goes on counting
    // What became of credits from before a stop says nothing of this rate: most of them found no data.
    r.feedback.grew = false;
    r.expected = r.nextNumber;
    r.sent = r.lost = 0;
  }
  r.updatedAt = engine_->now();
  r.stopAt = Flow::kUnlimited;
  r.sending = true;
  sendCredit(*flow, r);
}

void ExpressPass::onStopped(Flow* flow, Packet& stop) {
  if (flow == nullptr) return;
  Receiver& r = receiver_(*flow);
  r.sending = false;
  r.timer.stop();
  const bool again = r.stopAt == stop.seq;
  r.stopAt = stop.seq;
  if (flow->rcvNxt >= r.stopAt) {
    send(host_->controlFromReceiver(*flow, done_, static_cast<uint32_t>(controlBytes_.n)), *flow, flow->rcvNxt);
  } else if (again) {
    nack(*flow, r);  // the end was lost
  }
}

void ExpressPass::nack(Flow& f, Receiver& r) {
  r.nackedAt = engine_->now();
  send(host_->controlFromReceiver(f, nack_, static_cast<uint32_t>(controlBytes_.n)), f, f.rcvNxt);
}

void ExpressPass::sendCredit(Flow& f, Receiver& r) {
  const Time now = engine_->now();
  if (r.gap && now - r.nackedAt >= timeout_) nack(f, r);
  update(r);
  const auto sizes = static_cast<uint32_t>(creditMost_.n - creditLeast_.n + 1);
  const uint32_t bytes = static_cast<uint32_t>(creditLeast_.n) + random_.below(sizes);
  Packet* p = host_->controlFromReceiver(f, credit_, bytes);
  p->wireBytes = bytes;
  p->seq = f.rcvNxt;
  header_(*p) = {r.nextNumber++, now};
  host_->sendControl(p);
  const double gap = settings_.creditBytes / r.feedback.rate * (1 + jitter_ * (2 * random_.uniform() - 1));
  r.timer.restart(now + Time{std::max<int64_t>(static_cast<int64_t>(gap * 1e12 + 0.5), 1)});
}

void ExpressPass::update(Receiver& r) const {
  const Time now = engine_->now();
  if (r.rtt.ps == 0 || now - r.updatedAt < r.rtt || r.sent == 0) return;
  r.feedback.update(settings_, r.sent, r.lost, static_cast<double>((now - r.updatedAt).ps) * 1e-12,
                    static_cast<double>(r.rtt.ps) * 1e-12);
  r.sent = r.lost = 0;
  r.updatedAt = now;
}

void ExpressPass::onData(Flow& f, Packet* p) {
  Receiver& r = receiver_(f);
  const CreditHeader& h = header_(*p);
  if (h.number >= r.expected) {  // an earlier one has been counted as lost
    const uint32_t lost = h.number - r.expected;
    r.sent += lost + 1;
    r.lost += lost;
    r.expected = h.number + 1;
  }
  const Time rtt = engine_->now() - h.sentAt;
  r.rtt = r.rtt.ps == 0 ? rtt : Time{(4 * r.rtt.ps + rtt.ps) / 5};
  if (p->seq > f.rcvNxt) {
    network_->countReordered(f);
    if (!r.gap) nack(f, r);
    r.gap = true;
  } else if (p->seq + p->payload > f.rcvNxt) {
    network_->counters().dataBytesDelivered += p->seq + p->payload - f.rcvNxt;
    f.rcvNxt = p->seq + p->payload;
    r.gap = false;
    if (f.spec.size != 0 && f.rcvNxt == f.spec.size) host_->received(f);
  }
  network_->packets().put(p);
  if (f.rcvNxt >= r.stopAt) {
    send(host_->controlFromReceiver(f, done_, static_cast<uint32_t>(controlBytes_.n)), f, f.rcvNxt);
  }
}

}  // namespace fabric
