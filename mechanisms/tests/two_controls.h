// Flows of two congestion controls over one link.
#pragma once

#include <set>

#include "mechanisms/tests/net.h"

namespace fabric::test {

/// Two senders at a switch, their receivers at another one. The first sender's hosts are of `c`, the second one has
/// another congestion control. Ten flows of each run to their end, in turn.
struct TwoControls : Net {
  TwoControls(const Config& c, const std::string& second) : Net(c) {
    for (int i = 0; i < 3; ++i) host();
    setup.cc = second;
    host();
    Host *from[] = {hosts[0], hosts[3]}, *to[] = {hosts[1], hosts[2]};
    Switch &near = sw(), &far = sw();
    for (Host* h : from) link(*h, near);
    link(near, far);
    for (Host* h : to) link(far, *h);
    engine.recordSends = true;
    for (uint32_t i = 0; i < 20; ++i) flow(i, *from[i % 2], *to[i % 2], 100000, Time::Us(20 * i));
    finish(Time::Ms(2));
    for (const auto& s : engine.sends) {
      for (uint16_t i = 0; i < 2; ++i) {
        if (s.kind == PacketKind::Data && s.from == &far.port(1 + i)) data[i].insert(s.bytes);
        if (s.kind == PacketKind::Ack && s.from == &near.port(i)) acks[i].insert(s.bytes);
      }
    }
  }

  /// Frames on the last hop, in bytes: of data and of ACKs, of the first sender and of the second.
  std::set<uint32_t> data[2], acks[2];
};

}  // namespace fabric::test
