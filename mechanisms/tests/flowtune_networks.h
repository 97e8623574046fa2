// Networks for the tests and the benchmark of Flowtune's allocator: random ones, and two-tier Clos networks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mechanisms/core/random.h"
#include "mechanisms/flowtune/allocator.h"

namespace fabric::test {

struct NumFlow {
  std::vector<uint32_t> path;
  double weight = 1;
};

struct NumProblem {
  std::vector<double> capacities;
  std::vector<NumFlow> flows;
};

/// `flows` flows over 1 to `longest` different links of a network with as many links as a random number says.
inline NumProblem randomProblem(RandomStream& draw, uint32_t flows, uint32_t longest) {
  NumProblem p;
  p.capacities.resize(longest + draw.below(flows + 20));
  for (double& c : p.capacities) c = 1 + 99 * draw.uniform();
  for (uint32_t f = 0; f < flows; ++f) {
    NumFlow flow;
    flow.weight = 0.2 + 4.8 * draw.uniform();
    const uint32_t length = 1 + draw.below(longest);
    while (flow.path.size() < length) {
      const uint32_t link = draw.below(static_cast<uint32_t>(p.capacities.size()));
      if (std::find(flow.path.begin(), flow.path.end(), link) == flow.path.end()) flow.path.push_back(link);
    }
    p.flows.push_back(flow);
  }
  return p;
}

/// Racks of servers with links of 10, each rack with a link of 40 to each spine.
struct Clos {
  uint32_t racks, servers, spines;  // servers of a rack

  uint32_t nodes() const { return racks * servers; }
  uint32_t up(uint32_t node) const { return node; }
  uint32_t down(uint32_t node) const { return nodes() + node; }
  uint32_t toSpine(uint32_t rack, uint32_t spine) const { return 2 * nodes() + rack * spines + spine; }
  uint32_t fromSpine(uint32_t rack, uint32_t spine) const { return toSpine(racks + rack, spine); }

  flowtune::Links links(uint32_t blocks) const {
    flowtune::Links l;
    l.blocks = blocks;
    l.longestPath = 4;
    l.links.resize(2 * nodes() + 2 * size_t{racks} * spines);
    const auto block = [&](uint32_t rack) { return rack * blocks / racks; };
    for (uint32_t n = 0; n < nodes(); ++n) {
      l.links[up(n)] = {10, block(n / servers), true};
      l.links[down(n)] = {10, block(n / servers), false};
    }
    for (uint32_t r = 0; r < racks; ++r) {
      for (uint32_t s = 0; s < spines; ++s) {
        l.links[toSpine(r, s)] = {40, block(r), true};
        l.links[fromSpine(r, s)] = {40, block(r), false};
      }
    }
    return l;
  }

  /// From a server to any other, over any spine.
  std::vector<uint32_t> path(RandomStream& draw, uint32_t src) const {
    uint32_t dst = draw.below(nodes() - 1);
    dst += dst >= src;
    const uint32_t from = src / servers, to = dst / servers;
    if (from == to) return {up(src), down(dst)};
    const uint32_t spine = draw.below(spines);
    return {up(src), toSpine(from, spine), fromSpine(to, spine), down(dst)};
  }
  std::vector<uint32_t> path(RandomStream& draw) const { return path(draw, draw.below(nodes())); }
};

/// NED and F-NORM as one would write them down: flows one after the other.
class PlainNed {
 public:
  struct Flow {
    uint32_t links[4];
    double weight, leastPrice, rate, allocated;
  };

  PlainNed(const flowtune::Links& links, double gamma) : gamma_(gamma) {
    for (const auto& l : links.links) capacity_.push_back(l.capacity);
    price.assign(capacity_.size(), 1);
    load_.resize(capacity_.size());
    slope_.resize(capacity_.size());
    ratio_.resize(capacity_.size());
  }

  /// Paths of four links.
  void add(const std::vector<uint32_t>& path, double weight) {
    Flow f{};
    double most = capacity_[path[0]];
    for (size_t k = 0; k < 4; ++k) {
      f.links[k] = path[k];
      most = std::min(most, capacity_[path[k]]);
    }
    f.weight = weight;
    f.leastPrice = weight / most;
    flows.push_back(f);
  }

  void iterate(bool normalised) {
    std::fill(load_.begin(), load_.end(), 0);
    std::fill(slope_.begin(), slope_.end(), 0);
    for (Flow& f : flows) {
      double sum = 0;
      for (const uint32_t l : f.links) sum += price[l];
      const double inverse = 1 / std::max(sum, f.leastPrice);
      f.rate = f.weight * inverse;
      for (const uint32_t l : f.links) {
        load_[l] += f.rate;
        slope_[l] += f.rate * inverse;
      }
    }
    for (size_t l = 0; l < price.size(); ++l) {
      if (slope_[l] > 0) price[l] = std::max(0.0, price[l] + gamma_ * (load_[l] - capacity_[l]) / slope_[l]);
    }
    if (!normalised) return;
    for (size_t l = 0; l < price.size(); ++l) {
      if (load_[l] > 0) ratio_[l] = capacity_[l] / load_[l];
    }
    for (Flow& f : flows) {
      double least = ratio_[f.links[0]];
      for (const uint32_t l : f.links) least = std::min(least, ratio_[l]);
      f.allocated = f.rate * least;
    }
  }

  std::vector<Flow> flows;
  std::vector<double> price;

 private:
  double gamma_;
  std::vector<double> capacity_, load_, slope_, ratio_;
};

}  // namespace fabric::test
