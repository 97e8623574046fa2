#include "mechanisms/flowtune/allocator.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "mechanisms/flowtune/flow_block.h"
#include "mechanisms/flowtune/link_block.h"
#include "mechanisms/flowtune/team.h"

namespace fabric::flowtune {

namespace {

[[noreturn]] void fail(const std::string& why) { throw std::invalid_argument("flowtune: " + why); }

bool positive(double x) { return x > 0 && x <= std::numeric_limits<float>::max(); }

bool powerOfTwo(uint32_t n) { return n != 0 && (n & (n - 1)) == 0; }

/// n · n FlowBlocks (cells) in rows by source block and columns by destination block.
template <class Real>
class Grid final : public Allocator {
 public:
  Grid(const Links& links, const Settings& settings)
      : settings_(settings), n_(links.blocks), team_(settings.threads), place_(links.links.size()) {
    std::vector<std::vector<Real>> up(n_), down(n_);
    for (size_t i = 0; i < links.links.size(); ++i) {
      const Link& l = links.links[i];
      auto& block = (l.up ? up : down)[l.block];
      const auto capacity = static_cast<Real>(l.capacity);
      place_[i] = {l.block, static_cast<uint32_t>(block.size()), l.up, capacity};
      block.push_back(capacity);
    }
    const auto price = static_cast<Real>(settings.initialPrice);
    const bool bounded = settings.algorithm == Algorithm::Fgm;
    const uint32_t stride = links.longestPath + links.longestPath % 2;  // pairs, so that few lengths need code
    cells_.reserve(size_t{n_} * n_);
    for (uint32_t i = 0; i < n_; ++i) {
      for (uint32_t j = 0; j < n_; ++j) {
        cells_.emplace_back(stride, bounded);
        LinkCopy<Real>& copy = cells_.back().links;
        copy.resize(up[i].size() + down[j].size());
        std::fill(copy.price.begin() + 1, copy.price.end(), price);
      }
    }
    for (uint32_t b = 0; b < n_; ++b) {
      up_.emplace_back(settings, std::move(up[b]));
      down_.emplace_back(settings, std::move(down[b]));
    }
  }

  Handle add(const std::vector<uint32_t>& path, double weight) override {
    if (path.empty()) fail("a flow needs at least one link");
    if (path.size() > cells_[0].flows.stride()) {
      fail("a path of " + std::to_string(path.size()) + " links is longer than the longest that was announced");
    }
    if (!positive(weight)) fail("a flow's weight must be above 0");
    uint32_t row = n_, column = n_;
    double most = std::numeric_limits<double>::max();
    for (const uint32_t link : path) {
      if (link >= place_.size()) fail("there is no link " + std::to_string(link));
      const Place& p = place_[link];
      uint32_t& block = p.up ? row : column;
      if (block != n_ && block != p.block) {
        fail("link " + std::to_string(link) + " is in another block than the links before it");
      }
      block = p.block;
      most = std::min<double>(most, p.capacity);
    }
    most *= settings_.rateBound;
    if (row == n_) row = column;
    if (column == n_) column = row;
    const uint32_t cell = row * n_ + column;
    local_.clear();
    for (const uint32_t link : path) local_.push_back(local(row, place_[link]));

    Handle handle;
    if (free_.empty()) {
      handle = static_cast<Handle>(where_.size());
      where_.push_back({});
    } else {
      handle = free_.back();
      free_.pop_back();
    }
    where_[handle] = {cell, cells_[cell].flows.size()};
    cells_[cell].flows.add(local_.data(), static_cast<uint32_t>(local_.size()), weight, most, handle);
    return handle;
  }

  void remove(Handle flow) override {
    const Where w = at(flow);
    FlowBlock<Real>& block = cells_[w.cell].flows;
    block.remove(w.slot);
    if (w.slot < block.size()) where_[block.handle(w.slot)].slot = w.slot;
    where_[flow].cell = kNowhere;
    free_.push_back(flow);
  }

