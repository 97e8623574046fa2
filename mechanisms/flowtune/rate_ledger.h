// The sums of Flowtune's rates on every link: rates handed out, and rates in force at servers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mechanisms/core/types.h"

namespace fabric::flowtune {

/// For the check at the end of a run; it only observes. The allocator reports the rates it hands out, endpoints those
/// they apply. Rates handed out must never sum above a link's capacity. Applied rates may do so only while a lower rate
/// is on its way to some flow of the link: for as long as a message takes or, if it is lost, until the old rate
/// expires.
class RateLedger {
 public:
  void start(const std::vector<Rate>& capacities);
  /// So long a server goes by a rate without hearing of the allocator.
  void expectLifetime(Time lifetime) { lifetime_ = std::max(lifetime_, lifetime); }

  /// A server and the number that it gave a flowlet.
  using Key = uint64_t;
  static constexpr Key key(uint32_t server, uint32_t number) { return uint64_t{server} << 32 | number; }

  // The allocator.
  void add(Key flowlet, const std::vector<uint32_t>& path, Time now);
  void handOut(Key flowlet, Rate rate, Time now);
  /// It has heard of the flowlet's end.
  void remove(Key flowlet, Time now);
  /// It has died; the flowlet goes on.
  void lose(Key flowlet, Time now);
  /// All rates of an iteration have been handed out.
  void settle();

  // An endpoint.
  /// The flowlet is paced at this rate from now on; 0: it is not.
  void apply(Key flowlet, Rate rate, Time now);
  /// It has ended.
  void end(Key flowlet, Time now);
  /// A message with rates has been on its way for so long.
  void arrived(Time delay) { longestDelay_ = std::max(longestDelay_, delay); }

  struct Findings {
    double fullest = 0;  // rates handed out over a link's capacity, at most
    double excess = 0;   // rates applied over a link's capacity less 1, at most
    uint32_t link = 0;   // where that was
    Time longestExcess;  // of one link without a break
    Time longestWay;     // from a lower rate's leaving to its being applied
    Time longestDelay;   // of a message that arrived
    bool kept = true;    // what must hold did
  };
  Findings findings(Time now) const;

 private:
  struct Entry {
    std::vector<uint32_t> path;
    int64_t given = 0, used = 0;  // bit/s
    Time givenAt;
    Time loweredAt = Time{-1};  // since when `used` is above `given`
    bool known = false;         // to the allocator
  };
  struct Link {
    int64_t capacity = 0;
    int64_t given = 0, used = 0;
    Time since = Time{-1};  // of its excess
  };
  void change(Entry& entry, int64_t given, int64_t used, Time now);

  std::vector<Link> links_;
  std::unordered_map<Key, Entry> flowlets_;  // walked through only for a maximum
  Time lifetime_;
  Findings found_;
  Time longestDelay_;
};

}  // namespace fabric::flowtune
