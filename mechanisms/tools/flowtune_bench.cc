// What an iteration of Flowtune's allocator takes, beside a plain loop of the same and what the machine can do; JSON.
#include <time.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "mechanisms/flowtune/allocator.h"
#include "mechanisms/flowtune/flow_block.h"
#include "mechanisms/flowtune/team.h"
#include "mechanisms/runner/options.h"
#include "mechanisms/runner/recorder.h"
#include "mechanisms/tests/flowtune_networks.h"

namespace {

using namespace fabric;
using flowtune::Allocator;
using flowtune::Normaliser;

double now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The least seconds that one call of f takes; f(n) makes n calls in a row. Others may use the machine meanwhile:
/// one thread is measured by its CPU time, several by the clock, and the best of many short tries counts.
template <class F>
double best(uint32_t threads, F f) {
  const double least = threads == 1 ? 5e-4 : 3e-3;  // of a try: it must count little that threads wake up
  constexpr int kTries = 300;
  const clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  const auto timed = [&](uint64_t n) {
    const double begin = now(clock);
    f(n);
    return (now(clock) - begin) / static_cast<double>(n);
  };
  uint64_t n = 1;
  double seconds = timed(1), spent = 0;
  for (int i = 0; i < kTries && spent < 0.7; ++i) {
    while (static_cast<double>(n) * seconds < least) n *= 2;
    const double t = timed(n);
    spent += t * static_cast<double>(n);
    seconds = std::min(seconds, t);
  }
  return seconds;
}

/// Bytes per second of a[i] = b[i] + 3 c[i] over arrays that no cache holds; a is read before it is written.
double streaming(uint32_t threads) {
  constexpr size_t kCount = 12 << 20;
  std::vector<double> a(kCount, 1), b(kCount, 2), c(kCount, 3);
  flowtune::Team team(threads);
  const double s = best(threads, [&](uint64_t n) {
    team.run([&](uint32_t member) {
      const size_t from = kCount * member / threads, to = kCount * (member + 1) / threads;
      for (uint64_t k = 0; k < n; ++k) {
        for (size_t i = from; i < to; ++i) a[i] = b[i] + 3 * c[i];
        team.meet();
      }
    });
  });
  return 32.0 * kCount / s;
}

/// Seconds of one addition to the sums of a link that is in the nearest cache: what an iteration does most.
template <class Real>
double addition() {
  constexpr size_t kLinks = 512;
  std::vector<flowtune::Sums<Real>> sums(kLinks);
  std::vector<uint32_t> links;
  RandomStream draw(1, "additions");
  for (int i = 0; i < 4096; ++i) links.push_back(draw.below(kLinks));
  const flowtune::Sums<Real> one{1, 2};
  const double s = best(1, [&](uint64_t n) {
    for (uint64_t k = 0; k < n; ++k) {
      for (const uint32_t l : links) {
        sums[l].rate += one.rate;
        sums[l].slope += one.slope;
      }
    }
  });
  return s / 4096;
}

nlohmann::json measure(const test::Clos& clos, uint32_t flowsPerNode, uint64_t seed, uint32_t cores,
                       const std::vector<double>& streams, double addDouble, double addSingle) {
  RandomStream draw(seed, "flows");
  const uint32_t flows = clos.nodes() * flowsPerNode;
  std::vector<std::vector<uint32_t>> paths;
  while (paths.size() < flows) {
    auto path = clos.path(draw);
    if (path.size() == 4) paths.push_back(std::move(path));
  }
  nlohmann::json list = nlohmann::json::array();

  double plainNed, plainBoth;
  {
    test::PlainNed plain(clos.links(1), 0.4);
    for (const auto& p : paths) plain.add(p, 1);
    plainNed = best(1, [&](uint64_t n) {
      for (uint64_t i = 0; i < n; ++i) plain.iterate(false);
    });
    plainBoth = best(1, [&](uint64_t n) {
      for (uint64_t i = 0; i < n; ++i) plain.iterate(true);
    });
  }
  for (const bool rt : {false, true}) {
    for (uint32_t threads = 1; threads <= cores; ++threads) {
      // As many blocks as threads need, and so many that a block's copy of the links stays in a near cache.
      uint32_t blocks = 1;
      while (blocks * blocks < threads || clos.links(1).links.size() / blocks > 3000) blocks *= 2;
      if (blocks > clos.racks) continue;
      flowtune::Settings s;
      s.rt = rt;
      s.threads = threads;
      double seconds[2];
      for (const bool normalised : {false, true}) {
        s.normaliser = normalised ? Normaliser::FNorm : Normaliser::None;
        auto a = Allocator::make(clos.links(blocks), s);
        a->reserve(flows / (blocks * blocks) * 5 / 4);
        for (const auto& p : paths) a->add(p, 1);
        a->iterate(10);
        seconds[normalised] = best(threads, [&](uint64_t n) { a->iterate(n); });
      }
      // Four links, weight, least price, rate (read before it is written); F-NORM: links, rate, and what it gives.
      const double real = rt ? 4 : 8;
      const double bytes = flows * (16 + 4 * real), bytesBoth = bytes + flows * (16 + 3 * real);
      const bool inCache = bytes < 64e6;
      nlohmann::json share;  // null where the caches hold the flows
      if (!inCache) share = bytesBoth / seconds[1] / streams[threads - 1];
      list.push_back({{"nodes", clos.nodes()},
                      {"flows_per_node", flowsPerNode},
                      {"flows", flows},
                      {"links", clos.links(1).links.size()},
                      {"precision", rt ? "single" : "double"},
                      {"threads", threads},
                      {"blocks", blocks},
                      {"ned_us", seconds[0] * 1e6},
                      {"ned_f_norm_us", seconds[1] * 1e6},
                      {"core_ns_per_flow", seconds[0] * threads / flows * 1e9},
                      {"core_ns_per_flow_f_norm", seconds[1] * threads / flows * 1e9},
                      {"plain_ned_us", plainNed * 1e6},
                      {"plain_ned_f_norm_us", plainBoth * 1e6},
                      {"flow_bytes", bytesBoth},
                      {"share_of_memory", share},
                      {"share_of_core", 4 * (rt ? addSingle : addDouble) * flows / threads / seconds[0]}});
    }
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // The most flows of a network, so that a quick look takes no minute.
    uint64_t most = 5000000, seed = 1;
    uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
    uint32_t racks = 0, flowsPerNode = 0;  // 0: those of the list below
    Options("usage: fabric-flowtune-bench [--flows N] [--cores N] [--racks N] [--flows-per-node N] [--seed N]")
        .number("--flows", most, uint64_t{0})
        .number("--cores", cores, 1u)
        .number("--racks", racks, 2u)
        .number("--flows-per-node", flowsPerNode, 1u)
        .number("--seed", seed, uint64_t{0})
        .parse(argc, argv);
    std::vector<uint32_t> sizes{8, 16, 32, 64, 96}, loadsPerNode{10, 100, 1000};
    if (racks != 0) sizes = {racks};
    if (flowsPerNode != 0) loadsPerNode = {flowsPerNode};
    std::vector<double> streams;
    for (uint32_t t = 1; t <= cores; ++t) streams.push_back(streaming(t));
    const double addDouble = addition<double>(), addSingle = addition<float>();
    nlohmann::json loads = nlohmann::json::array();
    for (const uint32_t size : sizes) {
      for (const uint32_t load : loadsPerNode) {
        const test::Clos clos{size, 48, 12};
        if (uint64_t{clos.nodes()} * load > most) continue;
        for (auto& row : measure(clos, load, seed, cores, streams, addDouble, addSingle)) {
          loads.push_back(std::move(row));
        }
      }
    }
    std::cout << nlohmann::json{{"cores", cores},
                                {"stream_bytes_per_s", streams},
                                {"addition_ns", {{"double", addDouble * 1e9}, {"single", addSingle * 1e9}}},
                                {"iterations", loads}}
                     .dump(1)
              << "\n";
    return std::cout.flush() ? 0 : 1;
  } catch (const InputError& e) {
    std::cerr << e.what() << "\n";
    return kExitRefused;
  } catch (const std::exception& e) {
    std::cerr << "fabric-flowtune-bench: " << e.what() << "\n";
    return 1;
  }
}
