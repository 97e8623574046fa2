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

void Mptcp::closeWindow(Flow& f) {
  subflow(f).chunks.release(pool_);
  subflow(f).begins.release(pool_);
  if (f.connection != &f) return;
  Window& w = window(f);
  w.begins.release(pool_);
  w.carriers.release(pool_);
  w.here.release(static_cast<Mptcp&>(f.receiver->transport()).pool_);
}

/// A connection keeps the size that its window has grown to.
void Mptcp::keep(Flow& f, std::byte* to) {
  Tcp::keep(f, to);
  if (hasWindow()) std::memcpy(to + Tcp::keptBytes(), &window(f).size, sizeof(uint64_t));
}

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
    network_->counters.retransmittedBytes += p.payload;
  }
  const Scoreboard& board = sender(f).board;
  subflow(f).chunks.add(board.nxt - 1, chunk, board.una, pool_);
  subflow(f).begins.add(board.nxt - 1, p.seq, board.una, pool_);
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

uint64_t Mptcp::takeInOrder(Flow& f, uint32_t from, uint32_t to) {
  Window& w = window(f);
  uint64_t bytes = 0;
  for (uint32_t segment = from; segment < to; ++segment) {
    const auto chunk = static_cast<uint32_t>(subflow(f).chunks.at(segment));
    if (chunk < w.here.expected()) continue;  // it came over another one before
    const bool first = chunk == w.here.expected();
    if (!first && !w.here.add(chunk, pool_)) continue;
    bytes += chunkEnd(f, w, chunk) - w.begins.at(chunk);
    if (first) w.here.advance();
  }
  TcpConnection& c = shared(f);
  c.inOrder = w.here.expected() == w.chunks ? c.assigned : w.begins.at(w.here.expected());
  if (tuning_) tune(f, w);
  return bytes;
}

/// The window grows to what a sender needs that doubles its own in each round trip. Linux takes the longest round trip
/// of the sub-flows, which its receiver knows from time stamps; here it is the sender's smoothed one.
void Mptcp::tune(const Flow& f, Window& w) {
  Time roundTrip;
  for (const Flow* part = f.connection; part != nullptr; part = part->nextSubflow) {
    roundTrip = std::max(roundTrip, smoothed(*part));
  }
  const Time now = engine_->now();
  if (roundTrip.ps == 0 || now - w.since < std::max(roundTrip, tuningPeriod_)) return;
  const uint64_t inOrder = shared(f).inOrder;
  w.size = std::max(w.size, std::min(2 * (inOrder - w.from), static_cast<uint64_t>(receiveWindow_.n)));
  w.since = now;
  w.from = inOrder;
}

/// A tuned buffer has no room for what waits in it, as in Linux, and offers what is left. What has been offered stays.
void Mptcp::beforeAck(Flow& f, Packet& p) {
  if (!hasWindow()) return;
  const TcpConnection& c = shared(f);
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
