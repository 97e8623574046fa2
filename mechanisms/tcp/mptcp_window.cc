// MPTCP's receive window, which all sub-flows share: what the receiver says of it, how it is tuned, and what the sender
// does when it is full (Raiciu et al., NSDI 2012, section 4.2).
#include <algorithm>
#include <cstring>

#include "mechanisms/core/host.h"
#include "mechanisms/core/network.h"
#include "mechanisms/core/report.h"
#include "mechanisms/tcp/mptcp.h"

namespace fabric {

void Mptcp::check(const Network& network, Report& report) const {
  Tcp::check(network, report);
  if (hasWindow()) checkWindow(*this, firstWindow(subflows_), report);
}

void Mptcp::checkFlow(const FlowSpec& f, const Host& receiver, Report& report) const {
  Tcp::checkFlow(f, receiver, report);
  const auto& there = static_cast<const Mptcp&>(receiver.transport());
  if (there.hasWindow() != hasWindow()) {
    report.refuse("the two hosts of a flow do not both have an mptcp.receive_window; give it to both or to none",
                  {{there, "receive_window"}, {*this, "receive_window"}});
  } else if (hasWindow()) {
    checkWindow(there, there.firstWindow(subflows_), report);
  }
}

/// A window of the receiver `of` in which a segment from here has no room.
void Mptcp::checkWindow(const Mptcp& of, int64_t window, Report& report) const {
  const int64_t segment = host_->payloadPerPacket();
  if (window >= segment) return;
  const char* param = of.receiveWindow_.n == window ? "receive_window" : "initial_receive_window";
  report.refuse(std::string("mptcp.") + param + " makes a window of " + toText(Bytes{window}) +
                    ", which is less than a segment of " + toText(Bytes{segment}) +
                    ", and none could be sent; receive_window: 0 is no limit",
                {{of, param}});
}

void Mptcp::startWindow(Network& network) {
  subflow_ = network.flows().reserve<Subflow>("mptcp sub-flow");
  window_ = network.flows().reserve<Window>("mptcp window");
  dataAck_ = network.packets().reserve<DataAck>(DataAck::kName);
  dataSequence_ = network.packets().reserve<DataSequence>(DataSequence::kName);
  windowed_ = true;
}

int64_t Mptcp::firstWindow(int64_t subflows) const {
  return tuning_ ? std::min(receiveWindow_.n, subflows * initialWindow_.n) : receiveWindow_.n;
}

void Mptcp::openWindow(Flow& f) {
  const auto& there = static_cast<const Mptcp&>(f.receiver->transport());
  if (!hasWindow()) return;
  Window& w = window_.make(f);
  const int64_t first = there.firstWindow(subflows_);
  w.size = static_cast<uint64_t>(first);
  w.since = engine_->now();
  shared(f).limit = w.size;
  for (Flow* part = &f; part != nullptr; part = part->nextSubflow) subflow_.make(*part).penalisedAt = engine_->now();
}

/// A connection keeps the size that its window has grown to: by the last ACK, where nothing waits in it.
void Mptcp::keep(Flow& f, std::byte* to) {
  Tcp::keep(f, to);
  if (!hasWindow()) return;
  const uint64_t size = shared(f).limit - shared(f).acked;
  std::memcpy(to + Tcp::keptBytes(), &size, sizeof size);
}

/// The receiver has not begun; it has the size from before, too.
void Mptcp::resume(Flow& f, const std::byte* from) {
  Tcp::resume(f, from);
  if (!hasWindow()) return;
  uint64_t& size = window(f).size;
  std::memcpy(&size, from + Tcp::keptBytes(), sizeof size);
  shared(f).limit = size;
}

// ---------------------------------------------------------------- sender

/// `f` has sent a segment that it had not sent before. The connection's bytes that nobody had sent begin at `firstByte`
/// before that.
void Mptcp::sent(Flow& f, const Packet& p, Flow& row, uint64_t firstByte) {
  Window& w = window(f);
  uint32_t chunk = w.first;
  if (shared(f).assigned > firstByte) {
    chunk = w.chunks++;
    w.begins.add(chunk, firstByte, w.first, pool_);
    w.carriers.add(chunk, bit(f), w.first, pool_);
    if (w.helper == &f) w.helper = nullptr;  // there was room after all
  } else {
    w.carriers.add(chunk, w.carriers.at(chunk) | bit(f), w.first, pool_);
    w.helper = nullptr;
    row.retransmittedBytes += p.payload;
    network_->counters().retransmittedBytes += p.payload;
  }
  const Scoreboard& board = sender(f).board;
  subflow(f).chunks.add(board.nxt - 1, chunk, board.una, pool_);
  subflow(f).begins.add(board.nxt - 1, p.seq, board.una, pool_);
}

/// Where the chunk is known to be there, the receiver only looks at its number.
void Mptcp::describe(const Flow& f, Packet& p) const {
  const Window& w = window(f);
  DataSequence& d = dataSequence_(p);
  d = DataSequence();
  d.chunk = static_cast<uint32_t>(subflow(f).chunks.at(header_(p).segment));
  for (const Flow* part = f.connection; part != nullptr; part = part->nextSubflow) {
    d.roundTrip = std::max(d.roundTrip, smoothed(*part));
  }
  if (d.chunk < w.first) return;
  d.first = w.begins.at(d.chunk);
  if (f.spec.persistent) d.message = &messageAt(f, d.first);
}

uint64_t Mptcp::segmentBegin(const Flow& f, uint32_t segment) const { return subflow(f).begins.at(segment); }

uint64_t Mptcp::takeDataAck(Flow& f, const Packet& ack) {
  const DataAck& data = dataAck_(ack);
  TcpConnection& c = shared(f);
  Window& w = window(f);
  c.limit = std::max(c.limit, data.limit);
  if (data.chunk <= w.first) return 0;
  w.first = data.chunk;
  withdraw(w, f);
  return data.next - c.acked;
}

// ---------------------------------------------------------------- receiver

uint64_t Mptcp::chunkEnd(const Flow& f, const Window& w, uint32_t chunk) const {
  return chunk + 1 == w.chunks ? shared(f).assigned : w.begins.at(chunk + 1);
}

void Mptcp::takeChunkEarly(Flow& f, const Packet& p) {
  const DataSequence& d = dataSequence_(p);
  Subflow& s = subflow(f);
  const uint32_t missing = receiver(f).got.expected(), segment = header_(p).segment;
  s.early.add(segment, d.chunk, missing, pool_);
  s.firsts.add(segment, d.first, missing, pool_);
  if (f.spec.persistent && !window(f).here.has(d.chunk)) hearOf(*f.connection, *d.message);
}

uint64_t Mptcp::takeChunks(Flow& f, const Packet& p, uint32_t to) {
  const DataSequence& d = dataSequence_(p);
  if (f.spec.persistent && !window(f).here.has(d.chunk)) hearOf(*f.connection, *d.message);
  uint64_t bytes = takeChunk(f, d.chunk, d.first, p.payload);
  uint64_t before = p.seq + p.payload;
  for (uint32_t segment = header_(p).segment + 1; segment < to; ++segment) {
    const uint64_t end = receiver(f).ends.at(segment);
    const Subflow& s = subflow(f);
    bytes += takeChunk(f, static_cast<uint32_t>(s.early.at(segment)), s.firsts.at(segment), end - before);
    before = end;
  }
  if (tuning_) tune(f, window(f), d.roundTrip);
  return bytes;
}

uint64_t Mptcp::takeChunk(Flow& f, uint32_t chunk, uint64_t first, uint64_t bytes) {
  Window& w = window(f);
  if (w.here.has(chunk)) return 0;  // it came over another one before
  if (chunk != w.here.expected()) {
    w.here.add(chunk, pool_);
    w.ends.add(chunk, first + bytes, w.here.expected(), pool_);
    return bytes;
  }
  const uint32_t missing = w.here.advance();
  arrived(f).inOrder = missing == chunk + 1 ? first + bytes : w.ends.at(missing - 1);
  return bytes;
}

/// The window is twice what was in order in a round trip, which a sender needs that doubles its own in each round trip.
/// Linux takes the longest round trip of the sub-flows, which its receiver knows from time stamps; here segments say
/// the sender's smoothed one.
void Mptcp::tune(const Flow& f, Window& w, Time roundTrip) const {
  const Time now = engine_->now();
  if (roundTrip.ps == 0 || now - w.since < std::max(roundTrip, tuningPeriod_)) return;
  const uint64_t inOrder = arrived(f).inOrder;
  w.size = std::max(w.size, std::min(2 * (inOrder - w.from), static_cast<uint64_t>(receiveWindow_.n)));
  w.since = now;
  w.from = inOrder;
}

/// A tuned buffer has no room for what waits in it, as in Linux, and offers what is left. What has been offered stays.
void Mptcp::beforeAck(Flow& f, Packet& p) {
  if (!hasWindow()) return;
  const TcpArrived& c = arrived(f);
  const Window& w = window(f);
  const uint64_t waiting = tuning_ ? std::min(c.delivered - c.inOrder, w.size) : 0;
  dataAck_(p) = {c.inOrder, c.inOrder + w.size - waiting, w.here.expected()};
}

// ---------------------------------------------------------------- a full window

/// To be called when something has changed at `f`, at which the host looks anyway.
void Mptcp::relieve(Flow& f) {
  if (hasWindow() && (opportunistic_ || penalisation_) && blocked(f)) relieveBlocked(f);
}

/// The sub-flow that would take new bytes helps the one that has the first missing segment, and slows it down.
void Mptcp::relieveBlocked(Flow& f) {
  Window& w = window(f);
  if (w.helper != nullptr) {
    if (takesNew(*w.helper)) return;
    withdraw(w, f);
  }
  Flow* fast = fastest(f);
  if (fast == nullptr) return;
  const uint64_t carriers = w.carriers.at(w.first);
  if (penalisation_) penalise(*fast, f, carriers);
  if (!opportunistic_ || !isSlow(*fast, carriers)) return;
  w.helper = fast;
  sender(*fast).copy = static_cast<uint32_t>(chunkEnd(f, w, w.first) - w.begins.at(w.first));
  if (fast != &f) host_->settle(*fast);
}

/// The window has moved, or the helper has no room any more. At `current` the host looks anyway.
void Mptcp::withdraw(Window& w, const Flow& current) {
  if (w.helper == nullptr) return;
  sender(*w.helper).copy = 0;
  if (w.helper != &current) host_->settle(*w.helper);
  w.helper = nullptr;
}

/// The one with the shortest round trip of those whose windows have room.
Flow* Mptcp::fastest(const Flow& f) {
  Flow* best = nullptr;
  for (Flow* part = f.connection; part != nullptr; part = part->nextSubflow) {
    if (best != nullptr && smoothed(*part) >= smoothed(*best)) continue;
    uint32_t& copy = sender(*part).copy;
    copy = static_cast<uint32_t>(host_->payloadPerPacket());
    if (takesNew(*part)) best = part;
    copy = 0;
  }
  return best;
}

/// The first of the others that have the segment pays.
void Mptcp::penalise(const Flow& fast, const Flow& current, uint64_t carriers) {
  if (smoothed(fast).ps == 0) return;  // nobody knows whether it is fast
  for (Flow* slow = fast.connection; slow != nullptr; slow = slow->nextSubflow) {
    if (slow == &fast || (carriers & bit(*slow)) == 0) continue;
    const auto rate = [this](const Flow& of, const Flow& other) {  // times both round trips
      return static_cast<double>(of.window) * static_cast<double>(smoothed(other).ps);
    };
    Time& last = subflow(*slow).penalisedAt;
    if (slow->window < 0 || engine_->now() - last < smoothed(*slow) || rate(*slow, fast) >= rate(fast, *slow)) return;
    last = engine_->now();
    host_->congestionControl().onPenalty(*slow);
    if (slow != &current) host_->settle(*slow);
    return;
  }
}

/// Whether those that have the segment are so slow that `fast`, which has not, sends it once more. Linux' sub-flows
/// know a round trip from their handshakes; here one may know none, and is not called faster then.
bool Mptcp::isSlow(const Flow& fast, uint64_t carriers) const {
  if ((carriers & bit(fast)) != 0) return false;
  for (const Flow* slow = fast.connection; slow != nullptr; slow = slow->nextSubflow) {
    if ((carriers & bit(*slow)) == 0) continue;
    if (slow->window >= 0 && slow->window < 5 * host_->payloadPerPacket()) return true;  // four segments
    if (smoothed(fast).ps == 0 || 4 * smoothed(fast).ps >= smoothed(*slow).ps) return false;
  }
  return true;
}

}  // namespace fabric
