// TCP's timers at the sender: the retransmission timeout (RFC 6298) and tail loss probes (RFC 8985 section 7).
#include <algorithm>

#include "mechanisms/core/host.h"
#include "mechanisms/tcp/tcp.h"

namespace fabric {

void Tcp::restartTimer(Flow& f, TcpSender& s) {
  s.deadline = engine_->now() + s.rto;
  engine_->scheduleNoLaterThan(f.retransmitEvent, s.deadline);
}

/// The event is moved only when it would come too late; when it fires it looks at the deadline.
void Tcp::onTimer(Flow& f) {
  TcpSender& s = sender(f);
  if (s.deadline.ps < 0) return;
  if (s.tail.due.ps >= 0 && s.tail.due <= engine_->now()) return probeTail(f, s);
  if (s.deadline > engine_->now()) {
    engine_->schedule(f.retransmitEvent, s.tail.due.ps >= 0 ? s.tail.due : s.deadline);
    return;
  }
  if (s.phase == Phase::Opening) return repeatSyn(f, s);
  const uint32_t una = s.board.una;
  ++row(f, una).timeouts;
  host_->congestionControl().onTimeout(f, f.inFlight() - s.limitedBytes, s.timedOut == una);
  s.timedOut = una;
  loseAll(f, s);
  s.rto = std::min(Time{2 * s.rto.ps}, rtoBounds(f).most);
  restartTimer(f, s);
  host_->rateChanged(f);
}

/// A probe is due when nothing is heard for so long; not if the timer runs out before, and not a second
/// one before the first is answered.
void Tcp::awaitTail(Flow& f, TcpSender& s) {
  s.tail.due = Time{-1};
  if (s.phase != Phase::Open || s.tail.behind != 0) return;
  Time wait = std::max(Time{2 * s.rtt.smoothed.ps}, probeMin_);
  if (s.board.nxt - s.board.una == 1) wait = std::max(wait, Time{s.rtt.smoothed.ps * 3 / 2} + probeAckDelay_);
  if (engine_->now() + wait >= s.deadline) return;
  s.tail.due = engine_->now() + wait;
  engine_->scheduleNoLaterThan(f.retransmitEvent, s.tail.due);
}

void Tcp::probeTail(Flow& f, TcpSender& s) {
  if (maySend(f)) {  // it waits for its turn at the NIC, not for ACKs
    awaitTail(f, s);
    engine_->scheduleNoLaterThan(f.retransmitEvent, s.deadline);
    return;
  }
  s.tail.due = Time{-1};
  s.tail.wanted = true;
  restartTimer(f, s);
  host_->rateChanged(f);
}

/// All up to the probe is there. RFC 8985 section 7.4: if it is the probe that was missing, and not just
/// its ACK that was late, a loss has been repaired, which the window has to hear of.
bool Tcp::tailWasLost(TcpSender& s, const Packet& ack) {
  const bool lost = s.phase == Phase::Open && s.tail.again && ack.sentAt >= s.tail.sentAt;
  s.tail.behind = 0;
  return lost;
}

}  // namespace fabric
