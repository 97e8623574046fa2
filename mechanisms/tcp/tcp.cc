#include "mechanisms/tcp/tcp.h"

#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"

namespace fabric {

const Description& Tcp::describe() {
  static const Description d = [] {
    Describe<Tcp> description("tcp", Kind::Transport, "TCP with selective acknowledgements");
    description
        .help(
            "A byte stream: SACK, loss recovery by a scoreboard, limited transmit, retransmission timer with back-off, "
            "timestamps, ECN echo. The congestion control sets the window.")
        .source("RFC 5681, 2018, 6675, 6298, 7323, 3042, 3168");
    return parameters(description).done();
  }();
  return d;
}
FABRIC_REGISTER(Tcp);

void Tcp::check(const Network&, Report& report) const {
  const std::string& name = description().name;
  for (const char* rto : {"initial_rto", "min_rto", "max_rto", "message_min_rto", "message_max_rto"}) {
    host_->warnOfTimeout(*this, rto, report);
  }
  const RtoBounds of = messageBounds();
  if (of.most < of.least) {
    report.refuse(name + ".message_max_rto is " + toText(of.most) + ", below " + name + ".message_min_rto, " +
                      toText(of.least) + "; 0 stands for " + name + ".max_rto and " + name + ".min_rto",
                  {{*this, "message_max_rto"}, {*this, "message_min_rto"}, {*this, "max_rto"}, {*this, "min_rto"}});
  }
  if (teardown_ && endsAtStop()) {
    report.refuse(name + ".teardown is true, but with " + name +
                      ".at_stop: end a stopped flow is over while data is missing, and no FIN can follow; take drain",
                  {{*this, "at_stop"}, {*this, "teardown"}});
  }
}

void Tcp::checkFlow(const FlowSpec&, const Host& receiver, Report& report) const {
  const auto& there = static_cast<const Tcp&>(receiver.transport());
  if (there.teardown_ == teardown_) return;
  report.refuse(description().name + ".teardown is not the same at both ends of a flow; give both hosts the same",
                {{there, "teardown"}, {*this, "teardown"}});
}

RtoBounds Tcp::messageBounds() const {
  return {messageMinRto_.ps != 0 ? messageMinRto_ : minRto_, messageMaxRto_.ps != 0 ? messageMaxRto_ : maxRto_};
}

void Tcp::onStart(Network& network) {
  rtoBounds_[0] = {minRto_, maxRto_};
  rtoBounds_[1] = messageBounds();
  network_ = &network;
  engine_ = &network.engine();
  state_ = network.flows().reserve<TcpState>("tcp");
  receiver_ = network.flows().reserve<TcpReceiver>("tcp receiver", FlowEnd::Receiver);
  message_ = network.flows().reserve<TcpMessage>("tcp message");
  ackTimer_ = network.flowTimer("tcp delayed ACK");
  header_ = network.packets().reserve<TcpHeader>(TcpHeader::kName);
  mss_ = static_cast<uint32_t>(host_->payloadPerPacket());
  exactEcho_ = host_->congestionControl().ecnEcho() == EcnEcho::Exact;
  if (teardown_) startTearDown(network);
}

void Tcp::onFlowStart(Flow& f) { begin(f, 0); }

void Tcp::begin(Flow& f, uint32_t index) {
  TcpState& s = state_.make(f);
  s.index = index;
  if (index == 0) s.connection.ofApplication = f.spec.message != nullptr;
  s.sender.rto = initialRto_;
  if (shared(f).ofApplication && messageMaxRto_.ps != 0) s.sender.rto = std::min(initialRto_, messageMaxRto_);
  if (handshake_) {
    s.sender.phase = Phase::Opening;
    s.sender.forced = index == 0;
  }
  const auto number = static_cast<uint32_t>(f.retransmitEvent.key());
  receiver_.make(f, f, &Tcp::onAckTimer).ackEvent.setKey(ackTimer_.key(f.receiver->id(), number));
  beginTearDown(f, s.sender.rto);
}

void Tcp::onSenderEnd(Flow& f) { sender(f).board.sacked.release(pool_); }

void Tcp::onFlowEnd(Flow& f) {
  TcpReceiver& r = receiver(f);
  engine_->cancel(r.ackEvent);
  if (teardown_) endTearDown(f);
  if (r.held != nullptr) network_->packets().put(r.held);  // of one that ended as it was stopped
  r.got.release(pool_);
  r.ends.release(pool_);
  r.messages.release(pool_);
}

bool Tcp::onStop(Flow& f) {
  if (f.connection != &f) return stopMessage(*f.connection, f);
  f.end = std::min(f.end, shared(f).assigned);
  return endsAtStop() || allAcked(f);
}

uint64_t Tcp::acked(const Flow& f) const { return f.connection == &f ? shared(f).acked : f.sndUna; }

/// Of a message what is in order of the connection's bytes from its first one on.
uint64_t Tcp::delivered(const Flow& f) const {
  if (f.connection == &f) return arrived(f).delivered;
  if (f.sndUna == f.end) return f.end;
  const uint64_t begin = message(const_cast<Flow&>(f)).begin, now = arrived(f).delivered;
  return now < begin ? 0 : std::min(now - begin, f.end);
}

}  // namespace fabric
