// The flows from one block of racks to another, and what one thread does with them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "mechanisms/core/processor.h"
#include "mechanisms/flowtune/reciprocal.h"

namespace fabric::flowtune {

/// The flows of a link together. Side by side, so that one addition of two lanes takes both.
template <class Real>
struct alignas(2 * sizeof(Real)) Sums {
  Real rate = 0;
  Real slope = 0;  // by how much the rate falls when the price rises, or (FGM) at most falls
};

/// A FlowBlock's private copy of its two LinkBlocks: a dummy link, then the upward ones, then the downward ones. The
/// dummy link pads paths that are shorter than the longest one.
template <class Real>
struct LinkCopy {
  static constexpr uint32_t kNone = 0;
  std::vector<Real> price;
  std::vector<Real> factor;  // capacity over load; what F-NORM scales by
  std::vector<Sums<Real>> sums;

  void resize(size_t links) {
    price.assign(links + 1, 0);
    factor.assign(links + 1, std::numeric_limits<Real>::max());
    sums.assign(links + 1, {});
  }
};

/// Structure of arrays: an iteration reads a flow's links, weight and least price. The order of the flows is the order
/// of all sums. A removed flow leaves its place to the last one.
template <class Real>
class FlowBlock {
 public:
  /// `bounded`: keeps the bound of each flow's slope, for FGM.
  FlowBlock(uint32_t stride, bool bounded) : stride_(stride), bounded_(bounded) {}

  uint32_t size() const { return static_cast<uint32_t>(weight_.size()); }
  uint32_t handle(uint32_t slot) const { return handle_[slot]; }
  Real rate(uint32_t slot) const { return rate_[slot]; }
  Real allocated(uint32_t slot) const { return allocated_[slot]; }
  Real weight(uint32_t slot) const { return weight_[slot]; }
  Real leastPrice(uint32_t slot) const { return leastPrice_[slot]; }
  const uint32_t* path(uint32_t slot) const { return &links_[size_t{slot} * stride_]; }
  uint32_t stride() const { return stride_; }

  void reserve(size_t flows) {
    links_.reserve(flows * stride_);
    for (auto* v : {&weight_, &leastPrice_, &rate_, &allocated_}) v->reserve(flows);
    if (bounded_) bound_.reserve(flows);
    handle_.reserve(flows);
  }

  /// `path`: places in the copy of the links; `most`: the largest rate.
  void add(const uint32_t* path, uint32_t length, double weight, double most, uint32_t handle) {
    links_.insert(links_.end(), path, path + length);
    links_.insert(links_.end(), stride_ - length, LinkCopy<Real>::kNone);
    weight_.push_back(static_cast<Real>(weight));
    leastPrice_.push_back(static_cast<Real>(weight / most));
    rate_.push_back(0);
    allocated_.push_back(0);
    if (bounded_) bound_.push_back(static_cast<Real>(length * most * most / weight));
    handle_.push_back(handle);
  }

  /// The last flow takes the place; constant time.
  void remove(uint32_t slot) {
    const size_t last = size() - size_t{1};
    std::copy_n(links_.begin() + last * stride_, stride_, links_.begin() + size_t{slot} * stride_);
    links_.resize(last * stride_);
    for (auto* v : {&weight_, &leastPrice_, &rate_, &allocated_}) take(*v, slot);
    if (bounded_) take(bound_, slot);
    take(handle_, slot);
  }

  /// Rate update (Eq. 3), and the sums for the price update.
  void update(LinkCopy<Real>& links) {
    std::fill(links.sums.begin(), links.sums.end(), Sums<Real>{});
    withStride([&](auto stride) { update(links, stride); });
  }

  /// F-NORM (Eq. 6).
  void normalise(const LinkCopy<Real>& links) {
    withStride([&](auto stride) { normalise(links, stride); });
  }

  /// U-NORM (Eq. 5): all by the same factor.
  void scale(Real factor) {
    for (size_t i = 0; i < rate_.size(); ++i) allocated_[i] = rate_[i] * factor;
  }

 private:
  /// A batch of flows whose intermediate values stay in the nearest cache. Lookups and sums go flow by flow, the
  /// arithmetic between them is done for several flows at once.
  static constexpr uint32_t kBatch = 128;
  static constexpr size_t kNear = 1 << 20;  // bytes; a core's own cache holds them

  template <uint32_t N>
  struct Stride {
    constexpr operator uint32_t() const { return N; }
  };

