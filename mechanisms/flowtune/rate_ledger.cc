#include "mechanisms/flowtune/rate_ledger.h"

namespace fabric::flowtune {

void RateLedger::start(const std::vector<Rate>& capacities) {
  for (const Rate c : capacities) links_.push_back({c.bps});
}

void RateLedger::add(Key flowlet, const std::vector<uint32_t>& path, Time now) {
  Entry& e = flowlets_[flowlet];
  e.path = path;
  e.known = true;
  e.givenAt = now;
}

void RateLedger::handOut(Key flowlet, Rate rate, Time now) {
  const auto it = flowlets_.find(flowlet);
  if (it == flowlets_.end() || !it->second.known) return;  // it has ended since
  it->second.givenAt = now;
  change(it->second, rate.bps, it->second.used, now);
}

void RateLedger::remove(Key flowlet, Time now) {
  lose(flowlet, now);
  flowlets_.erase(flowlet);  // its server goes by no rate since before it told of the end
}

void RateLedger::lose(Key flowlet, Time now) {
  Entry& e = flowlets_.at(flowlet);
  e.known = false;
  e.givenAt = now;
  change(e, 0, e.used, now);
}

void RateLedger::apply(Key flowlet, Rate rate, Time now) {
  const auto it = flowlets_.find(flowlet);
  if (it != flowlets_.end()) change(it->second, it->second.given, rate.bps, now);
}

void RateLedger::end(Key flowlet, Time now) {
  const auto it = flowlets_.find(flowlet);
  if (it == flowlets_.end()) return;  // the allocator has not heard of it
  change(it->second, it->second.given, 0, now);
  if (!it->second.known) flowlets_.erase(it);
}

void RateLedger::change(Entry& e, int64_t given, int64_t used, Time now) {
  const bool applied = used != e.used;
  if (e.loweredAt.ps >= 0 && (applied || used <= given)) {
    found_.longestWay = std::max(found_.longestWay, now - e.loweredAt);
    e.loweredAt = Time{-1};
  }
  if (used > given && e.loweredAt.ps < 0) e.loweredAt = e.givenAt;
  for (const uint32_t index : e.path) {
    Link& l = links_[index];
    l.given += given - e.given;
    l.used += used - e.used;
    if (l.used > l.capacity) {
      if (l.since.ps < 0) l.since = now;
      const double excess = static_cast<double>(l.used) / static_cast<double>(l.capacity) - 1;
      if (excess > found_.excess) {
        found_.excess = excess;
        found_.link = index;
      }
    } else if (l.since.ps >= 0) {
      found_.longestExcess = std::max(found_.longestExcess, now - l.since);
      l.since = Time{-1};
    }
  }
  e.given = given;
  e.used = used;
}

void RateLedger::settle() {
  for (const Link& l : links_) {
    found_.fullest = std::max(found_.fullest, static_cast<double>(l.given) / static_cast<double>(l.capacity));
  }
}

RateLedger::Findings RateLedger::findings(Time now) const {
  Findings f = found_;
  for (const Link& l : links_) {
    if (l.since.ps >= 0) f.longestExcess = std::max(f.longestExcess, now - l.since);
  }
  for (const auto& [key, e] : flowlets_) {
    if (e.loweredAt.ps >= 0) f.longestWay = std::max(f.longestWay, now - e.loweredAt);
  }
  f.longestDelay = longestDelay_;
  f.kept = f.fullest <= 1 && f.longestWay <= lifetime_ + longestDelay_;
  return f;
}

}  // namespace fabric::flowtune
