// The set-up of a connection, where it is asked for: SYN and SYN-ACK. The third packet of the handshake is
// the first one with data.
#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/tcp/tcp.h"

namespace fabric {

void Tcp::fillSyn(Flow& f, Packet& p) {
  p.seq = f.sndNxt;
  p.payload = 0;
  p.last = false;
  p.ect = false;  // RFC 3168 section 6.1.1
  header_(p).control = TcpHeader::Control::Syn;
  sender(f).forced = false;
}

/// A SYN that comes when data is here is an old one, which nobody waits for.
void Tcp::answerSyn(Flow& f, TcpReceiver& r, Packet* p) {
  if (r.got.expected() > 0 || r.got.holes()) return network_->packets().put(p);
  p->marked = false;
  host_->acknowledge(f, p, PacketKind::Ack);
}

/// The SYN-ACK is here: data may go, and the other sub-flows may begin.
void Tcp::open(Flow& f, TcpSender& s, const Packet& ack) {
  if (s.phase != Phase::Opening) return;
  s.phase = Phase::Open;
  s.forced = false;
  s.deadline = Time{-1};
  Acked a;
  a.rtt = engine_->now() - ack.sentAt;
  s.rtt.sample(a.rtt);
  s.rto = std::clamp(s.rtt.timeout(), rtoBounds(f).least, rtoBounds(f).most);
  a.srtt = s.rtt.smoothed;
  host_->congestionControl().onAcked(f, a);
  if (f.connection != &f) return;
  for (Flow* part = f.nextSubflow; part != nullptr; part = part->nextSubflow) {
    sender(*part).forced = true;
    host_->settle(*part);
  }
}

/// Of a window that follows a lost SYN one segment is left (RFC 6928 section 2).
void Tcp::repeatSyn(Flow& f, TcpSender& s) {
  ++firstRow(f).timeouts;
  host_->congestionControl().onTimeout(f, 0, true);
  s.forced = true;
  s.rto = std::min(Time{2 * s.rto.ps}, rtoBounds(f).most);
  restartTimer(f, s);
  host_->rateChanged(f);
}

}  // namespace fabric