  /// Short paths have loops of fixed length.
  template <class F>
  void withStride(F f) {
    switch (stride_) {
      case 2: return f(Stride<2>{});
      case 4: return f(Stride<4>{});
      case 6: return f(Stride<6>{});
      default: return f(stride_);
    }
  }

  /// The links of a path, two at a time: half the loads.
  template <class S, class F>
  static void eachLink(const uint32_t* path, S stride, F f) {
    for (uint32_t k = 0; k < stride; k += 2) {
      uint64_t two;
      std::memcpy(&two, path + k, sizeof two);
      f(static_cast<uint32_t>(two));
      f(static_cast<uint32_t>(two >> 32));
    }
  }

  /// The price sums of a batch. `far`: the flows exceed the near caches, and the processor does not predict reads in
  /// batches, so the next lines are prefetched.
  template <bool far, class S>
  void addPrices(const Real* price, uint32_t begin, uint32_t n, S stride, Real* total) const {
    constexpr uint32_t kLine = 64 / sizeof(Real), kAhead = 8 * kBatch;
    const uint32_t* paths = &links_[size_t{begin} * stride];
    const uint32_t perLine = std::max<uint32_t>(1, 16 / stride);
    for (uint32_t i = 0; i < n; ++i) {
      if (far && i % kLine == 0) {
        __builtin_prefetch(&weight_[begin] + i);
        __builtin_prefetch(&leastPrice_[begin] + i);
        __builtin_prefetch(&rate_[begin] + i, 1);
      }
      if (far && i % perLine == 0) __builtin_prefetch(paths + size_t{i} * stride + kAhead);
      Real sum = 0;
      eachLink(paths + size_t{i} * stride, stride, [&](uint32_t link) { sum += price[link]; });
      keepScalar(sum);  // else the compiler takes the links apart with vector instructions, which costs more
      total[i] = sum;
    }
  }

  template <class S>
  void update(LinkCopy<Real>& links, S stride) {
    Sums<Real>* sums = links.sums.data();
    std::array<Real, kBatch> total;
    std::array<Sums<Real>, kBatch> flow;
    const bool far = size() * (stride * sizeof(uint32_t) + 3 * sizeof(Real)) > kNear;
    for (uint32_t begin = 0; begin < size(); begin += kBatch) {
      const uint32_t n = std::min(kBatch, size() - begin);
      const uint32_t* paths = &links_[size_t{begin} * stride];
      if (far) {
        addPrices<true>(links.price.data(), begin, n, stride, total.data());
      } else {
        addPrices<false>(links.price.data(), begin, n, stride, total.data());
      }
      const Real* weight = &weight_[begin];
      const Real* least = &leastPrice_[begin];
      Real* rate = &rate_[begin];
      for (uint32_t i = 0; i < n; ++i) {
        const Real inverse = reciprocal(std::max(total[i], least[i]));
        const Real x = weight[i] * inverse;
        rate[i] = x;
        flow[i] = {x, x * inverse};
      }
      if (bounded_) {
        for (uint32_t i = 0; i < n; ++i) flow[i].slope = bound_[begin + i];
      }
      for (uint32_t i = 0; i < n; ++i) {
        const Sums<Real> f = flow[i];
        eachLink(paths + size_t{i} * stride, stride, [&](uint32_t link) {
          sums[link].rate += f.rate;
          sums[link].slope += f.slope;
        });
      }
    }
  }

  template <class S>
  void normalise(const LinkCopy<Real>& links, S stride) {
    const Real* factor = links.factor.data();
    for (uint32_t i = 0; i < size(); ++i) {
      Real least = std::numeric_limits<Real>::max();
      eachLink(&links_[size_t{i} * stride], stride, [&](uint32_t link) { least = std::min(least, factor[link]); });
      allocated_[i] = rate_[i] * least;
    }
  }

  template <class T>
  static void take(std::vector<T>& v, uint32_t slot) {
    v[slot] = v.back();
    v.pop_back();
  }

  uint32_t stride_;
  bool bounded_;
  std::vector<uint32_t> links_;  // stride_ for each flow
  std::vector<Real> weight_;
  std::vector<Real> leastPrice_;  // at which the rate is the largest
  std::vector<Real> rate_, allocated_;
  std::vector<Real> bound_;
  std::vector<uint32_t> handle_;
};

}  // namespace fabric::flowtune