  size_t flows() const override { return where_.size() - free_.size(); }

  void setCapacity(uint32_t link, double capacity) override {
    if (link >= place_.size()) fail("there is no link " + std::to_string(link));
    if (!positive(capacity)) fail("the capacity of link " + std::to_string(link) + " must be above 0");
    const Place& p = place_[link];
    (p.up ? up_ : down_)[p.block].setCapacity(p.index, static_cast<Real>(capacity));
  }

  void reserve(size_t flowsPerBlock) override {
    for (Cell& c : cells_) c.flows.reserve(flowsPerBlock);
    where_.reserve(flowsPerBlock * cells_.size());
    free_.reserve(flowsPerBlock * cells_.size());
    local_.reserve(cells_[0].flows.stride());
  }

  void iterate(uint64_t times) override {
    if (team_.members() == 1) {
      for (uint64_t t = 0; t < times; ++t) iteration(0);
      return;
    }
    team_.run([&](uint32_t member) {
      for (uint64_t t = 0; t < times; ++t) iteration(member);
    });
  }

  double rate(Handle flow) const override {
    const Where w = at(flow);
    return cells_[w.cell].flows.rate(w.slot);
  }

  double allocated(Handle flow) const override {
    if (settings_.normaliser == Normaliser::None) return rate(flow);
    const Where w = at(flow);
    return cells_[w.cell].flows.allocated(w.slot);
  }

  double load(uint32_t link) const override { return master(link).sums[masterIndex(link)].rate; }
  double price(uint32_t link) const override { return master(link).price[masterIndex(link)]; }

  double residual() const override {
    struct Total {
      double load = 0, slope = 0;
    };
    std::vector<Total> totals(place_.size());
    std::vector<std::vector<uint32_t>> names(cells_.size());
    for (uint32_t c = 0; c < cells_.size(); ++c) names[c].assign(cells_[c].links.price.size(), 0);
    for (uint32_t link = 0; link < place_.size(); ++link) {
      const Place& p = place_[link];
      for (uint32_t other = 0; other < n_; ++other) {
        const uint32_t row = p.up ? p.block : other, column = p.up ? other : p.block;
        names[row * n_ + column][local(row, p)] = link;
      }
    }
    for (uint32_t c = 0; c < cells_.size(); ++c) {
      const FlowBlock<Real>& flows = cells_[c].flows;
      for (uint32_t s = 0; s < flows.size(); ++s) {
        const uint32_t* path = flows.path(s);
        double total = 0;
        for (uint32_t k = 0; k < flows.stride(); ++k) {
          if (path[k] != LinkCopy<Real>::kNone) total += price(names[c][path[k]]);
        }
        total = std::max<double>(total, flows.leastPrice(s));
        const double x = flows.weight(s) / total;
        for (uint32_t k = 0; k < flows.stride(); ++k) {
          if (path[k] == LinkCopy<Real>::kNone) continue;
          totals[names[c][path[k]]].load += x;
          totals[names[c][path[k]]].slope += x / total;
        }
      }
    }
    double worst = 0;
    for (uint32_t link = 0; link < place_.size(); ++link) {
      const Place& p = place_[link];
      const double capacity = (p.up ? up_ : down_)[p.block].capacity(p.index);
      if (!(totals[link].load > 0)) continue;
      const double over = totals[link].load - capacity;
      worst = std::max(worst,
                       (over > 0 ? over : std::min(-over, std::max(0.0, price(link)) * totals[link].slope)) / capacity);
    }
    return worst;
  }

 private:
  struct alignas(64) Cell {
    Cell(uint32_t stride, bool bounded) : flows(stride, bounded) {}
    FlowBlock<Real> flows;
    LinkCopy<Real> links;
  };
  struct Place {
    uint32_t block, index;
    bool up;
    Real capacity;  // at the start
  };
  struct Where {
    uint32_t cell, slot;
  };
  static constexpr uint32_t kNowhere = ~uint32_t{0};

