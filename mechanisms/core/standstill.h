// What cannot get on, however long a run goes on: deadlocks, hosts that are dead for good, classes that starve.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mechanisms/core/deadlock.h"
#include "mechanisms/core/types.h"

namespace fabric {

class Flow;
class Host;

class Standstill {
 public:
  /// In the middle of a run: notes what waits, to see at its end what has not moved since.
  void note(const std::vector<Node*>& nodes, Time now);
  /// At the end. `comesBack`: whether a host that has no link gets one later on. `unfinished`: flows, those that have
  /// not begun (start -1) included.
  void find(const std::vector<Node*>& nodes, Time now, const std::vector<const Flow*>& unfinished,
            const std::function<bool(const Host&)>& comesBack);

  struct Dead {
    const Host* host;
    Time since;
  };
  struct Starving {
    Place place;
    Time since, lasted;  // since then at the latest
  };
  /// Paused for good, and the cycles that keep them so.
  const std::vector<Place>& paused() const { return paused_; }
  const std::vector<Deadlock::Cycle>& cycles() const { return cycles_; }
  /// Hosts without a link that get none back, of which flows with a size have not finished.
  const std::vector<Dead>& dead() const { return dead_; }
  /// Classes of which nothing has left since the middle of the run, for a third of it at least, while the classes above
  /// them took the link.
  const std::vector<Starving>& starving() const { return starving_; }
  bool any() const { return !paused_.empty() || !dead_.empty() || !starving_.empty(); }

  /// A sentence for each of them.
  std::vector<std::string> sentences() const;
  /// What measured flows that have not finished wait for: ends the warning about them.
  std::string reasons() const;

 private:
  struct Noted {
    Place place;
    const void* first;  // the packet that is next
    uint64_t seq;
    uint32_t flow;
    uint64_t sent;  // wire bytes of the port
  };
  void findStarving(const std::vector<Node*>& nodes, Time now);
  void count(const std::vector<const Flow*>& unfinished);

  std::vector<Noted> noted_;
  std::vector<uint64_t> nicSent_;  // by node and port, of hosts: wire bytes
  Time notedAt_ = Time{-1};

  std::vector<Place> paused_;
  std::vector<Deadlock::Cycle> cycles_;
  std::vector<Dead> dead_;
  std::vector<Starving> starving_;
  uint64_t held_ = 0, ofDead_ = 0, starved_ = 0, notBegun_ = 0, others_ = 0;  // measured flows
};

}  // namespace fabric
