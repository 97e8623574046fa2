// TCP's loss recovery (RFC 6675), and what else an ACK makes the sender do to its window.
#include "mechanisms/core/host.h"
#include "mechanisms/tcp/tcp.h"

namespace fabric {

void Tcp::takeSacks(Flow& f, TcpSender& s, const TcpHeader& h) {
  Scoreboard& b = s.board;
  for (uint8_t i = 0; i < h.blocks; ++i) {
    b.sack(h.sack[i], pool_, lengths(f));
    // The probe is there: what is missing below it is lost.
    const uint32_t probed = s.tail.behind;
    if (probed > b.una && b.sacked.contains(probed - 1)) b.declareLost(probed - 1, lengths(f));
  }
}

/// After an ACK: recovery ends or begins. True: the window was cut for a loss. `flight` is what was in
/// flight before the ACK.
bool Tcp::react(Flow& f, TcpSender& s, const Packet& ack, uint64_t flight) {
  const Scoreboard& b = s.board;
  if (s.phase != Phase::Open && b.una >= s.recoveryPoint) {
    s.phase = Phase::Open;
    s.forced = false;
  }
  if (earlyRetransmit_) retransmitEarly(f, s);
  if (s.phase == Phase::Open && b.lostEdge > b.una) {
    recover(f, s);
    return true;
  }
  if (s.tail.behind != 0 && b.una >= s.tail.behind && tailWasLost(s, ack)) {
    host_->congestionControl().onRecovery(f, flight);
    reduced(s);
    return true;
  }
  // CWR is on segment cwrPoint at the earliest, and the ACK of the one before it repeats the mark.
  if (!exactEcho_ && ack.marked && s.phase == Phase::Open && b.una > s.cwrPoint) {
    host_->congestionControl().onEcnEcho(f, f.inFlight());
    reduced(s);
  }
  return false;
}

/// The window was cut, for whatever reason: the receiver is told, and marks up to now ask for nothing more
/// (RFC 3168 section 6.1.2).
void Tcp::reduced(TcpSender& s) const {
  s.cwrPoint = s.board.nxt;
  s.sendCwr = !exactEcho_ && host_->congestionControl().ecnCapable();
}

/// RFC 6675 section 5, step 4.
void Tcp::recover(Flow& f, TcpSender& s) {
  s.phase = Phase::Recovery;
  s.recoveryPoint = s.board.nxt;
  reduced(s);
  s.board.forgetRetransmissions();
  s.forced = true;
  s.rescue = s.board.una + 1;
  s.tail.forget();
  host_->congestionControl().onRecovery(f, f.inFlight() - s.limitedBytes);
}

/// RFC 5827: too few segments are outstanding for three of them to tell of a loss.
void Tcp::retransmitEarly(const Flow& f, TcpSender& s) {
  Scoreboard& b = s.board;
  if (s.phase != Phase::Open || b.sackedBytes == 0 || b.nxt - b.una > 3 || newBytes(f) > 0) return;
  // una is missing; if one more is, it may be on its way.
  if (b.sacked.firstMissing(b.una + 1, b.nxt) == b.nxt) b.declareLost(b.nxt, lengths(f));
}

/// After a timeout: all that is outstanding counts as lost and goes again.
void Tcp::loseAll(Flow& f, TcpSender& s) {
  s.phase = Phase::Loss;
  s.recoveryPoint = s.board.nxt;
  reduced(s);
  s.forced = false;
  s.tail.forget();
  // What was SACKED stays so: receivers here never take it back.
  s.board.forgetRetransmissions();
  s.board.declareLost(s.board.nxt, lengths(f));
}

bool Tcp::consistent(const Flow& f) const { return sender(f).board.consistent(lengths(f)); }

}  // namespace fabric
