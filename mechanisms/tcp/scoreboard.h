// What a TCP sender knows of the segments that it has sent: the scoreboard of RFC 6675.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mechanisms/headers/tcp_header.h"
#include "mechanisms/tcp/segments.h"

namespace fabric {

/// Segments below `una` are acknowledged, those below `nxt` were sent. One that is not SACKed counts as
/// lost below `lostEdge`, and as sent again below `rexmitted` and from `kept` to `keptEnd`. Where a function
/// takes `length`, it is a function that tells how many bytes a segment has.
struct Scoreboard {
  uint32_t una = 0, nxt = 0;
  uint32_t lostEdge = 0;
  uint32_t rexmitted = 0;  // HighRxt
  /// For lost retransmissions: a new segment that was sent when all missing below `resent` had been sent
  /// again; 0: none was.
  uint32_t witness = 0, resent = 0;
  /// Retransmissions behind those that a witness told to be lost: they went after it, and stand.
  uint32_t kept = 0, keptEnd = 0;
  uint32_t top[3] = {};  // the three highest SACKed, the highest first
  uint32_t sackedBytes = 0, lostBytes = 0, rexmitBytes = 0;
  SegmentSet sacked;

  /// Nothing is known but what is acknowledged.
  bool quiet() const { return sackedBytes == 0 && lostEdge <= una && rexmitted <= una && keptEnd <= una; }
  /// What is still on its way of `flight` bytes that were sent and are not acknowledged.
  uint64_t pipe(uint64_t flight) const { return flight - sackedBytes - lostBytes + rexmitBytes; }
  /// Rule 1 of NextSeg(): the first lost segment that was not sent again; `nxt` if there is none.
  uint32_t firstLost() const { return firstMissing(lostEdge); }
  /// Rule 3: the first one below the highest SACKed, lost or not; `nxt` if there is none.
  uint32_t firstHole() const { return firstMissing(top[0]); }
  /// The last one that is not SACKed.
  uint32_t lastMissing() const { return sacked.lastMissing(una, nxt); }

  void sentAgain(uint32_t segment, uint32_t bytes) {
    rexmitted = segment + 1;
    rexmitBytes += bytes;
  }
  void forgetRetransmissions() {
    rexmitted = una;
    rexmitBytes = 0;
    witness = kept = keptEnd = 0;
  }
  /// The next segment is a new one: it will tell of the retransmissions before it.
  void awaitWitness() {
    const uint32_t end = std::max(rexmitted, keptEnd);
    if (witness != 0 || end <= una) return;
    witness = nxt;
    resent = end;
  }
  /// All below `segment` is acknowledged; what was counted of it is counted no more.
  template <class Length>
  void acknowledge(uint32_t segment, Length length);
  /// A block of a SACK option.
  template <class Length>
  void sack(TcpHeader::Block block, WordPool& pool, Length length);
  /// All below `edge` that is not SACKed is lost.
  template <class Length>
  void declareLost(uint32_t edge, Length length);
  /// For tests: whether what is counted is what the bits say.
  template <class Length>
  bool consistent(Length length) const;

 private:
  bool wasSentAgain(uint32_t segment) const { return segment < rexmitted || (segment >= kept && segment < keptEnd); }
  /// What was sent again before the witness is to go once more.
  template <class Length>
  void loseRetransmissions(Length length);
  uint32_t firstMissing(uint32_t end) const {
    const uint32_t from = std::max(una, rexmitted);
    uint32_t segment = from < end ? sacked.firstMissing(from, end) : end;
    if (segment >= kept && segment < keptEnd) segment = keptEnd < end ? sacked.firstMissing(keptEnd, end) : end;
    return segment < end ? segment : nxt;
  }
};

template <class Length>
void Scoreboard::acknowledge(uint32_t segment, Length length) {
  if (!quiet()) {
    for (uint32_t i = una; i < segment; ++i) {
      const uint32_t bytes = length(i);
      if (sacked.contains(i)) {
        sacked.erase(i);
        sackedBytes -= bytes;
        continue;
      }
      if (i < lostEdge) lostBytes -= bytes;
      if (wasSentAgain(i)) rexmitBytes -= bytes;
    }
  }
  una = segment;
  if (una >= resent) witness = 0;
}

template <class Length>
void Scoreboard::sack(TcpHeader::Block block, WordPool& pool, Length length) {
  const uint32_t end = std::min(block.end, nxt);
  for (uint32_t i = std::max(block.begin, una);; ++i) {
    i = sacked.firstMissing(i, end);
    if (i >= end) break;
    sacked.add(i, una, pool);
    const uint32_t bytes = length(i);
    sackedBytes += bytes;
    if (i < lostEdge) lostBytes -= bytes;
    if (wasSentAgain(i)) rexmitBytes -= bytes;
    if (i > top[0]) {
      top[2] = top[1];
      top[1] = top[0];
      top[0] = i;
    } else if (i > top[1]) {
      top[2] = top[1];
      top[1] = i;
    } else if (i > top[2]) {
      top[2] = i;
    }
  }
  // IsLost(): DupThresh segments above it are SACKed, that is more than (DupThresh - 1) MSS.
  declareLost(top[2], length);
  // Three were SACKed that were first sent after the retransmissions, which are lost, too.
  if (witness != 0 && top[2] >= witness) loseRetransmissions(length);
}

template <class Length>
void Scoreboard::loseRetransmissions(Length length) {
  const uint32_t from = std::max(una, resent), to = std::max(rexmitted, keptEnd);
  forgetRetransmissions();
  for (uint32_t i = from; i < to; ++i) {
    i = sacked.firstMissing(i, to);
    if (i < to) rexmitBytes += length(i);
  }
  if (rexmitBytes > 0) kept = from, keptEnd = to;
}

template <class Length>
void Scoreboard::declareLost(uint32_t edge, Length length) {
  for (uint32_t i = std::max(lostEdge, una); i < edge; ++i) {
    i = sacked.firstMissing(i, edge);
    if (i < edge) lostBytes += length(i);
  }
  lostEdge = std::max(lostEdge, edge);
}

template <class Length>
bool Scoreboard::consistent(Length length) const {
  uint32_t sackedNow = 0, lostNow = 0, againNow = 0;
  for (uint32_t i = una; i < nxt; ++i) {
    const uint32_t bytes = length(i);
    const bool there = sacked.contains(i);
    if (there) sackedNow += bytes;
    if (!there && i < lostEdge) lostNow += bytes;
    if (!there && wasSentAgain(i)) againNow += bytes;
  }
  return sackedNow == sackedBytes && lostNow == lostBytes && againNow == rexmitBytes;
}

}  // namespace fabric
