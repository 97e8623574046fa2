// Flowtune's allocator: rates for all flows of a network from link prices (docs/mechanisms/flowtune.md). Knows no
// simulator and no messages: whoever uses it says which flows there are, and calls iterate().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace fabric::flowtune {

enum class Algorithm : uint8_t { Ned, Gradient, Fgm, NewtonLike };
enum class Normaliser : uint8_t { None, UNorm, FNorm };

struct Settings {
  Algorithm algorithm = Algorithm::Ned;
  /// The -RT variants: single precision, and a reciprocal by two Newton steps instead of a division.
  bool rt = false;
  double gamma = 0.4;
  Normaliser normaliser = Normaliser::FNorm;
  /// Rates are scaled down only; Eqs. 5 and 6 also scale them up where links have room.
  bool oneSided = false;
  double initialPrice = 1;
  /// Bound of a flow's rate before the normaliser, in smallest capacities of its path.
  double rateBound = 1;
  /// Newton-like only: prices change once in so many iterations, by the mean load of them.
  uint32_t measuredIterations = 1;
  /// At most one for each FlowBlock. The result does not depend on it.
  uint32_t threads = 1;
};

/// The γ of an algorithm for capacities in Gbit/s, servers at 10 Gb/s and weights of 1.
double defaultGamma(Algorithm algorithm);

/// A link, and the LinkBlock that it belongs to.
struct Link {
  double capacity = 0;
  uint32_t block = 0;
  bool up = true;
};

/// All links of a network, known by their place in the list. A flow takes upward links of one block and downward
/// links of one. One block takes any network.
struct Links {
  std::vector<Link> links;
  uint32_t blocks = 1;       // a power of two
  uint32_t longestPath = 1;  // in links

  /// All in one block.
  static Links flat(const std::vector<double>& capacities, uint32_t longestPath);
};

/// Identifies a flow from add() to remove().
using Handle = uint32_t;

class Allocator {
 public:
  /// Throws std::invalid_argument where links or settings make no sense.
  static std::unique_ptr<Allocator> make(const Links& links, const Settings& settings);
  virtual ~Allocator() = default;

  /// A flow with the utility weight · log(rate) over these links. It has its first rate after the next iteration.
  virtual Handle add(const std::vector<uint32_t>& path, double weight) = 0;
  virtual void remove(Handle flow) = 0;
  virtual size_t flows() const = 0;
  /// Room for so many flows of each FlowBlock, so that add() takes no memory.
  virtual void reserve(size_t flowsPerBlock) = 0;

  /// What flows may have of a link from the next iteration on. Bounds of rates stay those of the capacity it began
  /// with.
  virtual void setCapacity(uint32_t link, double capacity) = 0;

  /// Rates from prices, prices from rates, and the normaliser.
  virtual void iterate(uint64_t times = 1) = 0;

  /// What the last iteration gave, before and after the normaliser.
  virtual double rate(Handle flow) const = 0;
  virtual double allocated(Handle flow) const = 0;
  /// Of the last iteration: the sum of the rates before the normaliser.
  virtual double load(uint32_t link) const = 0;
  /// For the next iteration.
  virtual double price(uint32_t link) const = 0;
  /// The distance of the prices from the optimum, 0 at the optimum: the largest excess of a load over its capacity, or
  /// free capacity of a link with a price above 0 (at most what price 0 would add to its load), as a share of the
  /// capacity. Takes as long as an iteration on one core.
  virtual double residual() const = 0;
};

}  // namespace fabric::flowtune
