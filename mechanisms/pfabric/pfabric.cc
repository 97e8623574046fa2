#include "mechanisms/pfabric/pfabric.h"

#include <algorithm>
#include <limits>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"

namespace fabric {

const Description& PFabric::describe() {
  static const Description d =
      Describe<PFabric>("pfabric", Kind::Transport, "pFabric's transport")
          .help(
              "Every packet carries how much of its flow is left. Flows begin with a window that fills the line; every "
              "packet is acknowledged by itself; losses are found by a fixed timeout alone, behind which the window "
              "starts slowly, and a flow that times out again and again sends probes.")
          .source("pFabric, SIGCOMM 2013, section 4.3")
          .param("initial_window", &PFabric::initialWindow_, 12,
                 "window at the start, in packets; 0 = line rate times host.base_rtt",
                 "pFabric section 5.1: 12, the BDP")
          .range(0, SegmentRing::kSegments / 2)
          .param("max_window", &PFabric::maxWindow_, 15,
                 "largest window, in packets; 0 = line rate times host.base_rtt, and not below the one at the start",
                 "YAPS (NetSys/simulator): 15 for 12 at the start; the paper names none")
          .range(0, SegmentRing::kSegments / 2)
          .param("rto", &PFabric::rtoParam_, Time::Us(45),
                 "retransmission timeout, fixed; 0 = three times host.base_rtt",
                 "pFabric section 5.1: 45 us, about three RTT")
          .param("probe_after", &PFabric::probeAfter_, 5,
                 "after so many timeouts without an ACK between them the flow sends probes of one byte, one for each "
                 "timeout, until an ACK comes; 0 = never",
                 "pFabric section 4.3: 5; YAPS: never")
          .range(0, 1000000)
          .param("handshake", &PFabric::handshake_, false,
                 "a packet without payload and with the best priority goes first, and data after its ACK",
                 "pFabric has none; NUMFabric, footnote 4, has TCP's, so in its Figure 7 both have it")
          .added()
          .extension(PFabricHeader::kName, sizeof(PFabricHeader), 0,
                     "the priority is in the headers that host.header_bytes counts, as in the paper")
          .done();
  return d;
}
FABRIC_REGISTER(PFabric);

void PFabric::check(const Network&, Report& report) const {
  const CongestionControl& cc = host_->congestionControl();
  if (cc.description().name != "none") {
    report.refuse("pfabric has a window of its own, and the congestion control is " + cc.description().name +
                      "; leave congestion_control out or say none",
                  {cc, *this});
  }
  host_->warnOfTimeout(*this, "rto", report);
  if (timeout().ps == 0) {
    report.refuse("pfabric.rto is 0, and so is host.base_rtt; set one of them", {{*this, "rto"}, {*host_, "base_rtt"}});
  }
}

Time PFabric::timeout() const { return rtoParam_.ps != 0 ? rtoParam_ : Time{3 * host_->baseRtt().ps}; }

void PFabric::onStart(Network& network) {
  network_ = &network;
  engine_ = &network.engine();
  sender_ = network.flows().reserve<Sender>("pfabric");
  receiver_ = network.flows().reserve<Receiver>("pfabric receiver", FlowEnd::Receiver);
  header_ = network.packets().reserve<PFabricHeader>(PFabricHeader::kName);
  mss_ = static_cast<uint32_t>(host_->payloadPerPacket());
  const int64_t bdp = (host_->bandwidthDelayProduct() + host_->mtu() - 1) / host_->mtu();
  const int64_t line = std::clamp<int64_t>(bdp, 1, SegmentRing::kSegments / 2);
  first_ = initialWindow_ != 0 ? initialWindow_ : line;
  most_ = std::max(first_, maxWindow_ != 0 ? maxWindow_ : line);
  rto_ = timeout();
}

uint32_t PFabric::length(const Flow& f, uint32_t segment) const {
  return static_cast<uint32_t>(std::min<uint64_t>(mss_, f.end - begins(segment)));
}

// ---------------------------------------------------------------- sender

void PFabric::onFlowStart(Flow& f) {
  receiver_.make(f);
  Sender& s = sender_.make(f);
  s.cwnd = first_;
  s.ssthresh = std::numeric_limits<int64_t>::max();
  if (handshake_) s.phase = Phase::Closed;
  open(f, s);
}

bool PFabric::onStop(Flow& f) {
  f.end = std::min(f.end, f.highest);
  return f.sndUna >= f.end;
}

bool PFabric::maySend(const Flow& f) const {
  const Sender& s = sender_(const_cast<Flow&>(f));
  if (s.phase != Phase::Open) return s.phase == Phase::Closed;
  if (s.probing) return s.probeDue;
  return s.next < s.limit && begins(s.next) < f.end;
}

Flow& PFabric::fill(Flow& f, Packet& p) {
  Sender& s = sender_(f);
  PFabricHeader& h = header_.claim(p);
  h.priority = left(f);
  if (s.phase == Phase::Closed) {
    s.phase = Phase::Opening;
    h.priority = 0;
    h.segment = PFabricHeader::kProbe;
    p.seq = 0;
    p.payload = 0;
    p.last = false;
  } else if (s.probing) {
    // A byte that the receiver does not use: it tells what it is waiting for.
    h.segment = PFabricHeader::kProbe;
    p.seq = f.sndUna;
    p.payload = 1;
    p.last = false;
    s.probeDue = false;
  } else {
    h.segment = s.next;
    p.seq = begins(s.next);
    p.payload = length(f, s.next);
    p.last = p.seq + p.payload == f.end;
    f.sndNxt = p.seq + p.payload;
    do ++s.next;
    while (s.sacked.has(s.next));
  }
  if (s.deadline.ps < 0) restartTimer(f, s);
  return f;
}

bool PFabric::onAck(Flow& f, const Packet& ack) {
  Sender& s = sender_(f);
  s.silent = 0;
  if (s.phase != Phase::Open) {
    s.phase = Phase::Open;
    s.deadline = Time{-1};
    return true;
  }
  const auto una = static_cast<uint32_t>((ack.seq + mss_ - 1) / mss_);
  const bool progress = ack.seq > f.sndUna;
  if (progress) {
    advance(f, s, una);
    f.sndUna = ack.seq;
    f.sndNxt = std::max(f.sndNxt, f.sndUna);
    if (f.sndUna >= f.end) {
      host_->finish(f);
      return false;
    }
  }
  const uint32_t segment = header_(ack).segment;
  if (segment != PFabricHeader::kProbe && segment > s.una) sack(f, s, segment);
  if (s.probing) {
    s.probing = s.probeDue = false;
    s.next = s.una;
    open(f, s);
    restartTimer(f, s);
  } else if (progress) {
    grow(s);
    open(f, s);
    restartTimer(f, s);
  }
  return true;
}

/// Nothing is sent for it: the paper has no duplicate ACKs. The flow has less left, and its window reaches further
/// when the gap is closed.
void PFabric::sack(const Flow& f, Sender& s, uint32_t segment) const {
  if (s.sacked.has(segment)) return;
  s.sacked.add(segment);
  ++s.sacks;
  s.sackedBytes += length(f, segment);
}

void PFabric::advance(const Flow& f, Sender& s, uint32_t una) const {
  for (; s.una < una; ++s.una) {
    if (!s.sacked.has(s.una)) continue;
    s.sacked.pass(s.una);
    --s.sacks;
    s.sackedBytes -= length(f, s.una);
  }
}

/// TCP's slow start and additive increase, one step for each ACK that closes a gap or has the next segment.
void PFabric::grow(Sender& s) const {
  if (s.cwnd < s.ssthresh) {
    ++s.cwnd;
  } else if (++s.counted >= s.cwnd) {
    s.counted = 0;
    ++s.cwnd;
  }
  s.cwnd = std::min(s.cwnd, most_);
}

void PFabric::open(Flow& f, Sender& s) const {
  s.next = std::max(s.next, s.una);
  while (s.sacked.has(s.next)) ++s.next;
  const int64_t reach = std::min<int64_t>(s.cwnd + s.sacks, SegmentRing::kSegments - 1);
  s.limit = s.una + static_cast<uint32_t>(reach);
  f.window = s.cwnd * mss_;
}

void PFabric::restartTimer(Flow& f, Sender& s) const {
  s.deadline = engine_->now() + rto_;
  engine_->scheduleNoLaterThan(f.retransmitEvent, s.deadline);
}

/// The event is moved only when it would come too late; when it fires it looks at the deadline.
void PFabric::onTimer(Flow& f) {
  Sender& s = sender_(f);
  if (s.deadline > engine_->now()) {
    engine_->schedule(f.retransmitEvent, s.deadline);
    return;
  }
  if (s.phase == Phase::Opening) {  // the request goes again
    ++f.timeouts;
    s.phase = Phase::Closed;
    s.deadline = Time{-1};
    host_->rateChanged(f);
    return;
  }
  if (f.inFlight() == 0 && !s.probing) {
    s.deadline = Time{-1};  // an unlimited flow whose last byte is acknowledged, or one that its NIC has held up
    return;
  }
  ++f.timeouts;
  ++s.silent;
  s.ssthresh = std::max<int64_t>(s.cwnd / 2, 2);
  s.cwnd = 1;
  s.counted = 0;
  s.next = s.una;
  f.sndNxt = f.sndUna;
  open(f, s);
  s.probing = s.probing || (probeAfter_ != 0 && s.silent >= probeAfter_);
  s.probeDue = s.probing;
  restartTimer(f, s);
  host_->rateChanged(f);
}

// ---------------------------------------------------------------- receiver

void PFabric::onData(Flow& f, Packet* p) {
  Receiver& r = receiver_(f);
  const uint32_t segment = header_(*p).segment;
  if (segment != PFabricHeader::kProbe && segment >= r.next) {
    if (segment > r.next && !r.got.has(segment)) network_->countReordered(f);
    r.got.add(segment);
    r.most = std::max(r.most, p->seq + p->payload);
    while (r.got.has(r.next)) r.got.pass(r.next++);
    const uint64_t now = std::min(begins(r.next), r.most);
    if (now > f.rcvNxt) {
      network_->counters().dataBytesDelivered += now - f.rcvNxt;
      f.rcvNxt = now;
      if (f.spec.size != 0 && f.rcvNxt == f.spec.size) host_->received(f);
    }
  }
  host_->acknowledge(f, p, PacketKind::Ack);
}

}  // namespace fabric
