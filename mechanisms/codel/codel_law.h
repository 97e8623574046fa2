// CoDel's law: which packets of one queue to drop, by how long they have waited.
#pragma once

#include <cstdint>
#include <utility>

#include "mechanisms/core/types.h"

namespace fabric {

/// The state of one queue (RFC 8289 section 5). A Source is what holds the packets: pop() takes the first one or gives
/// null, bytes() is what is left behind it, joined() is when a packet came, drop() is told of one that does not go.
class CoDelLaw {
 public:
  struct Settings {
    Time target, interval;
    int64_t minBytes = 0;
    bool linux = false;  // Linux's arithmetic: units of 1024 ns, 1 / sqrt(count) in 16 bits by Newton's steps
  };

  template <class Source>
  auto next(Source& source, const Settings& s, Time at) -> decltype(source.pop()) {
    const int64_t now = units(at, s);
    auto packet = source.pop();
    bool tooLong = over(source, packet, s, at);
    if (packet == nullptr) {
      dropping_ = false;
    } else if (dropping_) {
      dropping_ = tooLong;
      while (dropping_ && now >= dropNext_) {
        ++count_;
        step();
        source.drop(packet);
        packet = source.pop();
        dropping_ = over(source, packet, s, at);
        if (dropping_) dropNext_ = law(dropNext_, s);
      }
    } else if (tooLong) {
      source.drop(packet);
      packet = source.pop();
      over(source, packet, s, at);
      dropping_ = true;
      // Not long after the last time, the drop rate that was found then is where to begin.
      const uint32_t since = count_ - lastCount_;
      if (since > 1 && now - dropNext_ < 16 * units(s.interval, s)) {
        count_ = since;
        step();
      } else {
        count_ = 1;
        inverse_ = kOne;
      }
      lastCount_ = count_;
      dropNext_ = law(now, s);
    }
    return packet;
  }

  bool dropping() const { return dropping_; }
  uint32_t count() const { return count_; }

 private:
  static constexpr int64_t kUnit = 1024000;  // ps
  static constexpr uint16_t kOne = 0xffff;   // of 16 bits behind the point

  static int64_t units(Time t, const Settings& s) { return s.linux ? t.ps / kUnit : t.ps; }

  /// Whether packets have waited for longer than the target all the time over an interval. A queue of one packet is no
  /// queue.
  template <class Source, class P>
  bool over(Source& source, P packet, const Settings& s, Time at) {
    if (packet == nullptr || units(at - source.joined(*packet), s) < units(s.target, s) ||
        source.bytes() <= s.minBytes) {
      since_ = -1;
      return false;
    }
    const int64_t now = units(at, s);
    if (since_ < 0) {
      since_ = now + units(s.interval, s);
      return false;
    }
    return s.linux ? now > since_ : now >= since_;
  }

  void step();
  int64_t law(int64_t from, const Settings& s) const;

  bool dropping_ = false;
  uint16_t inverse_ = kOne;  // 1 / sqrt(count), of Linux
  uint32_t count_ = 0;       // drops since dropping began
  uint32_t lastCount_ = 0;   // what it began with
  int64_t since_ = -1;       // from when on it is too long; -1: it is not
  int64_t dropNext_ = 0;
};

}  // namespace fabric