  const Where& at(Handle flow) const {
    if (flow >= where_.size() || where_[flow].cell == kNowhere) fail("there is no flow " + std::to_string(flow));
    return where_[flow];
  }

  /// A link's place in the copies of a row's cells.
  uint32_t local(uint32_t row, const Place& p) const {
    return 1 + p.index + (p.up ? 0 : static_cast<uint32_t>(up_[row].size()));
  }

  // The upward links of block b end up on the main diagonal, the downward ones on the other: no cell has both, but
  // where there is one cell.
  uint32_t upHolder(uint32_t b) const { return b * n_ + b; }
  uint32_t downHolder(uint32_t b) const { return (n_ - 1 - b) * n_ + b; }
  const LinkCopy<Real>& master(uint32_t link) const {
    const Place& p = place_[link];
    return cells_[p.up ? upHolder(p.block) : downHolder(p.block)].links;
  }
  uint32_t masterIndex(uint32_t link) const {
    const Place& p = place_[link];
    return local(p.up ? p.block : n_ - 1 - p.block, p);
  }

  /// Cells of a member: all its steps are on these, so they stay in its core's cache.
  template <class F>
  void each(uint32_t member, F f) {
    const auto count = static_cast<uint64_t>(cells_.size());
    const auto end = static_cast<uint32_t>(count * (member + 1) / team_.members());
    for (auto c = static_cast<uint32_t>(count * member / team_.members()); c < end; ++c) f(c / n_, c % n_);
  }

  void iteration(uint32_t member) {
    each(member, [&](uint32_t i, uint32_t j) {
      Cell& c = cells_[i * n_ + j];
      c.flows.update(c.links);
    });
    team_.meet();
    // Figure 5 of the paper. Before a step of width w the sums of row i are at columns j with j mod w = i mod w, one
    // in each w; after it, one in each 2w.
    for (uint32_t w = 1; w < n_; w *= 2) {
      each(member, [&](uint32_t i, uint32_t j) {
        Cell& c = cells_[i * n_ + j];
        if (i % (2 * w) == j % (2 * w)) addUp(i, cells_[i * n_ + (j ^ w)], c);
        if (i % (2 * w) == 2 * w - 1 - j % (2 * w)) addDown(i, j, cells_[(i ^ w) * n_ + j], c);
      });
      team_.meet();
    }
    each(member, [&](uint32_t i, uint32_t j) {
      LinkCopy<Real>& c = cells_[i * n_ + j].links;
      if (i == j) up_[i].update(&c.sums[1], &c.price[1], &c.factor[1]);
      if (i == n_ - 1 - j) {
        const size_t first = 1 + up_[i].size();
        down_[j].update(c.sums.data() + first, c.price.data() + first, c.factor.data() + first);
      }
    });
    team_.meet();
    for (uint32_t w = n_ / 2; w > 0; w /= 2) {
      each(member, [&](uint32_t i, uint32_t j) {
        Cell& c = cells_[i * n_ + j];
        if (i % w == j % w && i % (2 * w) != j % (2 * w)) copyUp(i, cells_[i * n_ + (j ^ w)], c);
        if (i % w == w - 1 - j % w && i % (2 * w) != 2 * w - 1 - j % (2 * w)) {
          copyDown(i, j, cells_[(i ^ w) * n_ + j], c);
        }
      });
      team_.meet();
    }
    normalise(member);
  }

  void addUp(uint32_t row, const Cell& from, Cell& to) { add(from, 1, to, 1, up_[row].size()); }
  void addDown(uint32_t row, uint32_t column, const Cell& from, Cell& to) {
    // `from` is in another row, whose upward block may be of another size.
    add(from, from.links.sums.size() - down_[column].size(), to, 1 + up_[row].size(), down_[column].size());
  }
  static void add(const Cell& from, size_t fromAt, Cell& to, size_t toAt, size_t count) {
    const Sums<Real>* s = from.links.sums.data() + fromAt;
    Sums<Real>* d = to.links.sums.data() + toAt;
    for (size_t l = 0; l < count; ++l) {
      d[l].rate += s[l].rate;
      d[l].slope += s[l].slope;
    }
  }

