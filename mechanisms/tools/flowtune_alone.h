// The allocator on a network and a flow list, without a simulator: flows come as the list says and go when their bytes
// have moved at the rates they got.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mechanisms/core/trace.h"
#include "mechanisms/flowtune/allocator.h"
#include "mechanisms/runner/scenario.h"

namespace fabric::flowtune {

/// The links of a scenario, one for each direction, and the ways of its flows. The path selector must be ecmp: it
/// alone is known before the packets are sent.
class Paths {
 public:
  /// An egress port.
  struct Port {
    uint32_t node;
    uint16_t port;
    uint32_t peer;
    double capacity;  // Gbit/s
  };

  Paths(const Scenario& scenario, const std::vector<ScenarioRoute>& routes);

  const std::vector<Port>& links() const { return links_; }
  /// The links of a flow's data, from the source's to the destination's.
  std::vector<uint32_t> of(const FlowSpec& flow) const;

 private:
  struct Node {
    std::string name;
    uint64_t salt;
    std::vector<uint32_t> links;                // by port
    std::vector<std::vector<uint16_t>> routes;  // by destination; none at hosts
  };
  std::vector<Node> nodes_;
  std::vector<Port> links_;
  bool symmetric_ = true;
};

struct StandAloneSettings {
  Settings allocator;
  Time interval = Time::Us(10);
  uint64_t iterations = 0;  // 0: until the scenario ends
  /// Finds the optimal rates at each iteration, too, with an allocator of its own.
  bool optimum = false;
};

/// What a run came to.
struct Outcome {
  uint64_t iterations = 0;
  uint64_t added = 0, ended = 0;
  double largestExcess = 0;  // part of a capacity by which what was handed out was above it
  uint64_t unsettled = 0;    // iterations for which no optimum was found
};

/// Iteration, time; flows, rates before and after the normaliser, excess, fullest link, residual, optimal rates.
using IterationsTable = Table<uint64_t, Time, uint32_t, double, double, double, double, double, double>;
/// Iteration, time, flow; rate before and after the normaliser.
using AllocationsTable = Table<uint64_t, Time, uint32_t, double, double>;
/// Iteration, time, node, port; price, load.
using PricesTable = Table<uint64_t, Time, NodeId, uint16_t, double, double>;

class StandAlone {
 public:
  /// `longestPath`: of all flows that will come.
  StandAlone(const Paths& paths, uint32_t longestPath, const StandAloneSettings& settings, TraceBus& bus);

  /// Until `stop`, or until all flows have ended if `withFlows`.
  Outcome run(FlowFeed& flows, Time stop, bool withFlows);

 private:
  struct Flow {
    FlowSpec spec;
    std::vector<uint32_t> path;
    Handle handle, optimal;
    double left;  // bytes; infinite for an unlimited flow
  };
  void start(const FlowSpec& spec);
  void end(const Flow& flow);
  /// What the network lets through: what the allocator hands out, cut to the capacities where that does not fit.
  double passes(const Flow& flow) const;
  double optimum();
  void record(uint64_t iteration, Time at);

  const Paths& paths_;
  StandAloneSettings settings_;
  TraceBus& bus_;
  IterationsTable::Id iterationsTable_;
  AllocationsTable::Id allocationsTable_;
  PricesTable::Id pricesTable_;
  std::unique_ptr<Allocator> allocator_, best_;
  std::vector<Flow> flows_;
  std::vector<double> handedOut_;  // by link
  Outcome outcome_;
};

}  // namespace fabric::flowtune
