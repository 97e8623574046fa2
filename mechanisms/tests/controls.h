// What each congestion control needs beside itself. Its own test file says so; the tests that go over all congestion
// controls take it from here.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "mechanisms/tests/net.h"

namespace fabric::test {

inline std::map<std::string, Config>& controls() {
  static std::map<std::string, Config> all;
  return all;
}

/// A static one in a test file makes that file's congestion control known.
struct Control {
  explicit Control(Config config) { controls().emplace(config.cc, std::move(config)); }
};

/// A byte stream over a path that loses packets.
inline Config lossyTcp(const std::string& cc, const std::string& transport = "tcp", const std::string& queue = "fifo") {
  Config c;
  c.transport = transport;
  c.cc = cc;
  c.queues = {"fifo", queue};
  return c.set("port.pfc", false)
      .set(queue + ".limit", int64_t{30000})
      .set(transport + ".initial_rto", int64_t{5'000'000'000})
      .set(transport + ".min_rto", int64_t{1'000'000'000});
}

}  // namespace fabric::test