  void copyUp(uint32_t row, const Cell& from, Cell& to) { copy(from, 1, to, 1, up_[row].size()); }
  void copyDown(uint32_t row, uint32_t column, const Cell& from, Cell& to) {
    copy(from, from.links.sums.size() - down_[column].size(), to, 1 + up_[row].size(), down_[column].size());
  }
  void copy(const Cell& from, size_t fromAt, Cell& to, size_t toAt, size_t count) const {
    std::copy_n(from.links.price.begin() + fromAt, count, to.links.price.begin() + toAt);
    if (settings_.normaliser == Normaliser::FNorm) {
      std::copy_n(from.links.factor.begin() + fromAt, count, to.links.factor.begin() + toAt);
    }
  }

  void normalise(uint32_t member) {
    if (settings_.normaliser == Normaliser::None) return;
    Real least = std::numeric_limits<Real>::max();
    for (uint32_t b = 0; b < n_; ++b) least = std::min({least, up_[b].leastFactor(), down_[b].leastFactor()});
    each(member, [&](uint32_t i, uint32_t j) {
      Cell& c = cells_[i * n_ + j];
      if (settings_.normaliser == Normaliser::FNorm) {
        c.flows.normalise(c.links);
      } else {
        c.flows.scale(least);
      }
    });
    // Nobody may change a block's least factor before everybody has read it: the next step that does is behind the
    // barriers of the next iteration.
  }

  Settings settings_;
  uint32_t n_;
  Team team_;
  std::vector<Place> place_;                // of links
  std::vector<LinkBlock<Real>> up_, down_;  // by block
  std::vector<Cell> cells_;
  std::vector<Where> where_;  // of flows
  std::vector<Handle> free_;
  std::vector<uint32_t> local_;  // the path that add() works on
};

}  // namespace

double defaultGamma(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::Gradient: return 0.004;
    case Algorithm::Fgm: return 1;
    default: return 0.4;
  }
}

Links Links::flat(const std::vector<double>& capacities, uint32_t longestPath) {
  Links links;
  links.longestPath = longestPath;
  for (const double c : capacities) links.links.push_back({c, 0, true});
  return links;
}

std::unique_ptr<Allocator> Allocator::make(const Links& links, const Settings& settings) {
  const uint64_t cells = uint64_t{links.blocks} * links.blocks;
  if (!powerOfTwo(links.blocks)) {
    fail("the number of blocks must be a power of two, is " + std::to_string(links.blocks));
  }
  if (links.longestPath == 0) fail("the longest path must have at least one link");
  for (size_t i = 0; i < links.links.size(); ++i) {
    const Link& l = links.links[i];
    if (!positive(l.capacity)) fail("the capacity of link " + std::to_string(i) + " must be above 0");
    if (l.block >= links.blocks) {
      fail("link " + std::to_string(i) + " is in block " + std::to_string(l.block) + ", but there are " +
           std::to_string(links.blocks));
    }
  }
  if (!positive(settings.gamma)) fail("gamma must be above 0");
  if (!(settings.initialPrice >= 0 && settings.initialPrice <= 1e30)) fail("the initial price must be 0 to 1e30");
  if (!(settings.rateBound >= 1 && settings.rateBound <= 1e6))
    fail("rates are bounded at 1 to 1e6 smallest capacities");
  if (settings.measuredIterations == 0) fail("Newton-like measures for at least one iteration");
  if (settings.threads == 0 || settings.threads > cells) {
    fail("there can be 1 to " + std::to_string(cells) +
         " threads, one for each FlowBlock; for more threads take more blocks");
  }
  if (settings.rt) return std::make_unique<Grid<float>>(links, settings);
  return std::make_unique<Grid<double>>(links, settings);
}

}  // namespace fabric::flowtune
